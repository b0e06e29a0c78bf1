package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/windows"
)

// Windows has no signal that a process can send to one that is not of its console. So a server
// waits for an event that has a name, which those of its session may set.

func eventOf(pid int) (*uint16, error) {
	return windows.UTF16PtrFromString(fmt.Sprintf(`Local\quarry-stop-%d`, pid))
}

// interrupt asks a process to end.
func interrupt(pid int) error {
	name, err := eventOf(pid)
	if err != nil {
		return err
	}
	event, err := windows.OpenEvent(windows.EVENT_MODIFY_STATE, false, name)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return nil // it has ended
	} else if err != nil {
		return os.NewSyscallError("OpenEvent", err)
	}
	return errors.Join(os.NewSyscallError("SetEvent", windows.SetEvent(event)), windows.CloseHandle(event))
}

// Interruptible returns a context that ends when Stop asks this process to end, where that is
// not a signal; stop must be called in the end.
func Interruptible(ctx context.Context) (_ context.Context, stop func(), err error) {
	name, err := eventOf(os.Getpid())
	if err != nil {
		return nil, nil, err
	}
	event, err := windows.CreateEvent(nil, 1, 0, name)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateEvent", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiter sync.WaitGroup
	waiter.Go(func() {
		// What else may end the wait is a handle that is none.
		if _, err := windows.WaitForSingleObject(event, windows.INFINITE); err == nil {
			cancel()
		}
	})
	return ctx, func() {
		_ = windows.SetEvent(event) // ends the wait
		waiter.Wait()
		cancel()
		_ = windows.CloseHandle(event)
	}, nil
}

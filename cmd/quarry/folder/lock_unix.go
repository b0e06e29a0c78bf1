//go:build unix

package folder

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the file's lock without waiting and reports whether it got it.
// The system gives the lock up with the file's last descriptor.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

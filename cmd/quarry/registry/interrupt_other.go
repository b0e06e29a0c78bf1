//go:build !windows

package registry

import (
	"context"
	"errors"
	"os"
)

// interrupt asks a process to end.
func interrupt(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	if err := p.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Interruptible returns a context that ends when Stop asks this process to end, where that is
// not a signal; stop must be called in the end.
func Interruptible(ctx context.Context) (_ context.Context, stop func(), err error) {
	return ctx, func() {}, nil
}

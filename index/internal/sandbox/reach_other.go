//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"runtime"
)

func restrictThread(Reach) error {
	return fmt.Errorf("%w: a thread cannot be confined on %s", errors.ErrUnsupported, runtime.GOOS)
}

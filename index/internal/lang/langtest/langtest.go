//go:build unix

// Package langtest helps tests to ask how the time of some work grows with its input, on a
// machine that does other things as well.
package langtest

import (
	"syscall"
	"time"
)

// ProcessorTime is what the process has used: other work on the machine counts less.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Superlinear finds whether work on so much takes both half a second of a processor and
// three times its part by what an eighth of it takes. Once is not enough: the test's own
// machine, or its collector, may be busy.
func Superlinear(size int, work func(size int)) (long, short time.Duration, found bool) {
	take := func(size int) time.Duration {
		begin := ProcessorTime()
		work(size)
		return ProcessorTime() - begin
	}
	for range 3 {
		if long = take(size); long < time.Second/2 {
			return 0, 0, false
		}
		if short = take(size / 8); long < 3*8*short {
			return 0, 0, false
		}
	}
	return long, short, true
}

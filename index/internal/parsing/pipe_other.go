//go:build !windows

package parsing

import "os"

// pipe returns a pipe to a worker, or from one.
func pipe(fromWorker bool) (ours, theirs *os.File, err error) {
	read, write, err := os.Pipe()
	if fromWorker {
		return read, write, err
	}
	return write, read, err
}

//go:build unix

package source

import (
	"syscall"
	"testing"
)

// makePipe makes a named pipe, and reports whether there are any here.
func makePipe(t *testing.T, path string) bool {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	return true
}

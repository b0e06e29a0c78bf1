//go:build !linux

package priority

// Lower does nothing here: a thread has no priority of its own that a program may lower
// without cgo.
func Lower() {}

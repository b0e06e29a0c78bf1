//go:build !linux

package index

// lowerPriority does nothing here: a thread has no priority of its own that a
// program may lower without cgo.
func lowerPriority() {}

package intern

import (
	"unsafe"
)

// SizeOf is what a slice takes.
func SizeOf[T any](s []T) int64 {
	var zero T
	return int64(cap(s)) * int64(unsafe.Sizeof(zero))
}

// Text is what strings take.
func Text(all []string) int64 {
	n := SizeOf(all)
	for _, s := range all {
		n += int64(len(s))
	}
	return n
}

// Bytes is what the pool takes.
func (p *Pool[T]) Bytes() int64 { return SizeOf(p.data) + SizeOf(p.Ends) + SizeOf(p.table) }

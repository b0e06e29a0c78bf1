//go:build !windows

package onnx

/*
#cgo linux LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
*/
import "C"

import "unsafe"

// linkerKnows reports whether the dynamic linker finds a library by its name.
func linkerKnows(name string) bool {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	handle := C.dlopen(s, C.RTLD_LAZY|C.RTLD_LOCAL)
	if handle == nil {
		return false
	}
	C.dlclose(handle)
	return true
}

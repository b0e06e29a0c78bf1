package protocol

import (
	_ "embed"
	"strings"
	"sync"
)

// rustMethods are the names of the methods that lists, texts and numbers of Rust's library have, with
// those of what these give: options, iterators, readers.
//
//go:embed rust.txt
var rustMethods string

var ofRustValues = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(rustMethods) {
		all[name] = true
	}
	return all
})

// OfRustExtension reports whether a path of Rust that leads out of the index is that of a list, a text or a
// number and has a method which the library does not give these: a trait of the index adds it, or what
// was taken for a list is something else.
func OfRustExtension(path string) bool {
	parts := strings.Split(path, ".")
	switch parts[0] {
	case "str", "char", "bool", "list", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64":
	default:
		return false
	}
	for _, part := range parts[1:] {
		if part != "" && 'a' <= part[0] && part[0] <= 'z' && !ofRustValues()[part] {
			return true
		}
	}
	return false
}

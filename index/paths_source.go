package index

import (
	"strings"
)

// within reports whether a path is the folder or file, or lies below it.
func within(path, folder string) bool {
	return folder == "" || folder == "." || path == folder ||
		len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}

// below reports whether a path or one of its folders is in the set.
func below(path string, set map[string]bool) bool {
	for {
		if set[path] {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

// dirOf returns the folder of a path, "" for the root.
func dirOf(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

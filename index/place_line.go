package index

import (
	"bytes"
)

// lineAt returns the offset of the n-th line after the first.
func lineAt(src []byte, n int) (from int, ok bool) {
	for ; n > 0; n-- {
		i := bytes.IndexByte(src[from:], '\n')
		if i < 0 {
			return 0, false
		}
		from += i + 1
	}
	return from, from < len(src)
}

// countLines returns the number of lines of a text, at least 1.
func countLines(src []byte) int {
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return max(n, 1)
}

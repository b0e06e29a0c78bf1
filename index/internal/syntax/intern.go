package syntax

import (
	"strings"
	"unicode/utf8"
)

// An interner keeps strings, so that files share them.
type interner struct {
	all    map[string]string
	recent [512]string // by a hash: most names have just been seen, and need no map
}

// mostInterned bounds the table.
const mostInterned = 1 << 16

func newInterner() *interner { return &interner{all: map[string]string{}} }

// trim empties the table if it is large.
func (t *interner) trim() {
	if len(t.all) > mostInterned {
		*t = *newInterner()
	}
}

// string returns b as a string. What is no UTF-8 is replaced.
func (t *interner) string(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	last := &t.recent[(len(b)*31+int(b[0])*7+int(b[len(b)/2])*5+int(b[len(b)-1]))%len(t.recent)]
	if *last == string(b) {
		return *last
	}
	s, ok := t.all[string(b)]
	if !ok {
		s = string(b)
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		t.all[s] = s
	}
	*last = s
	return s
}

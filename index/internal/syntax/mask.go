package syntax

import (
	"bytes"
	"slices"
)

// A Mask is a text, and a copy of it in which some bytes are overwritten; the copy is made
// when the first one is.
type Mask struct {
	Text   []byte
	masked []byte // a copy of Text, once something is blanked
}

// Put overwrites what is at an offset.
func (m *Mask) Put(at int, with string) {
	if m.masked == nil {
		m.masked = slices.Clone(m.Text)
	}
	copy(m.masked[at:], with)
}

// Blank overwrites a range with spaces, but for the ends of lines.
func (m *Mask) Blank(from, to int) {
	for i := from; i < to; i++ {
		if m.Text[i] != '\n' && m.Text[i] != '\r' {
			m.Put(i, " ")
		}
	}
}

// Bytes returns the copy, or the text where nothing is overwritten.
func (m *Mask) Bytes() []byte {
	if m.masked == nil {
		return m.Text
	}
	return m.masked
}

// Each calls f with the offset of every occurrence of word.
func (m *Mask) Each(word string, f func(at int)) {
	for at := 0; ; at += len(word) {
		i := bytes.Index(m.Text[at:], []byte(word))
		if i < 0 {
			return
		}
		at += i
		f(at)
	}
}

// Begins reports whether a statement may begin at offset at: before it on its
// line stands nothing, or the end of another.
func (m *Mask) Begins(at int) bool {
	for at--; at >= 0; at-- {
		switch m.Text[at] {
		case ' ', '\t':
			continue
		case '\n', '{', '}', ';':
			return true
		}
		return false
	}
	return true
}

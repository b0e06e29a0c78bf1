package lsp

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A text is one with what positions in it need. It does not change.
type text struct {
	all   string
	lines []int // where they begin, in bytes
}

func newText(all string) *text {
	t := &text{all: all, lines: []int{0}}
	for i := 0; i < len(all); i++ {
		// A carriage return alone ends a line, too, for the protocol; for the index it does not.
		if all[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns a line, from 0, without what ends it; "" beyond the last one.
func (t *text) line(n int) string {
	if n < 0 || n >= len(t.lines) {
		return ""
	}
	end := len(t.all)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(t.all[t.lines[n]:end], "\n"), "\r")
}

// offset returns the byte of a position. What lies beyond the end of a line or of the text is
// that end.
func (t *text) offset(p protocol.Position, e protocol.PositionEncodingKind) int {
	n := int(p.Line)
	if n >= len(t.lines) {
		return len(t.all)
	}
	return t.lines[n] + bytesOf(t.line(n), int(p.Character), e)
}

// position returns that of a byte.
func (t *text) position(offset int, e protocol.PositionEncodingKind) protocol.Position {
	offset = min(max(offset, 0), len(t.all))
	n := sort.SearchInts(t.lines, offset+1) - 1
	return t.at(n, offset-t.lines[n], e)
}

// at returns the position of a byte of a line, both from 0.
func (t *text) at(line, byte int, e protocol.PositionEncodingKind) protocol.Position {
	whole := t.line(line)
	return protocol.Position{Line: uint32(max(line, 0)), Character: uint32(units(whole[:min(max(byte, 0), len(whole))], e))}
}

// span returns the range of so many bytes of a line, both from 0.
func (t *text) span(line, byte, length int, e protocol.PositionEncodingKind) protocol.Range {
	return protocol.Range{Start: t.at(line, byte, e), End: t.at(line, byte+length, e)}
}

// end returns the position at the end of a line, from 0.
func (t *text) end(line int, e protocol.PositionEncodingKind) protocol.Position {
	return t.at(line, len(t.line(line)), e)
}

// bytesOf returns how many bytes of a line have so many units of an encoding. A character that
// they end within counts as a whole.
func bytesOf(line string, n int, e protocol.PositionEncodingKind) int {
	if e == protocol.PositionEncodingKindUTF8 {
		for n = min(max(n, 0), len(line)); n < len(line) && !utf8.RuneStart(line[n]); {
			n++
		}
		return n
	}
	for i, r := range line {
		if n <= 0 {
			return i
		}
		n -= width(r, e)
	}
	return len(line)
}

// units returns how many units of an encoding a text has.
func units(s string, e protocol.PositionEncodingKind) (n int) {
	if e == protocol.PositionEncodingKindUTF8 {
		return len(s)
	}
	for _, r := range s {
		n += width(r, e)
	}
	return n
}

func width(r rune, e protocol.PositionEncodingKind) int {
	if e == protocol.PositionEncodingKindUTF32 {
		return 1
	}
	return max(utf16.RuneLen(r), 1)
}

// encoding chooses that of positions, of those that a client takes: bytes, which are what the
// index has, or else what all clients take.
func encoding(offered []protocol.PositionEncodingKind) protocol.PositionEncodingKind {
	for _, e := range []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32} {
		for _, o := range offered {
			if o == e {
				return e
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// word returns where the first whole word of a name begins in a line, in bytes, -1 for nowhere.
func word(line, name string) int {
	for at := 0; name != "" && at < len(line); {
		n := strings.Index(line[at:], name)
		if n < 0 {
			return -1
		}
		at += n
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+len(name):])
		if (at == 0 || !inWord(before)) && (at+len(name) == len(line) || !inWord(after)) {
			return at
		}
		at += len(name)
	}
	return -1
}

func inWord(r rune) bool {
	return r == '_' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf
}

// wordLength returns the bytes of the word that begins a text.
func wordLength(s string) int {
	n := strings.IndexFunc(s, func(r rune) bool { return !inWord(r) })
	if n < 0 {
		return len(s)
	}
	return n
}

package scip

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Occurrences that a document may have: some for each byte of its text.
const (
	perByte       = 4
	perDocument   = 1000
	maxLine       = 1<<20 - 1 // that a place can have
	maxColumn     = 1<<12 - 1
	maxOccurrence = 1 << 16 // bytes of a name
)

// document reads a document, and takes it where it fits the file.
func (r *Reader) document(data []byte, prefix string, made time.Time) error {
	r.report.Documents++
	name, text, said, encoding := "", []byte(nil), false, pb.PositionEncoding_UnspecifiedPositionEncoding
	err := fields(data, func(field protowire.Number, bytes []byte, number uint64) (err error) {
		switch field {
		case 1:
			name = string(bytes)
		case 3:
			_, err = r.information(bytes, nil)
		case 5:
			text, said = bytes, len(bytes) > 0
		case 6:
			encoding = pb.PositionEncoding(number)
		}
		return err
	})
	if err != nil {
		return err
	}
	var known Text
	reason, ok := "", plain(name) // scip-go has documents of files that Go has generated elsewhere
	if ok {
		name = path.Join(prefix, name)
		known, ok = r.text(name)
	} else {
		reason = OutsideRoot
	}
	switch {
	case reason != "":
	case !ok:
		reason = NotIndexed
	case r.seen[name]:
		reason = Twice
	case said && !bytes.Equal(text, known.Src):
		reason = OtherText
	case !said && known.ModTime.After(made):
		reason = Newer
	}
	c := checker{reader: r, src: known.Src, encoding: encoding, locals: map[string]uint32{}, reason: reason}
	if reason == "" {
		c.lines = linesOf(known.Src)
	}
	var o pb.Occurrence
	if err := fields(data, func(field protowire.Number, bytes []byte, _ uint64) error {
		if field != 2 {
			return nil
		}
		if err := occurrence(bytes, &o); err != nil {
			return err
		}
		c.take(&o)
		return nil
	}); err != nil {
		return err
	}
	if c.reason != "" {
		r.report.Left[c.reason]++
		for _, n := range c.defined {
			if c.reason != Twice || !r.defined[n] {
				r.facts.symbols[n].elsewhere = true
			}
		}
		return nil
	}
	for _, n := range c.defined {
		r.defined[n] = true
	}
	slices.SortFunc(c.found, func(a, b Occurrence) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Length, b.Length), cmp.Compare(a.Symbol, b.Symbol))
	})
	c.found = slices.Compact(c.found)
	r.seen[name] = true
	r.facts.files = append(r.facts.files, file{name, known.Hash, slices.Clip(c.found)})
	r.report.Taken++
	r.report.Names += len(c.found)
	return nil
}

// A checker compares the occurrences of a document with a text.
type checker struct {
	reader   *Reader
	src      []byte
	lines    []int // where they begin
	encoding pb.PositionEncoding
	locals   map[string]uint32

	count   int
	found   []Occurrence
	defined []uint32
	reason  string // why the document is not taken
}

// take checks an occurrence.
func (c *checker) take(o *pb.Occurrence) {
	c.count++
	defines := o.SymbolRoles&int32(pb.SymbolRole_Definition) != 0
	local := pb.IsLocalSymbol(o.Symbol)
	of := uint32(0)
	if named := o.Symbol != "" && len(o.Symbol) <= maxSymbol; named && !local {
		if of = c.reader.symbol(o.Symbol); defines {
			c.defined = append(c.defined, of)
		}
	} else if !named {
		of = noSymbol
	}
	if c.reason != "" {
		return
	}
	if c.count > perByte*len(c.src)+perDocument {
		c.reason = OtherPlace
		return
	}
	at, ok := o.SourceRange()
	if !ok || at.Validate() != nil {
		c.reason = OtherPlace
		return
	}
	start, end := c.offset(at.Start), c.offset(at.End)
	if start < 0 || end < 0 || start > end {
		c.reason = cmp.Or(c.reason, OtherPlace)
		return
	}
	if of == noSymbol || !at.IsSingleLine() {
		return // it lies in the text, and names nothing
	}
	declares := o.SymbolRoles&int32(pb.SymbolRole_ForwardDefinition) != 0 && !defines
	if c.name(o.Symbol, &of, local, defines, start, end) {
		line := int(at.Start.Line)
		column := start - c.lines[line] + 1
		if line+1 < maxLine && column < maxColumn && end-start <= maxOccurrence {
			c.found = append(c.found, Occurrence{ir.At(line+1, column), uint32(end - start), of, defines, declares})
		}
	}
}

// noSymbol is no number of a symbol.
const noSymbol = 1<<32 - 1

// name checks an occurrence on one line that names a symbol, and reports whether it is spelled
// as that. of is the symbol's number; a local one gets it here.
func (c *checker) name(symbolName string, of *uint32, local, defines bool, start, end int) bool {
	r, word := c.reader, string(c.src[start:end])
	if local {
		if !c.whole(start, end) {
			return false // of what has no name: a literal, a receiver that is not written
		}
		n, ok := c.locals[symbolName]
		if !ok {
			n = uint32(len(r.facts.symbols))
			c.locals[symbolName] = n
			r.facts.symbols = append(r.facts.symbols, symbol{name: word, path: word, local: true})
			r.details = append(r.details, detail{})
		}
		*of = n
		return r.facts.symbols[n].name == word
	}
	d := &r.details[*of]
	spelled := word == r.facts.symbols[*of].name || d.display != "" && word == d.display
	switch {
	case d.space:
		return false
	case defines && !spelled, start == end, c.inside(start), c.inside(end):
		c.reason = OtherPlace
		return false
	}
	return spelled // or it is under another name, or of more: "a as b"
}

// inside reports whether an offset is within a word.
func (c *checker) inside(at int) bool {
	return at > 0 && at < len(c.src) && inWord(c.src[at-1]) && inWord(c.src[at])
}

// whole reports whether a part of the text is one whole word.
func (c *checker) whole(start, end int) bool {
	return isWord(string(c.src[start:end])) && (start == 0 || !inWord(c.src[start-1])) && (end == len(c.src) || !inWord(c.src[end]))
}

// offset returns the offset of a position, or -1 where there is none.
func (c *checker) offset(at pb.Position) int {
	if int(at.Line) >= len(c.lines) {
		return -1
	}
	start, end := c.lines[at.Line], len(c.src)
	if int(at.Line)+1 < len(c.lines) {
		end = c.lines[at.Line+1] - 1
	}
	line, n := c.src[start:end], int(at.Character)
	switch c.encoding {
	case pb.PositionEncoding_UTF8CodeUnitOffsetFromLineStart:
	case pb.PositionEncoding_UTF16CodeUnitOffsetFromLineStart, pb.PositionEncoding_UTF32CodeUnitOffsetFromLineStart:
		i := 0
		for units := 0; units < n; {
			if i == len(line) {
				return -1
			}
			letter, size := utf8.DecodeRune(line[i:])
			i += size
			units++
			if letter > 0xFFFF && c.encoding == pb.PositionEncoding_UTF16CodeUnitOffsetFromLineStart {
				units++
			}
		}
		return start + i
	default:
		if i := bytes.IndexFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 && i < n {
			c.reason = Encoding
			return -1
		}
	}
	if n > len(line) {
		return -1
	}
	return start + n
}

func linesOf(src []byte) []int {
	lines := []int{0}
	for i, b := range src {
		if b == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func inWord(b byte) bool {
	return b == '_' || b == '$' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || b >= utf8.RuneSelf
}

// isWord reports whether a name is one word.
func isWord(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && strings.IndexFunc(name, func(r rune) bool { return r < utf8.RuneSelf && !inWord(byte(r)) }) < 0
}

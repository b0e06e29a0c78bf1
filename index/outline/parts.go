package outline

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Sizes of what an Outline tells.
const (
	partText    = 1500 // bytes of the code of a part or below a remark
	remarkLines = 28   // lines below a remark
	maxDoc      = 2000 // bytes of the doc of a Python file
)

// An Outline is what one file says about itself: its definitions, what is
// documented of them, and the remarks inside them. It is for tools that learn
// from code; the index itself keeps other things.
type Outline struct {
	Language string   // "go", "python"; "" when it is not known
	Doc      string   // the first comment of the file that is neither licence nor the doc of a definition
	Parts    []Part   // by place in the file, containers before what they contain
	Remarks  []Remark // by place in the file
}

// A Part is one definition.
type Part struct {
	Name      string
	Parent    string // the containers' names joined by "."
	Kind      string // "function", "class"; see Hit.Kind
	Doc       string // the doc comment or docstring as prose, at most 2,000 bytes
	Signature string // one line without the body, at most 300 bytes
	Text      string // the code without comments, docstrings and blank lines, at most 1,500 bytes
	Line      int    // 1-based, where it begins
	EndLine   int    // 1-based, inclusive
}

// A Remark is a comment that documents no definition, with the code below it.
type Remark struct {
	Part int    // index of the innermost part it stands in, -1: none
	Doc  string // the comment as prose; comments on lines one after the other are one
	Text string // the code below, without comments, up to a blank line, at most 1,500 bytes
}

// An Outliner outlines files, one at a time. It is not safe for concurrent
// use; Close must be called when it is no longer needed.
type Outliner struct{ parser *syntax.Parser }

// NewOutliner returns an Outliner.
func NewOutliner() *Outliner { return &Outliner{lang.NewParser()} }

// Close frees the memory outside Go's heap. No call may follow it.
func (o *Outliner) Close() { o.parser.Close() }

// Outline outlines the file that is called path, slash-separated, and holds
// src. It never fails: what is not understood has an empty outline.
func (o *Outliner) Outline(path string, src []byte) Outline {
	out := Outline{Language: source.Language(path, src)}
	if out.Language == "" || len(bytes.TrimSpace(src)) == 0 {
		return out
	}
	file := o.parser.Parse(out.Language, src)
	v := outline{src: src, symbols: file.Symbols, comments: o.parser.Comments(src)}
	v.group()
	for i := range file.Symbols {
		s := &file.Symbols[i]
		out.Parts = append(out.Parts, Part{
			Name: s.Name, Parent: s.Parent, Kind: string(s.Kind), Doc: s.Doc, Signature: s.Signature,
			Text: v.code(s.Start, s.End, partText, 0), Line: s.Line, EndLine: s.EndLine,
		})
	}
	out.Doc = v.fileDoc()
	if out.Language == "python" {
		out.Doc = cmp.Or(v.moduleDoc(), out.Doc)
	}
	out.Remarks = v.remarks(out.Doc)
	return out
}

// outline is the work on one file.
type outline struct {
	src      []byte
	symbols  []syntax.Symbol
	comments []syntax.Comment
	groups   []syntax.Comment // comments on lines one after the other, joined
}

// group joins comments that only white space with one line break separates.
func (v *outline) group() {
	for _, c := range v.comments {
		if n := len(v.groups); n > 0 {
			last := &v.groups[n-1]
			gap := v.src[last.End:c.Start]
			// A docstring and a comment below it are two things.
			if v.src[last.Start] == v.src[c.Start] && len(bytes.TrimSpace(gap)) == 0 && bytes.Count(gap, []byte("\n")) <= 1 && v.startsLine(last.Start) {
				last.End = c.End
				last.Text += "\n" + c.Text
				continue
			}
		}
		v.groups = append(v.groups, c)
	}
}

func (v *outline) startsLine(at int) bool {
	line := bytes.LastIndexByte(v.src[:at], '\n') + 1
	return len(bytes.TrimSpace(v.src[line:at])) == 0
}

// documents reports whether the group is the doc of a definition: it stands
// directly before one, or is the docstring of the one it stands in.
func (v *outline) documents(c syntax.Comment, inside int) bool {
	i, _ := slices.BinarySearchFunc(v.symbols, c.End, func(s syntax.Symbol, at int) int { return s.Start - at })
	if i < len(v.symbols) && v.symbols[i].DocStart < c.End {
		return true
	}
	return inside >= 0 && v.symbols[inside].Doc != "" && strings.Contains(v.symbols[inside].Doc, c.Text)
}

// inside returns the innermost symbol around an offset, or -1.
func (v *outline) inside(at int) int {
	i, _ := slices.BinarySearchFunc(v.symbols, at, func(s syntax.Symbol, at int) int { return s.Start - at })
	for i--; i >= 0; i-- {
		if v.symbols[i].End > at {
			return i
		}
	}
	return -1
}

// fileDoc returns the first comment before the first definition that is no
// licence and belongs to no definition.
func (v *outline) fileDoc() string {
	for _, c := range v.groups {
		if len(v.symbols) > 0 && c.Start >= v.symbols[0].Start {
			return ""
		}
		lower := strings.ToLower(c.Text)
		if strings.Contains(lower, "copyright") || strings.Contains(lower, "licen") || strings.Contains(lower, "spdx") || bytes.HasPrefix(v.src[c.Start:], []byte("#!")) {
			continue
		}
		if !v.documents(c, -1) && strings.Contains(c.Text, " ") {
			return c.Text
		}
	}
	return ""
}

// moduleDoc returns the string that a Python file begins with, which is its
// doc and, to the syntax tree, neither comment nor definition.
func (v *outline) moduleDoc() string {
	at := 0
	for _, c := range v.comments {
		if len(bytes.TrimSpace(v.src[at:c.Start])) > 0 {
			break
		}
		at = c.End
	}
	text := bytes.TrimLeft(bytes.TrimSpace(v.src[at:]), "rRuU")
	for _, quote := range []string{`"""`, `'''`} {
		if rest, ok := bytes.CutPrefix(text, []byte(quote)); ok {
			doc, _, _ := bytes.Cut(rest, []byte(quote))
			return strings.ToValidUTF8(string(bytes.TrimSpace(doc[:min(len(doc), maxDoc)])), "")
		}
	}
	return ""
}

// remarks returns the comments that are docs of nothing.
func (v *outline) remarks(fileDoc string) []Remark {
	var out []Remark
	for _, c := range v.groups {
		if !v.startsLine(c.Start) || !strings.Contains(c.Text, " ") || c.Text == fileDoc || bytes.HasPrefix(v.src[c.Start:], []byte("#!")) {
			continue
		}
		in := v.inside(c.Start)
		if v.documents(c, in) {
			continue
		}
		end := len(v.src)
		if in >= 0 {
			end = v.symbols[in].End
		}
		if text := v.code(c.End, end, partText, remarkLines); text != "" {
			out = append(out, Remark{in, c.Text, text})
		}
	}
	return out
}

// code returns src[start:end] without comments and blank lines, at most size
// bytes and, unless it is 0, lines lines. With a limit of lines it ends, too,
// before a second blank line in a row, and after eight lines before the first;
// a blank line at the very beginning leaves nothing.
func (v *outline) code(start, end, size, lines int) string {
	var b []byte
	next, _ := slices.BinarySearchFunc(v.comments, start, func(c syntax.Comment, at int) int { return c.Start - at })
	taken, blank := 0, 0
	rest := lines > 0 // of the line that start is in
	for at := start; at < end && len(b) < size && (lines == 0 || taken < lines); {
		stop := end
		if i := bytes.IndexByte(v.src[at:end], '\n'); i >= 0 {
			stop = at + i + 1
		}
		from, commented := len(b), false
		for at < stop {
			for next < len(v.comments) && v.comments[next].End <= at {
				next++
			}
			to := stop
			if next < len(v.comments) && v.comments[next].Start < stop {
				to = max(v.comments[next].Start, at)
			}
			b = append(b, v.src[at:to]...)
			at = to
			if to < stop {
				commented = true
				at = max(v.comments[next].End, at)
				if at > stop { // a comment of several lines: what follows it is a line of its own
					stop = at
				}
			}
		}
		if line := bytes.TrimRight(b[from:], " \t\r\n"); len(line) > 0 {
			b = append(b[:from+len(line)], '\n')
			taken, blank, rest = taken+1, 0, false
			continue
		}
		b = b[:from]
		if lines > 0 && !commented && !rest {
			blank++
			if blank >= 2 || taken == 0 || taken > 8 {
				break
			}
		}
		rest = false
	}
	if len(b) > size {
		b = b[:size]
	}
	return strings.ToValidUTF8(string(b), "")
}

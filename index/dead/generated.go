package dead

import (
	"bytes"
	"go/token"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A block is a function, a method or a type of a generated file of Go. The index has no symbols of
// that, and yet what only a block uses is dead if nothing uses the block. A method is as alive as its type.
type block struct {
	start, end int32
	name       string   // of a method the type's
	spot       int32    // of the name
	of, method string   // of a method: its type, and its name
	asks       []string // of an interface: the exported methods that it lists
	function   bool
	exported   bool
}

var (
	generated  = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)
	blockBegin = regexp.MustCompile(`^(?:func (?:\((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)|(\w+))[\[(]|type (\w+)[ \[])`)
)

// blocksOf finds the blocks of a file, none if it is not generated, and notes what package it is of.
func blocksOf(f *file, search *texts.Search) (list []block) {
	var r texts.Reader
	var found texts.Head
	if !search.Text(&r, int(f.number), &found) {
		return nil
	}
	f.clause = clauseOf(r.Src[:min(len(r.Src), 16<<10)])
	if !generated.Match(r.Src[:min(len(r.Src), 4<<10)]) {
		return nil
	}
	for at := 0; at < len(r.Src); {
		start, end := at, len(r.Src)
		if n := bytes.IndexByte(r.Src[at:], '\n'); n >= 0 {
			end = at + n
		}
		at = end + 1
		line := r.Src[start:end]
		if !bytes.HasPrefix(line, []byte("func ")) && !bytes.HasPrefix(line, []byte("type ")) {
			continue
		}
		m := blockBegin.FindSubmatchIndex(line)
		if m == nil {
			continue
		}
		b := block{start: int32(start), end: int32(end), function: m[6] >= 0}
		g := 2
		for m[g] < 0 {
			g += 2
		}
		name := string(line[m[g]:m[g+1]])
		if m[4] >= 0 {
			b.of, b.method = name, string(line[m[4]:m[5]])
		}
		if b.function && (name == "main" || name == "init") || name == "_" {
			continue
		}
		if last := bytes.TrimRight(line, " \t\r"); last[len(last)-1] == '{' {
			n := bytes.Index(r.Src[end:], []byte("\n}"))
			if n < 0 {
				continue
			}
			b.end += int32(n)
			at = int(b.end) + 1
		}
		if !b.function && bytes.HasSuffix(line, []byte(" interface {")) {
			for _, m := range demands.FindAllSubmatch(r.Src[end-1:b.end], -1) {
				if token.IsExported(string(m[1])) {
					b.asks = append(b.asks, string(m[1]))
				}
			}
		}
		first, _ := utf8.DecodeRuneInString(name)
		b.exported = unicode.IsUpper(first)
		b.name = name
		list = append(list, b)
	}
	return list
}

// nodeOf is the node that a block is as alive as.
func (p *program) nodeOf(b *block) int32 {
	if b.function {
		return p.codeNode(b.spot)
	}
	for _, i := range p.spots[b.spot].rest { // a type that is written elsewhere
		if p.items[i].Kind == convention.Class {
			return i
		}
	}
	return p.restNode(b.spot)
}

// ofBlock reports whether a node that names something is a block.
func (p *program) ofBlock(node int32) bool { return int(node) >= len(p.items)+len(p.files) }

// offered visits the blocks that others may use, as api has it of items.
func (r *reach) offered(f *file, exports string) {
	for i := range f.blocks {
		if b := &f.blocks[i]; b.exported && exports != IgnoreExports && (exports == RootExports || r.p.packages.Library(f.path, f.family)) {
			r.visit(r.p.nodeOf(b), -1, 0, known, sure)
		}
	}
}

// generatedBy returns the node of the block at a place of a generated file; the file's outside of all. It
// reports whether the place is the name of what the block defines.
func (w *wordScan) generatedBy(at int) (node int32, defines bool) {
	for w.block < len(w.f.blocks) && int(w.f.blocks[w.block].end) <= at {
		w.block++
	}
	if w.block >= len(w.f.blocks) || int(w.f.blocks[w.block].start) > at {
		return w.file, false
	}
	b := &w.f.blocks[w.block]
	before := w.src[b.start:at]
	return w.p.nodeOf(b), bytes.Equal(before, []byte("func ")) || bytes.Equal(before, []byte("type ")) ||
		bytes.HasPrefix(before, []byte("func (")) && bytes.HasSuffix(before, []byte(") ")) && bytes.Count(before, []byte(")")) == 1
}

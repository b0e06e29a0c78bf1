// Package reader reads Go without the grammar library, which took half of the time of
// building an index of the Go distribution: its parser is made for text that is being
// edited. The reader takes whole files that a compiler would take, and writes the same
// tree, node for node: kinds, fields, offsets and comments. It does so in a twelfth of
// the time (BenchmarkGoReader: 104 MB/s of processor time against 9), and takes all
// but 6 of 1000 files of the distribution; TestGoReaderDistribution compares the trees.
//
// What it is not sure of it declines, and the library parses it as before: text
// with syntax errors, what is newer than the grammar, bytes that are no UTF-8,
// letters outside the common alphabets, nesting of a thousand levels, and a few
// forms that the grammar reads in a way of its own.
//
// # Trees from the bottom
//
// Nodes are appended when they are complete: a token when it is consumed, a parent
// when its last child is. So the operand of a call, a binary expression or a selector
// needs no place held for it, and is a child by being inside. A parent knows its
// children by their number. Where it is open for some tokens whether there is a
// parent (a type conversion or a call, a parameter or a name), a node of no kind is
// put in its place, and counts when it gets one. At the end one pass from the back
// writes the pre-order that a Tree has.
//
// # Comments
//
// The grammar allows comments everywhere. The library gives one to the lowest node
// that holds both of the tokens around it, since a node ends with its last token.
// Here comments wait until the next token is consumed or the next node begins.
//
// # Time
//
// The reader looks one token ahead. Where it has to read a piece again as a type, it
// keeps account of the bytes, and declines when they exceed the text four times; so
// it takes linear time, and needs no limit in seconds.
package reader

import (
	"bytes"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A Reader reads one text at a time, and keeps the memory for that. It is not safe for
// concurrent use.
type Reader struct {
	symbols *goSymbols

	goLexer
	nodes   []goNode
	live    uint32 // nodes that count: all but those without a kind
	last    uint32 // where the last token that was consumed ends
	flushed int    // comments that are nodes
	depth   int    // of calls
	again   int    // bytes that were read again
	open    []uint32
	lone    []goLone

	// What Go's own parser calls the expression level: below 0 in the header of a
	// statement, where "x {" is no literal.
	level int

	guard  uint32 // where the expression begins that ".(type)" may follow
	found  bool   // it was, by the last expression
	headed bool   // what control reported of the last statement
}

// A goNode is a node that is complete. It is as large as the one of a Tree.
type goNode struct {
	start, end uint32
	size       uint32 // nodes that count, itself included
	kind       goKind
	field      goFieldOf
}

// A goMark is where a node begins.
type goMark struct{ start, live uint32 }

// A goPlace is a goMark to which the reader can go back.
type goPlace struct {
	goMark
	nodes, comments int
	last            uint32
}

const (
	goDeepest     = 1000 // levels of nesting, which are the reader's own calls
	goDeepestTree = 4000 // levels of the tree; the library's are copied down to 4096
)

// goDeclined is what the reader panics with when it gives up a text.
type goDeclined struct{}

func decline() { panic(goDeclined{}) }

// New returns what makes Readers, whose trees have the numbers of the grammar of Go.
func New(g *glr.Grammar) (func() syntax.TreeReader, error) {
	symbols, err := newGoSymbols(g)
	if err != nil {
		return nil, err
	}
	return func() syntax.TreeReader { return &Reader{symbols: symbols} }, nil
}

// Read makes the tree of a text in the memory of another one, and reports whether it could.
func (r *Reader) Read(tree []glr.Node, text []byte) (made []glr.Node, ok bool) {
	made = tree
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) || uint64(len(text)) > 1<<31 {
		return made, false
	}
	defer func() {
		if !ok {
			if e := recover(); e != nil {
				if _, declined := e.(goDeclined); !declined {
					panic(e)
				}
			}
		}
	}()
	r.reset(text)
	r.sourceFile()
	return r.write(tree)
}

func (r *Reader) reset(text []byte) {
	r.goLexer = goLexer{src: text, comments: r.comments[:0]}
	r.nodes, r.lone = r.nodes[:0], r.lone[:0]
	r.live, r.last, r.flushed, r.depth, r.again = 0, 0, 0, 0, 0
	r.level, r.guard, r.found, r.headed = 0, noGuard, false, false
	r.advance()
}

// mark says that a node begins with the next token.
func (r *Reader) mark() goMark {
	if r.flushed < len(r.comments) {
		r.flush()
	}
	return goMark{r.start, r.live}
}

func (r *Reader) place() goPlace {
	m := r.mark()
	return goPlace{m, len(r.nodes), len(r.comments), r.last}
}

// back goes back to a place, to read again what follows it.
func (r *Reader) back(p goPlace) {
	r.again += r.at - int(p.start)
	if r.again > 4*len(r.src) {
		decline()
	}
	r.nodes, r.comments, r.flushed = r.nodes[:p.nodes], r.comments[:p.comments], p.comments
	r.live, r.last = p.live, p.last
	r.at, r.ends = int(p.start), false
	r.advance()
}

func (r *Reader) flush() {
	for _, c := range r.comments[r.flushed:] {
		r.nodes = append(r.nodes, goNode{start: c.start, end: c.end, size: 1, kind: goComment})
		r.live++
	}
	r.flushed = len(r.comments)
}

// take consumes the next token and makes it a node.
func (r *Reader) take(kind goKind, field goFieldOf) {
	if r.flushed < len(r.comments) {
		r.flush()
	}
	r.nodes = append(r.nodes, goNode{start: r.start, end: r.end, size: 1, kind: kind, field: field})
	r.live++
	r.last = r.end
	r.advance()
}

// expect consumes a token that must come.
func (r *Reader) expect(token goKind) {
	if r.tok != token {
		decline()
	}
	r.take(token, goNoField)
}

// word consumes a name, as a node of the kind.
func (r *Reader) word(kind goKind, field goFieldOf) {
	if !r.atWord() {
		decline()
	}
	r.take(kind, field)
}

// atWord reports whether the next token is a name. The grammar's own words for nil,
// iota and the like are names wherever only a name can be.
func (r *Reader) atWord() bool { return r.tok >= goIdentifier && r.tok <= goMake }

// close completes the node that began at m.
func (r *Reader) close(m goMark, kind goKind, field goFieldOf) {
	r.nodes = append(r.nodes, goNode{start: m.start, end: r.last, size: r.live - m.live + 1, kind: kind, field: field})
	r.live++
}

// maybe completes a node that counts only if it is given a kind later.
func (r *Reader) maybe(m goMark) int {
	r.nodes = append(r.nodes, goNode{start: m.start, end: r.last, size: r.live - m.live + 1})
	return len(r.nodes) - 1
}

// became makes a node of what was one maybe.
func (r *Reader) became(node int, kind goKind, field goFieldOf) {
	r.nodes[node].kind, r.nodes[node].field = kind, field
	r.live++
}

// newest is the node that was completed last.
func (r *Reader) newest() *goNode { return &r.nodes[len(r.nodes)-1] }

func (r *Reader) enter() {
	if r.depth++; r.depth > goDeepest {
		decline()
	}
}

func (r *Reader) leave() { r.depth-- }

// write turns the nodes into those of a tree. It reports whether the tree is not too deep.
func (r *Reader) write(tree []glr.Node) (made []glr.Node, ok bool) {
	count := int(r.live) + 1
	tree = glr.Room(tree, count-1)
	out, open := tree, append(r.open[:0], 0)
	// The subtree of the next node from the back ends before free. The nodes on the
	// stack are waiting for children, until these reach back to them.
	free := uint32(count)
	for i := len(r.nodes) - 1; i >= 0; i-- {
		n := &r.nodes[i]
		if n.kind == goNone {
			continue
		}
		for free == open[len(open)-1]+1 && len(open) > 1 {
			free = open[len(open)-1]
			open = open[:len(open)-1]
		}
		at := free - n.size
		f := &out[at]
		f.Start, f.End, f.Next = n.start, n.end, free-1
		f.Kind, f.Field, f.Flags = r.symbols.kinds[n.kind], r.symbols.fields[n.field], 0
		if n.kind >= goComment {
			f.Flags = glr.Named
		}
		if n.size == 1 {
			free = at
			continue
		}
		if open = append(open, at); len(open) > goDeepestTree {
			r.open = open
			return tree, false
		}
	}
	r.open = open
	return tree, true
}

package syntax

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A Tree is the syntax tree of one text, copied out of the parser into one
// slice. Walking the parser's own tree from Go costs three calls into C a node,
// more than the parsing; the copy is made by one call and costs an eighth of it
// (BenchmarkMatcher). It is valid until the Parser that made it parses again, and
// safe for concurrent reading until then.
type Tree struct {
	src     []byte
	nodes   []glr.Node // in pre-order; nodes[0] is no node, nodes[1] the root
	grammar *glr.Grammar
}

// A Node is a place in a Tree. The zero Node is none: it has no kind, no
// children and no text, so that chains of Child need no checks.
type Node int32

// Root returns the node of the whole text, or none for an empty Tree.
func (t *Tree) Root() Node {
	if len(t.nodes) < 2 {
		return 0
	}
	return 1
}

// Clone returns a copy that stays valid.
func (t *Tree) Clone() *Tree { return &Tree{t.src, slices.Clone(t.nodes), t.grammar} }

// Source returns the text. It must not be changed.
func (t *Tree) Source() []byte { return t.src }

// Len returns the number of nodes.
func (t *Tree) Len() int { return max(0, len(t.nodes)-1) }

// Kind returns what the grammar calls the node: "call_expression", or the text
// itself for punctuation and keywords; "ERROR" for text that does not parse.
func (t *Tree) Kind(n Node) string {
	if n == 0 {
		return ""
	}
	k := t.nodes[n].Kind
	if k == glr.Error {
		return "ERROR"
	}
	return t.grammar.Kinds[k]
}

// Field returns the name of the node in its parent ("name", "body"), or "".
func (t *Tree) Field(n Node) string {
	if f := t.nodes[n].Field; int(f) < len(t.grammar.Fields) {
		return t.grammar.Fields[f]
	}
	return ""
}

// Named reports whether the node is one with a name, not punctuation or a keyword.
func (t *Tree) Named(n Node) bool { return t.nodes[n].Flags&glr.Named != 0 }

// Missing reports whether the parser made the node up to go on after an error.
func (t *Tree) Missing(n Node) bool { return t.nodes[n].Flags&glr.Missing != 0 }

// Start returns the byte offset at which the node begins.
func (t *Tree) Start(n Node) int { return int(t.nodes[n].Start) }

// End returns the byte offset just past the node.
func (t *Tree) End(n Node) int { return int(t.nodes[n].End) }

// Text returns the text of the node.
func (t *Tree) Text(n Node) string {
	f := &t.nodes[n]
	return string(t.src[f.Start:f.End])
}

// Bytes returns the text of the node, a part of Source.
func (t *Tree) Bytes(n Node) []byte {
	f := &t.nodes[n]
	return t.src[f.Start:f.End]
}

// First returns the first child, punctuation and comments included, or none.
func (t *Tree) First(n Node) Node {
	if n == 0 || t.after(n) == n+1 {
		return 0
	}
	return n + 1
}

// after returns the node just past the subtree of n; in C the root is node 0.
func (t *Tree) after(n Node) Node { return Node(t.nodes[n].Next) + 1 }

// Next returns the child that follows another one of a node, or none.
func (t *Tree) Next(n, child Node) Node {
	if c := t.after(child); n != 0 && c < t.after(n) {
		return c
	}
	return 0
}

// Children calls yield for each child in order, for use with range.
func (t *Tree) Children(n Node) func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		if n == 0 {
			return
		}
		for c, end := n+1, t.after(n); c < end; c = t.after(c) {
			if !yield(c) {
				return
			}
		}
	}
}

// NamedChildren is Children without punctuation, keywords and comments.
func (t *Tree) NamedChildren(n Node) func(yield func(Node) bool) {
	return func(yield func(Node) bool) {
		if n == 0 {
			return
		}
		for c, end := n+1, t.after(n); c < end; c = t.after(c) {
			if t.Named(c) && !t.Comment(c) && !yield(c) {
				return
			}
		}
	}
}

// Comment reports whether a node is a comment.
func (t *Tree) Comment(n Node) bool {
	switch t.Kind(n) {
	case "comment", "line_comment", "block_comment", "multiline_comment", "html_comment":
		return true
	}
	return false
}

// Child returns the first child with the field's name, or none.
func (t *Tree) Child(n Node, field string) Node {
	if n == 0 {
		return 0
	}
	for c, end := n+1, t.after(n); c < end; c = t.after(c) {
		if t.nodes[c].Field != 0 && t.Field(c) == field {
			return c
		}
	}
	return 0
}

// ChildOf returns the first child of one of the kinds, or none.
func (t *Tree) ChildOf(n Node, kinds ...string) Node {
	if n == 0 {
		return 0
	}
	for c, end := n+1, t.after(n); c < end; c = t.after(c) {
		k := t.Kind(c)
		for _, want := range kinds {
			if k == want {
				return c
			}
		}
	}
	return 0
}

// NamedChild returns the i-th named child that is no comment, from 0, or none.
func (t *Tree) NamedChild(n Node, i int) Node {
	for c := range t.NamedChildren(n) {
		if i == 0 {
			return c
		}
		i--
	}
	return 0
}

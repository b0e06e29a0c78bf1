package syntax

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// A Fault says why a text has no syntax tree although there is a grammar for it.
type Fault uint8

// The faults.
const (
	NoFault     Fault = iota
	Crashed           // the grammar's code ended the process that it ran in
	Late              // it ran longer than it may
	OutOfMemory       // it took more memory than it may
	Unavailable       // there is no process that it may run in; another time there may be
	Unfinished        // it still runs; who asks again has its tree

	Faults = iota // how many there are
)

var faultNames = [...]string{"", "parser_crashed", "parser_late", "parser_memory", "parser_unavailable", "parser_unfinished"}

// String returns the reason that the coverage of an index gives, "" for NoFault.
func (f Fault) String() string { return faultNames[f] }

// Passes reports whether the fault is one of the moment and not of the text.
func (f Fault) Passes() bool { return f == Unavailable || f == Unfinished }

// A TextKey stands for a text in a language: what is remembered of the parsing of a text is
// remembered by its content.
type TextKey uint64

// KeyOf returns the key of a text, by the hash that xxhash.Sum64 gives for it.
func KeyOf(language string, hash uint64) TextKey { return TextKey(xxhash.Sum64String(language) ^ hash) }

// An Engine makes the syntax trees of Parsers elsewhere than in this process: grammars
// are C, which a text can bring down. It is safe for concurrent use.
type Engine interface {
	// Parse parses a text by the grammar of a language. room is called at most once, when
	// the tree is there, and returns where its nodes, each NodeSize bytes as Nodes gives
	// them, are to be written. broken says that the text has syntax errors.
	Parse(language string, key TextKey, text []byte, room func(nodes int) []byte) (broken bool, fault Fault)
}

// NodeSize is the size of a node of a tree between processes, in bytes.
const NodeSize = glr.NodeSize

// NewRemoteParser is NewParser where the grammars' code runs in an Engine.
func (l *Languages) NewRemoteParser(e Engine) *Parser {
	p := l.NewParser()
	p.engine = e
	return p
}

// errNoGrammar is the error of a language that the program has no grammar for.
var errNoGrammar = errors.New("no grammar")

// Nodes parses a text as it is, by the grammar of a language, for an Engine. The nodes
// are valid until p parses again, and stand behind NodeSize bytes that the caller may
// write; there are none with a fault.
func (p *Parser) Nodes(language string, text []byte) (nodes []byte, broken bool, fault Fault, err error) {
	if p.bare == nil {
		p.bare = map[string]*glr.Grammar{}
	}
	g, ok := p.bare[language]
	if !ok {
		l, ok := p.languages.all[language]
		if !ok || l.Grammar == nil {
			return nil, false, NoFault, fmt.Errorf("parse %s: %w", language, errNoGrammar)
		}
		if g, err = glr.Load(language, l.Grammar()); err != nil {
			return nil, false, NoFault, err
		}
		p.bare[language] = g
	}
	if len(text) == 0 {
		return nil, false, NoFault, fmt.Errorf("parse %s: no text", language)
	}
	if broken, fault = p.local(g, text, text); fault != NoFault {
		return nil, false, fault, nil
	}
	return p.flat.bytes(0), broken, NoFault, nil
}

// bytes returns the memory of the nodes from one on.
func (t *Tree) bytes(from int) []byte {
	if len(t.nodes) <= from {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&t.nodes[from])), (len(t.nodes)-from)*NodeSize)
}

// remote has the engine fill p.flat.
func (p *Parser) remote(g *glr.Grammar, src, masked []byte) (broken bool, fault Fault) {
	count := 0
	broken, fault = p.engine.Parse(g.Name, KeyOf(g.Name, xxhash.Sum64(src)), masked, func(nodes int) []byte {
		count = nodes
		p.flat.nodes = glr.Room(p.flat.nodes, nodes)
		return p.flat.bytes(1)
	})
	if fault != NoFault {
		return false, fault
	}
	p.flat.nodes = p.flat.nodes[:count+1]
	p.flat.src, p.flat.grammar = src, g
	if !p.flat.sound() {
		return false, Crashed // the other process is no longer itself
	}
	return broken, NoFault
}

// sound reports whether the nodes are a tree of the text: what walks over them stays
// inside, and ends.
func (t *Tree) sound() bool {
	if len(t.nodes) < 2 {
		return false
	}
	size, kinds, fields := uint32(len(t.src)), len(t.grammar.Kinds), len(t.grammar.Fields)
	var open [glr.Deepest + 2]uint32 // where the nodes around this one end
	depth, end := 0, uint32(len(t.nodes)-1)
	open[0] = end
	for i := range t.nodes[1:] {
		at := uint32(i)
		for at == open[depth] {
			depth--
			if depth < 0 {
				return false
			}
		}
		n := &t.nodes[i+1]
		if n.Start > n.End || n.End > size || n.Next <= at || n.Next > open[depth] ||
			int(n.Kind) >= kinds && n.Kind != glr.Error || int(n.Field) >= fields && n.Field != 0 {
			return false
		}
		if n.Next > at+1 {
			depth++
			if depth == len(open) {
				return false
			}
			open[depth] = n.Next
		}
	}
	return t.nodes[1].Next == end
}

package glr

// #include "quarry.h"
import "C"

import (
	"context"
	"runtime"
	"sync"
	"time"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// TimeLimit bounds the parsing of one text. Real files take milliseconds; the limit is for
// text on which error recovery is quadratic.
const TimeLimit = time.Second

// A text has a part of the limit by its size, from least for the smallest to all of it for
// one of full bytes: a short text on which a grammar's tables go astray, of which somebody
// may write thousands, does not take as long as a long one that is parsed. Real files of
// that size take a millisecond; the least leaves room for a machine that is busy.
const (
	least = 200 * time.Millisecond
	full  = 64 << 10
)

// A Parser parses one text at a time, in place of the one before, and keeps the memory for
// that. It is not safe for concurrent use: each worker has its own.
type Parser struct {
	Limit       time.Duration // of a processor, that a text may take at most
	LibraryOnly bool          // leave everything to the library

	arena   *C.quarry_arena
	library map[*Grammar]*sitter.Parser
}

// NewParser returns a Parser. Close must be called when it is no longer needed.
func NewParser() *Parser {
	return &Parser{Limit: TimeLimit, arena: C.quarry_arena_new(), library: map[*Grammar]*sitter.Parser{}}
}

// Close frees the memory outside Go's heap. The Parser must not be used after.
func (p *Parser) Close() {
	for _, l := range p.library {
		l.Close()
	}
	C.quarry_arena_delete(p.arena)
	p.arena, p.library = nil, nil
}

// A Result says what became of a text.
type Result uint8

// The results.
const (
	Declined Result = iota // only the library can tell; never of Parse
	Late                   // it took longer than it may
	Refused                // the grammar's scanner does not keep to its bounds
	Broken                 // its tree is there; it has syntax errors
	Whole                  // its tree is there
)

// Parse makes the tree of text, which is not empty and at most Longest bytes: by the tables
// alone, or by the library where they decline or are not wanted. The tree has the memory of
// the one that is given, which may be nil.
func (p *Parser) Parse(tree []Node, g *Grammar, text []byte) ([]Node, Result) {
	defer alone(g)()
	p.forget(g)
	if !p.LibraryOnly {
		if tree, result := p.byTables(tree, g, text); result != Declined {
			return tree, result
		}
		p.forget(g)
	}
	return p.byLibrary(tree, g, text)
}

// ByTables is Parse without the library.
func (p *Parser) ByTables(tree []Node, g *Grammar, text []byte) ([]Node, Result) {
	defer alone(g)()
	p.forget(g)
	return p.byTables(tree, g, text)
}

// ByLibrary is Parse by the library alone.
func (p *Parser) ByLibrary(tree []Node, g *Grammar, text []byte) ([]Node, Result) {
	defer alone(g)()
	p.forget(g)
	return p.byLibrary(tree, g, text)
}

// budget returns how long the parsing of a text of so many bytes may take.
func (p *Parser) budget(size int) time.Duration {
	if size >= full || p.Limit <= least {
		return p.Limit
	}
	return least + (p.Limit-least)*time.Duration(size)/full
}

func (p *Parser) byTables(tree []Node, g *Grammar, text []byte) ([]Node, Result) {
	whole, err := g.whole()
	if err != nil {
		return tree, Refused
	}
	var why C.quarry_reason
	root := C.quarry_glr(p.arena, pointer(whole), (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)),
		C.uint64_t(p.budget(len(text)).Microseconds()), &why)
	runtime.KeepAlive(text)
	if root == nil {
		return tree, [...]Result{C.quarry_declined: Declined, C.quarry_late: Late, C.quarry_refused: Refused}[why]
	}
	count, broken := C.quarry_glr_count(root), bool(C.quarry_glr_broken(root))
	tree = Room(tree, int(count))
	made := C.quarry_glr_flatten(root, flat(tree), count)
	if made == 0 {
		return tree, Declined
	}
	tree = tree[:made+1]
	if broken {
		return tree, Broken
	}
	return tree, Whole
}

func (p *Parser) byLibrary(tree []Node, g *Grammar, text []byte) ([]Node, Result) {
	made, err := p.tree(g, text)
	if err != nil {
		return tree, Late
	}
	defer made.Close()
	root := made.RootNode()
	tree = Copy(tree, root)
	if root.HasError() {
		return tree, Broken
	}
	return tree, Whole
}

// Copy makes a tree of the library's one of ours.
func Copy(tree []Node, root *sitter.Node) []Node {
	// The binding keeps the library's node as the first field of its own.
	at := *(*C.quarry_node)(unsafe.Pointer(root))
	count := C.quarry_count(&at)
	tree = Room(tree, int(count))
	return tree[:C.quarry_walk(&at, flat(tree), count)+1]
}

// Tree returns the library's own tree of a text, which the caller closes.
func (p *Parser) Tree(g *Grammar, text []byte) (*sitter.Tree, error) {
	defer alone(g)()
	p.forget(g)
	return p.tree(g, text)
}

// tree is Tree where what a scanner remembers has been seen to.
//
// The context is always the background one: the binding's watcher of a cancellable context
// may set the cancel flag after the parse has ended, which makes a later parse fail. After
// an error the parser is reset; without that it would go on with the old text at the next
// call.
func (p *Parser) tree(g *Grammar, text []byte) (*sitter.Tree, error) {
	l, ok := p.library[g]
	if !ok {
		whole, err := g.whole()
		if err != nil {
			return nil, err
		}
		l = sitter.NewParser()
		l.SetLanguage(whole)
		p.library[g] = l
	}
	// The library's clock is the one on the wall.
	l.SetOperationLimit(int(p.budget(len(text)).Microseconds()))
	tree, err := l.ParseCtx(context.Background(), nil, text)
	if err != nil {
		l.Reset()
	}
	return tree, err
}

// sharesState names the languages whose scanners keep what they remember of a text (here:
// which quote ends the string) in variables of the process instead of the parser: two texts
// parsed at once, or one after a text that ended in the middle of a string, would be read
// wrongly, and differently each time. They are parsed one at a time, each after a short
// text that leaves nothing behind.
var (
	sharesState = map[string]string{"lua": `x = ""`}
	shared      sync.Mutex
)

// alone waits until no other text is parsed of a language whose scanner keeps what it
// remembers in the process. What it returns is to be called at the end.
func alone(g *Grammar) (done func()) {
	if _, ok := sharesState[g.Name]; !ok {
		return func() {}
	}
	shared.Lock()
	return shared.Unlock
}

// forget has such a scanner forget the text before.
func (p *Parser) forget(g *Grammar) {
	reset, ok := sharesState[g.Name]
	switch {
	case !ok:
	case p.LibraryOnly:
		p.byLibrary(nil, g, []byte(reset))
	default:
		p.byTables(nil, g, []byte(reset))
	}
}

package glr

// #include "quarry.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// A Grammar is a grammar of tree-sitter, and the words of it: what the numbers in its trees
// are called. It is only read.
type Grammar struct {
	Name   string
	Kinds  []string // of nodes, by Node.Kind
	Fields []string // by Node.Field; the first is no field

	language *sitter.Language // its tables may be apart

	// whole returns the language with its tables, which are needed where a text is parsed:
	// not where the trees that another process has made are read.
	whole func() (*sitter.Language, error)
}

// Load returns the grammar of a language, with a scanner that keeps to its bounds
// (scanner.c). What is allocated for it is never freed: a grammar is to be loaded once.
func Load(name string, l *sitter.Language) (*Grammar, error) {
	text := append([]byte(name), 0)
	guarded := C.quarry_guarded((*C.char)(unsafe.Pointer(&text[0])), pointer(l))
	runtime.KeepAlive(text)
	if guarded == nil {
		return nil, fmt.Errorf("load grammar %s: no memory", name)
	}
	g := newGrammar(name, sitter.NewLanguage(guarded))
	if len(apart) > 0 {
		tables, err := find(guarded, apart)
		if err != nil {
			return nil, fmt.Errorf("load grammar %s: %w", name, err)
		}
		g.whole = sync.OnceValues(func() (*sitter.Language, error) { return complete(guarded, tables) })
	}
	return g, nil
}

func newGrammar(name string, l *sitter.Language) *Grammar {
	g := &Grammar{Name: name, language: l, Fields: []string{""}}
	g.whole = func() (*sitter.Language, error) { return l, nil }
	for i := range l.SymbolCount() {
		g.Kinds = append(g.Kinds, l.SymbolName(sitter.Symbol(i)))
	}
	for i := 1; i < 256; i++ {
		field := l.FieldName(i)
		if field == "" {
			break
		}
		g.Fields = append(g.Fields, field)
	}
	return g
}

// Language returns what the library has of the grammar.
func (g *Grammar) Language() (*sitter.Language, error) { return g.whole() }

// pointer is the library's own language, which the binding keeps as the only field of its.
func pointer(l *sitter.Language) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(l)) }

// Shown reports whether trees show nodes of a kind, and whether those are named.
func (g *Grammar) Shown(kind int) (named, shown bool) {
	switch g.language.SymbolType(sitter.Symbol(kind)) {
	case sitter.SymbolTypeRegular:
		return true, true
	case sitter.SymbolTypeAnonymous:
		return false, true
	}
	return false, false
}

// Number returns the number that trees show for a kind, or 0 if there is none.
func (g *Grammar) Number(name string, named bool) uint16 {
	text := []byte(name)
	number := uint16(C.quarry_symbol(pointer(g.language), (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)), C.bool(named)))
	runtime.KeepAlive(text)
	return number
}

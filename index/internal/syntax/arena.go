package syntax

// #include "arena.h"
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// install has the library take its memory by the functions of arena.c.
var install = sync.OnceFunc(func() { C.quarry_arena_install() })

// An arena is where the library makes the tree of one text at a time, in place of the
// one before. What it made stays C's: only copies leave this package. Parsing and
// copying takes a sixth less than with the binding (BenchmarkArena: Go 0.84, C 0.86,
// Python 0.85, Scala 0.82 times), which is the slow way: TestTree compares the two.
type arena struct{ c *C.quarry_arena }

func newArena() arena {
	install()
	return arena{C.quarry_arena_new()}
}

func (a arena) close() { C.quarry_arena_delete(a.c) }

// parse parses src and copies its tree into t. broken says that there are syntax
// errors; an error, that the parser gave up.
func (a arena) parse(t *Tree, c *compiled, language string, src, masked []byte, limit time.Duration) (broken bool, err error) {
	root, err := a.root(c, language, masked, limit)
	if err != nil {
		return false, err
	}
	t.copy(&root, false, src, c.names)
	return bool(C.quarry_broken(&root)), nil
}

// root parses a text. The tree below root is good until the next call.
func (a arena) root(c *compiled, language string, masked []byte, limit time.Duration) (root C.quarry_node, err error) {
	if reset, ok := sharesState[language]; ok {
		shared.Lock()
		defer shared.Unlock()
		a.run(c.language, []byte(reset), limit)
	}
	root, ok := a.run(c.language, masked, limit)
	if !ok {
		return root, fmt.Errorf("parse %s: gave up after %v", language, limit)
	}
	return root, nil
}

// both copies the tree of a text in both ways, for a test to compare.
func (a arena) both(fast, slow *Tree, c *compiled, language string, src []byte, limit time.Duration) error {
	root, err := a.root(c, language, src, limit)
	if err != nil {
		return err
	}
	fast.copy(&root, false, src, c.names)
	slow.copy(&root, true, src, c.names)
	return nil
}

// run parses a text that is not empty.
func (a arena) run(l *sitter.Language, text []byte, limit time.Duration) (root C.quarry_node, ok bool) {
	// The binding keeps the library's language as the only field of its own.
	language := *(*unsafe.Pointer)(unsafe.Pointer(l))
	ok = bool(C.quarry_parse(a.c, language, (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)),
		C.uint64_t(limit.Microseconds()), &root))
	runtime.KeepAlive(text)
	return root, ok
}

// symbolNumber returns the number that trees show for a kind, or 0 if there is none.
func symbolNumber(l *sitter.Language, name string, named bool) uint16 {
	language := *(*unsafe.Pointer)(unsafe.Pointer(l))
	text := []byte(name)
	number := uint16(C.quarry_symbol(language, (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)), C.bool(named)))
	runtime.KeepAlive(text)
	return number
}

package syntax

// #include "syntax.h"
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

// A glr parses one text at a time by the tables of a grammar, in place of the one before,
// and keeps the memory for that. Parsing and copying so takes less than half of the time
// that it takes with the library (BenchmarkGLR), whose trees it makes, node for node:
// TestGLR compares the two. How it works, and what it declines, is told in glr.c.
type glr struct{ arena *C.quarry_arena }

func newGLR() glr { return glr{C.quarry_arena_new()} }

func (g glr) close() { C.quarry_arena_delete(g.arena) }

// A glrResult says what became of a text.
type glrResult uint8

const (
	glrDeclined glrResult = iota // the library has to parse it
	glrLate                      // it took longer than it may
	glrRefused                   // the grammar's scanner does not keep to its bounds
	glrBroken                    // its tree is there; it has syntax errors
	glrWhole                     // its tree is there
)

// parse parses masked, which is not empty, and copies the tree into t as that of src.
func (g glr) parse(t *Tree, c *compiled, src, masked []byte, limit time.Duration) glrResult {
	var why C.quarry_reason
	tree := C.quarry_glr(g.arena, languageOf(c.language), (*C.char)(unsafe.Pointer(&masked[0])), C.uint32_t(len(masked)),
		C.uint64_t(limit.Microseconds()), &why)
	runtime.KeepAlive(masked)
	if tree == nil {
		return [...]glrResult{C.quarry_declined: glrDeclined, C.quarry_late: glrLate, C.quarry_refused: glrRefused}[why]
	}
	count, broken := C.quarry_glr_count(tree), bool(C.quarry_glr_broken(tree))
	made := C.quarry_glr_flatten(tree, t.room(int(count)), count)
	if made == 0 {
		return glrDeclined
	}
	t.made(int(made), src, c.names)
	if broken {
		return glrBroken
	}
	return glrWhole
}

// languageOf is the library's language, which the binding keeps as the only field of its
// own.
func languageOf(l *sitter.Language) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(l)) }

// guarded returns the language with a scanner that keeps to its bounds (scanner.c). What it
// returns is never freed: it is to be called once for each language.
func guarded(name string, l *sitter.Language) (*sitter.Language, error) {
	text := append([]byte(name), 0)
	mended := C.quarry_guarded((*C.char)(unsafe.Pointer(&text[0])), languageOf(l))
	runtime.KeepAlive(text)
	if mended == nil {
		return nil, fmt.Errorf("load grammar %s: no memory", name)
	}
	return sitter.NewLanguage(mended), nil
}

// symbolNumber returns the number that trees show for a kind, or 0 if there is none.
func symbolNumber(l *sitter.Language, name string, named bool) uint16 {
	text := []byte(name)
	number := uint16(C.quarry_symbol(languageOf(l), (*C.char)(unsafe.Pointer(&text[0])), C.uint32_t(len(text)), C.bool(named)))
	runtime.KeepAlive(text)
	return number
}

package glr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	"github.com/smacker/go-tree-sitter/golang"

	sitter "github.com/smacker/go-tree-sitter"
)

// packed returns the tables of a parser, as they are kept apart.
func packed(t *testing.T, key uint64, tables ...[]byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	made := binary.LittleEndian.AppendUint64(nil, key)
	for _, table := range tables {
		made = binary.LittleEndian.AppendUint32(made, uint32(len(table)))
	}
	frame := w.EncodeAll(bytes.Join(tables, nil), nil)
	return append(binary.LittleEndian.AppendUint32(made, uint32(len(frame))), frame...)
}

// completed returns a language as its grammar has it, also where these tests were made small.
func completed(t *testing.T, l *sitter.Language) *sitter.Language {
	t.Helper()
	if len(apart) == 0 {
		return l
	}
	l, err := apartFrom(l, apart)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func apartFrom(l *sitter.Language, apart []byte) (*sitter.Language, error) {
	e, err := find(pointer(l), apart)
	if err != nil {
		return nil, err
	}
	return complete(pointer(l), e)
}

// TestTablesApart has a language whose first and fifth table are found elsewhere.
func TestTablesApart(t *testing.T) {
	language := completed(t, golang.GetLanguage())
	whole := pointer(language)
	counts := unsafe.Slice((*uint32)(whole), 9) // version, symbols, aliases, tokens, external, states, large states
	first := *(*unsafe.Pointer)(unsafe.Add(whole, 40))
	large := unsafe.Slice((*byte)(first), 2*counts[1]*counts[6]&^7)
	modes := unsafe.Slice(*(**byte)(unsafe.Add(whole, 40+8*12)), 4*counts[5]&^7)
	key := binary.LittleEndian.Uint64(large)
	none := []byte{}
	right := packed(t, key, large, none, none, none, modes, none)
	apart := slices.Concat(packed(t, key+1, modes, none, none, none, none, none), right)

	text := []byte("package p\n\nfunc f(a, b int) (int, error) { return a + b, nil }\n")
	trees := func(l *sitter.Language) []Node {
		p := NewParser()
		defer p.Close()
		nodes, result := p.ByTables(nil, newGrammar("go", l), text)
		if result != Whole {
			t.Fatalf("the result is %v", result)
		}
		return nodes
	}
	made, err := apartFrom(language, apart)
	if err != nil {
		t.Fatal(err)
	}
	if *(*unsafe.Pointer)(unsafe.Add(pointer(made), 40)) == first {
		t.Error("the tables are those of the program")
	}
	if !slices.Equal(trees(made), trees(language)) {
		t.Error("the trees differ")
	}

	for name, apart := range map[string][]byte{"another": apart[:len(apart)-len(right)], "cut": apart[:len(apart)-1], "head": right[:20]} {
		if _, err := apartFrom(language, apart); !errors.Is(err, errTables) {
			t.Errorf("%s: %v", name, err)
		}
	}
	damaged := bytes.Clone(right)
	damaged[len(damaged)-9] ^= 1
	other := bytes.Clone(right)
	other[8]++ // a size
	for _, apart := range [][]byte{damaged, other} {
		if _, err := apartFrom(language, apart); err == nil {
			t.Error("damaged tables are taken")
		}
	}
}

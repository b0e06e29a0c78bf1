package glr

// #include "quarry.h"
// #include <stdlib.h>
import "C"

import (
	_ "embed" // for the file below
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/klauspost/compress/zstd"
	sitter "github.com/smacker/go-tree-sitter"
)

// apart are the tables of all parsers in a program that was made small, and empty in others.
// cmd/quarry-pack writes them and says how.
//
//go:embed tables.bin
var apart []byte

var (
	errTables = errors.New("the tables of the grammar are not in this program")
	errMemory = errors.New("no memory for the tables of the grammar")
)

// An entry has the tables of one parser: the size of each, and all, compressed.
type entry struct {
	sizes  [C.quarry_tables]C.uint32_t
	packed []byte
}

// find returns the entry of a language.
func find(language unsafe.Pointer, apart []byte) (entry, error) {
	const head = 8 + 4*C.quarry_tables + 4
	for key := uint64(C.quarry_key(language)); len(apart) >= head; {
		next := head + int(binary.LittleEndian.Uint32(apart[head-4:]))
		if next > len(apart) {
			break
		}
		if binary.LittleEndian.Uint64(apart) == key {
			e := entry{packed: apart[head:next]}
			for i := range e.sizes {
				e.sizes[i] = C.uint32_t(binary.LittleEndian.Uint32(apart[8+4*i:]))
			}
			return e, nil
		}
		apart = apart[next:]
	}
	return entry{}, errTables
}

// complete returns a copy of a language that has its tables.
func complete(language unsafe.Pointer, e entry) (*sitter.Language, error) {
	total := 0
	for _, size := range e.sizes {
		total += int(size)
	}
	room := C.quarry_room(C.size_t(total))
	if room == nil {
		return nil, errMemory
	}
	if err := expand(unsafe.Slice((*byte)(room), total), e.packed); err != nil {
		C.free(room)
		return nil, err
	}
	made := C.quarry_completed(language, room, &e.sizes[0])
	if made == nil {
		C.free(room)
		return nil, errMemory
	}
	return sitter.NewLanguage(made), nil
}

// expand fills dst.
func expand(dst, packed []byte) error {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer r.Close()
	made, err := r.DecodeAll(packed, dst[:0:len(dst)])
	if err == nil && (len(made) != len(dst) || len(dst) > 0 && &made[0] != &dst[0]) {
		err = fmt.Errorf("%w: they have another size", errTables)
	}
	return err
}

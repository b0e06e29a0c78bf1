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
)

// apart are the tables of all parsers in a program that was made small, and empty in others.
// cmd/quarry-pack writes them and says how.
//
//go:embed tables.bin
var apart []byte

var errTables = errors.New("the tables of the grammar are not in this program")

// complete returns a language with its tables: as it is, or, where they are kept apart, a
// copy, for which they are expanded.
func complete(of unsafe.Pointer, apart []byte) (unsafe.Pointer, error) {
	if len(apart) == 0 {
		return of, nil
	}
	const head = 8 + 4*C.quarry_tables + 4
	for key := uint64(C.quarry_key(of)); len(apart) >= head; {
		var sizes [C.quarry_tables]C.uint32_t
		total := 0
		for i := range sizes {
			sizes[i] = C.uint32_t(binary.LittleEndian.Uint32(apart[8+4*i:]))
			total += int(sizes[i])
		}
		next := head + int(binary.LittleEndian.Uint32(apart[head-4:]))
		if next > len(apart) {
			break
		}
		if binary.LittleEndian.Uint64(apart) != key {
			apart = apart[next:]
			continue
		}
		room := C.quarry_room(C.size_t(total))
		if room == nil {
			return nil, errors.New("no memory")
		}
		if err := expand(unsafe.Slice((*byte)(room), total), apart[head:next]); err != nil {
			C.free(room)
			return nil, err
		}
		if of = unsafe.Pointer(C.quarry_completed(of, room, &sizes[0])); of == nil {
			C.free(room)
			return nil, errors.New("no memory")
		}
		return of, nil
	}
	return nil, errTables
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

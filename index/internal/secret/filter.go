package secret

import (
	"encoding/binary"
	"sync"
)

// window is how many bytes of a literal the filter goes by: no literal is shorter.
const window = 4

// A filter finds the places where a literal begins. It hashes the four bytes at each
// place, in small letters, and looks further only where a literal has that hash; four
// places are looked up between two branches, which are almost never taken.
//
// It does not jump as Wu and Manber do: the names among the literals are made of the
// most common pairs of letters, so that most jumps would be of a byte or two, and each a
// guess of the processor.
type filter struct {
	hit   [1 << hashBits]uint8 // by hash; 1: of a literal
	rules map[uint16][]*rule
}

const (
	hashBits = 16
	small    = 0x20202020 // makes small letters of large ones, and of other bytes whatever it may
)

func hash(four uint32) uint16 {
	return uint16(((four | small) * 0x9E3779B1) >> (32 - hashBits))
}

// literals returns the filter for all rules.
var literals = sync.OnceValue(func() *filter { return newFilter(rules()) })

func newFilter(all []*rule) *filter {
	f := &filter{rules: map[uint16][]*rule{}}
	for _, r := range all {
		h := hash(binary.LittleEndian.Uint32([]byte(r.literal)))
		f.hit[h] = 1
		f.rules[h] = append(f.rules[h], r)
	}
	return f
}

// next returns the first place from at on where a literal begins, and its rule; nil:
// there is none. Of several literals at one place the first rule counts.
func (f *filter) next(text []byte, at int) (int, *rule) {
	for ; at+8 <= len(text); at += 4 {
		x := binary.LittleEndian.Uint64(text[at:])
		if f.hit[hash(uint32(x))]|f.hit[hash(uint32(x>>8))]|f.hit[hash(uint32(x>>16))]|f.hit[hash(uint32(x>>24))] == 0 {
			continue
		}
		for k := range 4 {
			if r := f.at(text, at+k); r != nil {
				return at + k, r
			}
		}
	}
	for ; at+window <= len(text); at++ {
		if r := f.at(text, at); r != nil {
			return at, r
		}
	}
	return len(text), nil
}

// at returns the rule whose literal begins at i, or nil.
func (f *filter) at(text []byte, i int) *rule {
	h := hash(binary.LittleEndian.Uint32(text[i:]))
	if f.hit[h] == 0 {
		return nil
	}
	for _, r := range f.rules[h] {
		if r.begins(text[i:]) {
			return r
		}
	}
	return nil
}

// begins reports whether a text begins with the literal.
func (r *rule) begins(text []byte) bool {
	if len(text) < len(r.literal) {
		return false
	}
	for k := range len(r.literal) {
		b := text[k]
		if r.folded && 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != r.literal[k] {
			return false
		}
	}
	return true
}

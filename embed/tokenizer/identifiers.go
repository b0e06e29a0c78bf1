// Package tokenizer turns text into token ids.
//
// Identifiers is the splitter of the built-in model: a bag of sub-words of identifiers,
// without order. HuggingFace runs the tokenizer.json of a transformer. Neither treats code
// as a language: a keyword is a word like any other.
package tokenizer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// The rules of the built-in model's tokens:
//
// A run of ASCII letters is cut where a lower-case letter is followed by an
// upper-case one and, in a row of upper-case letters followed by a lower-case
// one, before the last of the row: getHTTPResponse is get, HTTP, Response.
// Everything else, digits and letters beyond ASCII included, only separates.
// Subwords of 2 to 24 letters are looked up in lower case; subwords that are
// shorter, longer or not in the vocabulary are dropped.
//
// The limits count tokens found in the vocabulary, each occurrence by itself, in the order
// of the text; what was dropped does not count. That is how they were counted when the
// model was trained.
const (
	Rules       = 1   // version of the rules above
	QueryLimit  = 64  // tokens of a query
	TextLimit   = 400 // tokens of a document's text; the most of any bag
	NamesLimit  = 64  // tokens of the names of its symbols
	FolderLimit = 32  // tokens of its path without the file's name
	StemLimit   = 16  // tokens of the file's name up to its first dot
	minLetters  = 2
	maxLetters  = 24
)

// Identifiers maps text to bags of tokens of one vocabulary. It does not
// change and is safe for concurrent use.
//
// A subword of up to 24 letters is held in three words, so that looking one up
// is three masked loads, a multiplication each and, nearly always, one
// comparison. The subwords of 64 bytes are looked up together, so that they wait for memory
// at the same time: 1,000 bytes of Go take 3.2 us on one core of an EPYC of 2024, 5.6 us
// where subwords are found one by one, and 14 us with a map from strings
// (BenchmarkPart).
type Identifiers struct {
	keys    []key      // by id
	slots   []int32    // open addressing: id+1, 0 is empty
	shift   int        // the hash's top bits select the slot
	class   [256]uint8 // by byte
	weights [TextLimit + 1]float32
}

// A key is a subword in lower case, padded with zeros.
type key struct{ a, b, c uint64 }

// NewIdentifiers reads a vocabulary: one subword a line, the id is the number of
// the line, from 0. A line that is not a subword, or comes twice, is an error.
func NewIdentifiers(vocab []byte) (*Identifiers, error) {
	n := bytes.Count(vocab, []byte{'\n'})
	if len(vocab) > 0 && vocab[len(vocab)-1] != '\n' {
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("tokenizer: the vocabulary is empty")
	}
	logSlots := bits.Len(uint(2*n - 1)) // between 2 and 4 slots a word
	t := &Identifiers{
		keys:  make([]key, 0, n),
		slots: make([]int32, 1<<logSlots),
		shift: 64 - logSlots,
		class: classes(),
	}
	for n := 1; n < len(t.weights); n++ {
		t.weights[n] = float32(1 + math.Log(float64(n)))
	}
	for line := range bytes.Lines(vocab) {
		word := bytes.TrimSuffix(line, []byte{'\n'})
		if len(word) < minLetters || len(word) > maxLetters || bytes.IndexFunc(word, notLower) >= 0 {
			return nil, fmt.Errorf("tokenizer: line %d of the vocabulary is %.40q, not a word of %d to %d letters a to z",
				len(t.keys)+1, word, minLetters, maxLetters)
		}
		k := makeKey(string(word), 0, len(word))
		if t.lookup(k) >= 0 {
			return nil, fmt.Errorf("tokenizer: line %d of the vocabulary repeats %q", len(t.keys)+1, word)
		}
		t.keys = append(t.keys, k)
		slot := k.hash() >> t.shift
		for t.slots[slot] != 0 {
			slot = (slot + 1) & uint64(len(t.slots)-1)
		}
		t.slots[slot] = int32(len(t.keys))
	}
	return t, nil
}

func notLower(r rune) bool { return r < 'a' || r > 'z' }

// Size returns the number of words in the vocabulary; ids are below it.
func (t *Identifiers) Size() int { return len(t.keys) }

// lookup returns the id of a key, or -1.
func (t *Identifiers) lookup(k key) int32 {
	mask := uint64(len(t.slots) - 1)
	for slot := k.hash() >> t.shift; ; slot++ {
		id := t.slots[slot&mask] - 1
		if id < 0 || t.keys[id] == k {
			return id
		}
	}
}

func (k key) hash() uint64 {
	h := k.a*0x9e3779b97f4a7c15 ^ k.b*0xc2b2ae3d27d4eb4f ^ k.c*0x165667b19e3779f9
	h ^= h >> 32
	return h * 0xff51afd7ed558ccd
}

// makeKey returns the key of the n letters of s at i; n is at most 24. Setting
// bit 0x20 makes an ASCII letter lower-case.
func makeKey(s string, i, n int) key {
	const lower = 0x2020202020202020
	if len(s)-i < maxLetters {
		var tail [maxLetters]byte
		copy(tail[:], s[i:i+n])
		return makeKeyTail(&tail, n)
	}
	s = s[i : i+maxLetters]
	if n <= 8 {
		return key{a: (load(s[:8]) | lower) & lowBytes(n)}
	}
	if n <= 16 {
		return key{a: load(s[:8]) | lower, b: (load(s[8:16]) | lower) & lowBytes(n-8)}
	}
	return key{load(s[:8]) | lower, load(s[8:16]) | lower, (load(s[16:24]) | lower) & lowBytes(n-16)}
}

// makeKeyTail is makeKey where fewer than 24 bytes are left to load.
func makeKeyTail(tail *[maxLetters]byte, n int) key {
	for i := range n {
		tail[i] |= 0x20
	}
	return key{
		binary.LittleEndian.Uint64(tail[0:]),
		binary.LittleEndian.Uint64(tail[8:]),
		binary.LittleEndian.Uint64(tail[16:]),
	}
}

// lowBytes has ones in the lowest n bytes, n from 1 to 8.
func lowBytes(n int) uint64 { return ^uint64(0) >> (64 - 8*uint(n)) }

// load reads 8 bytes, the first one lowest; the compiler makes it one load.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// A Bag receives the tokens of one text: each distinct token once, in the
// order of first occurrence, with the weight 1 + ln(count). It may be used
// again, which saves allocating; it is not safe for concurrent use. The zero
// Bag is ready.
type Bag struct {
	IDs     []int32
	Weights []float32

	counts []uint16 // of IDs
	places []uint16 // by id: its index in IDs plus 1, 0 for a token not in the bag
	total  int
	limit  int

	window [windowBytes / minLetters]sought // of the subwords of a window; it need not be cleared
}

// sought is a subword that is looked up.
type sought struct {
	key
	slot uint64
	id   int32 // what the slot has
}

// Query puts the tokens of a question into bag.
func (t *Identifiers) Query(bag *Bag, text string) {
	t.Part(bag, text, QueryLimit)
}

// Part puts the tokens of one part of a document into bag, up to limit of them:
// TextLimit, which is the highest, or one of the limits of the other parts.
func (t *Identifiers) Part(bag *Bag, text string, limit int) {
	bag.reset(len(t.keys), min(limit, TextLimit))
	t.split(bag, text)
	t.weigh(bag)
}

func (t *Identifiers) weigh(bag *Bag) {
	for _, n := range bag.counts {
		bag.Weights = append(bag.Weights, t.weights[n])
	}
}

func (b *Bag) reset(size, limit int) {
	if len(b.places) != size {
		b.places = make([]uint16, size)
	} else {
		for _, id := range b.IDs {
			b.places[id] = 0
		}
	}
	b.IDs, b.Weights, b.counts = b.IDs[:0], b.Weights[:0], b.counts[:0]
	b.total, b.limit = 0, limit
}

func (b *Bag) add(id int32) {
	b.total++
	if p := b.places[id]; p != 0 {
		b.counts[p-1]++
		return
	}
	b.IDs = append(b.IDs, id)
	b.counts = append(b.counts, 1)
	b.places[id] = uint16(len(b.IDs))
}

// Classes of bytes. A digit ends a subword and starts none, as any other byte
// that is no letter.
const (
	other = iota
	lowerCase
	upperCase
)

// classes returns the class of each byte; a table has no branches to guess.
func classes() (table [256]uint8) {
	for c := range 26 {
		table['a'+c], table['A'+c] = lowerCase, upperCase
	}
	return table
}

// split adds the known subwords of s to bag until its limit is reached: those of a window
// at a time, and one by one what is left, or a run of letters that fills a window.
func (t *Identifiers) split(bag *Bag, s string) {
	for i := 0; i < len(s) && bag.total < bag.limit; {
		n := 0
		if i+windowBytes <= len(s) {
			n = t.window(bag, s, i)
		}
		if n == 0 {
			n = t.subword(bag, s, i)
		}
		i += n
	}
}

// subword adds the subword of s at i, if it is one and known, and returns how many bytes are
// done with.
func (t *Identifiers) subword(bag *Bag, s string, i int) int {
	class := &t.class
	j := i + 1
	switch class[s[i]] {
	case other:
		return 1
	case upperCase:
		for j < len(s) && class[s[j]] == upperCase {
			j++
		}
		if j-i > 1 {
			if j < len(s) && class[s[j]] == lowerCase {
				j-- // the last capital begins the next subword
			}
			break
		}
		fallthrough
	default:
		for j < len(s) && class[s[j]] == lowerCase {
			j++
		}
	}
	if n := j - i; n >= minLetters && n <= maxLetters {
		if id := t.lookup(makeKey(s, i, n)); id >= 0 {
			bag.add(id)
		}
	}
	return j - i
}

// windowBytes is the length of a window: a bit of a word for each byte.
const windowBytes = 64

// window adds the known subwords that begin and end in the 64 bytes of s from at on, where
// no subword is under way, and returns how many bytes are done with: up to the subword that
// goes on behind them. 0: that is the first.
//
// Where subwords begin and end is found for all bytes at once, without a branch for each
// that nobody can guess.
func (t *Identifiers) window(bag *Bag, s string, at int) int {
	lower, upper := letters(s[at : at+windowBytes])
	all := lower | upper
	begin := upper&^(upper<<1) | upper&(upper<<1)&(lower>>1) | lower&^(all<<1)
	end := all << 1 & (begin | ^all)
	// What is read of the tables for all subwords is asked for before any of it is needed.
	count, mask := 0, uint64(len(t.slots)-1)
	for end != 0 {
		i, j := bits.TrailingZeros64(begin), bits.TrailingZeros64(end)
		begin, end = begin&(begin-1), end&(end-1)
		if n := j - i; n >= minLetters && n <= maxLetters {
			w := &bag.window[count]
			w.key = makeKey(s, at+i, n)
			w.slot = w.hash() >> t.shift & mask
			w.id = t.slots[w.slot] - 1
			count++
		}
	}
	for i := range bag.window[:count] {
		w := &bag.window[i]
		if bag.total >= bag.limit {
			return windowBytes
		}
		for w.id >= 0 && t.keys[w.id] != w.key {
			w.slot = (w.slot + 1) & mask
			w.id = t.slots[w.slot] - 1
		}
		if w.id >= 0 {
			bag.add(w.id)
		}
	}
	return bits.TrailingZeros64(begin) // 64 of none
}

// letters returns the sets of lower-case and of upper-case letters of the 64 bytes of s.
func letters(s string) (lower, upper uint64) {
	const (
		every = 0x01010101_01010101
		top   = 0x80 * every
		last  = 0x01020408_10204080 // gathers the lowest bits of eight bytes in the top one
	)
	for i := 0; i < windowBytes; i += 8 {
		x := load(s[i:])
		// Seven bits and what makes a carry of them from 'a' on, and from behind 'z'.
		y := x&^top | 0x20*every
		letter := (y + (0x80-'a')*every) &^ (y + (0x7f-'z')*every) &^ x & top
		small := letter & (x << 2) // 0x20, which tells them apart
		lower |= small >> 7 * last >> 56 << i
		upper |= (letter &^ small) >> 7 * last >> 56 << i
	}
	return lower, upper
}

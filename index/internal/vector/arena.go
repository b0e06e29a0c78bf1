package vector

import "math"

// blockRows is the number of vectors in a block. A block of 256 dimensions has
// 256 KB of codes, which stay in the L2 cache when several queries share a scan.
const blockRows = 1024

// An arena holds vectors in slots. A slot keeps its place for its life: blocks
// are added and never moved, because chromem's documents alias them.
type arena struct {
	dim    int
	stride int // dim rounded up to a multiple of 64: the bytes of a row of codes
	kernel kernel

	blocks []*block
	ids    []uint32 // slot -> id; stale where the slot is free
	slots  []uint32 // id -> slot+1, 0 for none
	free   []uint32 // slots given back
	live   int
}

// A block holds blockRows slots.
//
// The codes lie in four streams, one after the other: slot p is row p/4 of
// stream p%4. The kernel takes four slots at a time, one from each stream, so
// that the processor's prefetcher, which stops at the end of a page, has four
// pages to work on.
type block struct {
	vectors []float32          // blockRows rows of dim, exact
	codes   []uint8            // 4 streams of blockRows/4 rows of stride: c+128
	scale   [blockRows]float32 // vector = scale * c + a rest
	rest    [blockRows]float32 // length of the rest, rounded up; -Inf if the slot is free
}

func newArena(dim int) arena {
	return arena{dim: dim, stride: (dim + 63) &^ 63, kernel: fastest()}
}

// slot returns the slot of id.
func (a *arena) slot(id uint32) (uint32, bool) {
	if int64(id) >= int64(len(a.slots)) || a.slots[id] == 0 {
		return 0, false
	}
	return a.slots[id] - 1, true
}

// take gives id, which has none, a slot.
func (a *arena) take(id uint32) uint32 {
	var slot uint32
	if n := len(a.free); n > 0 {
		slot, a.free = a.free[n-1], a.free[:n-1]
		a.ids[slot] = id
	} else {
		slot = uint32(len(a.ids))
		a.ids = append(a.ids, id)
		if int(slot/blockRows) == len(a.blocks) {
			a.blocks = append(a.blocks, a.newBlock())
		}
	}
	if need := int(id) + 1; need > len(a.slots) {
		a.slots = append(a.slots, make([]uint32, need-len(a.slots))...)
	}
	a.slots[id] = slot + 1
	a.live++
	return slot
}

// drop frees the slot of id and reports whether it had one.
func (a *arena) drop(id uint32) bool {
	slot, ok := a.slot(id)
	if !ok {
		return false
	}
	a.blocks[slot/blockRows].rest[slot%blockRows] = float32(math.Inf(-1))
	a.slots[id] = 0
	a.free = append(a.free, slot)
	a.live--
	return true
}

// put writes v, divided by its length, and its codes to slot.
func (a *arena) put(slot uint32, v []float32, norm float64) []float32 {
	row := a.row(slot)
	if math.Abs(norm-1) < 5e-7 {
		copy(row, v)
	} else {
		for i, x := range v {
			row[i] = float32(float64(x) / norm)
		}
	}
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	b.scale[p], b.rest[p] = quantize(a.code(b, p), row)
	return row
}

// row returns the exact vector in slot.
func (a *arena) row(slot uint32) []float32 {
	p := int(slot%blockRows) * a.dim
	return a.blocks[slot/blockRows].vectors[p : p+a.dim : p+a.dim]
}

// code returns the codes of the p-th slot of b.
func (a *arena) code(b *block, p int) []uint8 {
	at := (p%4*(blockRows/4) + p/4) * a.stride
	return b.codes[at : at+a.stride]
}

func (a *arena) newBlock() *block {
	b := &block{
		vectors: make([]float32, blockRows*a.dim),
		codes:   make([]uint8, blockRows*a.stride),
	}
	for i := range b.rest {
		b.rest[i] = float32(math.Inf(-1))
	}
	return b
}

func (a *arena) bytes() int64 {
	block := int64(blockRows) * int64(4*a.dim+a.stride+8)
	return int64(len(a.blocks))*block + 4*int64(cap(a.ids)+cap(a.slots)+cap(a.free))
}

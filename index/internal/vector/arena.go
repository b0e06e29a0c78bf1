package vector

import "math"

// blockRows is the number of vectors in a block.
const blockRows = 1024

// How the codes of a block lie. The codes of eight dimensions of one slot are a
// word of four bytes: four codes in the lower halves, the next four in the upper
// ones, each with codeZero added. Words of groupRows slots lie side by side, a
// lane of a 512-bit register for each slot, followed by the words of the same
// slots for the next eight dimensions: so each slot's sum stays in its lane.
//
// The groups lie in four streams, one after the other: group g is the (g/4)-th
// of stream g%4. A tile takes one group from each, so that the processor's
// prefetcher, which stops at the end of a page, has four pages to work on.
const (
	codeZero   = 8
	wordDims   = 8
	wordBytes  = 4
	groupRows  = 16
	groupBytes = groupRows * wordBytes

	streamGroups = blockRows / groupRows / 4
)

// An arena holds vectors in slots. A slot keeps its place for its life: blocks
// are added and never moved, because chromem's documents may alias them.
type arena struct {
	Options
	width  int // Dim rounded up to a multiple of 32: the codes of a slot
	narrow int // Dim rounded up to a multiple of fineDims: its fine codes
	kernel kernel
	marked int // vectors that are 0 from Plain on

	blocks []*block
	ids    []uint32 // slot -> id; stale where the slot is free
	slots  []uint32 // id -> slot+1, 0 for none
	free   []uint32 // slots given back
	live   int
}

// A block holds blockRows slots.
type block struct {
	vectors []float32          // blockRows rows of dim, exact; nil if the arena rounds
	codes   []uint8            // two in a byte
	scale   [blockRows]float32 // vector = scale * c + a rest
	rest    [blockRows]float32 // length of the rest, rounded up; -Inf if the slot is free

	// The fine codes are those of the rest: rest = fineScale * c + a lesser rest.
	// They lie row by row; of each fineDims dimensions the first half is in the
	// lower halves of fineDims/2 bytes, the second half in the upper ones. If the
	// arena rounds, the codes themselves follow in each row, once more and in the same
	// way: so a row can be made of one piece of memory.
	fine      []uint8
	fineScale [blockRows]float32
	fineRest  [blockRows]float32

	lead  *lead    // nil if the arena has no plain vectors
	marks []uint64 // a bit for each slot with a plain vector; nil if the arena has none

	tokens []uint8 // codes of the tokens of blockRows slots; nil if no slot has had some
}

// fineDims is the number of dimensions whose fine codes fill a 512-bit register.
const fineDims = 128

func newArena(opt Options) arena {
	return arena{Options: opt, width: roundUp(opt.Dim), narrow: narrow(opt.Dim), kernel: fastest()}
}

// roundUp returns a whole number of rounds of the kernels.
func roundUp(dim int) int { return (dim + 31) &^ 31 }

func narrow(dim int) int { return (dim + fineDims - 1) &^ (fineDims - 1) }

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
	b, p := a.blocks[slot/blockRows], slot%blockRows
	b.rest[p] = float32(math.Inf(-1))
	if b.lead != nil {
		b.lead.rest[p] = float32(math.Inf(-1))
	}
	a.mark(slot, false)
	a.slots[id] = 0
	a.free = append(a.free, slot)
	a.live--
	return true
}

// mark notes whether the vector in slot is plain.
func (a *arena) mark(slot uint32, plain bool) {
	if a.isMarked(slot) == plain {
		return
	}
	b := a.blocks[slot/blockRows]
	if b.marks == nil {
		b.marks = make([]uint64, blockRows/64)
	}
	b.marks[slot%blockRows/64] ^= 1 << (slot % 64)
	if plain {
		a.marked++
	} else {
		a.marked--
	}
}

func (a *arena) isMarked(slot uint32) bool {
	marks := a.blocks[slot/blockRows].marks
	return marks != nil && marks[slot%blockRows/64]>>(slot%64)&1 != 0
}

// put writes v, divided by its length, and its codes to slot of an arena that does not
// round.
func (a *arena) put(slot uint32, v []float32, norm float64) {
	row := a.row(slot, nil)
	normalize(row, v, norm)
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	codes, fine := make([]int8, a.narrow), make([]int8, a.narrow)
	rest := make([]float32, a.Dim)
	b.scale[p] = a.kernel.quantize(codes[:a.Dim], rest, row)
	b.rest[p] = a.kernel.bound(rest)
	b.fineScale[p] = a.kernel.quantize(fine[:a.Dim], rest, rest)
	b.fineRest[p] = a.kernel.bound(rest)
	woven := make([]uint8, a.narrow)
	weave(woven, codes, fine)
	packCodes(b.codes, p, woven[:a.width])
	packRow(a.fine(slot), woven)
}

// normalize writes v, divided by its length, to row.
func normalize(row, v []float32, norm float64) {
	if math.Abs(norm-1) < 5e-7 {
		copy(row, v)
		return
	}
	for i, x := range v {
		row[i] = float32(float64(x) / norm)
	}
}

// fine returns the fine codes of a slot.
func (a *arena) fine(slot uint32) []uint8 {
	p := int(slot%blockRows) * a.stride()
	return a.blocks[slot/blockRows].fine[p : p+a.narrow/2 : p+a.narrow/2]
}

// both returns the fine codes of a slot and, of an arena that rounds, its codes after
// them.
func (a *arena) both(slot uint32) []uint8 {
	p := int(slot%blockRows) * a.stride()
	return a.blocks[slot/blockRows].fine[p : p+a.stride() : p+a.stride()]
}

// stride is the number of bytes from the fine codes of a slot to those of the next.
func (a *arena) stride() int {
	if a.Rounded {
		return a.narrow
	}
	return a.narrow / 2
}

// codesAt is where the first word of the p-th slot lies in the codes of a block.
func codesAt(p, words int) int {
	return (p/groupRows%4*streamGroups+p/tileRows)*groupBytes*words + p%groupRows*wordBytes
}

// row returns the exact vector in slot: a part of the arena or, if that rounds, of dst,
// which must have room for narrow numbers and is written to.
func (a *arena) row(slot uint32, dst []float32) []float32 {
	b, p := a.blocks[slot/blockRows], int(slot%blockRows)
	if a.Rounded {
		a.kernel.unpack(dst[:a.narrow], a.both(slot), b.scale[p], b.fineScale[p])
		return dst[:a.Dim]
	}
	return b.vectors[p*a.Dim : (p+1)*a.Dim : (p+1)*a.Dim]
}

// fetch has the memory that row reads brought into the cache.
func (a *arena) fetch(slot uint32) {
	if a.Rounded {
		a.kernel.fetchFine(a.both(slot))
	} else {
		a.kernel.fetch(a.row(slot, nil))
	}
}

// codes returns the codes of the tile that begins with slot first, up to the end
// of its block.
func (a *arena) codes(first int) []uint8 {
	return a.blocks[first/blockRows].codes[first%blockRows/tileRows*groupRows*a.width/2:]
}

// tile returns the scales and rests of the tile that begins with slot first, for a query of
// all places or of the leading ones.
func (a *arena) tile(first int, leading bool) (scale, rest *tile) {
	b, p := a.blocks[first/blockRows], first%blockRows
	if leading {
		return (*tile)(b.lead.scale[p:]), (*tile)(b.lead.rest[p:])
	}
	return (*tile)(b.scale[p:]), (*tile)(b.rest[p:])
}

func (a *arena) newBlock() *block {
	b := &block{
		codes: make([]uint8, blockRows*a.width/2),
		fine:  make([]uint8, blockRows*a.stride()),
	}
	if !a.Rounded {
		b.vectors = make([]float32, blockRows*a.Dim)
	}
	for i := range b.rest {
		b.rest[i] = float32(math.Inf(-1))
	}
	if a.Plain > 0 {
		b.lead = &lead{rest: b.rest}
	}
	return b
}

func (a *arena) bytes() int64 {
	row := a.width/2 + a.stride() + 16
	if !a.Rounded {
		row += 4 * a.Dim
	}
	block := int64(blockRows) * int64(row)
	if a.Plain > 0 {
		block += blockRows/8 + 12*blockRows
	}
	all := int64(len(a.blocks))*block + 4*int64(cap(a.ids)+cap(a.slots)+cap(a.free))
	for _, b := range a.blocks {
		all += int64(len(b.tokens))
	}
	return all
}

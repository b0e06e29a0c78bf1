package vector

import (
	"encoding/binary"
	"math"
)

// A kernel is a way to compute the inner loops. They all give the same results,
// bit by bit.
type kernel int

const (
	plain kernel = iota // Go
	avx2                // amd64 with AVX2 and FMA
	vnni                // amd64 with AVX-512 VNNI besides
)

// A tile is one number for each of tileRows slots.
type tile [tileRows]float32

// dots writes the products of the codes of a tile with the query to dst. next
// are those of the tile after it, which may be fetched ahead. The products fit in
// an int32: 15 * 127 * MaxDim is 2^26, and one kernel has 16 times that for a
// while.
func (k kernel) dots(dst *[tileRows]int32, codes, next []uint8, q *query) {
	words := len(q.digits) / wordDims
	// The assembly has no checks of its own.
	_ = codes[3*q.stream+groupBytes*words-1]
	if !k.fastDots(dst, codes, next, q, words) {
		plainDots(dst, codes, q, words)
	}
}

// over returns the set of the slots where dots*scale*step + rest*onRest is at
// least floor.
func (k kernel) over(dots *[tileRows]int32, scale, rest *tile, step, onRest, floor float32) uint64 {
	if m, ok := k.fastOver(dots, scale, rest, step, onRest, floor); ok {
		return m
	}
	return plainOver(dots, scale, rest, step, onRest, floor)
}

// fine returns the product of a slot's fine codes with the query.
func (k kernel) fine(codes []uint8, q *query) int32 {
	_ = codes[len(q.fine)/2-1] // the assembly has no checks of its own
	if dot, ok := k.fastFine(codes, q.fine); ok {
		return dot - q.offset
	}
	return plainFine(codes, q.fine) - q.offset
}

func plainFine(codes []uint8, digits []int8) int32 {
	const half = fineDims / 2
	var sum int32
	for ; len(digits) >= fineDims; digits, codes = digits[fineDims:], codes[half:] {
		low, high := digits[:half], digits[half:fineDims]
		for i, c := range codes[:half] {
			sum += int32(c&15)*int32(low[i]) + int32(c>>4)*int32(high[i])
		}
	}
	return sum
}

// plainDots multiplies the codes of two slots by a digit at once: they lie in
// the halves of a 64-bit number. A negative sum in the lower half borrows from
// the upper one, which is given back at the end.
func plainDots(dst *[tileRows]int32, codes []uint8, q *query, words int) {
	const low = 0x0000000f_0000000f
	const pairs = groupRows / 2
	for g := range tileRows / groupRows {
		var sums [pairs]uint64
		group := codes[g*q.stream:][:groupBytes*words]
		for t := 0; len(group) >= groupBytes; t += wordDims {
			d := q.digits[t : t+wordDims]
			d0, d1, d2, d3 := uint64(d[0]), uint64(d[1]), uint64(d[2]), uint64(d[3])
			d4, d5, d6, d7 := uint64(d[4]), uint64(d[5]), uint64(d[6]), uint64(d[7])
			for i := range sums {
				w := binary.LittleEndian.Uint64(group[8*i:])
				sums[i] += (w&low)*d0 + (w>>8&low)*d1 + (w>>16&low)*d2 + (w>>24&low)*d3 +
					(w>>4&low)*d4 + (w>>12&low)*d5 + (w>>20&low)*d6 + (w>>28&low)*d7
			}
			group = group[groupBytes:]
		}
		for i, sum := range sums {
			first := int32(sum)
			dst[g*groupRows+2*i] = first - q.offset
			dst[g*groupRows+2*i+1] = int32((int64(sum)-int64(first))>>32) - q.offset
		}
	}
}

func plainOver(dots *[tileRows]int32, scale, rest *tile, step, onRest, floor float32) uint64 {
	var m uint64
	for i, dot := range dots {
		if approx(dot, scale[i], step)+float32(rest[i]*onRest) >= floor {
			m |= 1 << i
		}
	}
	return m
}

// approx returns the approximate score. The kernels compute it in this order.
func approx(dot int32, scale, step float32) float32 {
	return float32(float32(float32(dot)*scale) * step)
}

// unpack writes the row that fine codes and codes, one after the other in both, say with
// their scales. len(dst) is a multiple of fineDims and that of both.
func (k kernel) unpack(dst []float32, both []uint8, scale, fineScale float32) {
	_ = both[len(dst)-1] // the assembly has no checks of its own
	if !k.fastUnpack(dst, both, scale, fineScale) {
		plainUnpack(dst, both, scale, fineScale)
	}
}

func plainUnpack(dst []float32, both []uint8, scale, fineScale float32) {
	const half = fineDims / 2
	// Both products are exact, so that a fused multiply-add gives the same sum.
	var coarse, fine [16]float64
	for i := range coarse {
		coarse[i] = float64(scale) * float64(i-codeZero)
		fine[i] = float64(fineScale) * float64(i-codeZero)
	}
	fines, codes := both[:len(both)/2], both[len(both)/2:]
	for ; len(dst) >= fineDims; dst, fines, codes = dst[fineDims:], fines[half:], codes[half:] {
		low, high := dst[:half], dst[half:fineDims]
		f, c := fines[:half], codes[:half]
		for i := range f {
			low[i] = float32(coarse[c[i]&15] + fine[f[i]&15])
			high[i] = float32(coarse[c[i]>>4] + fine[f[i]>>4])
		}
	}
}

// greatest returns the greatest size of a number of v.
func (k kernel) greatest(v []float32) float32 {
	if bits, ok := k.fastGreatest(v); ok {
		return math.Float32frombits(bits)
	}
	return plainGreatest(v)
}

// fit returns what the codes of v are worth at some steps, see plainFit.
func (k kernel) fit(v []float32, steps *[len(trim)]float64) (x, y [len(trim)]float64) {
	if !k.fastFit(&x, &y, v, steps) {
		return plainFit(v, steps)
	}
	return x, y
}

// split writes the codes of v at a step to dst, and what they leave of it to rest, which
// may be v.
func (k kernel) split(dst []int8, rest, v []float32, step float64, scale float32) {
	dst, rest = dst[:len(v)], rest[:len(v)] // the assembly has no checks of its own
	if !k.fastSplit(dst, rest, v, step, scale) {
		plainSplit(dst, rest, v, step, scale)
	}
}

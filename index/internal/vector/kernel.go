package vector

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

// dots writes the products of the codes of len(dst) slots with the query to
// dst. codes begins with the first of them in the block's first stream; len(dst)
// is a multiple of 4. The sums are modulo 2^32; newQuery sees to it that the
// products fit.
func (k kernel) dots(dst []int32, codes []uint8, q *query, stride int) {
	if len(dst) == 0 {
		return
	}
	// The assembly has no checks of its own.
	_ = codes[(3*blockRows/4+len(dst)/4)*stride-1]
	_ = q.digits[stride-1]
	_ = q.halves[2*stride-1]
	if !k.fastDots(dst, codes, q, stride) {
		plainDots(dst, codes, q, stride)
	}
}

// over returns a set of the slots whose upper bound reaches floor.
func (k kernel) over(dots *[tileRows]int32, scale, rest *tile, q *query, floor float32) uint64 {
	if m, ok := k.fastOver(dots, scale, rest, q, floor); ok {
		return m
	}
	return plainOver(dots, scale, rest, q, floor)
}

func plainDots(dst []int32, codes []uint8, q *query, stride int) {
	for p := range dst {
		at := (p%4*(blockRows/4) + p/4) * stride
		row := codes[at : at+stride]
		digits := q.digits[:len(row)]
		var sum int32
		for i, c := range row {
			sum += int32(c) * int32(digits[i])
		}
		dst[p] = sum - q.offset
	}
}

func plainOver(dots *[tileRows]int32, scale, rest *tile, q *query, floor float32) uint64 {
	var m uint64
	for i, dot := range dots {
		score, err := q.approx(dot, scale[i], rest[i])
		if score+err >= floor {
			m |= 1 << i
		}
	}
	return m
}

package vector

// A kernel is a way to compute the inner loops. They all give the same results,
// bit by bit.
type kernel int

const (
	plain kernel = iota // Go
	avx2                // amd64 with AVX2 and FMA
	vnni                // amd64 with AVX-512 VNNI besides
)

// dots writes the products of the codes of the first len(dst) slots of a block
// with the query to dst. len(dst) is a multiple of 4. The sums are modulo 2^32;
// newQuery sees to it that the products fit.
func (k kernel) dots(dst []int32, codes []uint8, q *query, stride int) {
	if len(dst) == 0 {
		return
	}
	_ = codes[blockRows*stride-1] // the assembly has no checks of its own
	_ = q.digits[stride-1]
	_ = q.halves[2*stride-1]
	if !k.fastDots(dst, codes, q, stride) {
		plainDots(dst, codes, q, stride)
	}
}

// over sets bit i of mask, i below len(dots) = 64*len(mask), if the upper bound
// of slot i reaches floor.
func (k kernel) over(mask []uint64, dots []int32, scale, rest *[blockRows]float32, q *query, floor float32) {
	if len(mask) == 0 {
		return
	}
	_ = dots[64*len(mask)-1]
	_ = scale[64*len(mask)-1]
	if !k.fastOver(mask, dots, scale, rest, q, floor) {
		plainOver(mask, dots, scale, rest, q, floor)
	}
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

func plainOver(mask []uint64, dots []int32, scale, rest *[blockRows]float32, q *query, floor float32) {
	for w := range mask {
		var m uint64
		for b := range 64 {
			i := w*64 + b
			score, err := q.approx(dots[i], scale[i], rest[i])
			if score+err >= floor {
				m |= 1 << b
			}
		}
		mask[w] = m
	}
}

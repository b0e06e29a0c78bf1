package vector

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fastest returns the fastest kernel of this machine.
func fastest() kernel {
	x := &cpu.X86
	switch {
	case x.HasAVX2 && x.HasFMA && x.HasAVX512F && x.HasAVX512VNNI:
		return vnni
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return plain
}

func (k kernel) fastDots(dst *[tileRows]int32, codes, next []uint8, q *query, words int) bool {
	switch k {
	case vnni:
		dotsVNNI(dst, &codes[0], &next[0], &q.digits[0], words, q.stream, q.offset)
	case avx2:
		dotsAVX2(dst, &codes[0], &next[0], &q.digits[0], words, q.stream, q.offset)
	default:
		return false
	}
	return true
}

func (k kernel) fastFine(codes []uint8, digits []int8) (int32, bool) {
	switch k {
	case vnni:
		return fineVNNI(&codes[0], &digits[0], len(digits)/fineDims), true
	case avx2:
		return fineAVX2(&codes[0], &digits[0], len(digits)/fineDims), true
	}
	return 0, false
}

func (k kernel) fastOver(dots *[tileRows]int32, scale, rest *tile, step, onRest, floor float32) (uint64, bool) {
	switch k {
	case vnni:
		return overVNNI(&dots[0], &scale[0], &rest[0], step, onRest, floor), true
	case plain:
		return 0, false
	}
	return overAVX2(&dots[0], &scale[0], &rest[0], step, onRest, floor), true
}

func (k kernel) fastDot(sums *[16]float64, x, y []float32, whole int) bool {
	switch k {
	case vnni:
		dotVNNI(sums, &x[0], &y[0], whole)
	case avx2:
		dotFMA(sums, &x[0], &y[0], whole)
	default:
		return false
	}
	return true
}

// fetch asks for the memory of x to be brought into the cache.
func (k kernel) fetch(x []float32) {
	if k != plain {
		fetchLines(unsafe.Pointer(&x[0]), (len(x)+15)/16)
	}
}

// fetchFine does so for fine codes.
func (k kernel) fetchFine(x []uint8) {
	if k != plain {
		fetchLines(unsafe.Pointer(&x[0]), (len(x)+63)/64)
	}
}

func (k kernel) fastUnpack(dst []float32, both []uint8, scale, fineScale float32) bool {
	if k != plain {
		unpackFMA(&dst[0], &both[0], scale, fineScale, len(dst)/fineDims)
	}
	return k != plain
}

// fastCoded returns the product of a query with the row of codes.
func (k kernel) fastCoded(q []float64, both []uint8, scale, fineScale float32) (float64, bool) {
	if k != vnni {
		return 0, false
	}
	_, _ = q[len(both)-1], both[len(q)-1] // the assembly has no checks of its own
	return codedVNNI(&q[0], &both[0], scale, fineScale, len(both)/fineDims), true
}

// whole reports whether the kernel may read x in rounds of 16 numbers.
func (k kernel) whole(x []float32) bool { return k != plain && len(x) > 0 && len(x)%16 == 0 }

func (k kernel) fastGreatest(v []float32) (uint32, bool) {
	if !k.whole(v) {
		return 0, false
	}
	return greatestAVX2(&v[0], len(v)/16), true
}

func (k kernel) fastFit(x, y *[len(trim)]float64, v []float32, steps *[len(trim)]float64) bool {
	if !k.whole(v) {
		return false
	}
	fitFMA(x, y, &v[0], steps, len(v)/16)
	return true
}

func (k kernel) fastSplit(dst []int8, rest, v []float32, step float64, scale float32) bool {
	if !k.whole(v) {
		return false
	}
	splitFMA(&dst[0], &rest[0], &v[0], step, float64(scale), len(v)/16)
	return true
}

// words is a multiple of 4, and stream the bytes from one stream to the next.
//
//go:noescape
func dotsAVX2(dst *[tileRows]int32, codes, next *uint8, digits *int8, words, stream int, offset int32)

//go:noescape
func dotsVNNI(dst *[tileRows]int32, codes, next *uint8, digits *int8, words, stream int, offset int32)

//go:noescape
func overVNNI(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64

//go:noescape
func overAVX2(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64

// rounds counts rounds of 16 places.
//
//go:noescape
func dotVNNI(sums *[16]float64, x, y *float32, rounds int)

//go:noescape
func dotFMA(sums *[16]float64, x, y *float32, rounds int)

//go:noescape
func fetchLines(x unsafe.Pointer, lines int)

// rounds counts rounds of fineDims places.
//
//go:noescape
func fineVNNI(codes *uint8, digits *int8, rounds int) int32

//go:noescape
func fineAVX2(codes *uint8, digits *int8, rounds int) int32

// rounds counts rounds of fineDims places.
//
//go:noescape
func unpackFMA(dst *float32, both *uint8, scale, fineScale float32, rounds int)

// rounds counts rounds of fineDims places.
//
//go:noescape
func codedVNNI(query *float64, both *uint8, scale, fineScale float32, rounds int) float64

// rounds counts rounds of 16 numbers, here and below.
//
//go:noescape
func greatestAVX2(v *float32, rounds int) uint32

//go:noescape
func fitFMA(x, y *[len(trim)]float64, v *float32, steps *[len(trim)]float64, rounds int)

//go:noescape
func splitFMA(dst *int8, rest, v *float32, step, scale float64, rounds int)

package vector

import "golang.org/x/sys/cpu"

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

func (k kernel) fastDots(dst []int32, codes []uint8, q *query, stride int) bool {
	switch k {
	case vnni:
		dotsVNNI(&dst[0], &codes[0], &q.halves[0], len(dst)/4, stride, q.offset)
	case avx2:
		dotsAVX2(&dst[0], &codes[0], &q.digits[0], len(dst)/4, stride, q.offset)
	default:
		return false
	}
	return true
}

func (k kernel) fastOver(dots *[tileRows]int32, scale, rest *tile, q *query, floor float32) (uint64, bool) {
	if k == plain {
		return 0, false
	}
	return overAVX2(&dots[0], &scale[0], &rest[0], q.step, q.onRest, floor), true
}

func (k kernel) fastDot(sums *[16]float64, x, y []float32, whole int) bool {
	if k == plain {
		return false
	}
	dotFMA(sums, &x[0], &y[0], whole)
	return true
}

// groups counts groups of four slots; see block for where their codes lie.
//
//go:noescape
func dotsAVX2(dst *int32, codes *uint8, digits *int16, groups, stride int, offset int32)

//go:noescape
func dotsVNNI(dst *int32, codes *uint8, halves *int8, groups, stride int, offset int32)

//go:noescape
func overAVX2(dots *int32, scale, rest *float32, step, onRest, floor float32) uint64

// rounds counts rounds of 16 places.
//
//go:noescape
func dotFMA(sums *[16]float64, x, y *float32, rounds int)

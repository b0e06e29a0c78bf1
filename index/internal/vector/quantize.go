package vector

import "math"

// Codes are whole numbers of size at most maxCode.
const maxCode = 7

// trim holds the scales that quantize tries, relative to the one that fits the
// greatest place of a vector. A smaller one cuts off the few great places and
// serves the many others better.
var trim = [...]float64{1, 0.85, 0.7}

// quantize writes the codes of v, a vector of at most unit length, to dst, which
// is as long, and returns scale and an upper bound of the length of v -
// scale*dst.
func quantize(dst []int8, v []float32) (scale, rest float32) {
	// By size, numbers are in the order of their bits: max of floats has to think of
	// signs and of what is no number, and took a third of the time.
	var bits uint32
	var square float64
	for _, x := range v {
		bits = max(bits, math.Float32bits(x)&^(1<<31))
		square += float64(x) * float64(x)
	}
	most := math.Float32frombits(bits)
	if most == 0 {
		clear(dst)
		return 0, 0
	}
	// For given codes c the best scale is v.c/|c|^2, and (v.c)^2/|c|^2 is what
	// it takes away from the square of the rest.
	var vc, cc, gain float64
	step := 0.0
	for _, t := range trim {
		s := t * float64(most) / maxCode
		var x, y float64
		inv := 1 / s
		for _, f := range v {
			c := nearest(float64(f)*inv, maxCode)
			x += float64(f) * c
			y += c * c
		}
		if g := x * x / y; g > gain {
			vc, cc, gain, step = x, y, g, inv
		}
	}
	for i, f := range v {
		dst[i] = int8(nearest(float64(f)*step, maxCode))
	}
	scale = float32(vc / cc)
	s := float64(scale)
	// |v - s*c|^2, by three sums that are each off by less than 1e-11: their
	// terms are positive or sum up to less than 4 by size, and there are at
	// most 2^15 of them.
	left := square - 2*s*vc + s*s*cc
	return scale, float32(math.Sqrt(max(left, 0)+1e-10) * (1 + 1e-6))
}

// nearest returns the whole number nearest to x, the even one of two, cut off at most
// in size. x is less than 2^51 by size: above 3*2^51 the numbers are whole, and adding
// it rounds x as math.RoundToEven does, in a third of the time.
func nearest(x, most float64) float64 {
	const whole = 3 << 51
	r := float64(x+whole) - whole
	switch {
	case r > most:
		return most
	case r < -most:
		return -most
	}
	return r
}

// A query is a search's vector, made ready for the scan.
type query struct {
	exact []float32
	norm  float64 // length of exact

	// exact/norm = step * digits + a rest of length err.
	step   float32
	digits []int8 // width long
	offset int32  // codeZero times the sum of digits
	fine   []int8 // the digits, narrow long

	// An approximate score x of a vector with this rest is within
	// rest*onRest + extra of the score.
	onRest, extra float32
}

// maxDigit is the greatest size of a digit.
const maxDigit = 127

// newQuery quantizes q of length norm to width digits of 8 bits, and the same
// with zeros up to narrow.
func newQuery(q []float32, norm float64, width, narrow int) *query {
	var most float64
	for _, x := range q {
		most = max(most, math.Abs(float64(x))/norm)
	}
	step := float32(most / maxDigit)
	digits := make([]int8, max(width, narrow))
	var rest float64
	var total int32
	for i, x := range q {
		y := float64(x) / norm
		d := nearest(y/float64(step), maxDigit)
		diff := y - d*float64(step)
		rest += diff * diff
		digits[i] = int8(d)
		total += int32(d)
	}
	err := math.Sqrt(rest) * (1 + 1e-6)
	return &query{
		exact: q, norm: norm,
		step: step, digits: digits[:width], offset: codeZero * total, fine: digits[:narrow],
		onRest: float32((1 + err) * (1 + 1e-6)),
		extra:  float32(err*(1+1e-5) + rounding),
	}
}

// rounding is more than all the float32 roundings between an approximate score
// and a threshold: fewer than ten, of numbers below 4, 2^-22 each at most. It
// also covers that stored vectors have unit length only within 1e-6.
const rounding = 6e-6

package vector

import "math"

// Codes are whole numbers of size at most maxCode.
const maxCode = 7

// trim holds the scales that quantize tries, relative to the one that fits the
// greatest place of a vector. A smaller one cuts off the few great places and
// serves the many others better.
var trim = [...]float64{1, 0.85, 0.7}

// quantize writes the codes of v, a vector of at most unit length, to dst and what they
// leave of it to rest, which are as long, and returns the scale: v = scale*dst + rest.
func (k kernel) quantize(dst []int8, rest, v []float32) (scale float32) {
	most := k.greatest(v)
	if most == 0 {
		clear(dst)
		clear(rest)
		return 0
	}
	var steps [len(trim)]float64
	for i, t := range trim {
		steps[i] = 1 / (t * float64(most) / maxCode)
	}
	// For given codes c the best scale is v.c/|c|^2, and (v.c)^2/|c|^2 is what
	// it takes away from the square of the rest.
	x, y := k.fit(v, &steps)
	best := 0
	for i := range trim {
		if x[i]*x[i]/y[i] > x[best]*x[best]/y[best] {
			best = i
		}
	}
	scale = float32(x[best] / y[best])
	k.split(dst, rest, v, steps[best], scale)
	return scale
}

// bound returns an upper bound of the length of a rest: its numbers and their sum are
// rounded.
func (k kernel) bound(rest []float32) float32 {
	return float32(math.Sqrt(k.dot(rest, rest)+1e-10) * (1 + 1e-6))
}

// plainGreatest returns the greatest size of a number of v. By size, numbers are in the
// order of their bits: max of floats has to think of signs and of what is no number, and
// took a third of the time of quantize.
func plainGreatest(v []float32) float32 {
	var bits uint32
	for _, x := range v {
		bits = max(bits, math.Float32bits(x)&^(1<<31))
	}
	return math.Float32frombits(bits)
}

// plainFit returns the products of v with its codes of each step, x, and the squares of
// their lengths, y. All these sums are exact, in whichever order: a number whose code is
// not 0 is at least a twentieth of the greatest, so that its last bit is worth more than
// 2^-29 of that, and MaxDim products of it with 7 are less than 2^18 of that.
func plainFit(v []float32, steps *[len(trim)]float64) (x, y [len(trim)]float64) {
	for i, step := range steps {
		for _, f := range v {
			c := nearest(float64(f)*step, maxCode)
			x[i] += float64(f) * c
			y[i] += c * c
		}
	}
	return x, y
}

// plainSplit writes the codes of v and what they leave of it. The product is exact, so
// that a fused multiply-add gives the same.
func plainSplit(dst []int8, rest, v []float32, step float64, scale float32) {
	for i, f := range v {
		c := nearest(float64(f)*step, maxCode)
		dst[i] = int8(c)
		rest[i] = float32(float64(f) - float64(scale)*c)
	}
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
	digits []int8 // as long as exact, rounded up to whole rounds of the kernels
	stream int    // bytes from one stream of codes to the next
	offset int32  // codeZero times the sum of digits
	fine   []int8 // the digits, narrow long

	// An approximate score x of a vector with this rest is within
	// rest*onRest + extra of the score.
	onRest, extra float32
}

// maxDigit is the greatest size of a digit.
const maxDigit = 127

// newQuery quantizes q of length norm to digits of 8 bits, for codes of width numbers, and the
// same with zeros up to narrow.
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
		step: step, digits: digits[:roundUp(len(q))], stream: streamGroups * groupBytes * width / wordDims, offset: codeZero * total, fine: digits[:narrow],
		onRest: float32((1 + err) * (1 + 1e-6)),
		extra:  float32(err*(1+1e-5) + rounding),
	}
}

// rounding is more than all the float32 roundings between an approximate score
// and a threshold: fewer than ten, of numbers below 4, 2^-22 each at most. It
// also covers that stored vectors have unit length only within 1e-6.
const rounding = 6e-6

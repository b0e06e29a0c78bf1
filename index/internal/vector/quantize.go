package vector

import "math"

// quantize writes the codes of v, a vector of unit length, to dst, and returns
// scale and an upper bound of the length of v - scale*c, where c = dst-128 is in
// -127 to 127. dst may be longer than v; the query has zeros there.
func quantize(dst []uint8, v []float32) (scale, rest float32) {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale = most / 127
	s := float64(scale)
	var sum float64
	for i, x := range v {
		c := math.RoundToEven(float64(x) / s)
		c = max(-127, min(127, c))
		dst[i] = uint8(int(c) + 128)
		d := float64(x) - s*c
		sum += d * d
	}
	// The sum, the root and the conversion each round; 1e-6 is more than all
	// of that.
	return scale, float32(math.Sqrt(sum) * (1 + 1e-6))
}

// A query is a search's vector, made ready for the scan.
type query struct {
	exact []float32
	norm  float64 // length of exact

	// exact/norm = step * digits + a rest of length err.
	step   float32
	digits []int16 // stride long
	halves []int8  // the same as 256*halves[i] + halves[stride+i]
	offset int32   // 128 times the sum of digits, modulo 2^32

	// An approximate score x of a vector with this rest is within
	// rest*onRest + extra of the score.
	onRest, extra float32
}

// maxDigit keeps the high half of a digit within an int8.
const maxDigit = 127 * 256

// newQuery quantizes q of length norm to 16 bits, or fewer where the sum of
// 127 times every digit could leave an int32: the kernels add modulo 2^32, and
// so only the result has to fit.
func newQuery(q []float32, norm float64, stride int) *query {
	var most, sum float64
	for _, x := range q {
		y := math.Abs(float64(x)) / norm
		most, sum = max(most, y), sum+y
	}
	digit := float64(maxDigit)
	// Rounding adds at most 1/2 to a digit.
	if room := math.MaxInt32/127 - float64(len(q)); sum/most*digit > room {
		digit = math.Floor(room * most / sum)
	}
	step := float32(most / digit)
	halves := make([]int8, 2*stride)
	digits := make([]int16, stride)
	var rest float64
	var total int32
	for i, x := range q {
		y := float64(x) / norm
		d := math.RoundToEven(y / float64(step))
		d = max(-maxDigit, min(maxDigit, d))
		diff := y - d*float64(step)
		rest += diff * diff
		digits[i] = int16(d)
		low := int8(int(d))
		halves[i], halves[stride+i] = int8((int(d)-int(low))>>8), low
		total += int32(d)
	}
	err := math.Sqrt(rest) * (1 + 1e-6)
	return &query{
		exact: q, norm: norm,
		step: step, digits: digits, halves: halves, offset: 128 * total,
		onRest: float32((1 + err) * (1 + 1e-6)),
		extra:  float32(err*(1+1e-5) + rounding),
	}
}

// rounding is more than all the float32 roundings between an approximate score
// and a threshold: fewer than ten, of numbers below 2, 2^-23 each at most. It
// also covers that stored vectors have unit length only within 1e-6.
const rounding = 4e-6

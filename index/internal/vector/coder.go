package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Coder makes Codes of vectors. That is nearly all the work of adding one to a Rounded
// Store, and it does not touch the Store: several Coders may run while the Store is
// searched. A Coder belongs to one goroutine.
type Coder struct {
	Options
	kernel      kernel
	row, rest   []float32 // 0 beyond dim, up to a whole number of rounds of the kernels
	codes, fine []int8
	woven       []uint8
}

// NewCoder returns a Coder for a Store with some options.
func NewCoder(opt Options) *Coder {
	n := narrow(opt.Dim)
	return &Coder{
		Options: opt, kernel: fastest(), woven: make([]uint8, n),
		row: make([]float32, n), rest: make([]float32, n), codes: make([]int8, n), fine: make([]int8, n),
	}
}

// Append appends the Code of v to dst, nothing where v is zero, under the conditions of
// Store.Add. tokens are the vectors of its tokens, one after the other, of which there may be
// less than Options.Tokens; those of a vector that is to be replaced do not count.
func (c *Coder) Append(dst []byte, v, tokens []float32) (Code, error) {
	norm, err := c.kernel.unit(v, c.Dim)
	if err != nil || norm == 0 {
		return dst, err
	}
	normalize(c.row[:c.Dim], v, norm)
	scale := c.kernel.quantize(c.codes, c.rest, c.row)
	fineScale := c.kernel.quantize(c.fine, c.rest, c.rest)
	weave(c.woven, c.codes, c.fine)
	scale, fineScale = unitScales(scale, fineScale, c.woven[:c.Dim])
	dst = slices.Grow(dst, 8+c.Dim)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(scale))
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(fineScale))
	at := len(dst) - 8
	if dst = append(dst, c.woven[:c.Dim]...); c.IsPlain(dst[at:]) {
		return dst, nil
	}
	return c.appendTokens(dst, tokens)
}

// unit returns the length of v, which has dim numbers: 1 within 1e-3, or 0.
func (k kernel) unit(v []float32, dim int) (norm float64, err error) {
	if len(v) != dim {
		return 0, fmt.Errorf("vector: %d dimensions, want %d", len(v), dim)
	}
	norm = k.length(v)
	if norm != 0 && !(math.Abs(norm-1) <= 1e-3) { // also catches NaN
		return 0, fmt.Errorf("vector: length %g, want 1", norm)
	}
	return norm, nil
}

// unitScales returns the scales that give codes unit length: so a score is a cosine.
func unitScales(scale, fineScale float32, woven []uint8) (float32, float32) {
	var coarse, fine [16]float64
	for i := range coarse {
		coarse[i] = float64(scale) * float64(i-codeZero)
		fine[i] = float64(fineScale) * float64(i-codeZero)
	}
	square := 0.0
	for _, w := range woven {
		x := coarse[w&15] + fine[w>>4]
		square += x * x
	}
	length := math.Sqrt(square)
	return float32(float64(scale) / length), float32(float64(fineScale) / length)
}

package static

import "slices"

// asked holds the rows of a question's words for their products with other rows. Those are
// had in integers, the same on every machine whatever the order.
//
// The rows stand in groups of groupWords, zeros for the words that the last one lacks: a
// block of each, then the next block of each.
type asked struct {
	numbers []int16
	dim     int
}

const groupWords = 4

// dots are the products of a row and each of the asked ones, and of the zeros behind them.
type dots [(mostCompared + groupWords - 1) / groupWords * groupWords]int32

func (a *asked) reset(dim int) { a.numbers, a.dim = a.numbers[:0], dim }

// put adds the n-th row.
func (a *asked) put(n int, row []byte) {
	group, word := n/groupWords, n%groupWords
	if word == 0 {
		zeros := groupWords * a.dim
		a.numbers = slices.Grow(a.numbers, zeros)[:len(a.numbers)+zeros]
		clear(a.numbers[group*zeros:])
	}
	to := a.numbers[group*groupWords*a.dim:]
	for i, x := range row {
		to[(i/block*groupWords+word)*block+i%block] = int16(int8(x))
	}
}

// dots writes the products of a row and those asked to dst and returns the square of the
// row's length.
func (a *asked) dots(dst *dots, row []byte) (square int32) {
	square, ok := a.fastDots(dst, row)
	if !ok {
		square = a.plainDots(dst, row)
	}
	return square
}

func (a *asked) plainDots(dst *dots, row []byte) (square int32) {
	for _, x := range row {
		square += int32(int8(x)) * int32(int8(x))
	}
	numbers := a.numbers
	for group := 0; len(numbers) > 0; group++ {
		var sums [groupWords]int32
		for at := 0; at < len(row); at += block {
			row := (*[block]byte)(row[at:])
			for word := range sums {
				asked := (*[block]int16)(numbers[word*block:])
				for i, x := range row {
					sums[word] += int32(int8(x)) * int32(asked[i])
				}
			}
			numbers = numbers[groupWords*block:]
		}
		copy(dst[group*groupWords:], sums[:])
	}
	return square
}

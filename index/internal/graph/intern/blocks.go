package intern

// Blocks is a list that grows by blocks: nothing is copied, and there is no more room to
// spare than a block. Of a list of 100 MB a slice copies as much whenever it is full, and
// has a tenth to spare on average.
type Blocks[T any] struct {
	all [][]T // each of blockLen
	n   int
}

const blockLen = 1 << 9

// At returns a thing of the list, by its number.
func (b *Blocks[T]) At(n uint32) *T { return &b.all[n/blockLen][n%blockLen] }

// Len is the number of things.
func (b *Blocks[T]) Len() int { return b.n }

// Extend makes the list n long, where it is shorter, by zero values.
func (b *Blocks[T]) Extend(n int) {
	for len(b.all)*blockLen < n {
		b.all = append(b.all, make([]T, blockLen))
	}
	b.n = max(b.n, n)
}

// Bytes is what the list takes, without what its things refer to.
func (b *Blocks[T]) Bytes() (n int64) {
	for _, block := range b.all {
		n += SizeOf(block)
	}
	return n + SizeOf(b.all)
}

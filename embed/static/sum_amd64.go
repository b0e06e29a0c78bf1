package static

import "golang.org/x/sys/cpu"

// wide is the number of columns that addRows sums.
const wide = 64

// addFast is add of the first columns, and returns how many: none
// without AVX2.
func (t *table) addFast(sums []uint32, rows []sumRow, bias uint64) int {
	if !cpu.X86.HasAVX2 || t.dim < wide {
		return 0
	}
	fetchRows(&t.rows[0], &rows[0], len(rows), t.dim/wide)
	whole := t.dim / wide * wide
	for col := 0; col < whole; col += wide {
		addRows(&sums[col], &t.rows[col], &rows[0], len(rows), uint32(bias))
	}
	return whole
}

//go:noescape
func fetchRows(table *byte, rows *sumRow, n, lines int)

//go:noescape
func addRows(sums *uint32, table *byte, rows *sumRow, n int, bias uint32)

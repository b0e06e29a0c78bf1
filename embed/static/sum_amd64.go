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
	t.fetch(rows)
	whole := t.dim / wide * wide
	for col := 0; col < whole; col += wide {
		addRows(&sums[col], &t.rows[col], &rows[0], len(rows), uint32(bias))
	}
	return whole
}

// fetch has rows brought into the cache, all at once, before they are needed.
func (t *table) fetch(rows []sumRow) {
	if len(rows) > 0 && t.dim >= wide {
		fetchRows(&t.rows[0], &rows[0], len(rows), t.dim/wide)
	}
}

// fastDots is plainDots where there is AVX2.
func (a *asked) fastDots(dst *dots, row []byte) (square int32, ok bool) {
	if !cpu.X86.HasAVX2 || len(a.numbers) == 0 {
		return 0, false
	}
	groups := len(a.numbers) / (groupWords * a.dim)
	_, _ = dst[groups*groupWords-1], row[a.dim-1] // the assembly has no checks of its own
	return dotsAVX2(&dst[0], &row[0], &a.numbers[0], groups, a.dim/block), true
}

//go:noescape
func dotsAVX2(dst *int32, row *byte, asked *int16, groups, steps int) (square int32)

//go:noescape
func fetchRows(table *byte, rows *sumRow, n, lines int)

//go:noescape
func addRows(sums *uint32, table *byte, rows *sumRow, n int, bias uint32)

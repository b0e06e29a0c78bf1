// Package edit tells how far apart two words are.
package edit

// Distance returns how many bytes must be changed, added or removed, or swapped
// with the next one, to make b of a; more than limit is not counted out. rows is
// memory for three times len(a)+1 numbers. It is the restricted distance of Damerau and
// Levenshtein.
func Distance[A, B string | []byte](a A, b B, limit int, rows []int) int {
	n := len(a) + 1
	before, last, row := rows[:n], rows[n:2*n], rows[2*n:]
	for i := range row {
		row[i] = i
	}
	for j := 1; j <= len(b); j++ {
		before, last, row = last, row, before
		row[0] = j
		least := j
		for i := 1; i <= len(a); i++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[i] = min(last[i]+1, row[i-1]+1, last[i-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[i] = min(row[i], before[i-2]+1)
			}
			least = min(least, row[i])
		}
		if least > limit+1 {
			return least
		}
	}
	return row[len(a)]
}

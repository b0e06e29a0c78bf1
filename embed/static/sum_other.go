//go:build !amd64

package static

func (t *table) addFast([]uint32, []sumRow, uint64) int { return 0 }

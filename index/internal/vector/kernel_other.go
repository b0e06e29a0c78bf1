//go:build !amd64

package vector

func fastest() kernel { return plain }

func (k kernel) fastDots([]int32, []uint8, *query, int) bool { return false }

func (k kernel) fastOver([]uint64, []int32, *[blockRows]float32, *[blockRows]float32, *query, float32) bool {
	return false
}

func (k kernel) fastDot(*[16]float64, []float32, []float32, int) bool { return false }

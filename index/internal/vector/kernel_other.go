//go:build !amd64

package vector

func fastest() kernel { return plain }

func (k kernel) fastDots(*[tileRows]int32, []uint8, []uint8, *query, int) bool { return false }

func (k kernel) fastOver(*[tileRows]int32, *tile, *tile, float32, float32, float32) (uint64, bool) {
	return 0, false
}

func (k kernel) fastDot(*[16]float64, []float32, []float32, int) bool { return false }

func (k kernel) fetch([]float32) {}

func (k kernel) fastFine([]uint8, []int8) (int32, bool) { return 0, false }

func (k kernel) fetchFine([]uint8) {}

func (k kernel) fastUnpack([]float32, []uint8, float32, float32) bool { return false }

func (k kernel) fastCoded([]float64, []uint8, float32, float32) (float64, bool) { return 0, false }

func (k kernel) fastGreatest([]float32) (uint32, bool) { return 0, false }

func (k kernel) fastFit(_, _ *[len(trim)]float64, _ []float32, _ *[len(trim)]float64) bool {
	return false
}

func (k kernel) fastSplit([]int8, []float32, []float32, float64, float32) bool { return false }

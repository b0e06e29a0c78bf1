package train

import (
	"math"
	"math/rand/v2"
	"testing"
)

// One batch of 256 at the sizes of the real model: 4,000 of them are an epoch
// over a million pairs.
//
//	go test ./cmd/quarry-lab/train -run '^$' -bench Batch -cpu 1,2
func BenchmarkBatch(b *testing.B) {
	const words = 60000
	rng := rand.New(rand.NewPCG(1, 1))
	bag := func(n int) (list []entry) {
		for range n {
			// Ranks of words are spread evenly over the logarithm.
			t := math.Exp(rng.Float64()*math.Log(words)) - 1
			list = append(list, entry{token: uint16(t), counts: [fields]uint8{1, 0, 1}})
		}
		return list
	}
	m := &model{dim: 256, rows: make([]float32, words*256), fields: [fields]float64{1, 0, 1}}
	for i := range m.rows {
		m.rows[i] = float32(rng.NormFloat64())
	}
	work, u := newBatch(m, 256, 12), newUpdater(m)
	var pool []*example
	for i := range 20 * 256 {
		pool = append(pool, &example{query: bag(9), doc: bag(75), file: int32(i), question: int32(i)})
	}
	for n := 0; b.Loop(); n++ {
		copy(work.examples, pool[n%20*256:])
		u.gather(work)
		work.forward()
		work.backward(false)
		u.apply(work, 0.05, false)
	}
}

package train

import "math"

// Adagrad's constants.
const (
	adagradEpsilon = 1e-6
	fieldRate      = 0.25 // of the learning rate: three scalars see every example
)

// updater adds the gradients of a batch to the model by Adagrad. It knows for
// each token of the batch which vectors it is part of, so that a row and its
// gradient are touched once and by one goroutine.
type updater struct {
	model   *model
	squares []float32 // of the gradients so far, by token
	fields  [fields]float64

	place  []int32  // by token: index into tokens plus 1
	tokens []uint16 // of the batch, in order of first use
	starts []int32  // by index of tokens: where its uses begin
	uses   []use
}

// A use is an occurrence of a token in a bag of the batch.
type use struct {
	vector int32 // 2*example for its question, 2*example+1 for its document
	weight float32
}

func newUpdater(m *model) *updater {
	return &updater{model: m, squares: make([]float32, len(m.rows)), place: make([]int32, len(m.rows)/m.dim)}
}

// gather lists the uses of each token, in the order of the examples.
func (u *updater) gather(b *batch) {
	for _, t := range u.tokens {
		u.place[t] = 0
	}
	u.tokens, u.starts = u.tokens[:0], append(u.starts[:0], 0)
	total := 0
	count := func(bag []entry) {
		for i := range bag {
			p := &u.place[bag[i].token]
			if *p == 0 {
				u.tokens, u.starts = append(u.tokens, bag[i].token), append(u.starts, 0)
				*p = int32(len(u.tokens))
			}
			u.starts[*p]++
		}
		total += len(bag)
	}
	for _, e := range b.examples {
		count(e.query)
		count(e.doc)
	}
	for i := 1; i < len(u.starts); i++ {
		u.starts[i] += u.starts[i-1]
	}
	if cap(u.uses) < total {
		u.uses = make([]use, total+total/4)
	}
	u.uses = u.uses[:total]
	// starts[i] moves from the start of token i to its end, which is the start
	// of the next; shifting by one puts it right again.
	put := func(e *entry, vector int, w float32) {
		at := &u.starts[u.place[e.token]-1]
		u.uses[*at] = use{int32(vector), w}
		*at++
	}
	for i, e := range b.examples {
		for k := range e.query {
			put(&e.query[k], 2*i, logWeights[e.query[k].counts[0]])
		}
		for k := range e.doc {
			w, _ := u.model.weight(&e.doc[k])
			put(&e.doc[k], 2*i+1, float32(w))
		}
	}
	copy(u.starts[1:], u.starts)
	u.starts[0] = 0
}

// apply moves the model against the gradient.
func (u *updater) apply(b *batch, rate float64, learnFields bool) {
	dim := u.model.dim
	spread(len(u.tokens), 64, func(from, to int) {
		g := make([]float32, dim)
		for i := from; i < to; i++ {
			clear(g)
			for _, s := range u.uses[u.starts[i]:u.starts[i+1]] {
				d := b.dQueries
				if s.vector&1 == 1 {
					d = b.dDocs
				}
				axpy(s.weight, line(d, int(s.vector>>1)), g)
			}
			t := u.tokens[i]
			adagrad(u.model.row(t), u.squares[int(t)*dim:][:dim], g, float32(rate))
		}
	})
	if !learnFields {
		return
	}
	var sum [fields]float64
	for _, g := range b.fieldGrad {
		for f := range sum {
			sum[f] += g[f]
		}
	}
	for f, g := range sum {
		u.fields[f] += g * g
		u.model.fields[f] *= math.Exp(-rate * fieldRate * g / (math.Sqrt(u.fields[f]) + adagradEpsilon))
	}
}

// adagrad updates a row. The conversions keep the compiler from fusing a
// product with a sum, which would round differently.
func adagrad(row, squares, g []float32, rate float32) {
	squares, g = squares[:len(row)], g[:len(row)]
	for k := range row {
		squares[k] += float32(g[k] * g[k])
		row[k] -= float32(rate * g[k] / (float32(math.Sqrt(float64(squares[k]))) + adagradEpsilon))
	}
}

package train

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// model is what is learned: a row for each word, and a weight for each field.
type model struct {
	dim    int
	rows   []float32 // by token
	fields [fields]float64
}

func (m *model) row(token uint16) []float32 {
	return m.rows[int(token)*m.dim:][:m.dim]
}

// weight is the weight in its bag of a token that occurs so often: 1 + ln(n)
// where n counts the occurrences in each field times the weight of the field.
// Below 1 it is n itself, which goes on smoothly. slope is its derivative.
func (m *model) weight(e *entry) (weight, slope float64) {
	n := 0.0
	for f, w := range m.fields {
		n += w * float64(e.counts[f])
	}
	if n < 1 {
		return n, 1
	}
	return 1 + math.Log(n), 1 / n
}

// logWeights are the weights of a question's tokens, by count.
var logWeights = func() (w [math.MaxUint8 + 1]float32) {
	for n := 1; n < len(w); n++ {
		w[n] = float32(1 + math.Log(float64(n)))
	}
	return w
}()

// embedQuery and embedDoc write the sum of a bag's rows to dst, brought to unit
// length, and return the length it had.
func (m *model) embedQuery(dst []float32, bag []entry) float32 {
	clear(dst)
	for i := range bag {
		axpy(logWeights[bag[i].counts[0]], m.row(bag[i].token), dst)
	}
	return normalize(dst)
}

func (m *model) embedDoc(dst []float32, bag []entry) float32 {
	clear(dst)
	for i := range bag {
		w, _ := m.weight(&bag[i])
		axpy(float32(w), m.row(bag[i].token), dst)
	}
	return normalize(dst)
}

func normalize(v []float32) float32 {
	n := float32(math.Sqrt(float64(dot(v, v)) + 1e-12))
	blas32.Scal(1/n, vector(v))
	return n
}

func vector(v []float32) blas32.Vector { return blas32.Vector{N: len(v), Inc: 1, Data: v} }

func axpy(a float32, x, y []float32) { blas32.Axpy(a, vector(x), vector(y)) }
func dot(x, y []float32) float32     { return blas32.Dot(vector(x), vector(y)) }
func matrix(n, m int) blas32.General {
	return blas32.General{Rows: n, Cols: m, Stride: m, Data: make([]float32, n*m)}
}
func line(g blas32.General, i int) []float32 { return g.Data[i*g.Stride:][:g.Cols] }

// batch is the work on one batch. Its parts run on all cores, each sum in an
// order that does not depend on them.
type batch struct {
	model *model
	scale float32 // of the cosines, before the softmax

	examples         []*example
	queries, docs    blas32.General // unit vectors
	dQueries, dDocs  blas32.General // gradients
	queryLen, docLen []float32      // before they became unit vectors
	logits, grad     blas32.General // questions by documents
	rowSum, colSum   []float64
	loss             []float64
	hit              []bool
	fieldGrad        [][fields]float64
}

func newBatch(m *model, size int, scale float64) *batch {
	return &batch{
		model: m, scale: float32(scale), examples: make([]*example, size),
		queries: matrix(size, m.dim), docs: matrix(size, m.dim), dQueries: matrix(size, m.dim), dDocs: matrix(size, m.dim),
		queryLen: make([]float32, size), docLen: make([]float32, size),
		logits: matrix(size, size), grad: matrix(size, size),
		rowSum: make([]float64, size), colSum: make([]float64, size), loss: make([]float64, size), hit: make([]bool, size),
		fieldGrad: make([][fields]float64, size),
	}
}

// forward computes the vectors, the loss of each question and the derivatives
// of the loss by the logits. The loss is the mean of two cross-entropies: of a
// question among the documents, and of a document among the questions. A
// document of the same file, or of the same question, is no negative.
func (b *batch) forward() {
	m := b.model
	spread(len(b.examples), 8, func(from, to int) {
		for i := from; i < to; i++ {
			b.queryLen[i] = m.embedQuery(line(b.queries, i), b.examples[i].query)
			b.docLen[i] = m.embedDoc(line(b.docs, i), b.examples[i].doc)
		}
	})
	blas32.Gemm(blas.NoTrans, blas.Trans, b.scale, b.queries, b.docs, 0, b.logits)
	// Cosines are at most 1, so exp(logit - scale) cannot overflow.
	spread(len(b.examples), 16, func(from, to int) {
		for i := from; i < to; i++ {
			b.exponentials(i)
		}
	})
	spread(len(b.examples), 32, func(from, to int) {
		clear(b.colSum[from:to])
		for i := range b.examples {
			for j, x := range line(b.logits, i)[from:to] {
				b.colSum[from+j] += float64(x)
			}
		}
	})
	spread(len(b.examples), 16, func(from, to int) {
		for i := from; i < to; i++ {
			own, g := 0.5/b.rowSum[i], line(b.grad, i)
			for j, x := range line(b.logits, i) {
				d := float32(float64(x) * (own + 0.5/b.colSum[j]))
				if d < 1e-6 {
					d = 0 // the product below passes over it
				}
				g[j] = d * b.scale
			}
			g[i] -= b.scale
		}
	})
}

// exponentials replaces the logits of a question by exp(logit - scale), 0 where
// the document is no negative, and notes their sum.
func (b *batch) exponentials(i int) {
	e, logits := b.examples[i], line(b.logits, i)
	own, sum, best := logits[i], 0.0, true
	for j, x := range logits {
		if o := b.examples[j]; j != i && (o.file == e.file || o.question == e.question) {
			logits[j] = 0
			continue
		}
		best = best && (j == i || x < own)
		v := float32(math.Exp(float64(x - b.scale)))
		logits[j] = v
		sum += float64(v)
	}
	b.rowSum[i], b.hit[i] = sum, best
	b.loss[i] = math.Log(sum) - float64(own-b.scale)
}

// backward computes the gradients of the vectors' sums and of the fields.
func (b *batch) backward(learnFields bool) {
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, b.grad, b.docs, 0, b.dQueries)
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, b.grad, b.queries, 0, b.dDocs)
	spread(len(b.examples), 8, func(from, to int) {
		for i := from; i < to; i++ {
			project(line(b.dQueries, i), line(b.queries, i), b.queryLen[i])
			project(line(b.dDocs, i), line(b.docs, i), b.docLen[i])
			if learnFields {
				b.fieldGrad[i] = b.fieldGradient(i)
			}
		}
	})
}

// project takes a gradient of a unit vector to that of the vector it was made
// of, which had the given length.
func project(d, unit []float32, length float32) {
	axpy(-dot(d, unit), unit, d)
	blas32.Scal(1/length, vector(d))
}

// fieldGradient is the derivative of the loss by the logarithms of the fields'
// weights, as far as it comes from one document.
func (b *batch) fieldGradient(i int) (g [fields]float64) {
	d, bag := line(b.dDocs, i), b.examples[i].doc
	for k := range bag {
		_, slope := b.model.weight(&bag[k])
		s := float64(dot(d, b.model.row(bag[k].token))) * slope
		for f, w := range b.model.fields {
			g[f] += s * w * float64(bag[k].counts[f])
		}
	}
	return g
}

// spread calls f for the parts [from,to) of n things, each of at most grain,
// on all cores, and returns when all are done. The parts are the same whatever
// the number of cores; f writes only what belongs to its part, and so nothing
// depends on who computed what.
func spread(n, grain int, f func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+grain-1)/grain)
	if workers <= 1 {
		for from := 0; from < n; from += grain {
			f(from, min(from+grain, n))
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	work := func() {
		for {
			from := int(next.Add(int64(grain))) - grain
			if from >= n {
				return
			}
			f(from, min(from+grain, n))
		}
	}
	for range workers - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}

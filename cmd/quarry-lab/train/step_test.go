package train

import (
	"math"
	"math/rand/v2"
	"testing"
)

// smallBatch has four examples over 12 words; two of them are of one file.
func smallBatch() (*model, *batch) {
	rng := rand.New(rand.NewPCG(7, 7))
	m := &model{dim: 16, rows: make([]float32, 12*16), fields: [fields]float64{1.3, 0.4, 1}}
	for i := range m.rows {
		m.rows[i] = float32(rng.NormFloat64())
	}
	b := newBatch(m, 4, 3)
	for i := range b.examples {
		e := &example{file: int32(i), question: int32(i)}
		for k := range 4 {
			e.query = append(e.query, entry{token: uint16((i + 2*k) % 12), counts: [fields]uint8{uint8(1 + k)}})
			e.doc = append(e.doc, entry{token: uint16((i*3 + 5*k) % 12), counts: [fields]uint8{uint8(k % 2), uint8(k % 3), uint8(i % 3)}})
		}
		b.examples[i] = e
	}
	b.examples[1].file = b.examples[0].file
	return m, b
}

// slowLoss is the loss in float64, written from the definition.
func slowLoss(m *model, b *batch) float64 {
	unit := func(bag []entry, weight func(entry) float64) []float64 {
		v := make([]float64, m.dim)
		for _, e := range bag {
			for k, x := range m.row(e.token) {
				v[k] += weight(e) * float64(x)
			}
		}
		n := 0.0
		for _, x := range v {
			n += x * x
		}
		for k := range v {
			v[k] /= math.Sqrt(n)
		}
		return v
	}
	var q, d [][]float64
	for _, e := range b.examples {
		q = append(q, unit(e.query, func(e entry) float64 { return 1 + math.Log(float64(e.counts[0])) }))
		d = append(d, unit(e.doc, func(e entry) float64 {
			n := 0.0
			for f, c := range e.counts {
				n += m.fields[f] * float64(c)
			}
			if n < 1 {
				return n
			}
			return 1 + math.Log(n)
		}))
	}
	e := func(i, j int) float64 {
		if i != j && b.examples[i].file == b.examples[j].file {
			return 0
		}
		s := 0.0
		for k := range q[i] {
			s += q[i][k] * d[j][k]
		}
		return math.Exp(float64(b.scale) * s)
	}
	loss := 0.0
	for i := range q {
		row, col := 0.0, 0.0
		for j := range q {
			row += e(i, j)
			col += e(j, i)
		}
		loss -= 0.5*math.Log(e(i, i)/row) + 0.5*math.Log(e(i, i)/col)
	}
	return loss
}

// The gradient is that of the loss, by differences of the plain formula.
func TestGradient(t *testing.T) {
	m, b := smallBatch()
	u := newUpdater(m)
	u.gather(b)
	b.forward()
	b.backward(true)
	const h = 1e-3
	for i, token := range u.tokens {
		for k := range m.dim {
			want := 0.0
			for _, s := range u.uses[u.starts[i]:u.starts[i+1]] {
				d := b.dQueries
				if s.vector&1 == 1 {
					d = b.dDocs
				}
				want += float64(s.weight) * float64(line(d, int(s.vector>>1))[k])
			}
			x := &m.row(token)[k]
			old := *x
			*x = old + h
			up := slowLoss(m, b)
			*x = old - h
			down := slowLoss(m, b)
			*x = old
			if got := (up - down) / (2 * h); math.Abs(got-want) > 2e-3*(1+math.Abs(got)) {
				t.Fatalf("token %d, number %d: gradient %g, by differences %g", token, k, want, got)
			}
		}
	}
	for f := range m.fields {
		want := 0.0
		for i := range b.examples {
			want += b.fieldGrad[i][f]
		}
		old := m.fields[f]
		m.fields[f] = old * math.Exp(h)
		up := slowLoss(m, b)
		m.fields[f] = old * math.Exp(-h)
		down := slowLoss(m, b)
		m.fields[f] = old
		if got := (up - down) / (2 * h); math.Abs(got-want) > 2e-3*(1+math.Abs(got)) {
			t.Errorf("field %s: gradient %g, by differences %g", Fields[f], want, got)
		}
	}
}

// A step makes the loss smaller.
func TestUpdateDescends(t *testing.T) {
	m, b := smallBatch()
	u := newUpdater(m)
	before := slowLoss(m, b)
	for range 100 {
		u.gather(b)
		b.forward()
		b.backward(true)
		u.apply(b, 0.02, true)
	}
	if after := slowLoss(m, b); !(after < before/2) {
		t.Errorf("loss %g before, %g after", before, after)
	}
}

func TestPlan(t *testing.T) {
	var examples []example
	for i := range 1000 {
		examples = append(examples, example{repository: int32(i / 130)})
	}
	for _, hard := range []float64{0, 0.5, 1} {
		seen, pure, halves := map[int32]bool{}, 0, 0
		for _, batch := range plan(examples, 20, hard, rand.New(rand.NewPCG(1, 1))) {
			if len(batch) != 20 {
				t.Fatalf("a batch of %d", len(batch))
			}
			for h := range 2 {
				half := batch[h*10:][:10]
				same := true
				for _, i := range half {
					if seen[i] {
						t.Fatalf("hard %g: example %d comes twice", hard, i)
					}
					seen[i] = true
					same = same && examples[i].repository == examples[half[0]].repository
				}
				halves++
				if same {
					pure++
				}
			}
		}
		if len(seen) < 980 {
			t.Errorf("hard %g: only %d of 1000 examples are used", hard, len(seen))
		}
		if share := float64(pure) / float64(halves); math.Abs(share-hard) > 0.1 {
			t.Errorf("hard %g: %.2f of the halves are of one repository", hard, share)
		}
	}
}

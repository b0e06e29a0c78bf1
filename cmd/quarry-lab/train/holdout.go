package train

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// poolSize is the number of documents that a held-out question chooses from.
const poolSize = 256

// Figures are what a model does on held-out pairs.
type Figures struct {
	Pairs int     // held-out questions
	First float64 // share whose own document is the nearest of its pool
	MRR   float64 // mean of one over the rank of the own document
}

// HoldOut are the figures of all held-out pairs: in pools drawn from all
// repositories, and in pools of neighbours, which are mostly of one repository.
type HoldOut struct {
	Mixed, Near Figures
	Kinds       [kinds]Figures     // in near pools
	Languages   map[string]Figures // as above
}

// measure embeds the held-out pairs and ranks each question's pool. Documents
// of the same file or question are no candidates, as in training.
func measure(m *model, d *dataset, seed uint64) HoldOut {
	out := HoldOut{Languages: map[string]Figures{}}
	order := make([]int32, len(d.held))
	for i := range order {
		order[i] = int32(i)
	}
	// Inside a repository the order of the files would put pairs of one file
	// into one pool, where they do not count.
	shuffle(order, rand.New(rand.NewPCG(seed, 3)))
	mixed := ranks(m, d.held, order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(d.held[a].repository, d.held[b].repository) })
	near := ranks(m, d.held, order)
	for i := range d.held {
		out.Mixed.add(mixed[i])
		out.Near.add(near[i])
		out.Kinds[d.held[i].kind].add(near[i])
		name := d.languages[d.held[i].language]
		f := out.Languages[name]
		f.add(near[i])
		out.Languages[name] = f
	}
	for _, f := range []*Figures{&out.Mixed, &out.Near} {
		f.mean()
	}
	for k := range out.Kinds {
		out.Kinds[k].mean()
	}
	for name, f := range out.Languages {
		f.mean()
		out.Languages[name] = f
	}
	return out
}

// ranks returns the rank of each question's own document, from 1, in pools cut
// from the given order. The last pool is filled up with those before it.
func ranks(m *model, held []example, order []int32) []int {
	out := make([]int, len(held))
	for from := 0; from < len(order); from += poolSize {
		first := max(0, min(from, len(order)-poolSize))
		pool := order[first:min(first+poolSize, len(order))]
		queries, docs, cos := matrix(len(pool), m.dim), matrix(len(pool), m.dim), matrix(len(pool), len(pool))
		spread(len(pool), 8, func(a, b int) {
			for i := a; i < b; i++ {
				m.embedQuery(line(queries, i), held[pool[i]].query)
				m.embedDoc(line(docs, i), held[pool[i]].doc)
			}
		})
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, queries, docs, 0, cos)
		for i, n := range pool {
			e, own, rank := &held[n], line(cos, i)[i], 1
			for j, x := range line(cos, i) {
				if o := &held[pool[j]]; j != i && x >= own && o.file != e.file && o.question != e.question {
					rank++
				}
			}
			out[n] = rank
		}
	}
	return out
}

func (f *Figures) add(rank int) {
	f.Pairs++
	f.MRR += 1 / float64(rank)
	if rank == 1 {
		f.First++
	}
}

func (f *Figures) mean() {
	if f.Pairs > 0 {
		f.First /= float64(f.Pairs)
		f.MRR /= float64(f.Pairs)
	}
}

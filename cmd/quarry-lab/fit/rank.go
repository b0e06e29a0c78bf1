package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A Question is a question to one repository and what a search put forward.
type Question struct {
	Repository string
	Weight     float64   // how much it counts, against other questions
	Values     []float32 // signals of the first candidate, then of the second, ...
	Right      []int     // positions of the candidates that answer it; none: it teaches nothing
}

// candidates returns how many candidates there are.
func (q Question) candidates(signals int) int { return len(q.Values) / signals }

// dot returns what a candidate adds up to.
func (q Question) dot(candidate int, w []float64) float64 {
	s := 0.0
	for k, v := range q.Values[candidate*len(w):][:len(w)] {
		s += float64(v) * w[k]
	}
	return s
}

// Order returns the positions of the candidates by falling sum of signal times
// weight; equal ones stay as they were. There must be at least one weight.
func (q Question) Order(w []float64) []int {
	scores := make([]float64, q.candidates(len(w)))
	order := make([]int, len(scores))
	for i := range scores {
		scores[i], order[i] = q.dot(i, w), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// Rank returns the weights of signals under which the right candidates come
// first. It minimises the listwise softmax loss (ListNet with top-one
// probabilities; Cao et al., ICML 2007): the mean over the questions, by their
// weights, of -log of the softmax share of a right candidate among all, a mean
// where several are right; plus l2 times the sum of the squared weights. A
// signal that tells no candidate from another gets the weight 0. Signals in fixed,
// by position, keep the weight that they have there.
func Rank(ctx context.Context, questions []Question, signals int, l2 float64, fixed map[int]float64) ([]float64, error) {
	if signals < 1 {
		return nil, errors.New("fit: there are no signals")
	}
	total := 0.0
	for i, q := range questions {
		n := q.candidates(signals)
		if len(q.Values) != n*signals || slices.ContainsFunc(q.Right, func(r int) bool { return r < 0 || r >= n }) {
			return nil, fmt.Errorf("fit: question %d has no %d signals for each candidate, or right ones that are none", i, signals)
		}
		if len(q.Right) > 0 {
			total += q.Weight
		}
	}
	if !(total > 0) {
		return nil, errors.New("fit: no question has a right candidate")
	}
	all := make([]float64, signals)
	complete := func(w []float64) []float64 {
		copy(all, w)
		for k, weight := range fixed {
			all[k] = weight
		}
		return all
	}
	w, err := minimize(ctx, signals, func(w, gradient []float64) float64 {
		w = complete(w)
		clear(gradient)
		loss := sum(len(questions), gradient, func(i int, gradient []float64) float64 {
			return questions[i].loss(w, gradient)
		})
		floats.Scale(1/total, gradient)
		floats.AddScaled(gradient, 2*l2, w)
		for k := range fixed {
			gradient[k] = 0
		}
		return loss/total + l2*floats.Dot(w, w)
	})
	if err != nil {
		return nil, err
	}
	return slices.Clone(complete(w)), nil
}

// loss returns a question's loss times its weight, and adds its gradient.
func (q Question) loss(w, gradient []float64) float64 {
	if len(q.Right) == 0 {
		return 0
	}
	p := make([]float64, q.candidates(len(w)))
	for i := range p {
		p[i] = q.dot(i, w)
	}
	each := q.Weight / float64(len(q.Right))
	loss, all := 0.0, floats.LogSumExp(p)
	for _, r := range q.Right {
		loss += each * (all - p[r])
	}
	for i := range p {
		p[i] = q.Weight * math.Exp(p[i]-all)
	}
	for _, r := range q.Right {
		p[r] -= each
	}
	for i, d := range p {
		for k, v := range q.Values[i*len(w):][:len(w)] {
			gradient[k] += d * float64(v)
		}
	}
	return loss
}

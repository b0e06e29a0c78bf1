// Package fit finds the weights of the ranking's signals, and of the score that
// results have, from questions whose answers are known.
//
// It knows no index, no suite and no file but that of the weights (Weights): a
// question is a table of numbers with a row for each candidate.
//
// Both fits minimise a smooth convex function by L-BFGS from zero, so that there
// is one answer, and nothing is drawn. Sums are made in a fixed order whatever
// the number of cores: the same input gives the same bytes.
package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// Limits of the search for the minimum. Weights are kept to three digits, which
// a gradient this small does not move.
const (
	steepness  = 1e-7 // the largest part of the gradient at the minimum
	acceptable = 1e-4 // as above, where rounding keeps the search from going on
	iterations = 2000
)

// minimize returns where f, of n parameters, is least. f writes its gradient and
// returns its value.
func minimize(ctx context.Context, n int, f func(w, gradient []float64) float64) ([]float64, error) {
	// The library asks for the value and the gradient at one place one after
	// the other; both come from one pass.
	at, gradient, value := make([]float64, n), make([]float64, n), math.NaN()
	visit := func(w []float64) {
		if math.IsNaN(value) || !slices.Equal(at, w) {
			copy(at, w)
			value = f(at, gradient)
		}
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 { visit(w); return value },
		Grad: func(g, w []float64) { visit(w); copy(g, gradient) },
		Status: func() (optimize.Status, error) {
			return optimize.NotTerminated, ctx.Err()
		},
	}
	start := make([]float64, n)
	visit(start)
	if norm(gradient) <= steepness {
		return start, nil // nothing to learn; the library would call it a failure
	}
	settings := &optimize.Settings{
		GradientThreshold: steepness,
		MajorIterations:   iterations,
		Converger:         &optimize.FunctionConverge{Absolute: 1e-13, Iterations: 50},
	}
	r, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	if stopped := ctx.Err(); stopped != nil {
		return nil, stopped
	}
	if r == nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	visit(r.X)
	if steep := norm(gradient); !(steep <= acceptable) {
		return nil, errors.Join(fmt.Errorf("fit: no minimum was found: the gradient is %g after %d steps (%s)", steep, r.MajorIterations, r.Status), err)
	}
	return slices.Clone(r.X), nil
}

func norm(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }

// shards is how many parts a sum is made of. It is fixed, since the order of
// additions decides the last digits.
const shards = 32

// sum adds the value and the gradient of parts 0 to n-1 on all cores. part adds
// to the gradient, and may be called at the same time for different parts.
func sum(n int, gradient []float64, part func(i int, gradient []float64) float64) float64 {
	values, gradients := make([]float64, shards), make([][]float64, shards)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), shards) {
		workers.Go(func() {
			for {
				s := int(next.Add(1)) - 1
				if s >= shards {
					return
				}
				gradients[s] = make([]float64, len(gradient))
				for i := s * n / shards; i < (s+1)*n/shards; i++ {
					values[s] += part(i, gradients[s])
				}
			}
		})
	}
	workers.Wait()
	total := 0.0
	for s := range shards {
		total += values[s]
		floats.Add(gradient, gradients[s])
	}
	return total
}

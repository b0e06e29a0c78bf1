package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// An Example is one result that was right or wrong.
type Example struct {
	Repository string
	Weight     float64 // how much it counts, against other examples
	Values     []float64
	Right      bool
}

// Score returns a bias and the weights under which Probability is that of a
// result being right: logistic regression, the mean of the examples' log losses
// by their weights, plus l2 times the sum of the squared weights without the
// bias.
func Score(ctx context.Context, examples []Example, l2 float64) (bias float64, weights []float64, err error) {
	right, wrong := 0.0, 0.0
	for i, e := range examples {
		if len(e.Values) != len(examples[0].Values) {
			return 0, nil, fmt.Errorf("fit: example %d has %d values, the first has %d", i, len(e.Values), len(examples[0].Values))
		}
		if e.Right {
			right += e.Weight
		} else {
			wrong += e.Weight
		}
	}
	if !(right > 0 && wrong > 0) {
		return 0, nil, errors.New("fit: results that are right and results that are wrong are needed")
	}
	total := right + wrong
	w, err := minimize(ctx, 1+len(examples[0].Values), func(w, gradient []float64) float64 {
		clear(gradient)
		loss := sum(len(examples), gradient, func(i int, gradient []float64) float64 {
			e := examples[i]
			z := w[0] + floats.Dot(w[1:], e.Values)
			d := e.Weight * Probability(w[0], w[1:], e.Values)
			if e.Right {
				z, d = -z, d-e.Weight
			}
			gradient[0] += d
			floats.AddScaled(gradient[1:], d, e.Values)
			return e.Weight * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))) // log(1+exp(z))
		})
		floats.Scale(1/total, gradient)
		floats.AddScaled(gradient[1:], 2*l2, w[1:])
		return loss/total + l2*floats.Dot(w[1:], w[1:])
	})
	if err != nil {
		return 0, nil, err
	}
	return w[0], w[1:], nil
}

// Probability is 1/(1+exp(-(bias + sum of weight times value))), 0..1.
func Probability(bias float64, weights, values []float64) float64 {
	return 1 / (1 + math.Exp(-bias-floats.Dot(weights, values)))
}

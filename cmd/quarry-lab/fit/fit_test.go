package fit

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// With one signal that only the first of two candidates has, the loss is
// log(1+exp(-w)) + l2 w², whose minimum solves 1/(1+exp(w)) = 2 l2 w.
func TestRankClosedForm(t *testing.T) {
	questions := []Question{{Weight: 3, Values: []float32{1, 0}, Right: []int{0}}}
	for _, l2 := range []float64{0.001, 0.01, 0.5} {
		w, err := Rank(t.Context(), questions, 1, l2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if off := 1/(1+math.Exp(w[0])) - 2*l2*w[0]; math.Abs(off) > 1e-6 {
			t.Errorf("l2 %g: the weight %g is off by %g", l2, w[0], off)
		}
	}
	// Two questions that say the opposite, one counting three times the other:
	// the odds are 3, the weight their logarithm.
	questions = append(questions, Question{Weight: 1, Values: []float32{1, 0}, Right: []int{1}})
	w, err := Rank(t.Context(), questions, 1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(w[0]-math.Log(3)) > 1e-5 {
		t.Errorf("the weight is %g, want %g", w[0], math.Log(3))
	}
	// Two of three are right: they share what is to be had.
	w, err = Rank(t.Context(), []Question{{Weight: 1, Values: []float32{1, 0, 0}, Right: []int{0, 1}}}, 1, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(w[0]-math.Log(2)) > 1e-5 { // exp(w)/(exp(w)+2) = 1/2
		t.Errorf("the weight is %g, want %g", w[0], math.Log(2))
	}
}

// drawn returns questions whose right candidate is drawn by the softmax of
// known weights; the last signal is always 0 and the one before the same for
// all candidates of a question.
func drawn(weights []float64, n int) []Question {
	random := rand.New(rand.NewPCG(1, 2))
	var all []Question
	for i := range n {
		q := Question{Repository: fmt.Sprint("r", i%20), Weight: 1}
		constant := random.Float32()
		best, right := math.Inf(-1), 0
		for c := range 30 {
			s := 0.0
			for _, w := range weights {
				v := random.Float32()
				q.Values = append(q.Values, v)
				s += w * float64(v)
			}
			q.Values = append(q.Values, constant, 0)
			// The largest sum with Gumbel noise is a draw from the softmax.
			if s -= math.Log(random.ExpFloat64()); s > best {
				best, right = s, c
			}
		}
		q.Right = []int{right}
		all = append(all, q)
	}
	return all
}

func TestRankFindsWeights(t *testing.T) {
	want := []float64{4, -2, 0.5}
	questions := append(drawn(want, 4000), Question{Weight: 5, Values: []float32{9, 9, 9, 9, 9}}) // no right one
	w, err := Rank(t.Context(), questions, 5, 0.00001, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(w[i]-want[i]) > 0.2 {
			t.Errorf("weight %d is %.3f, want %.3f", i, w[i], want[i])
		}
	}
	if Round(w[3]) != 0 || w[4] != 0 {
		t.Errorf("signals that tell nothing have the weights %g and %g", w[3], w[4])
	}
	// The same on one core, to the last bit.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := Rank(t.Context(), questions, 5, 0.00001, nil)
	if err != nil || !slices.Equal(w, again) {
		t.Errorf("on one core: %v instead of %v, %v", again, w, err)
	}
}

// TestRankKeepsFixed fits the others around a weight that is given.
func TestRankKeepsFixed(t *testing.T) {
	questions := drawn([]float64{4, -2, 0.5}, 2000)
	w, err := Rank(t.Context(), questions, 5, 0.00001, map[int]float64{0: 4})
	if err != nil {
		t.Fatal(err)
	}
	if w[0] != 4 || math.Abs(w[1]+2) > 0.3 || math.Abs(w[2]-0.5) > 0.3 {
		t.Errorf("the weights are %v", w)
	}
}

func TestGradients(t *testing.T) {
	q := drawn([]float64{1, 2}, 1)[0]
	q.Weight, q.Right = 2, []int{0, 7}
	w := []float64{0.3, -0.7, 1.1, 0.2}
	gradient, none := make([]float64, 4), make([]float64, 4)
	q.loss(w, gradient)
	for i := range w {
		const h = 1e-6
		up, down := slices.Clone(w), slices.Clone(w)
		up[i] += h
		down[i] -= h
		if slope := (q.loss(up, none) - q.loss(down, none)) / (2 * h); math.Abs(slope-gradient[i]) > 1e-6 {
			t.Errorf("the gradient of %d is %g, the slope is %g", i, gradient[i], slope)
		}
	}
}

func TestOrder(t *testing.T) {
	q := Question{Values: []float32{1, 0, 0, 1, 1, 0, 0, 3}}
	for _, c := range []struct {
		weights []float64
		want    []int
	}{
		{[]float64{1, 0}, []int{0, 2, 1, 3}}, // equal ones stay as they were
		{[]float64{1, 0.5}, []int{3, 0, 2, 1}},
		{[]float64{0, 0}, []int{0, 1, 2, 3}},
	} {
		if got := q.Order(c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%v: the order is %v, want %v", c.weights, got, c.want)
		}
	}
}

func TestScoreFindsWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	want := []float64{2, -1}
	var examples []Example
	for range 20_000 {
		e := Example{Weight: 1, Values: []float64{random.NormFloat64(), random.NormFloat64()}}
		e.Right = random.Float64() < Probability(-0.5, want, e.Values)
		examples = append(examples, e)
	}
	bias, w, err := Score(t.Context(), examples, 0)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(bias+0.5) > 0.1 || math.Abs(w[0]-2) > 0.1 || math.Abs(w[1]+1) > 0.1 {
		t.Errorf("bias %.3f, weights %.3f, want -0.5 and %v", bias, w, want)
	}
	// Without signals that tell anything, the bias is the logarithm of the odds,
	// and the penalty does not move it.
	bias, w, err = Score(t.Context(), []Example{{Weight: 3, Values: []float64{0}, Right: true}, {Weight: 1, Values: []float64{0}}}, 10)
	if err != nil || math.Abs(bias-math.Log(3)) > 1e-5 || w[0] != 0 {
		t.Errorf("bias %g, weights %v, %v; want %g and 0", bias, w, err, math.Log(3))
	}
}

func TestErrors(t *testing.T) {
	one := []Question{{Weight: 1, Values: []float32{1, 0}, Right: []int{0}}}
	rank := func(q []Question, signals int) error {
		_, err := Rank(t.Context(), q, signals, 0.1, nil)
		return err
	}
	score := func(e ...Example) error {
		_, _, err := Score(t.Context(), e, 0.1)
		return err
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, interrupted := Rank(stopped, one, 1, 0.1, nil)
	_, oneFold := CrossValidate(one, 1, func(q Question) string { return "" }, func([]Question) (int, error) { return 0, nil })
	_, oneRepository := CrossValidate(one, 2, func(q Question) string { return "" }, func([]Question) (int, error) { return 0, nil })
	_, noFit := CrossValidate([]string{"a", "b", "c", "d"}, 2, func(s string) string { return s }, func([]string) (int, error) { return 0, errors.New("no fit") })
	for _, c := range []struct {
		err  error
		want string
	}{
		{rank(one, 0), "there are no signals"},
		{rank(nil, 1), "no question has a right candidate"},
		{rank([]Question{{Weight: 0, Values: []float32{1, 0}, Right: []int{0}}}, 1), "no question has a right candidate"},
		{rank([]Question{{Weight: 1, Values: []float32{1, 0}, Right: []int{2}}}, 1), "question 0 has no 1 signals for each candidate"},
		{rank([]Question{{Weight: 1, Values: []float32{1, 0, 1}, Right: []int{0}}}, 2), "question 0 has no 2 signals for each candidate"},
		{score(), "right and results that are wrong are needed"},
		{score(Example{Weight: 1, Right: true}), "right and results that are wrong are needed"},
		{score(Example{Weight: 1}, Example{Weight: 1, Values: []float64{1}}), "example 1 has 1 values, the first has 0"},
		{interrupted, "context canceled"},
		{oneFold, "at least 2 folds, not 1"},
		{oneRepository, "all repositories are in one fold"},
		{noFit, "without fold 1: no fit"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// A repository is measured with what was learned without it, and its fold does
// not depend on the others.
func TestFolds(t *testing.T) {
	var names []string
	count := make([]int, 5)
	for i := range 200 {
		names = append(names, fmt.Sprint("repository-", i/2)) // two items each
		count[Fold(names[i], 5)]++
	}
	if slices.Min(count) < 20 {
		t.Errorf("the folds have %v items", count)
	}
	for name, want := range map[string]int{"bat": 3, "jq": 2, "clap": 0} { // pinned: figures in files depend on them
		if got := Fold(name, 5); got != want {
			t.Errorf("%s is in fold %d, want %d", name, got, want)
		}
	}
	learned, err := CrossValidate(names, 5, func(s string) string { return s }, func(some []string) ([]string, error) { return some, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if slices.Contains(learned[Fold(name, 5)], name) {
			t.Errorf("%s was learned from and is measured", name)
		}
	}
	for f, some := range learned {
		if len(some) != len(names)-count[f] {
			t.Errorf("without fold %d there are %d items, want %d", f, len(some), len(names)-count[f])
		}
	}
}

func TestWeights(t *testing.T) {
	w := Weights{
		Ranking: Block{[]string{"The weights of the ranking's signals,", "", "of two suites."}, map[string]float64{
			"words": 1.23456, "definition": 12345.6, "test": -0.98765, "tiny": 0.000123456, "none": 0, "nearly": -1e-9}},
		Score: Block{[]string{"The score."}, map[string]float64{"bias": -2, "log_share": 0.30001}},
	}
	var b bytes.Buffer
	if err := w.Write(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "weights.txt")
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("written is\n%s\nwant\n%s", b.Bytes(), want)
	}
	// What was written and read is written the same.
	read, err := ReadWeights(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if read.Ranking.Weights["test"] != -0.988 || read.Score.Weights["bias"] != -2 {
		t.Errorf("read are %v and %v", read.Ranking.Weights, read.Score.Weights)
	}
	b.Reset()
	if err := read.Write(&b); err != nil || !bytes.Equal(want, b.Bytes()) {
		t.Errorf("written again is\n%s\nwant\n%s (%v)", b.Bytes(), want, err)
	}
}

func TestReadWeightsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a 1\nb\n":             `line 2 of the weights is "b", not "name weight"`,
		"a b c\n":              `not "name weight"`,
		"a one\n":              `line 1 of the weights: "one" is no number`,
		"a NaN\n":              `"NaN" is no number`,
		"a 1\n# c\na 2\n":      "line 3 of the weights: a is there twice",
		"score.a 1\nscore.a 1": "line 2 of the weights: score.a is there twice",
	} {
		if _, err := ReadWeights(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	w, err := ReadWeights(strings.NewReader("\n# only\n"))
	if err != nil || !slices.Equal(w.Ranking.Comment, []string{"only"}) {
		t.Errorf("a comment alone: %v, %v", w, err)
	}
}

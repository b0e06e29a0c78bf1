package measure

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-search/quarry/index/suite"
)

// near compares figures that were computed by hand to six digits.
var near = cmpopts.EquateApprox(0, 1e-6)

// list makes a ranked list of whole files, each of ten lines.
func list(files ...string) []Hit {
	hits := make([]Hit, len(files))
	for i, f := range files {
		hits[i] = Hit{File: f, Line: 1, End: 10}
	}
	return hits
}

func files(paths ...string) []suite.Target {
	targets := make([]suite.Target, len(paths))
	for i, p := range paths {
		targets[i] = suite.Target{Path: p}
	}
	return targets
}

func TestMeasure(t *testing.T) {
	eleven := list("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a")
	for _, test := range []struct {
		name    string
		targets []suite.Target
		hits    []Hit
		want    Figures
	}{
		{"first", files("a"), list("a", "b"), Figures{1, 1, 1, 1, 1, 1, 1, 1}},
		{"second", files("a"), list("b", "a"), // 1/log2(3)
			Figures{1, 0.630930, 0, 0, 1, 1, 0.5, 1}},
		{"one of two, third", files("a", "z"), list("b", "c", "a"), // 1/log2(4) over 1+1/log2(3)
			Figures{1, 0.5 / 1.630930, 0, 0, 0.5, 0.5, 1.0 / 3, 0.5}},
		{"first and sixth", files("a", "z"), list("z", "b", "c", "d", "e", "a"), // 1 + 1/log2(7)
			Figures{1, 1.356207 / 1.630930, 1, 0.5, 0.5, 1, 1, 0.5}},
		{"eleventh", files("a"), eleven, Figures{Questions: 1}},
		{"tenth", files("10"), eleven, Figures{1, 1 / math.Log2(11), 0, 0, 0, 1, 0.1, 0}},
		{"nothing", files("a"), nil, Figures{Questions: 1}},
		{"a path is no suffix", files("a"), list("x/a"), Figures{Questions: 1}},
		{"the same file again counts once", files("a"), list("a", "a"), Figures{1, 1, 1, 1, 1, 1, 1, 1}},
		{"other lines", []suite.Target{{Path: "a", Start: 11, End: 12}}, list("a"), Figures{Questions: 1}},
		{"a line is enough", []suite.Target{{Path: "a", Start: 10}}, list("a"), Figures{1, 1, 1, 1, 1, 1, 1, 1}},
		{"two targets in one result", []suite.Target{{Path: "a", Start: 1}, {Path: "a", Start: 9}}, list("a"), Figures{1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		if diff := cmp.Diff(test.want, Measure(test.targets, test.hits), near); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestSpend(t *testing.T) {
	hits := list("a", "b", "c", "d")
	prices := []int{400, 100, 600, 40_000}
	for _, test := range []struct {
		name    string
		targets []suite.Target
		want    Cost
		counted int // results whose tokens were counted
	}{
		{"first", files("a"), Cost{400, 400, [7]float64{1, 1, 1, 1, 1, 1, 1}}, 1},
		{"a budget is inclusive", files("b"), Cost{500, 500, [7]float64{1, 1, 1, 1, 1, 1, 1}}, 2},
		{"two", files("c", "a"), Cost{400, 400, [7]float64{0.5, 0.5, 1, 1, 1, 1, 1}}, 3},
		{"beyond every budget", files("d"), Cost{41_100, 41_100, [7]float64{}}, 4},
		{"one missing", files("z", "b"), Cost{500, 500, [7]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}}, 4},
		{"none", files("z"), Cost{32_000, 41_100, [7]float64{}}, 4},
	} {
		counted := 0
		got := Spend(test.targets, hits, func(i int) int { counted = i + 1; return prices[i] })
		if diff := cmp.Diff(test.want, got, near); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		if counted != test.counted {
			t.Errorf("%s: the tokens of %d results were counted, want %d", test.name, counted, test.counted)
		}
	}
	// What comes after TokenDepth is not read.
	far := append(make([]Hit, TokenDepth), list("a")...)
	if got := Spend(files("a"), far, func(int) int { return 1 }); got.Tokens != MissTokens || got.Spent != TokenDepth {
		t.Errorf("the 51st result: %+v", got)
	}
}

func TestCalibrate(t *testing.T) {
	got := Calibrate([]Judged{{0.05, false}, {0.15, false}, {0.15, true}, {0.95, true}, {1, true}})
	want := Reliability{Count: 5, Score: 0.46, Right: 0.6,
		// (1*|0.05-0| + 2*|0.15-0.5| + 2*|0.975-1|) / 5
		Error: 0.16,
	}
	for i := range want.Bins {
		want.Bins[i] = Bin{From: float64(i) / 10, To: float64(i+1) / 10}
	}
	want.Bins[0].Count, want.Bins[0].Score = 1, 0.05
	want.Bins[1].Count, want.Bins[1].Score, want.Bins[1].Right = 2, 0.15, 0.5
	want.Bins[9].Count, want.Bins[9].Score, want.Bins[9].Right = 2, 0.975, 1
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	if got := Calibrate(nil); got.Count != 0 || got.Error != 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestJudge(t *testing.T) {
	hits := list("a", "b", "a")
	hits[1].Score = 0.5
	want := []Judged{{0, true}, {0.5, false}, {0, true}}
	if diff := cmp.Diff(want, Judge(files("a"), hits)); diff != "" {
		t.Error(diff)
	}
	if got := Judge(files("a"), make([]Hit, 12)); len(got) != Depth {
		t.Errorf("%d of 12 results are judged", len(got))
	}
}

// Repositories weigh the same in Figures, questions in a Cost.
func TestSummarize(t *testing.T) {
	one := func(repository, language, category string, ndcg, tokens float64) Outcome {
		return Outcome{repository, language, category, Row{Figures{Questions: 1, NDCG: ndcg}, Cost{Tokens: tokens}}}
	}
	got := Summarize([]Outcome{
		one("a", "go", "x", 1, 100), one("a", "go", "x", 0, 200), one("a", "go", "y", 0.5, 300),
		one("b", "go", "x", 1, 400),
		one("c", "c", "y", 0.25, 500),
	})
	row := func(questions int, ndcg, tokens float64) Row {
		return Row{Figures{Questions: questions, NDCG: ndcg}, Cost{Tokens: tokens}}
	}
	want := Summary{
		All:          row(5, (0.5+1+0.25)/3, 300),
		Categories:   map[string]Row{"x": row(3, (0.5+1)/2, 700.0/3), "y": row(2, (0.5+0.25)/2, 400)},
		Languages:    map[string]Row{"go": row(4, (0.5+1)/2, 250), "c": row(1, 0.25, 500)},
		Repositories: map[string]Row{"a": row(3, 0.5, 200), "b": row(1, 1, 400), "c": row(1, 0.25, 500)},
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

func TestPercentile(t *testing.T) {
	times := []time.Duration{4, 1, 3, 2}
	for p, want := range map[float64]time.Duration{0: 1, 0.5: 2, 0.95: 4, 1: 4} {
		if got := Percentile(times, p); got != want {
			t.Errorf("%v: %d, want %d", p, got, want)
		}
	}
	if got := Percentile(nil, 0.5); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}

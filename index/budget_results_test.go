package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/search"
)

func nothingSent(*search.Result) bool { return false }

// function makes a result of a function with so many lines of body.
func function(name string, lines int, score float64) search.Result {
	sig := "func " + name + "(a int) error"
	content := sig + " {\n" + strings.Repeat("\tdo(something, with, words)\n", lines) + "}"
	return search.Result{File: "pkg/" + name + ".go", Line: 10, EndLine: 11 + lines, Content: content, Signature: sig, Symbol: name, Score: score, FileHash: 1}
}

func shape(results []search.Result) string {
	var b strings.Builder
	for _, r := range results {
		what := "whole"
		switch {
		case r.Brief:
			what = "brief"
		case r.Sent:
			what = "sent"
		}
		fmt.Fprintf(&b, "%s %s %d-%d; ", r.Symbol, what, r.Line, r.EndLine)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestPack(t *testing.T) {
	a, b, c := function("a", 10, 0.9), function("b", 10, 0.8), function("c", 1, 0.1)
	all := []search.Result{a, b, c}
	brief := b.BriefOf()
	cost := func(rs ...search.Result) (n int) {
		for i := range rs {
			n += rs[i].Tokens()
		}
		return n
	}
	for _, tc := range []struct {
		name   string
		budget int
		sent   string
		want   string
		cut    bool
	}{
		{"all fit", cost(all...), "", "a whole 10-21; b whole 10-21; c whole 10-12", false},
		{"the last is brief", cost(all...) - 1, "", "a whole 10-21; b whole 10-21; c brief 10-10", true},
		{"the first stays whole", cost(a, brief), "", "a whole 10-21; b brief 10-10", true},
		{"only the first", cost(a), "", "a whole 10-21", true},
		{"some of the first", cost(a) - 1, "", "a whole 10-20", true},
		{"nothing", 1, "", "", true},
		{"a reference makes room", cost(b, a.BriefOf()), "a", "a sent 10-21; b whole 10-21", true},
		{"only references", 1000, "abc", "a sent 10-21; b sent 10-21; c sent 10-12", false},
	} {
		got, cut := search.Pack(all, tc.budget, func(r *search.Result) bool { return strings.Contains(tc.sent, r.Symbol) })
		if shape(got) != tc.want || cut != tc.cut || got == nil {
			t.Errorf("%s: %s, cut %v", tc.name, shape(got), cut)
		}
		if cost(got...) > tc.budget {
			t.Errorf("%s: %d tokens of %d", tc.name, cost(got...), tc.budget)
		}
	}
	if got, cut := search.Pack(nil, 10, nothingSent); got == nil || len(got) != 0 || cut {
		t.Errorf("of nothing: %v, %v", got, cut)
	}
}

// Whatever the results: a pack is within its budget, in order, begins with the first, has
// all when it can, and is worth no less than what the first results come to alone.
func TestPackRules(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var all []search.Result
		score := 1.0
		for i := range r.IntN(12) {
			score *= 0.3 + 0.7*r.Float64()
			all = append(all, function(fmt.Sprint("f", i), r.IntN(30), max(score, 1e-4)))
		}
		known := map[string]bool{}
		for i := range all {
			known[all[i].Symbol] = r.IntN(4) == 0
		}
		before := slices.Clone(all)
		budget := 1 + r.IntN(1200)
		got, cut := search.Pack(all, budget, func(r *search.Result) bool { return known[r.Symbol] })
		total, at := 0, -1
		for i := range got {
			total += got[i].Tokens()
			n := slices.IndexFunc(all, func(r search.Result) bool { return r.Symbol == got[i].Symbol })
			if n <= at {
				t.Fatalf("the order: %s", shape(got))
			}
			at = n
			if got[i].Sent != known[got[i].Symbol] || !strings.HasPrefix(all[n].Content, got[i].Content) {
				t.Fatalf("%+v", got[i])
			}
			if !got[i].Sent && got[i].EndLine != got[i].Line+strings.Count(got[i].Content, "\n") {
				t.Fatalf("lines %d-%d are %q", got[i].Line, got[i].EndLine, got[i].Content)
			}
		}
		if total > budget {
			t.Fatalf("%d tokens of %d", total, budget)
		}
		if len(got) > 0 && got[0].Symbol != all[0].Symbol {
			t.Fatalf("the first is missing: %s", shape(got))
		}
		whole := !slices.ContainsFunc(got, func(r search.Result) bool { return r.Brief }) && len(got) == len(all)
		if !cut != whole && (len(got) == 0 || got[0].EndLine == all[0].EndLine) {
			t.Fatalf("cut %v: %s", cut, shape(got))
		}
		if !slices.EqualFunc(all, before, func(a, b search.Result) bool { return a.Content == b.Content && a.EndLine == b.EndLine && !a.Brief }) {
			t.Fatal("the results themselves are changed")
		}
	}
}

// The brief form has the whole signature, on however many lines it is.
func TestBrief(t *testing.T) {
	for _, tc := range []struct{ signature, content, want string }{
		{"def f(a, b)", "def f(a,\n      b):\n    return a", "def f(a,\n      b):"},
		{"type T struct", "type T struct {\n\tn int\n}", "type T struct {"},
		{"f", "\n\nf = 1\ng = 2", "\n\nf = 1"},
		{"x", "x", "x"},
		{strings.Repeat("never there", 20), strings.Repeat("line\n", 20), strings.TrimSpace(strings.Repeat("line\n", search.MaxSignatureLines))},
	} {
		r := search.Result{Line: 4, Content: tc.content, Signature: tc.signature}
		b := r.BriefOf()
		if b.Content != tc.want || b.EndLine != 4+strings.Count(tc.want, "\n") || !b.Brief {
			t.Errorf("%q: %q to line %d", tc.content, b.Content, b.EndLine)
		}
	}
}

package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

func TestBadPatterns(t *testing.T) {
	x := build(t, unpack(t, "testdata/modes.txtar"))
	for pattern, want := range map[string]string{
		`a(b`:             "missing closing )",
		`a**`:             "invalid nested repetition operator",
		`[z-a]`:           "invalid character class range",
		`\k`:              "invalid escape sequence",
		`a{1001}`:         "invalid repeat count",
		`(?=a)`:           "invalid or unsupported Perl syntax",
		`a\nb`:            "line feed",
		"a\nb":            "line feed",
		`[\n]`:            "line feed",
		`(.{999}){9}`:     "expression too large|invalid repeat|instructions",
		`(\pL{99}|x){90}`: "instructions|invalid repeat|too large",
	} {
		_, err := x.Search(t.Context(), search.Query{Text: pattern, Mode: search.Regex})
		var bad *answer.PatternError
		if !errors.As(err, &bad) || !errors.Is(err, answer.ErrPattern) || !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(bad.Reason, w) }) {
			t.Errorf("%q: %v, want %s", pattern, err, want)
		}
	}
}

// manyLines builds an index of files of which each has n matching lines.
func manyLines(t testing.TB, files, n int) *Index {
	root := t.TempDir()
	for i := range files {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "needle %d\nhay\n", i)
		}
		write(t, root, fmt.Sprintf("f%02d.txt", i), b.String())
	}
	x, err := Open(root, Options{}) // vectors are not needed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRegexBounds(t *testing.T) {
	x := manyLines(t, 30, 500)
	for _, test := range []struct {
		name    string
		q       search.Query
		results int
		matches int
		cuts    []answer.Cut
		last    string
	}{
		{"limit", search.Query{Text: "needle 1$", Limit: 20}, 20, 500, []answer.Cut{answer.CutLimit}, "f01.txt:39"},
		{"all of it", search.Query{Text: "needle 29$", Limit: 500}, 500, 500, nil, "f29.txt:999"},
		{"per file", search.Query{Text: "needle 1.", Limit: 100, PerFile: 2}, 20, 5000, []answer.Cut{answer.CutPerFile}, "f19.txt:3"},
		{"more than are counted", search.Query{Text: "needle", Limit: 7}, 7, 10_000, []answer.Cut{answer.CutLimit, answer.CutMatches}, "f00.txt:13"},
		{"more than are counted, from every file", search.Query{Text: "needle", Limit: 100, PerFile: 1}, 30, 10_000, []answer.Cut{answer.CutPerFile, answer.CutMatches}, "f29.txt:1"},
		{"tokens", search.Query{Text: "needle", Limit: 100, Path: "f00.txt", MaxTokens: 20}, 3, 500, []answer.Cut{answer.CutLimit, answer.CutTokens}, "f00.txt:5"},
		{"nothing", search.Query{Text: "pin"}, 0, 0, nil, ""},
	} {
		test.q.Mode = search.Regex
		for range 3 { // the goroutines must not matter
			a, err := x.Search(t.Context(), test.q)
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			if n := len(a.Results); n > 0 {
				last = fmt.Sprintf("%s:%d", a.Results[n-1].File, a.Results[n-1].Line)
			}
			if len(a.Results) != test.results || a.Matches != test.matches || !slices.Equal(a.Cuts, test.cuts) || a.Truncated != (test.cuts != nil) || last != test.last {
				t.Errorf("%s: %d results to %s, %d matches, cut by %v", test.name, len(a.Results), last, a.Matches, a.Cuts)
			}
		}
	}
}

// What was found before the deadline is given, and said to be a part; who has
// gone away gets nothing.
func TestRegexEndsInTime(t *testing.T) {
	x := manyLines(t, 2, 10)
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	a, err := x.Search(past, search.Query{Text: "needle", Mode: search.Regex})
	if err != nil || len(a.Results) != 0 || !a.Truncated || !slices.Equal(a.Cuts, []answer.Cut{answer.CutTime}) {
		t.Errorf("%+v, %v", a, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(gone, search.Query{Text: "needle", Mode: search.Regex}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := x.Search(gone, search.Query{Text: "needle", Mode: search.Symbol}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	// An expression that is slow on every byte does not hold the search up.
	slow := "[xy]*x[xy]{900}(?:[xy]{100})?z"
	root := t.TempDir()
	var text strings.Builder
	for r := rand.New(rand.NewPCG(1, 2)); text.Len() < 1<<20; {
		for range 1999 {
			text.WriteByte("xy"[r.IntN(2)])
		}
		text.WriteByte('\n')
	}
	write(t, root, "x.txt", text.String())
	y, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	a, err = y.Search(soon, search.Query{Text: strings.Replace(slow, "z", "[vw]", 1), Mode: search.Regex})
	if err != nil || !slices.Contains(a.Cuts, answer.CutTime) {
		t.Errorf("%v, cut by %v", err, a.Cuts)
	}
}

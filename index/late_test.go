package index

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/verify"
)

// built builds an index with a refiner.
func built(t *testing.T, root string, opt Options) (*Index, *refiner) {
	t.Helper()
	f := newRefiner(t)
	x := refines(t, root, f, opt)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x, f
}

// lateOf returns the signal chunk.late of a result.
func lateOf(t *testing.T, r search.Result) float64 {
	t.Helper()
	i := slices.IndexFunc(r.Explain, func(s search.Signal) bool { return s.Name == "chunk.late" })
	if i < 0 {
		t.Fatalf("%s: no signal chunk.late in %+v", r.File, r.Explain)
	}
	return r.Explain[i].Value
}

// TestLate compares the signal with the definition, in floating point, where vectors are
// refined; else it is 0, and for a name.
func TestLate(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	write(t, root, "peer.go", "package many\n\n// Close gives up on a peer that no longer answers.\nfunc Close(peer int) error {\n\treturn nil\n}\n")
	refined, f := built(t, root, Options{Refine: true})
	plain, _ := built(t, root, Options{})
	const sentence = "give up on a peer when it no longer answers"
	for _, test := range []struct {
		x    *Index
		q    search.Query
		none bool
	}{
		{refined, search.Query{Text: sentence}, false},
		{refined, search.Query{Text: sentence, Mode: search.Semantic}, false},
		{refined, search.Query{Text: sentence, Mode: search.Lexical}, true},
		{refined, search.Query{Text: "peer answers"}, false}, // a topic
		{refined, search.Query{Text: "Close"}, true},         // a name
		{plain, search.Query{Text: sentence}, true},
	} {
		test.q.Explain = true
		results, some := searchFor(t, test.x, test.q), 0
		for _, r := range results {
			got, want := lateOf(t, r), 0.0
			if !test.none {
				rec := test.x.Table.Files[r.File]
				p := &rec.Chunks[0]
				for i := range rec.Chunks {
					if int(rec.Chunks[i].Line) <= r.Line {
						p = &rec.Chunks[i]
					}
				}
				kept := make([]float32, f.Tokens().Numbers())
				copy(kept, f.tokens(string(rec.Text.Slice(int(p.Start), int(p.End)))))
				want = maxSim(f.tokens(test.q.Text), kept, f.Tokens().Dim)
				some++
			}
			if math.Abs(got-want) > 0.03 {
				t.Errorf("%q, mode %q: %s:%d has %v, want %v", test.q.Text, test.q.Mode, r.File, r.Line, got, want)
			}
		}
		if len(results) == 0 || !test.none && some < 5 {
			t.Errorf("%q, mode %q: %d results", test.q.Text, test.q.Mode, len(results))
		}
	}
}

// maxSim is the mean product of vectors of dim numbers with the nearest of others, by their
// lengths.
func maxSim(question, document []float32, dim int) float64 {
	sum, lengths := 0.0, 0.0
	for q := range slices.Chunk(question, dim) {
		best, square := math.Inf(-1), 0.0
		for d := range slices.Chunk(document, dim) {
			dot := 0.0
			for i := range q {
				dot += float64(q[i]) * float64(d[i])
			}
			best = max(best, dot)
		}
		for _, x := range q {
			square += float64(x) * float64(x)
		}
		sum, lengths = sum+best, lengths+math.Sqrt(square)
	}
	return sum / lengths
}

// TestTokensKept writes refined indexes and reads them again: whole, as a difference, and from
// the pack of another branch.
func TestTokensKept(t *testing.T) {
	t.Parallel()
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range branches("one") {
		write(t, root, name, text)
	}
	cache, path := filepath.Join(dir, "cache"), filepath.Join(dir, "snap")
	x, _ := built(t, root, Options{Refine: true, CacheDir: cache})
	want := dump(x)
	if tokens := x.Table.Vectors.Tokens(x.Table.Files["p0/f.go"].Chunks[0].ID); !slices.ContainsFunc(tokens, func(v float32) bool { return v != 0 }) {
		t.Fatalf("a refined chunk has the tokens %v", tokens)
	}
	same := func(what string, y *Index) {
		t.Helper()
		if report, err := y.Build(t.Context(), nil); err != nil || report.Embedded != 0 {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
		if diff := gocmp.Diff(want, dump(y)); diff != "" {
			t.Fatalf("%s (-want +got):\n%.2000s", what, diff)
		}
		if v := verifyIndex(t, y, verify.VerifyOptions{}); v.Total != 0 || v.Rounded != 0 {
			t.Errorf("%s: %+v", what, v)
		}
	}
	if err := x.Save(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	z := refines(t, root, newRefiner(t), Options{})
	if err := z.Restore(path); err != nil {
		t.Fatal(err)
	}
	same("restored", z)

	write(t, root, "p0/f.go", "package p\n\n// Changed is new.\nfunc Changed() int { return 2 }\n")
	if _, err := x.Update(t.Context(), []string{"p0/f.go"}); err != nil {
		t.Fatal(err)
	}
	want = dump(x)
	if did, err := x.SaveDelta(t.Context(), path+".delta", path, false); !did || err != nil {
		t.Fatal(did, err)
	}
	z = refines(t, root, newRefiner(t), Options{})
	if err := z.RestoreDelta(path, path+".delta"); err != nil {
		t.Fatal(err)
	}
	same("restored with a delta", z)

	checkout(t, root, "one", "two")
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkout(t, root, "two", "one")
	write(t, root, "p0/f.go", "package p\n\n// Changed is new.\nfunc Changed() int { return 2 }\n")
	same("from a pack", x)
}

// TestTokensOfAnEdit replaces a function by one with other words.
func TestTokensOfAnEdit(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	x, f := built(t, root, Options{Refine: true})
	ask := func(file string) (late float64) {
		t.Helper()
		for _, r := range searchFor(t, x, search.Query{Text: "give up on a peer when it no longer answers", Explain: true, Limit: 200, PerFile: 5}) {
			if r.File == file {
				late = max(late, lateOf(t, r))
			}
		}
		return late
	}
	before := ask("f007.go")
	write(t, root, "f007.go", "package many\n\n// Give up on a peer when it no longer answers.\nfunc Number7() int { return 7 }\n")
	if _, err := x.Update(t.Context(), []string{"f007.go"}); err != nil {
		t.Fatal(err)
	}
	if after := ask("f007.go"); after < before+0.3 {
		t.Errorf("%v, %v before", after, before)
	}
	sameRefined(t, x)
	if n := f.refined.Load(); n != 301 { // the other chunk of the file is as it was
		t.Errorf("%d chunks were refined", n)
	}
}

// TestTokensMemory holds that what tokens take is counted, and that vectors without take none.
func TestTokensMemory(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	with, f := built(t, root, Options{Refine: true})
	plain, _ := built(t, root, Options{})
	took := with.Memory().Vectors - plain.Memory().Vectors
	if least := int64(300 * f.Tokens().Numbers() / 2); took < least || took > least+1<<20 {
		t.Errorf("tokens take %d bytes, want at least %d", took, least)
	}
}

// TestVerifyTokens gives a chunk the tokens of another one.
func TestVerifyTokens(t *testing.T) {
	t.Parallel()
	x, _ := built(t, plenty(t), Options{Refine: true})
	id := x.Table.Files["f003.go"].Chunks[1].ID
	code := x.Table.Vectors.AppendCode(nil, id)
	other := x.Table.Vectors.AppendCode(nil, x.Table.Files["f004.go"].Chunks[0].ID)
	n := len(code) - embed.Tokens{Count: 24, Dim: 16}.Numbers()/2
	if err := x.Table.Vectors.AddCode(id, append(code[:n:n], other[n:]...)); err != nil {
		t.Fatal(err)
	}
	v := verifyIndex(t, x, verify.VerifyOptions{})
	if v.Total != 1 || !strings.Contains(fmt.Sprint(v.Differences), "tokens") {
		t.Errorf("%+v", v)
	}
	// One number less is a rounding.
	code[n] ^= 1
	if err := x.Table.Vectors.AddCode(id, code); err != nil {
		t.Fatal(err)
	}
	if v := verifyIndex(t, x, verify.VerifyOptions{}); v.Total != 0 || v.Rounded != 1 {
		t.Errorf("%+v", v)
	}
}

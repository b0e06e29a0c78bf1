package index

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/verify"
)

// A refiner has the vectors of the built-in model, and better ones that differ from them
// in places of their own. Its tokens are words.
type refiner struct {
	embed.Embedder
	before  func(ctx context.Context, docs []embed.Document) error // Refine; nil: nothing
	refined atomic.Int64                                           // documents
	plain   atomic.Int64                                           // questions asked of the leading places
}

const betterPlaces = 128

func newRefiner(t testing.TB) *refiner {
	t.Helper()
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	return &refiner{Embedder: m}
}

func (f *refiner) Compare(question string, weight func(string) float64) embed.Comparison {
	return f.Embedder.(embed.Comparer).Compare(question, weight)
}

func (f *refiner) Plain() int { return f.Embedder.Info().Dim }

func (f *refiner) Info() embed.Info {
	info := f.Embedder.Info()
	info.Dim += betterPlaces
	return info
}

func (f *refiner) Query(ctx context.Context, text string) ([]float32, error) {
	v, err := f.Embedder.Query(ctx, text)
	return append(v, make([]float32, betterPlaces)...), err
}

func (f *refiner) Tokens() embed.Tokens { return embed.Tokens{Count: 24, Dim: 16} }

func (f *refiner) QueryTokens(ctx context.Context, text string) (vector, tokens []float32, err error) {
	vector, err = f.Query(ctx, text)
	return vector, f.tokens(text), err
}

// tokens are the vectors of the words of a text, each of its own length and direction.
func (f *refiner) tokens(text string) (all []float32) {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		h := fnv.New64()
		h.Write([]byte(word))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		v, square := make([]float32, f.Tokens().Dim), 0.0
		for i := range v {
			v[i] = float32(r.NormFloat64())
			square += float64(v[i] * v[i])
		}
		for i := range v {
			v[i] *= float32((0.3 + 0.7*float64(h.Sum64()%8)/7) / math.Sqrt(square))
		}
		all = append(all, v...)
	}
	return all
}

func (f *refiner) PlainQuery(ctx context.Context, text string) ([]float32, error) {
	f.plain.Add(1)
	return f.Embedder.Query(ctx, text)
}

func (f *refiner) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	plain := f.Plain()
	all := make([]float32, len(docs)*plain)
	err := f.Embedder.Documents(ctx, docs, all)
	clear(dst)
	for i := range docs {
		copy(dst[i*(plain+betterPlaces):], all[i*plain:(i+1)*plain])
	}
	return err
}

func (f *refiner) Refine(ctx context.Context, docs []embed.Document, dst, tokens []float32) error {
	if f.before != nil {
		if err := f.before(ctx, docs); err != nil {
			return err
		}
	}
	if err := f.Documents(ctx, docs, dst); err != nil {
		return err
	}
	dim, n := f.Info().Dim, f.Tokens().Numbers()
	for i, d := range docs {
		clear(tokens[i*n : (i+1)*n])
		copy(tokens[i*n:(i+1)*n], f.tokens(d.Text))
		known := false
		v := dst[i*dim : (i+1)*dim]
		for j := range v {
			known = known || v[j] != 0
			v[j] *= 0.8
		}
		if known {
			h := fnv.New32()
			h.Write([]byte(d.Path + d.Text))
			v[f.Plain()+int(h.Sum32()%betterPlaces)] = 0.6
		}
	}
	f.refined.Add(int64(len(docs)))
	return nil
}

// refines opens an index with a refiner.
func refines(t testing.TB, root string, f *refiner, opt Options) *Index {
	t.Helper()
	opt.Embedder, opt.Workers = f, 2
	return openWith(t, root, opt)
}

// plenty is a root with more chunks than an update refines at once.
func plenty(t testing.TB) (root string) {
	t.Helper()
	root = t.TempDir()
	for n := range 150 {
		write(t, root, fmt.Sprintf("f%03d.go", n), fmt.Sprintf("package many\n\n// Number%d returns the total of order %d.\nfunc Number%d() int { return %d }\n", n, n, n, n))
	}
	return root
}

// sameRefined compares an index with a fresh one in which no vector is left for later.
func sameRefined(t *testing.T, x *Index) {
	t.Helper()
	if s := x.State(); share(x) != 1 || s.Unrefined != "" || s.State != answer.Ready {
		t.Errorf("%+v", s)
	}
	fresh := refines(t, x.Root(), newRefiner(t), Options{Refine: true})
	if _, err := fresh.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(dump(fresh), dump(x)); diff != "" {
		t.Fatalf("the index differs from a fresh one (-fresh +index):\n%.3000s", diff)
	}
	for path, r := range x.Records() {
		if !r.Meaning.Equal(&fresh.Record(path).Meaning) {
			t.Errorf("%s: another vector of the file", path)
		}
	}
	if p, q := x.Table.Vectors.Plain(), fresh.Table.Vectors.Plain(); p != 0 || q != 0 {
		t.Errorf("%d and %d vectors are to be replaced", p, q)
	}
}

func allRefined(x *Index) func() bool {
	return func() bool { return share(x) == 1 }
}

// share is how much of an index is refined.
func share(x *Index) float64 {
	if s := x.State(); s.Refined != nil {
		return *s.Refined
	}
	return -1
}

// TestRefined holds that an index is searched before its vectors are replaced, that they
// are once it is at rest, and that changes of few files leave none for later.
func TestRefined(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	f := newRefiner(t)
	x := refines(t, root, f, Options{Background: true})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if s := x.State(); share(x) != 0 || s.Vectors != 1 || s.State != answer.Ready || f.refined.Load() != 0 {
		t.Errorf("after the build %+v", s)
	}
	if len(searchFor(t, x, search.Query{Text: "total of the order", Mode: search.Semantic})) == 0 {
		t.Error("nothing is found")
	}
	before := x.State().Generation
	running(t, x)
	soon(t, "refined", allRefined(x))
	if s := x.State(); s.Generation == before {
		t.Error("the generation says nothing")
	}
	sameRefined(t, x)

	for what, change := range map[string]func(){
		"edit": func() {
			write(t, root, "f007.go", "package many\n\nfunc Seven() {}\n\n// Number7 is new.\nfunc Number7() { Seven() }\n")
		},
		"add":    func() { write(t, root, "g.go", "package many\n\nfunc Other() {}\n") },
		"remove": func() { os.Remove(filepath.Join(root, "f009.go")) },
		"move":   func() { os.Rename(filepath.Join(root, "f010.go"), filepath.Join(root, "h010.go")) },
	} {
		change()
		if _, err := x.Update(t.Context(), []string{"f007.go", "g.go", "f009.go", "f010.go", "h010.go"}); err != nil {
			t.Fatal(err)
		}
		if share(x) != 1 {
			t.Errorf("%s: %+v", what, x.State())
		}
	}
	sameRefined(t, x)
	for n := range 100 {
		write(t, root, fmt.Sprintf("more/m%03d.go", n), fmt.Sprintf("package more\n\nfunc More%d() {}\n", n))
	}
	if _, err := x.Update(t.Context(), []string{"more"}); err != nil {
		t.Fatal(err)
	}
	soon(t, "refined again", allRefined(x))
	sameRefined(t, x)
}

// TestTopics holds that a topic is compared with what all vectors have, refined or not, and
// a sentence with all of them.
func TestTopics(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	f := newRefiner(t)
	plain := refines(t, root, f, Options{})
	if _, err := plain.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	refined := refines(t, root, f, Options{Refine: true})
	if _, err := refined.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for text, topic := range map[string]bool{"total order": true, "how the total is returned": true, "total of the order when it is returned": false} {
		q := search.Query{Text: text, Mode: search.Semantic, Limit: 20, Without: []string{"chunk.late"}}
		asked := f.plain.Load()
		from, with := searchFor(t, plain, q), searchFor(t, refined, q)
		if got := f.plain.Load()-asked == 2; got != topic {
			t.Errorf("%q is asked as a topic: %v", text, got)
		}
		if len(from) == 0 || len(with) != len(from) {
			t.Fatalf("%q: %d and %d results", text, len(from), len(with))
		}
		for i, r := range from {
			if near := math.Abs(r.Score-with[i].Score) < r.Score/20; near != topic {
				t.Errorf("%q, result %d: %v where vectors are plain, %v where they are refined", text, i, r.Score, with[i].Score)
				break
			}
		}
	}
}

// TestRefineGivesWay changes files while vectors are being replaced: that is seen before
// the rest, and no vector of a file that has been replaced comes afterwards.
func TestRefineGivesWay(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	f, let, begun := newRefiner(t), make(chan struct{}), make(chan struct{}, 100)
	f.before = func(ctx context.Context, docs []embed.Document) error {
		if len(docs) < 3 { // an update
			return nil
		}
		begun <- struct{}{}
		select {
		case <-let:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	x := refines(t, root, f, Options{Background: true})
	running(t, x)
	<-begun
	<-begun
	for n := range 150 { // whichever are in work
		name := fmt.Sprintf("f%03d.go", n)
		if n%2 == 0 {
			os.Remove(filepath.Join(root, name))
		} else if n < 20 {
			write(t, root, name, fmt.Sprintf("package many\n\nfunc Changed%d() {}\n", n))
		} else {
			continue
		}
		if _, err := x.Update(t.Context(), []string{name}); err != nil {
			t.Fatal(err)
		}
	}
	if s := x.State(); share(x) <= 0 || share(x) >= 1 || s.State != answer.Ready {
		t.Errorf("%+v", s)
	}
	if a := searchFor(t, x, search.Query{Text: "Changed7", Mode: search.Symbol}); len(a) != 1 {
		t.Errorf("%+v", a)
	}
	close(let)
	soon(t, "refined", allRefined(x))
	sameRefined(t, x)
}

// TestRefineRandomEdits changes files at random, few and many, while vectors are being
// replaced; whenever that comes to rest the index equals a fresh one.
func TestRefineRandomEdits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	root := plenty(t)
	x := refines(t, root, newRefiner(t), Options{Background: true})
	running(t, x)
	for round := range 6 {
		for range 5 {
			var paths []string
			for range 1 + r.IntN(60) {
				name := fmt.Sprintf("f%03d.go", r.IntN(200))
				paths = append(paths, name)
				if r.IntN(4) == 0 {
					os.Remove(filepath.Join(root, name))
				} else {
					write(t, root, name, fmt.Sprintf("package many\n\n// Thing%d is of round %d.\nfunc Thing%d() {}\n", r.IntN(9), round, r.IntN(9)))
				}
			}
			if _, err := x.Update(t.Context(), paths); err != nil {
				t.Fatal(err)
			}
		}
		soon(t, "refined", func() bool { return share(x) == 1 && x.State().State == answer.Ready })
		sameRefined(t, x)
	}
}

// TestRefineGoesOn ends an index while vectors are being replaced, and restores it: what
// was done is not done again.
func TestRefineGoesOn(t *testing.T) {
	t.Parallel()
	root, path := plenty(t), filepath.Join(t.TempDir(), "snap")
	f := newRefiner(t)
	var batches atomic.Int64
	f.before = func(ctx context.Context, _ []embed.Document) error {
		if batches.Add(1) > 2 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	x := refines(t, root, f, Options{})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- x.Run(ctx, nil) }()
	soon(t, "two batches are done, and others begun", func() bool { return batches.Load() > 3 })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	// What was computed is committed with more, or at the end: here by hand, some of it.
	r := x.Table.Files["f003.go"]
	whole := refines(t, root, newRefiner(t), Options{Refine: true})
	if _, err := whole.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	better := whole.Table.Vectors.AppendCode(nil, whole.Table.Files["f003.go"].Chunks[0].ID)
	if err := x.Table.Vectors.AddCode(r.Chunks[0].ID, better); err != nil {
		t.Fatal(err)
	}
	x.Table.Sum(r)
	x.Publish(nil)
	part := share(x)
	if part <= 0 || part >= 1 {
		t.Fatalf("%+v", x.State())
	}
	if err := x.Save(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	g := newRefiner(t)
	y := refines(t, root, g, Options{Background: true})
	if err := y.Restore(path); err != nil {
		t.Fatal(err)
	}
	if share(y) != part {
		t.Errorf("%+v, not %v", y.State(), part)
	}
	left := int64(y.Table.Vectors.Plain())
	running(t, y)
	soon(t, "refined", allRefined(y))
	if n := g.refined.Load(); n != left {
		t.Errorf("%d of %d", n, left)
	}
	sameRefined(t, y)
	if did, err := y.SaveDelta(t.Context(), path+".delta", path, false); did || err != nil {
		t.Errorf("all vectors are a small difference: %v", err)
	}
	if err := y.Save(t.Context(), path, false); err != nil {
		t.Fatal(err)
	}
	write(t, root, "f001.go", "package many\n\nfunc First() {}\n")
	if _, err := y.Update(t.Context(), []string{"f001.go"}); err != nil {
		t.Fatal(err)
	}
	if did, err := y.SaveDelta(t.Context(), path+".delta", path, false); !did || err != nil {
		t.Fatal(did, err)
	}
	z := refines(t, root, newRefiner(t), Options{})
	if err := z.RestoreDelta(path, path+".delta"); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	sameRefined(t, z)
}

// TestRefineBeforeItReturns restores an index with vectors that are to be replaced, where
// none is to be left for later.
func TestRefineBeforeItReturns(t *testing.T) {
	t.Parallel()
	root, path := plenty(t), filepath.Join(t.TempDir(), "snap")
	x := refines(t, root, newRefiner(t), Options{})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Save(t.Context(), path, true); err != nil {
		t.Fatal(err)
	}
	f := newRefiner(t)
	y := refines(t, root, f, Options{Refine: true})
	if err := y.Restore(path); err != nil {
		t.Fatal(err)
	}
	report, err := y.BuildOnce(t.Context(), nil)
	if err != nil || report.Added+report.Changed != 0 || report.Embedded != 300 {
		t.Errorf("%+v, %v", report, err)
	}
	sameRefined(t, y)
	f.before = func(context.Context, []embed.Document) error { return errors.New("it is broken") }
	write(t, root, "f001.go", "package many\n\nfunc First() {}\n")
	if _, err := y.Build(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("%v", err)
	}
}

// TestRefineFails holds that a failure costs only the better vectors, that the state says
// so, and that the next build makes up for it.
func TestRefineFails(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	f := newRefiner(t)
	var broken atomic.Bool
	var tries atomic.Int64
	broken.Store(true)
	f.before = func(context.Context, []embed.Document) error {
		tries.Add(1)
		if broken.Load() {
			return errors.New("it is broken")
		}
		return nil
	}
	x := refines(t, root, f, Options{Background: true})
	running(t, x)
	soon(t, "a failure", func() bool { return x.State().Unrefined != "" })
	soon(t, "all tries have ended", func() bool { return x.State().State == answer.Ready })
	tried := tries.Load()
	write(t, root, "f001.go", "package many\n\nfunc First() {}\n")
	if _, err := x.Update(t.Context(), []string{"f001.go"}); err != nil {
		t.Fatal(err)
	}
	if s := x.State(); s.State != answer.Ready || s.Vectors != 1 || share(x) != 0 || !strings.Contains(s.Unrefined, "broken") || tries.Load() > tried+1 {
		t.Errorf("%d tries, %+v", tries.Load()-tried, s)
	}
	broken.Store(false)
	if _, _, err := x.Invalidate(Invalidation{All: true}); err != nil {
		t.Fatal(err)
	}
	soon(t, "refined", allRefined(x))
	sameRefined(t, x)
}

// TestRefineNone holds that a vector which is not refined after all is not tried for ever.
func TestRefineNone(t *testing.T) {
	t.Parallel()
	x := refines(t, plenty(t), newRefiner(t), Options{Background: true})
	x.Refiner = none{x.Refiner}
	running(t, x)
	soon(t, "a failure", func() bool { return strings.Contains(x.State().Unrefined, "refined vector") })
}

// none refines nothing.
type none struct{ embed.Refiner }

func (n none) Refine(ctx context.Context, docs []embed.Document, dst, _ []float32) error {
	return n.Documents(ctx, docs, dst)
}

// TestRefineOverlay asks with an overlay while vectors are being replaced: its copy of the
// index goes its own way, and is made again once all are.
func TestRefineOverlay(t *testing.T) {
	t.Parallel()
	f, let := newRefiner(t), make(chan struct{}, 100)
	f.before = func(ctx context.Context, docs []embed.Document) error {
		if len(docs) < 3 {
			return nil
		}
		select {
		case <-let:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	x := refines(t, plenty(t), f, Options{Background: true})
	running(t, x)
	soon(t, "built", func() bool { return x.State().State == answer.Ready })
	ask := func() float64 {
		t.Helper()
		v, err := x.With(t.Context(), []Overlay{{Path: "f001.go", Content: "package many\n\nfunc Unsaved() int { return 1 }\n"}})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Release()
		a, err := v.Index.Search(t.Context(), search.Query{Text: "Unsaved"})
		if err != nil || len(a.Results) == 0 || a.Results[0].File != "f001.go" {
			t.Errorf("%+v, %v", a.Results, err)
		}
		return *v.Index.State().Refined
	}
	if n := ask(); n != 0 {
		t.Errorf("refined to %v", n)
	}
	for range 5 { // of 300 chunks
		let <- struct{}{}
		ask()
	}
	close(let)
	soon(t, "refined", allRefined(x))
	if n := ask(); n != 1 {
		t.Errorf("refined to %v", n)
	}
}

// TestVerifyRefined compares vectors of one kind, whichever those of the index are.
func TestVerifyRefined(t *testing.T) {
	t.Parallel()
	root := plenty(t)
	plain, better := refines(t, root, newRefiner(t), Options{}), refines(t, root, newRefiner(t), Options{Refine: true})
	for _, x := range []*Index{plain, better} {
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, x *Index, total int) {
		t.Helper()
		v := verifyIndex(t, x, verify.VerifyOptions{})
		if v.Total != total || v.Vectors != 300 || v.Rounded != 0 {
			t.Errorf("%s: %+v", what, v)
		}
	}
	check("plain", plain, 0)
	check("refined", better, 0)
	for n := range 40 { // now it is partly so
		name := fmt.Sprintf("f%03d.go", n)
		r := plain.Table.Files[name]
		code := better.Table.Vectors.AppendCode(nil, better.Table.Files[name].Chunks[0].ID)
		if err := plain.Table.Vectors.AddCode(r.Chunks[0].ID, code); err != nil {
			t.Fatal(err)
		}
		plain.Table.Sum(r)
	}
	plain.Publish(nil)
	check("partly", plain, 0)
	for name, at := range map[string]int{"f001.go": 1, "f100.go": 1} { // a refined one and a plain one: each has that of the other chunk
		r := plain.Table.Files[name]
		if err := plain.Table.Vectors.AddCode(r.Chunks[at].ID, plain.Table.Vectors.AppendCode(nil, r.Chunks[1-at].ID)); err != nil {
			t.Fatal(err)
		}
	}
	plain.Publish(nil)
	check("wrong", plain, 2)
}

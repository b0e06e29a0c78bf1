package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/lexical"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/verify"
)

// impatient lets a test wait less for a change that the index does not see.
const impatient = 700 * time.Millisecond

func verifyIndex(t testing.TB, x *Index, opt verify.VerifyOptions) verify.Verification {
	t.Helper()
	opt.Patience = impatient
	v, err := x.Verify(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// proved fails unless an index verifies as a whole.
func proved(t testing.TB, x *Index) {
	t.Helper()
	v := verifyIndex(t, x, verify.VerifyOptions{})
	if !v.Proved || v.Total != 0 || len(v.Differences)+len(v.Changed)+len(v.Unchecked) != 0 {
		t.Fatalf("not proved: %+v", v)
	}
	s := x.Status(0)
	if v.Files != s.Files+s.Coverage.Skipped || v.Chunks != s.Chunks || v.Symbols != s.Symbols || v.Vectors == 0 || v.Postings == 0 || v.Terms == 0 ||
		!v.GraphDone || v.Edges == 0 || v.Sites == 0 {
		t.Errorf("compared %+v, the index has %+v", v, s)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	root := unpack(t, "testdata/calls.txtar")
	write(t, root, "image.dat", "a\x00b")
	x, path := saved(t, root, false)
	proved(t, x)

	// Edits, some of which take back others.
	files := names(t, root)
	for i, name := range files[:min(4, len(files))] {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"\nfunc Extra() { Extra() }\n", "", "\n// more\n"} {
			write(t, root, name, string(text)+s)
			if _, err := x.Update(t.Context(), []string{name}); err != nil {
				t.Fatal(err)
			}
		}
		write(t, root, fmt.Sprintf("zz/f%d.go", i), "package zz\n\nfunc F() { G() }\n\nfunc G() {}\n")
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	proved(t, x)

	// One that was restored, whose graph is not made again until something changes.
	y := restore(t, root, path)
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	proved(t, y)
	again := filepath.Join(t.TempDir(), "snap.quarry")
	if err := y.Save(t.Context(), again, true); err != nil {
		t.Fatal(err)
	}
	z := restore(t, root, again)
	if _, err := z.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	proved(t, z)
}

func TestVerifySample(t *testing.T) {
	t.Parallel()
	x := build(t, unpack(t, "testdata/calls.txtar"))
	v := verifyIndex(t, x, verify.VerifyOptions{Sample: 3, Seed: 1})
	if v.Proved || v.Total != 0 || !v.Sampled || v.Files != 3 || v.Chunks < 3 || v.Vectors < 3 || v.Postings == 0 || v.GraphDone {
		t.Errorf("%+v", v)
	}
	if len(v.Unchecked) != 1 || !strings.Contains(v.Unchecked[0], "edges") {
		t.Errorf("unchecked: %q", v.Unchecked)
	}
	for _, r := range x.Table.Files {
		r.Hash++ // every draw finds it
	}
	files := func(seed uint64) (out []string) {
		for _, d := range verifyIndex(t, x, verify.VerifyOptions{Sample: 3, Seed: seed}).Differences {
			out = append(out, d.Kind+" "+d.Path)
		}
		return out
	}
	one := files(1)
	if len(one) != 3 || !slices.Equal(one, files(1)) || slices.Equal(one, files(2)) {
		t.Errorf("drawn by 1: %q, by 1: %q, by 2: %q", one, files(1), files(2))
	}
	if v := verifyIndex(t, build(t, x.Root()), verify.VerifyOptions{Sample: 1000}); !v.Proved || v.Sampled {
		t.Errorf("a sample of more than there is: %+v", v)
	}
}

// TestVerifyFinds damages an index in every way, and has each found.
func TestVerifyFinds(t *testing.T) {
	t.Parallel()
	const file = "a.go"
	const source = "package a\n\n// First is one.\nfunc First() { Second(); unknown() }\n\nfunc Second() { println(marker) }\n\nvar marker = 1\n"
	remake := func(x *Index, text string) {
		g := graph.New()
		for path, r := range x.Table.Files {
			src := r.Text.All()
			if path == file {
				src = []byte(text)
			}
			p := x.Parsers.Get()
			parsed, tree := p.ParseTree(r.Lang, src)
			if f := lower.File(&parsed, tree); f != nil {
				g.Put(path, f)
			}
			x.Parsers.Put(p)
		}
		g.Resolve()
		x.Graph.Graph = g
	}
	for name, tc := range map[string]struct {
		damage       func(x *Index, r *store.Record)
		kind, detail string
		sample       bool // a sample finds it, too
	}{
		"symbol line":  {func(_ *Index, r *store.Record) { r.Symbols[0].Line++ }, "symbol", "lines", true},
		"symbol name":  {func(_ *Index, r *store.Record) { r.Symbols[0].Name = "Other" }, "symbol", "does not have", true},
		"name table":   {func(x *Index, _ *store.Record) { delete(x.Table.Names, store.FoldName("second")) }, "symbol", "found 0 times", true},
		"language":     {func(_ *Index, r *store.Record) { r.Lang = "python" }, "record", "language: python, should be go", true},
		"name words":   {func(_ *Index, r *store.Record) { r.Words.Symbols = r.Words.Symbols[1:] }, "record", "words", true},
		"chunk":        {func(_ *Index, r *store.Record) { r.Chunks[0].Last++ }, "chunk", "should be", true},
		"chunk gone":   {func(_ *Index, r *store.Record) { r.Chunks = r.Chunks[:0] }, "record", "chunks: 0", true},
		"chunk number": {func(x *Index, r *store.Record) { x.Table.Chunks[r.Chunks[0].ID] = store.ChunkRef{} }, "chunk", "elsewhere", true},
		"text":         {func(_ *Index, r *store.Record) { r.Text = store.Pack([]byte(strings.ToUpper(source)), nil) }, "text", "not the text", true},
		"broken text":  {func(_ *Index, r *store.Record) { r.Text.Blocks = [][]byte{{1, 2, 3}} }, "text", "not the text", true},
		"posting": {func(x *Index, r *store.Record) {
			reword(t, x, r, func(d lexical.Doc) lexical.Doc {
				at := slices.IndexFunc(d.Terms, func(t lexical.Term) bool { return t.Hash == lexical.Hash(lexical.Stem("marker")) })
				d.Terms = slices.Delete(slices.Clone(d.Terms), at, at+1)
				return d
			})
		}, "posting", `has the word "marker" 0 times`, true},
		"posting more": {func(x *Index, r *store.Record) {
			reword(t, x, r, func(d lexical.Doc) lexical.Doc {
				d.Terms = append(slices.Clone(d.Terms), lexical.Term{Hash: 7, Count: 2})
				return d
			})
		}, "posting", "0000000000000007 2 times, should have it 0", true},
		"length": {func(x *Index, r *store.Record) {
			reword(t, x, r, func(d lexical.Doc) lexical.Doc {
				d.Words++
				return d
			})
		}, "posting", "words, should have", true},
		"count of a word": {func(x *Index, r *store.Record) {
			var b lexical.Builder
			d := r.Document(&b, &r.Chunks[0], r.Text.All())
			x.Table.Words.Remove(r.Chunks[0].ID, d)
			d.Terms = append(d.Terms, lexical.Term{Hash: lexical.Hash("thing"), Count: 1}) // which it does not have
			x.Table.Words.Purge(nil)
			if err := x.Table.Words.Add(r.Chunks[0].ID, d); err != nil {
				t.Error(err)
			}
			d.Terms = d.Terms[:len(d.Terms)-1]
			x.Table.Words.Remove(r.Chunks[0].ID, d)
		}, "posting", "counts as in", true},
		"vector": {func(x *Index, r *store.Record) {
			v := make([]float32, x.Dim)
			v[3] = 1
			if err := x.Table.Vectors.Add(r.Chunks[0].ID, v); err != nil {
				t.Error(err)
			}
		}, "vector", "another one (cosine", true},
		"vector a little": {func(x *Index, r *store.Record) {
			v := slices.Clone(x.Table.Vectors.Vector(r.Chunks[0].ID))
			v[0] += 0.01
			if err := x.Table.Vectors.Add(r.Chunks[0].ID, unit(v)); err != nil {
				t.Error(err)
			}
		}, "vector", "another one (cosine", true},
		"vector gone":    {func(x *Index, r *store.Record) { x.Table.Vectors.Remove(r.Chunks[0].ID) }, "vector", "has none", true},
		"vector nowhere": {func(x *Index, r *store.Record) { x.Table.Vectors.Add(999, unit(make([]float32, x.Dim))) }, "count", "vectors:", true},
		"vector of file": {func(_ *Index, r *store.Record) { r.Meaning = store.Meaning{} }, "vector", "whole file", true},
		"edge":           {func(x *Index, _ *store.Record) { remake(x, strings.Replace(source, "Second();", "", 1)) }, "edge", "is not there: function First", false},
		"edge more":      {func(x *Index, _ *store.Record) { remake(x, strings.Replace(source, "unknown()", "First()", 1)) }, "edge", "should not be there", false},
		"site":           {func(x *Index, _ *store.Record) { remake(x, strings.Replace(source, "unknown()", "_______()", 1)) }, "site", "calls unknown", false},
		"node":           {func(x *Index, _ *store.Record) { remake(x, source+"\nfunc Third() {}\n") }, "node", "function Third of a.go:10", false},
		"no graph":       {func(x *Index, _ *store.Record) { x.Graph.Broken.Store(true) }, "graph", "whole", false},
		"count":          {func(x *Index, _ *store.Record) { x.Table.Symbols++ }, "count", "symbols:", true},
		"skip":           {func(x *Index, _ *store.Record) { delete(x.Table.Skips, "image.dat") }, "file", "it has no file, on disk is a file that is not indexed (binary)", false},
		"forgotten":      {func(x *Index, r *store.Record) { delete(x.Table.Files, file) }, "file", "it has no file", false},
		"unseen": {func(x *Index, _ *store.Record) { write(t, x.Root(), file, source+"// more\n") },
			"file", "has not seen a change", true},
		"unseen new":  {func(x *Index, _ *store.Record) { write(t, x.Root(), "b.go", "package a\n") }, "file", "it has no file, on disk is", false},
		"unseen gone": {func(x *Index, _ *store.Record) { os.Remove(filepath.Join(x.Root(), file)) }, "file", "on disk is no file", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, file, source)
			write(t, root, "c.txt", "a thing of words\n")
			write(t, root, "image.dat", "a\x00b")
			x := build(t, root)
			tc.damage(x, x.Table.Files[file])
			for _, opt := range []verify.VerifyOptions{{}, {Sample: 1}} {
				if opt.Sample > 0 {
					if !tc.sample {
						continue
					}
					for ; ; opt.Seed++ { // one that draws the file
						v := verify.Verifier{Live: x.Writer, Opt: opt}
						if v.Draw(); slices.Contains(v.Sample, file) {
							break
						}
					}
				}
				v := verifyIndex(t, x, opt)
				if v.Proved || v.Total == 0 || v.Total != len(v.Differences) {
					t.Errorf("%+v: nothing is found: %+v", opt, v)
				}
				if !slices.ContainsFunc(v.Differences, func(d verify.Difference) bool {
					return d.Kind == tc.kind && strings.Contains(d.Detail, tc.detail) && slices.Contains(verify.DifferenceKinds(), d.Kind)
				}) {
					t.Errorf("%+v: no %s with %q in %+v", opt, tc.kind, tc.detail, v.Differences)
				}
			}
		})
	}
}

// reword enters the last chunk of a record with other words.
func reword(t *testing.T, x *Index, r *store.Record, change func(lexical.Doc) lexical.Doc) {
	var b lexical.Builder
	p := &r.Chunks[len(r.Chunks)-1]
	d := r.Document(&b, p, r.Text.All())
	x.Table.Words.Remove(p.ID, d)
	x.Table.Words.Purge(nil)
	if err := x.Table.Words.Add(p.ID, change(d)); err != nil {
		t.Error(err)
	}
}

// unit returns v with length 1; of zeros it makes the first direction.
func unit(v []float32) []float32 {
	square := float32(0)
	for _, x := range v {
		square += x * x
	}
	if square == 0 {
		v[0] = 1
		return v
	}
	for range 4 { // Newton's root is near enough
		root := (1 + square) / 2
		square = 0
		for i := range v {
			v[i] /= root
			square += v[i] * v[i]
		}
	}
	return v
}

// An approximate model says that it is evaluated by ONNX Runtime.
type approximate struct{ embed.Embedder }

func (a approximate) Info() embed.Info {
	info := a.Embedder.Info()
	info.Backend = "onnxruntime"
	return info
}

func TestVerifyRounded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc First() { Second() }\n\nfunc Second() { First(); println() }\n")
	x := build(t, root)
	r := x.Table.Files["a.go"]
	m, before := x.Opt.Embedder, slices.Clone(x.Table.Vectors.Vector(r.Chunks[0].ID))
	for _, tc := range []struct {
		model          embed.Embedder
		foreign        bool
		change         float32
		rounded, total int
	}{
		{m, false, 0.001, 0, 1},
		{m, true, 0.001, 1, 0},
		{m, true, 0.5, 0, 1},
		{approximate{m}, false, 0.001, 1, 0},
		{approximate{m}, false, 0.5, 0, 1},
	} {
		x.Opt.Embedder = tc.model
		x.Foreign.Store(tc.foreign)
		v := slices.Clone(before)
		v[0] += tc.change
		if err := x.Table.Vectors.Add(r.Chunks[0].ID, unit(v)); err != nil {
			t.Fatal(err)
		}
		if v := verifyIndex(t, x, verify.VerifyOptions{}); v.Rounded != tc.rounded || v.Total != tc.total {
			t.Errorf("%+v: %+v", tc, v)
		}
	}
}

func TestVerifyLimit(t *testing.T) {
	t.Parallel()
	x := build(t, unpack(t, "testdata/calls.txtar"))
	for _, r := range x.Table.Files {
		for i := range r.Symbols {
			r.Symbols[i].Last += 9
		}
	}
	v := verifyIndex(t, x, verify.VerifyOptions{Limit: 2})
	if len(v.Differences) != 2 || !v.Truncated || v.Total < 10 {
		t.Errorf("%+v", v)
	}
}

// TestVerifyWhileFilesChange has an index follow edits while it is verified: what goes
// on changing is no difference.
func TestVerifyWhileFilesChange(t *testing.T) {
	t.Parallel()
	root := unpack(t, "testdata/calls.txtar")
	x := open(t, root)
	ctx, cancel := context.WithCancel(t.Context())
	ran, edited := make(chan error, 1), make(chan struct{})
	go func() { ran <- x.Run(ctx, nil) }()
	go func() {
		defer close(edited)
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("zz/f%d.go", i%3)
			write(t, root, name, fmt.Sprintf("package zz\n\nfunc F%d() { G%d() }\n", i, i))
			time.Sleep(20 * time.Millisecond)
			if _, _, err := x.Invalidate(Invalidation{Paths: []string{name}}); err != nil {
				t.Error(err)
			}
		}
	}()
	for x.State().State == answer.Indexing {
		time.Sleep(time.Millisecond)
	}
	v, err := x.Verify(ctx, verify.VerifyOptions{Patience: 400 * time.Millisecond})
	if err != nil || v.Total != 0 || v.Proved == (len(v.Changed) > 0) || v.GraphDone == (len(v.Changed) > 0) {
		t.Errorf("%+v, %v", v, err)
	}
	cancel()
	<-edited
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if _, err := x.Build(t.Context(), nil); err != nil { // what the end of ctx left
		t.Fatal(err)
	}
	proved(t, x)
}

func TestVerifyEnds(t *testing.T) {
	t.Parallel()
	root := unpack(t, "testdata/calls.txtar")
	x := open(t, root)
	if _, err := x.Verify(t.Context(), verify.VerifyOptions{}); !errors.Is(err, verify.ErrNotBuilt) {
		t.Errorf("before the first build: %v", err)
	}
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n*n)*time.Millisecond)
		v, err := x.Verify(ctx, verify.VerifyOptions{})
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || v.Files != 0) {
			t.Errorf("%+v, %v", v, err)
		}
		cancel()
	}
	if err := x.Acquire(t.Context()); err != nil {
		t.Fatal(err) // the token was not given back
	}
	x.Release()
	proved(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Verify(t.Context(), verify.VerifyOptions{}); !errors.Is(err, answer.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/ingest"
	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/trace"
)

// allocated returns how many bytes the process has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// FuzzSnapshot puts any bytes into a section of a snapshot: with right checksums, it is
// taken over as a whole or not at all, within memory in proportion to its length, and
// what was taken can be asked and built upon.
func FuzzSnapshot(f *testing.F) {
	x, base := saved(f, unpack(f, "testdata/calls.txtar"), false)
	s, err := snapshot.Open(base)
	if err != nil {
		f.Fatal(err)
	}
	names := [...]string{persist.SecMeta, persist.SecFiles, persist.SecText, persist.SecWords, persist.SecVectors, persist.SecGraph, persist.SecSketch, persist.SecStat}
	sections := map[string][]byte{}
	size := 0
	for i, name := range names {
		b, err := s.Section(name)
		if err != nil {
			f.Fatal(err)
		}
		sections[name] = bytes.Clone(b)
		size += len(b)
		f.Add(uint8(i), sections[name])
		f.Add(uint8(i), sections[name][:len(b)/2])
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, section []byte) {
		path := filepath.Join(t.TempDir(), "snapshot")
		w, err := snapshot.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			if i == int(which)%len(names) {
				w.Add(name, section)
			} else {
				w.Add(name, sections[name])
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		y := open(t, x.Root())
		before := allocated()
		err = y.Restore(path)
		if got, most := allocated()-before, uint64(64<<20+500*(size+len(section))); got > most {
			t.Errorf("%s of %d bytes takes %d bytes", names[int(which)%len(names)], len(section), got)
		}
		if err != nil {
			if !errors.Is(err, ErrSnapshot) || len(y.Table.Files) > 0 {
				t.Fatal(err)
			}
			return
		}
		if _, err := y.Search(t.Context(), search.Query{Text: "handle request", Limit: 10}); err != nil {
			t.Fatal(err)
		}
		if _, err := y.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzPack has anything stand in what other indexes keep of a file, and in the list of
// that: it is used, or the pack is dropped, and the index is built all the same.
func FuzzPack(f *testing.F) {
	root, dir := f.TempDir(), f.TempDir()
	const text = "package p\n\n// F is one.\nfunc F() int { return G() }\n"
	write(f, root, "p/f.go", text)
	x := cached(f, root, dir)
	if _, err := x.Build(f.Context(), nil); err != nil {
		f.Fatal(err)
	}
	r := x.Table.Files["p/f.go"]
	var e snapshot.Encoder
	persist.SaveHead(r, &e)
	persist.SaveParts(r, &e)
	whole := bytes.Clone(e.Bytes())
	f.Add(whole, []byte{})
	f.Add(whole[:len(whole)/2], []byte{})
	f.Add([]byte{}, []byte{1, 2, 3})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, object, list []byte) {
		dir := t.TempDir()
		w, err := snapshot.Create(filepath.Join(dir, "x"+ingest.PackSuffix))
		if err != nil {
			t.Fatal(err)
		}
		meta, err := json.Marshal(persist.About(x.Writer.View))
		if err != nil {
			t.Fatal(err)
		}
		w.Add(persist.SecMeta, meta)
		w.Add(ingest.SecKeys, list)
		w.Add(ingest.SecObjects, object)
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		y := cached(t, root, dir)
		before := allocated()
		p := ingest.OpenPacks(y.Writer.View)
		one := &ingest.PackFile{Path: filepath.Join(dir, "x"+ingest.PackSuffix)}
		k := ingest.Packed{Hash: r.Hash, Size: r.Size, Lang: r.Lang, Path: r.Path, Length: uint64(len(object)), Check: sha256.Sum256(object), Pack: one}
		got, codes, err := ingest.Unpack(y.Writer.View, &k, source.File{Path: r.Path}, []byte(text))
		if used, most := allocated()-before, uint64(16<<20+500*(len(object)+len(list))); used > most {
			t.Errorf("%d and %d bytes take %d bytes", len(object), len(list), used)
		}
		if err == nil && (got.Hash != r.Hash || len(codes) != len(got.Chunks) && codes != nil) {
			t.Errorf("%d codes of %d pieces", len(codes), len(got.Chunks))
		}
		if one.File != nil {
			if err := one.File.Close(); err != nil {
				t.Fatal(err)
			}
		}
		p.Close()
		if _, err := y.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzGlob: a glob that is taken admits what the same pattern admits after others, and
// one that excludes admits what the pattern does not match.
func FuzzGlob(f *testing.F) {
	f.Add("*.go", "src/a.go")
	f.Add("src/**/{a,b}*.[ch]", "src/x/y/a.c")
	f.Add("!vendor/", "lib/vendor/a.go")
	f.Add(`\!a`, "!a")
	f.Add("{{{{,},},},}", "")
	f.Add("[^a-\\]]?/", "b")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 200 || store.CheckGlobs([]string{pattern}) != nil {
			return
		}
		got := store.NewGlobs([]string{pattern}).Admit(path)
		if two := store.NewGlobs([]string{pattern, pattern}).Admit(path); two != got {
			t.Errorf("%q admits %q: %t, and twice: %t", pattern, path, got, two)
		}
		if strings.HasPrefix(pattern, "!") {
			return
		}
		if store.CheckGlobs([]string{"!" + pattern}) == nil && got && !strings.HasSuffix(pattern, "/") && store.NewGlobs([]string{"!" + pattern}).Admit(path) {
			t.Errorf("%q admits %q, and so does its opposite", pattern, path)
		}
	})
}

// FuzzTarget: what names a file, a line or a symbol may be anything, for every question
// that takes one. A line that is found is one of the file.
func FuzzTarget(f *testing.F) {
	x := build(f, unpack(f, "testdata/calls.txtar"))
	for _, seed := range []string{"main", "a.go:1", "x/../a.go", ":", "::", "a:b:c", "./main.go:9999999999999999999", "/etc/passwd", "..", "main()", "a.b.c", "é\x00\xff"} {
		f.Add(seed)
	}
	for path, r := range x.Table.Files {
		f.Add(path)
		f.Add(path + ":2")
		if len(r.Symbols) > 0 {
			f.Add(path + ":" + r.Symbols[0].Name)
			f.Add(r.Symbols[0].Qualified())
		}
	}
	f.Fuzz(func(t *testing.T, target string) {
		ctx := t.Context()
		e, err := x.Extract(ctx, outline.ExtractQuery{Target: target})
		if err == nil && e.Symbol != nil && (e.Symbol.Line < 1 || e.Symbol.EndLine < e.Symbol.Line) {
			t.Errorf("%q: %+v", target, e)
		}
		_, _ = x.Calls(ctx, calls.CallsQuery{Target: target})
		_, _ = x.Impact(ctx, impact.Query{Target: target})
		_, _ = x.Trace(ctx, trace.Query{Target: target})
		_, _ = x.References(ctx, references.Query{Target: target})
		_, _ = x.Search(ctx, search.Query{Text: target, Mode: search.Symbol, Limit: 5})
	})
}

// FuzzRegex searches files for an expression: what the plan of filters and literals
// lets through has every line that package regexp finds.
func FuzzRegex(f *testing.F) {
	root := unpack(f, "testdata/grep/ranked.txtar")
	x := build(f, root)
	for _, seed := range []string{"database", "connection|import", `^\s+\S`, "[α-ω]", "", "CALL", "a{3}b?", `\bc\w+\(`, "(database|connect)ion?", ".*", "x*", `\x{41}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 60 || strings.Contains(pattern, "(?") || strings.ContainsAny(pattern, "\n\r") {
			return // flags may mean lines and not texts
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		var got bytes.Buffer
		n, err := x.GrepRaw(t.Context(), grep.GrepQuery{Pattern: pattern}, grep.RawOptions{}, &got)
		if err != nil {
			return // a line feed, or too large
		}
		want := plainGrep(t, root, re)
		if got.String() != want || n.Matches != strings.Count(want, "\n") {
			t.Errorf("%q: %d matches:\n%s\nwant:\n%s", pattern, n.Matches, got.String(), want)
		}
	})
}

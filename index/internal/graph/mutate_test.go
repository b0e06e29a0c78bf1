package graph_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/chunk"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A sample is a small source file that belongs to the tests.
type sample struct {
	name   string
	tokens [][]byte
}

// token is a word, a number, a run of white space, or any other single byte.
var token = regexp.MustCompile(`(?s)[\pL_][\pL\pN_]*|\d+|[ \t]+|\n|.`)

// samples returns the tests' sources by language: those of the grammars and those of
// the call graph.
func samples(f testing.TB) map[string][]sample {
	f.Helper()
	all := map[string][]sample{}
	for _, pattern := range []string{"../lang/*/testdata/symbols/*/*.txtar", "testdata/*/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no sources in %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range txtar.Parse(text).Files {
				if file.Name == "want" || file.Name == "skeleton" || len(file.Data) == 0 || len(file.Data) > 6000 {
					continue
				}
				language := source.Language(file.Name, file.Data)
				if strings.HasPrefix(name, "../lang") {
					language = filepath.Base(filepath.Dir(name))
				}
				all[language] = append(all[language], sample{file.Name, token.FindAll(file.Data, -1)})
			}
		}
	}
	delete(all, "")
	return all
}

// mutated changes a text as the recipe says, three bytes for each change: what, where,
// and how much or with which part of another text. extra is what some changes put in.
func mutated(tokens, other [][]byte, recipe, extra []byte) []byte {
	tokens = slices.Clone(tokens)
	for ; len(recipe) > 2 && len(tokens) > 0 && len(tokens) < 8000; recipe = recipe[3:] {
		at := int(recipe[1]) * len(tokens) / 256
		n := 1 + int(recipe[2])%16
		end := min(at+n, len(tokens))
		piece := slices.Clone(tokens[at:end])
		var foreign [][]byte
		if len(other) > 0 {
			from := int(recipe[2]) * len(other) / 256
			foreign = other[from:min(from+n, len(other))]
		}
		switch recipe[0] % 12 {
		case 0: // delete
			tokens = slices.Delete(tokens, at, end)
		case 1: // twice
			tokens = slices.Insert(tokens, at, piece...)
		case 2: // many times, as what nests deeply
			for range 1 + int(recipe[2]) {
				tokens = slices.Insert(tokens, at, piece...)
			}
		case 3: // change places with what follows
			if end < len(tokens) {
				tokens[at], tokens[end] = tokens[end], tokens[at]
			}
		case 4: // of another file
			tokens = slices.Insert(tokens, at, foreign...)
		case 5: // another file's instead
			tokens = slices.Replace(tokens, at, end, foreign...)
		case 6: // break off
			tokens = tokens[:at]
		case 7: // begin late
			tokens = tokens[at:]
		case 8: // what is foreign to the language
			tokens = slices.Insert(tokens, at, extra)
		case 9: // instead of a token
			tokens[at] = extra
		case 10: // a byte of a token changes
			b := slices.Clone(tokens[at])
			b[int(recipe[2])%len(b)] ^= 1 << (recipe[2] % 8)
			tokens[at] = b
		case 11: // what opens is not closed
			open := [...]string{"(", "{", "[", "\"", "'", "`", "<", "/*", "<<EOF\n", "\"\"\"", "#", "//", "\\", "\x00", "\xff", "\r"}
			tokens = slices.Insert(tokens, at, []byte(open[int(recipe[2])%len(open)]))
		}
		tokens = slices.DeleteFunc(tokens, func(b []byte) bool { return len(b) == 0 })
	}
	return bytes.Join(tokens, nil)
}

// FuzzSources takes small sources of every language apart and puts them together in
// other ways. Whatever comes of it is parsed, cut, lowered, and entered into the graph of
// its file as it was; then all that must hold is held.
func FuzzSources(f *testing.F) {
	all := samples(f)
	var known []string
	for _, language := range languages.All().Names() {
		if all[language] == nil {
			f.Errorf("there are no sources of %s", language)
		}
		known = append(known, language)
	}
	for language := range all {
		if !slices.Contains(known, language) {
			known = append(known, language) // it has patterns
		}
	}
	slices.Sort(known)
	for i := range known {
		f.Add(uint8(i), uint8(0), []byte{}, []byte{})
		f.Add(uint8(i), uint8(1), []byte{11, 100, 1, 0, 40, 9, 2, 200, 3, 4, 70, 80, 10, 30, 5, 8, 160, 0}, []byte("é\U0001F600"))
		f.Add(uint8(i), uint8(2), []byte{3, 10, 1, 5, 128, 90, 11, 180, 15, 6, 220, 0}, []byte("\xff\x00"))
	}
	p := languages.NewParser()
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, n, which uint8, recipe, extra []byte) {
		if len(recipe) > 60 || len(extra) > 64 {
			return
		}
		language := known[int(n)%len(known)]
		of := all[language]
		s, other := of[int(which)%len(of)], of[(int(which)+1)%len(of)]
		src := mutated(s.tokens, other.tokens, recipe, extra)
		if len(src) > 64<<10 {
			return
		}
		began := time.Now()
		holdsSource(t, p, language, s, src)
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s: %d bytes took %v: %.3000q", language, len(src), took, src)
		}
	})
}

// holdsSource checks what must hold of any text in a language.
func holdsSource(t *testing.T, p *syntax.Parser, language string, s sample, src []byte) {
	kept := slices.Clone(src)
	file, tree := p.ParseTree(language, src)
	low := lower.File(&file, tree)
	bones, whole := p.Skeleton(language, src, true)
	if !bytes.Equal(src, kept) {
		t.Fatalf("%s: the text was changed: %q", language, kept)
	}
	fresh := languages.NewParser()
	defer fresh.Close()
	again, tree2 := fresh.ParseTree(language, src)
	low2 := lower.File(&again, tree2)
	bones2, whole2 := fresh.Skeleton(language, src, true)
	if diff := cmp.Diff(file, again); diff != "" {
		t.Errorf("%s: read in two ways: %q\n%s", language, src, diff)
	}
	if diff := cmp.Diff(bones, bones2); diff != "" || whole != whole2 {
		t.Errorf("%s: two skeletons: %q\n%s", language, src, diff)
	}
	if !bytes.Equal(coded(low), coded(low2)) {
		t.Errorf("%s: lowered in two ways: %q", language, src)
	}
	lines := 1 + bytes.Count(src, []byte("\n"))
	holdsSymbols(t, &file, src, lines)
	at := 0
	for _, l := range bones.Lines {
		if l.Line <= at || l.Line > lines || strings.Contains(l.Text, "\n") {
			t.Errorf("%s: a line %d of a skeleton after %d, of %d: %q", language, l.Line, at, lines, src)
		}
		at = l.Line
	}
	holdsChunks(t, &file, src)
	if low == nil {
		return
	}

	// The graph of the file as it was, and then is, is that of a new one.
	g := graph.New()
	defer func() {
		if v := recover(); v != nil {
			t.Fatalf("%s %s: %v: %q", language, s.name, v, src)
		}
	}()
	before, tree := p.ParseTree(language, bytes.Join(s.tokens, nil))
	if was := lower.File(&before, tree); was != nil {
		g.Put(s.name, was)
		g.Put("other/"+s.name, was)
	}
	g.Resolve()
	g.Put(s.name, low)
	g.Resolve()
	h := graph.New()
	before, tree = p.ParseTree(language, bytes.Join(s.tokens, nil))
	if was := lower.File(&before, tree); was != nil {
		h.Put("other/"+s.name, was)
	}
	h.Put(s.name, low2)
	h.Resolve()
	got, want := described(g), described(h)
	if !slices.Equal(got, want) {
		difference(t, got, want)
		t.Errorf("%s %s: updated differently: %q", language, s.name, src)
	}
	if _, err := restored(saved(h)); err != nil {
		t.Errorf("%s %s: saved, and not restored: %v: %q", language, s.name, err, src)
	}
}

// coded is a file's representation as it is saved; nil has none.
func coded(f *ir.File) []byte {
	if f == nil {
		return nil
	}
	var e snapshot.Encoder
	f.Save(&e)
	return e.Bytes()
}

// holdsSymbols: offsets and lines are of the text, in order, and symbols contain each
// other or do not touch.
func holdsSymbols(t *testing.T, f *syntax.File, src []byte, lines int) {
	t.Helper()
	start := 0
	var open []int
	for _, s := range f.Symbols {
		if s.Start < start || s.Start >= s.End || s.End > len(src) || s.DocStart < 0 || s.DocStart > s.Start || s.DocAt > s.DocTo || s.DocTo > len(src) ||
			s.Name == "" || s.Signature == "" || s.Line < 1 || s.EndLine < s.Line || s.EndLine > lines || s.NameLine < s.Line || s.NameLine > s.EndLine {
			t.Errorf("%s: %+v in %q", f.Language, s, src)
		}
		start = s.Start
		for len(open) > 0 && open[len(open)-1] <= s.Start {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && s.End > open[len(open)-1] {
			t.Errorf("%s: %s reaches out of what it is in: %q", f.Language, s.Name, src)
		}
		open = append(open, s.End)
	}
	at := 0
	text := utf8.Valid(src) // else names have a sign for what is none
	for _, r := range f.Refs {
		if r.Offset < at || r.Offset >= len(src) || text && !bytes.HasPrefix(src[r.Offset:], []byte(r.Name)) || r.Name == "" || r.Line < 1 || r.Line > lines {
			t.Errorf("%s: %+v in %q", f.Language, r, src)
		}
		at = r.Offset
	}
	for _, i := range f.Imports {
		if i.Line < 1 || i.Line > lines {
			t.Errorf("%s: %+v in %q", f.Language, i, src)
		}
	}
	if f.HeadEnd < 0 || f.HeadEnd > len(src) {
		t.Errorf("%s: the head ends at %d: %q", f.Language, f.HeadEnd, src)
	}
}

// holdsChunks: chunks hold every byte that is not white space, once, and are small.
func holdsChunks(t *testing.T, f *syntax.File, src []byte) {
	t.Helper()
	at := 0
	for _, c := range chunk.Split(f, src) {
		if c.Start < at || c.End <= c.Start || c.End > len(src) || c.End-c.Start > chunk.Limit || c.Lead < c.Start || c.Lead >= c.End || c.Symbol >= len(f.Symbols) {
			t.Fatalf("%s: chunk %+v after byte %d of %q", f.Language, c, at, src)
		}
		if lost := bytes.TrimSpace(src[at:c.Start]); len(lost) > 0 {
			t.Errorf("%s: lost %q of %q", f.Language, lost, src)
		}
		at = c.End
	}
	if lost := bytes.TrimSpace(src[at:]); len(lost) > 0 {
		t.Errorf("%s: lost %q at the end of %q", f.Language, lost, src)
	}
}

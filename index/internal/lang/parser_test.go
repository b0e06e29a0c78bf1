package lang

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang/langtest"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

const goSource = "package a\n\n// F is f.\nfunc F() { g() }\n\ntype T struct{ a int }\n"

func newParser(t *testing.T) *syntax.Parser {
	p := NewParser()
	t.Cleanup(p.Close)
	return p
}

// A text that is nothing but brackets is parsed, or given up, in time that grows with its
// length at most.
func TestParserBrackets(t *testing.T) {
	p := newParser(t)
	for _, language := range []string{"python", "go", "cpp"} {
		parse := func(size int) {
			if f := p.Parse(language, bytes.Repeat([]byte("("), size)); !f.Errors {
				t.Errorf("%s: no errors", language)
			}
		}
		if long, short, found := langtest.Superlinear(1<<20, parse); found {
			t.Errorf("%s: a megabyte of brackets took %v, and an eighth of it %v", language, long, short)
		}
	}
	if f := p.Parse("go", []byte(goSource)); f.Errors || len(f.Symbols) != 3 {
		t.Errorf("afterwards: %+v", f)
	}
}

func TestParserText(t *testing.T) {
	p := newParser(t)
	tests := []struct {
		name, language, src string
		want                []syntax.Symbol
		head                int
	}{
		{name: "empty", language: "go"},
		{name: "blank", language: "python", src: " \n\n"},
		{name: "no language", src: "func f() {}"},
		{name: "json", language: "json", src: `{"function f": 1}`},
		{
			name: "crlf", language: "go", src: "package a\r\n\r\n// F is\r\n// f.\r\nfunc F(\r\n) {\r\n}\r\n",
			want: []syntax.Symbol{{Name: "F", Kind: syntax.Function, Signature: "func F( )", Doc: "F is\nf.", Start: 29, End: 44, DocStart: 13, DocAt: 13, DocTo: 27,
				Line: 5, EndLine: 7, NameLine: 5, Exported: true}},
			head: 9,
		},
		{
			name: "byte order mark", language: "python", src: "\uFEFFdef f():\n    pass\n",
			want: []syntax.Symbol{{Name: "f", Kind: syntax.Function, Signature: "def f():", Start: 3, End: 20, DocStart: 3, DocAt: 3, DocTo: 3, Line: 1, EndLine: 2, NameLine: 1, Exported: true}},
			head: 3,
		},
		{
			name: "no line break at the end", language: "c", src: "int f(void);",
			want: []syntax.Symbol{{Name: "f", Kind: syntax.Function, Signature: "int f(void);", End: 12, Line: 1, EndLine: 1, NameLine: 1, Exported: true}},
		},
		{
			name: "broken", language: "javascript", src: "function ok() {}\n)))\nclass A { m( {} }\nfunction after() {}\n",
			want: nil, head: -1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := p.Parse(tt.language, []byte(tt.src))
			if tt.head < 0 {
				if !f.Errors || len(f.Symbols) < 2 || f.Symbols[0].Name != "ok" {
					t.Errorf("got %+v", f)
				}
				return
			}
			if d := cmp.Diff(tt.want, f.Symbols); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if f.HeadEnd != tt.head {
				t.Errorf("head ends at %d, want %d", f.HeadEnd, tt.head)
			}
		})
	}
}

// Whatever the bytes are, nothing may panic and every offset lies in the text.
func TestParserAnyBytes(t *testing.T) {
	p := newParser(t)
	texts := []string{"\xff\xfe\x00def \xc3(x):\n\tpass", "class \xe2\x82 { int \xf0; }", "func \x80() {}\x00\x00", "\xef\xbb", "#\xff\n\"\xff", strings.Repeat("\xc3\x28", 500)}
	for _, language := range append(All().Names(), "haskell", "zig", "unheard-of") {
		for _, text := range texts {
			f := p.Parse(language, []byte(text))
			for _, s := range f.Symbols {
				if s.Start < 0 || s.DocStart > s.Start || s.End > len(text) || s.Signature == "" || s.Line < 1 {
					t.Errorf("%s %q: %+v", language, text, s)
				}
				if all := s.Name + s.Signature + s.Doc + s.Parent; strings.ToValidUTF8(all, "") != all {
					t.Errorf("%s %q: no UTF-8 in %+v", language, text, s)
				}
			}
		}
	}
}

// The result must not refer to the text, which the caller may reuse.
func TestParserKeepsNothing(t *testing.T) {
	p := newParser(t)
	for language, text := range map[string]string{
		"go":     goSource + "import x \"a/b\"\nvar v = x.F(T{})\n",
		"python": "# c\nimport a.b as d\nfrom e import f\n@g.h\nclass C(D.E):\n    '''Doc.'''\n    x: int = 1\n",
		"zig":    "/// Doc.\npub fn f() void {\n}\n",
	} {
		src := []byte(text)
		f := p.Parse(language, src)
		for i := range src {
			src[i] = '?'
		}
		if d := cmp.Diff(newParser(t).Parse(language, []byte(text)), f); d != "" {
			t.Errorf("%s: changed with its text, -want +got:\n%s", language, d)
		}
	}
}

func TestSignatureLength(t *testing.T) {
	p := newParser(t)
	src := "func f(" + strings.Repeat("é int, ", 200) + ") {}\n// " + strings.Repeat("ü", 3000) + "\nfunc g() {}\n"
	f := p.Parse("go", []byte(src))
	if len(f.Symbols) != 2 {
		t.Fatalf("got %d symbols", len(f.Symbols))
	}
	if n := len(f.Symbols[0].Signature); n > 300 || n < 296 {
		t.Errorf("signature has %d bytes", n)
	}
	if n := len(f.Symbols[1].Doc); n != 2000 {
		t.Errorf("doc has %d bytes", n)
	}
	if !strings.HasSuffix(f.Symbols[1].Doc, "ü") {
		t.Error("doc is cut inside a rune")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(0, []byte(goSource))
	languages := append(All().Names(), "haskell", "perl", "")
	for _, text := range []string{
		"---\na: b\n---\n# A #\n> 1. B\n>    ===\n\n[a]: b\n(c)\nD\n---\n",
		"- ```\n  # a\n\n+\t- <pre>\n\t  # b\n***\n~~~~\n~~~\n",
	} {
		f.Add(slices.Index(languages, "markdown"), []byte(text))
	}
	for _, text := range []string{
		"<ul id=a><li id='b'><p>c<h1 id>D &amp; e</h1></ul><link href=\"f.css\"/><!-- g",
		"<script src=\"a.js\"></script ><tr><td id=b><td></table></x><noscript><img id=c/",
	} {
		f.Add(slices.Index(languages, "html"), []byte(text))
	}
	p := NewParser()
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, n int, src []byte) {
		language := languages[uint(n)%uint(len(languages))]
		for _, s := range p.Parse(language, src).Symbols {
			if s.Start >= s.End || s.End > len(src) || s.Name == "" {
				t.Errorf("%s: %+v", language, s)
			}
		}
	})
}

// TestLibraryOnly: all sources have the same tree and the same symbols where the library
// alone parses them.
func TestLibraryOnly(t *testing.T) {
	names, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	own, library := newParser(t), newParser(t)
	library.LibraryOnly = true
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		language := filepath.Base(filepath.Dir(name))
		for _, f := range archive.Files {
			want, wanted := own.ParseTree(language, f.Data)
			got, tree := library.ParseTree(language, f.Data)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: %s: -want +got:\n%s", name, f.Name, d)
			}
			if wanted != nil && !same(tree, wanted) {
				t.Errorf("%s: %s: another tree", name, f.Name)
			}
		}
	}
}

// same reports whether two trees have the same nodes.
func same(a, b *syntax.Tree) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		n := syntax.Node(i + 1)
		if a.Kind(n) != b.Kind(n) || a.Field(n) != b.Field(n) || a.Start(n) != b.Start(n) || a.End(n) != b.End(n) ||
			a.Named(n) != b.Named(n) || a.Missing(n) != b.Missing(n) || !slices.Equal(slices.Collect(a.Children(n)), slices.Collect(b.Children(n))) {
			return false
		}
	}
	return true
}

// Below the levels that are copied nothing is found, and above them everything.
func TestDeepTree(t *testing.T) {
	p := newParser(t)
	const deep = 20_000
	src := "package a\n\nfunc f() {}\n\nvar x = " + strings.Repeat("(", deep) + "g()" + strings.Repeat(")", deep) + "\n\nfunc h() { i() }\n"
	f := p.Parse("go", []byte(src))
	var names []string
	for _, s := range f.Symbols {
		names = append(names, s.Name)
	}
	for _, r := range f.Refs {
		names = append(names, r.Name)
	}
	if got := fmt.Sprint(names); got != "[f x h i]" || !f.Grammar {
		t.Errorf("got %s, grammar %v", got, f.Grammar)
	}
}

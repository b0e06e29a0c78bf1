package syntax

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzMask: what a parser is shown instead of a text has its length, its lines and no
// byte that would move one; and the text stays as it is.
func FuzzMask(f *testing.F) {
	masked := map[string]bool{}
	var languages []string
	for _, name := range Languages() {
		if grammars[name].rules.mask != nil {
			languages = append(languages, name)
			masked[name] = true
		}
	}
	for i, language := range languages {
		names, err := filepath.Glob("testdata/" + language + "/*.txtar")
		if err != nil || len(names) == 0 {
			f.Fatalf("there are no sources of %s: %v", language, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range txtar.Parse(text).Files {
				if file.Name != "want" && file.Name != "skeleton" {
					f.Add(uint8(i), file.Data)
				}
			}
		}
		f.Add(uint8(i), []byte("<script>#[cfg(a)]{ constructor(\nfun (a).b(): new(-- [==["))
		f.Add(uint8(i), []byte("r#\"\n'\n/*\n\"\"\"${\n"))
	}
	f.Fuzz(func(t *testing.T, n uint8, src []byte) {
		language := languages[int(n)%len(languages)]
		kept := bytes.Clone(src)
		seen := grammars[language].rules.masked(src)
		if !bytes.Equal(src, kept) {
			t.Fatalf("%s: the text became %q, was %q", language, src, kept)
		}
		if len(seen) != len(src) {
			t.Fatalf("%s: %d bytes for %d of %q", language, len(seen), len(src), src)
		}
		for i := range src {
			if (src[i] == '\n') != (seen[i] == '\n') {
				t.Fatalf("%s: another line ends at %d: %q for %q", language, i, seen, src)
			}
		}
	})
}

// FuzzGo: the reader of Go takes no text whose tree is another one to the library, and
// ends with any text.
func FuzzGo(f *testing.F) {
	for _, file := range goSources(f) {
		f.Add(file.Data)
	}
	f.Add([]byte("package a\nvar x = a[b[c]][d](*e.f[g])(nil)\n"))
	f.Add([]byte("package a\nfunc f(a, map[b]c) (d, func(e)) { if g.h {\n}\n{ i() } }\n"))
	c := newGoComparison(f)
	f.Fuzz(func(t *testing.T, src []byte) { c.compare(t, "fuzz", src) })
}

// FuzzGLR compares the trees of the parser by tables with the library's.
func FuzzGLR(f *testing.F) {
	var languages []string
	for _, name := range Languages() {
		if grammars[name].load != nil {
			languages = append(languages, name)
		}
	}
	for i, language := range languages {
		names, err := filepath.Glob("testdata/" + language + "/*.txtar")
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), archive.Files[0].Data)
		}
		f.Add(uint8(i), []byte("f(a, [b {c} \"d\n) <e> = 'g' /* h"))
	}
	c := newGLRComparison(f)
	f.Fuzz(func(t *testing.T, n uint8, src []byte) { c.compare(t, languages[int(n)%len(languages)], "fuzz", src) })
}

// FuzzProse: of a comment, whatever it is, only what is said is left.
func FuzzProse(f *testing.F) {
	for i := range Languages() {
		f.Add(uint8(i), "/** Adds.\n * @param a b */")
		f.Add(uint8(i), "// Adds.\n// More.\n#!/x\n--[[ y ]]")
		f.Add(uint8(i), "\"\"\"Adds.\n\n    More.\n\"\"\"\xff")
	}
	languages := Languages()
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		got := Prose(languages[int(n)%len(languages)], []byte(text))
		if len(got) > maxDoc || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%q of %q", got, text)
		}
	})
}

package lang

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
	for _, name := range All().Names() {
		if l, _ := All().Language(name); l.Rules.Mask != nil {
			languages = append(languages, name)
			masked[name] = true
		}
	}
	for i, language := range languages {
		names, err := filepath.Glob("*/testdata/symbols/" + language + "/*.txtar")
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
		l, _ := All().Language(language)
		seen := l.Rules.Mask(src)
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

// FuzzProse: of a comment, whatever it is, only what is said is left.
func FuzzProse(f *testing.F) {
	for i := range All().Names() {
		f.Add(uint8(i), "/** Adds.\n * @param a b */")
		f.Add(uint8(i), "// Adds.\n// More.\n#!/x\n--[[ y ]]")
		f.Add(uint8(i), "\"\"\"Adds.\n\n    More.\n\"\"\"\xff")
	}
	languages := All().Names()
	f.Fuzz(func(t *testing.T, n uint8, text string) {
		got := All().Prose(languages[int(n)%len(languages)], []byte(text))
		if len(got) > 2000 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("%q of %q", got, text)
		}
	})
}

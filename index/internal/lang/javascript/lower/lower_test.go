package lower

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

var languages = map[string]string{
	".js": "javascript", ".ts": "typescript", ".tsx": "tsx", ".vue": "vue", ".svelte": "svelte",
}

// archives calls f with every source of the archives; what follows a source in
// its archive is the wanted dump.
func archives(t *testing.T, f func(t *testing.T, language string, src []byte, want *txtar.File)) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) == 0 || len(a.Files)%2 != 0 {
				t.Fatalf("%d files, want sources with a dump each", len(a.Files))
			}
			for i := 0; i < len(a.Files); i += 2 {
				language := languages[filepath.Ext(a.Files[i].Name)]
				if language == "" {
					t.Fatalf("%s: no such language", a.Files[i].Name)
				}
				f(t, language, a.Files[i].Data, &a.Files[i+1])
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestLower(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	archives(t, func(t *testing.T, language string, src []byte, want *txtar.File) {
		_, tree := p.ParseTree(language, src)
		got := []byte(ir.Dump(Lower(language, tree)))
		if *update {
			want.Data = got
		} else if !bytes.Equal(got, want.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", want.Name, got, want.Data)
		}
	})
}

// TestBroken lowers texts that end anywhere, and texts that begin anywhere: what
// is being typed must neither panic nor be lost.
func TestBroken(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	archives(t, func(t *testing.T, language string, src []byte, _ *txtar.File) {
		for at := 0; at < len(src); at += 7 {
			for _, text := range [][]byte{src[:at], src[at:]} {
				if _, tree := p.ParseTree(language, text); tree != nil {
					lowertest.Sound(t, Lower(language, tree), text)
				}
			}
		}
	})
}

// TestDeep lowers what is nested deeper than any program.
func TestDeep(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for _, text := range []struct{ open, shut string }{
		{"(", ")"}, {"[", "]"}, {"f(", ")"}, {"{", "}"}, {"x => ", ""}, {"!", "x"}, {"if (a) ", ""},
		{"a.b", ""}, {"function f() {", "}"}, {"a = ", ""}, {"class A { x = ", "}"}, {"a ? b : ", ""}, {"({a: ", "})"},
	} {
		src := append(bytes.Repeat([]byte(text.open), 3000), bytes.Repeat([]byte(text.shut), 3000)...)
		if _, tree := p.ParseTree("typescript", src); tree != nil {
			lowertest.Sound(t, Lower("typescript", tree), src)
		}
	}
}

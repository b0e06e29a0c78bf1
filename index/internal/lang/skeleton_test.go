package lang

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestSkeletonWithoutDocs(t *testing.T) {
	p := NewParser()
	defer p.Close()
	for _, tc := range []struct{ language, src, want string }{
		{"go", "// Copyright X.\n\n// Package a is a.\npackage a\n\n// F does.\nfunc F() int { // why\n\treturn 1\n}\n\n// end\n",
			"4 package a\n5 \n7 func F() int { ... }\n"},
		{"python", "def f():\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    return 1\n\nclass C:\n    '''Doc.'''\n    x = 1  # one\n",
			"1 def f(): ...\n7 \n8 class C:\n10     x = 1\n"},
		{"markdown", "# A\n\nOne.\n\nTwo.\n\n## B\n\nThree.\n",
			"1 # A\n2 \n3 ...\n6 \n7 ## B\n8 \n9 ...\n"},
		{"go", " \n", ""},
	} {
		s, ok := p.Skeleton(tc.language, []byte(tc.src), false)
		if !ok {
			t.Errorf("%s: no skeleton", tc.language)
		}
		var got strings.Builder
		for _, l := range s.Lines {
			fmt.Fprintf(&got, "%d %s\n", l.Line, l.Text)
		}
		if d := cmp.Diff(tc.want, got.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.language, d)
		}
	}
	if _, ok := p.Skeleton("perl", []byte("sub f { 1 }\n"), true); ok {
		t.Error("a skeleton without a grammar")
	}
}

// The time for a skeleton grows with the text, whatever it has most of: with the square of
// that it would be an hour.
func TestSkeletonOfManyParts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	p := NewParser()
	defer p.Close()
	for _, tc := range []struct {
		language, before, part string
		n, lines               int
	}{
		{"markdown", "", "# a\n", 500_000, 500_000},
		{"go", strings.Repeat("\n", 1_000_000), "//\n\n\n", 250_000, 2*250_000 - 1},
	} {
		s, ok := p.Skeleton(tc.language, []byte(tc.before+strings.Repeat(tc.part, tc.n)), true)
		if !ok || len(s.Lines) != tc.lines {
			t.Errorf("%s: %d lines, want %d", tc.language, len(s.Lines), tc.lines)
		}
	}
}

// Whatever the text: lines rise, each is one of the text's, begins as that one
// does or is a mark, and nothing grows beyond its marks.
func TestSkeletonOfBrokenText(t *testing.T) {
	paths, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser()
	defer p.Close()
	n := 0
	for _, path := range paths {
		language := filepath.Base(filepath.Dir(path))
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		src := a.Files[0].Data
		for end := len(src); end > 0; end -= 1 + len(src)/7 {
			text := src[:end]
			s, ok := p.Skeleton(language, text, end%2 == 0)
			if !ok {
				continue
			}
			n++
			lines := strings.Split(string(text), "\n")
			last := 0
			for _, l := range s.Lines {
				if l.Line < last || l.Line < 1 || l.Line > len(lines) {
					t.Fatalf("%s, %d bytes: line %d after %d of %d", path, end, l.Line, last, len(lines))
				}
				last = l.Line
				words, had := strings.Fields(l.Text), strings.Fields(lines[l.Line-1])
				if len(words) > 0 && words[0] != "..." && (len(had) == 0 || words[0] != had[0]) {
					t.Errorf("%s, %d bytes: line %d is %q, was %q", path, end, l.Line, l.Text, lines[l.Line-1])
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d skeletons", n)
	}
}

package glr

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/ruby"
)

// A scanner that writes more than it may is refused, also one that nobody knows to do so:
// these are as their grammars have them. The library is not asked, which has less room.
func TestScannerRefused(t *testing.T) {
	p := NewParser()
	defer p.Close()
	p.Limit = time.Minute
	for _, test := range []struct {
		language string
		load     func() *sitter.Language
		text     string // of which n letters are an end's name
		n        int
		want     Result
	}{
		{"bash", bash.GetLanguage, "cat <<%[1]s\na\n%[1]s\n", 1012, Whole},
		{"bash", bash.GetLanguage, "cat <<%[1]s\na\n%[1]s\n", 1013, Refused},
		{"bash", bash.GetLanguage, "cat <<%[1]s\na\n%[1]s\n", 1015, Refused},
		{"ruby", ruby.GetLanguage, "x = <<~%[1]s\na\n%[1]s\n", 1019, Refused},
	} {
		src := []byte(fmt.Sprintf(test.text, strings.Repeat("W", test.n)))
		if _, got := p.ByTables(nil, newGrammar(test.language, completed(t, test.load())), src); got != test.want {
			t.Errorf("%s, %d letters: %d, want %d", test.language, test.n, got, test.want)
		}
	}
}

// With LibraryOnly the library makes the same tree, and the tables are not asked.
func TestLibraryOnly(t *testing.T) {
	g, err := Load("ruby", ruby.GetLanguage())
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser()
	defer p.Close()
	for text, want := range map[string]Result{"def a\n  b\nend\n": Whole, "def a\n  b(\nend end\n": Broken} {
		p.LibraryOnly = false
		own, result := p.Parse(nil, g, []byte(text))
		if result != want || p.library[g] != nil {
			t.Fatalf("%q: %d, want %d; the library was asked: %v", text, result, want, p.library[g] != nil)
		}
		p.LibraryOnly = true
		tree, result := p.Parse(nil, g, []byte(text))
		if result != want || p.library[g] == nil || !slices.Equal(own, tree) {
			t.Errorf("%q: %d, want %d; the library was asked: %v; same tree: %v", text, result, want, p.library[g] != nil, slices.Equal(own, tree))
		}
		p.library[g].Close()
		delete(p.library, g)
	}
}

// A text may take as long as its size allows: less than the limit when it is small, never
// more, and never less than what a busy machine needs.
func TestBudget(t *testing.T) {
	p := NewParser()
	defer p.Close()
	last := time.Duration(0)
	for size := 0; size <= 2*full; size += 1 << 10 {
		b := p.budget(size)
		if b < last || b < least || b > TimeLimit || size >= full && b != TimeLimit {
			t.Errorf("%d bytes: %v, after %v", size, b, last)
		}
		last = b
	}
	if b := p.budget(530); b > TimeLimit/4 {
		t.Errorf("530 bytes: %v of %v", b, TimeLimit)
	}
	p.Limit = time.Microsecond
	if b := p.budget(1); b != time.Microsecond {
		t.Errorf("a limit of a microsecond: %v", b)
	}
}

package glr

import (
	"fmt"
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
		if _, got := p.ByTables(nil, newGrammar(test.language, test.load()), src); got != test.want {
			t.Errorf("%s, %d letters: %d, want %d", test.language, test.n, got, test.want)
		}
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

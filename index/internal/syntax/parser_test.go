package syntax

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/smacker/go-tree-sitter/python"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

const functions = "(function_definition name: (_) @name body: (_) @body) @def.function"

// After the operation limit the same parser must read the next file from its
// beginning, not go on with the old one.
func TestParserAfterLimit(t *testing.T) {
	p := NewLanguages(Language{Name: "python", Grammar: python.GetLanguage, Query: functions}).NewParser()
	defer p.Close()
	const source = "def F():\n    g()\n\nclass T:\n    a = 1\n"
	want := p.Parse("python", []byte(source))
	p.glr.Limit = time.Microsecond
	big := bytes.Repeat([]byte("def f(x): return g(x, 1)\n"), 20000)
	f := p.Parse("python", big)
	if !f.Errors || f.Grammar {
		t.Fatalf("limit of 1us was not hit: errors %v, grammar %v", f.Errors, f.Grammar)
	}
	if len(f.Symbols) != 20000 {
		t.Errorf("patterns found %d functions, want 20000", len(f.Symbols))
	}
	p.glr.Limit = glr.TimeLimit
	if d := cmp.Diff(want, p.Parse("python", []byte(source))); d != "" {
		t.Errorf("after the limit -want +got:\n%s", d)
	}
}

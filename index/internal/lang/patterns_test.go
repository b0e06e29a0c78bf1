package lang

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/quarry-search/quarry/index/internal/lang/javascript"
	"github.com/quarry-search/quarry/index/internal/lang/patterned"
	"github.com/quarry-search/quarry/index/internal/syntax/pattern"
)

// TestExpressionWords: a line that has none of an expression's words is not matched by it.
func TestExpressionWords(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	names, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	passed, matched, filtered, all := 0, 0, 0, 0
	sets := map[string]*pattern.Compiled{"": pattern.Common().Compile()}
	for _, l := range append(patterned.Languages(), javascript.Languages()...) {
		if l.Patterns != nil {
			sets[l.Name] = l.Patterns.Compile()
		}
	}
	for _, set := range sets {
		for _, p := range set.Definitions {
			all++
			if len(p.Expression.Words) > 0 {
				filtered++
			}
		}
	}
	if filtered < all*3/5 {
		t.Errorf("%d of %d expressions have words", filtered, all)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			line = bytes.TrimRight(line, "\r\n")
			for language, set := range sets {
				for _, p := range set.Definitions {
					switch {
					case p.Expression.Match(line):
						matched++
						if !p.Expression.Possible(line) {
							t.Fatalf("%s: %q: %v has none of %q", language, line, p.Expression, p.Expression.Words)
						}
					case !p.Expression.Possible(line):
						passed++
					}
				}
			}
		}
	}
	if passed < 10*matched || matched == 0 {
		t.Errorf("%d lines were passed over, %d matched", passed, matched)
	}
}

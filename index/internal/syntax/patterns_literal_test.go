package syntax

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestExpressionWords: a line that has none of an expression's words is not matched by it.
func TestExpressionWords(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	passed, matched, filtered, all := 0, 0, 0, 0
	for _, set := range patternSets() {
		for _, p := range set.patterns {
			all++
			if len(p.is.words) > 0 {
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
			for language, set := range patternSets() {
				for _, p := range set.patterns {
					switch {
					case p.is.Match(line):
						matched++
						if !p.is.possible(line) {
							t.Fatalf("%s: %q: %v has none of %q", language, line, p.is, p.is.words)
						}
					case !p.is.possible(line):
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

package flow

import (
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/flow/taint"
)

// TestTables reads the table of each language, and finds what is in no known group, or twice in one.
func TestTables(t *testing.T) {
	with := 0
	tables, err := Tables()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range Languages() {
		table := tables[lang]
		if len(table.Sinks) > 0 {
			with++
		}
		for _, part := range []struct {
			groups map[string][]taint.Pattern
			names  []string
		}{{table.Sources, taint.Groups()}, {table.Sinks, taint.Presets()}, {table.Sanitizers, append(taint.Presets(), taint.All)}, {map[string][]taint.Pattern{"": table.Carriers}, []string{""}}} {
			for name, list := range part.groups {
				if !slices.Contains(part.names, name) {
					t.Errorf("%s: there is no group %q", lang, name)
				}
				seen := map[string]bool{}
				for _, p := range list {
					if seen[p.Text] {
						t.Errorf("%s, %s: %s is there twice", lang, name, p.Text)
					}
					seen[p.Text] = true
				}
			}
		}
	}
	if with != len(Languages())-1 { // all but Bash
		t.Errorf("%d of %d languages have sinks", with, len(Languages()))
	}
}

package index

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/dead"
)

// TestDead asks for the dead code of each archive in dead/testdata, by the queries of its file
// "ask", one in a line. A line of "want" is a finding: its confidence, kind, place and reason,
// what it is dead with, and what could still use it.
func TestDead(t *testing.T) {
	names, err := filepath.Glob("dead/testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			x, a := plain(t, name)
			var got strings.Builder
			for line := range strings.Lines(part(a, "ask")) {
				fmt.Fprintf(&got, "\n> %s\n", strings.TrimSpace(line))
				var q dead.Query
				if err := json.Unmarshal([]byte(line), &q); err != nil {
					t.Fatal(err)
				}
				found, err := x.Dead(t.Context(), q)
				if err != nil {
					fmt.Fprintf(&got, "%T: %v\n", err, err)
					continue
				}
				for _, f := range found.Dead {
					fmt.Fprintf(&got, "%s %s %s:%d %s %s", f.Confidence, f.Kind, f.File, f.Line, f.Symbol, f.Reason)
					if f.Root != nil {
						fmt.Fprintf(&got, " with %s", f.Root.Symbol)
					}
					if f.Why != "" {
						fmt.Fprintf(&got, "; but %s", f.Why)
					}
					got.WriteByte('\n')
				}
			}
			golden(t, name, a, got.String())
		})
	}
}

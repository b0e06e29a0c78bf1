package index

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/dead"
)

// TestDead asks for the dead code of each archive in dead/testdata, by the queries of its file
// "ask", one in a line. A line of "want" is a finding: its confidence, kind, place and reason,
// what it is dead with, and what could still use it. Of the kinds within files it says what was not looked at.
func TestDead(t *testing.T) {
	asked(t, "dead/testdata/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, line string, got *strings.Builder) error {
		var q dead.Query
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		found, err := x.Dead(t.Context(), q)
		if err != nil {
			return err
		}
		for _, f := range found.Dead {
			fmt.Fprintf(got, "%s %s %s:%d %s %s", f.Confidence, f.Kind, f.File, f.Line, f.Symbol, f.Reason)
			if f.Root != nil {
				fmt.Fprintf(got, " with %s", f.Root.Symbol)
			}
			if f.Why != "" {
				fmt.Fprintf(got, "; but %s", f.Why)
			}
			got.WriteByte('\n')
		}
		if slices.Contains([]string{dead.KindAssignment, dead.KindImport, dead.KindParameter}, q.Kind) {
			for _, what := range found.NotLooked {
				fmt.Fprintf(got, "not looked at: %s\n", what)
			}
			fmt.Fprintf(got, "%d of %v\n", found.Total, found.Looked)
		}
		return nil
	})
}

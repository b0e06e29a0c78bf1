package index

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/treemap"
)

// TestTreemap asks for the trees of each archive in treemap/testdata, by the queries of its file
// "ask", one in a line. A line of "want" is a node, further in for what it is in.
func TestTreemap(t *testing.T) {
	asked(t, "treemap/testdata/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, line string, got *strings.Builder) error {
		var q treemap.Query
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		a, err := x.Treemap(t.Context(), q)
		if err != nil {
			return err
		}
		depth := map[string]int{}
		for _, n := range a.Nodes {
			depth[n.Path] = depth[n.Parent] + 1
			fmt.Fprintf(got, "%s%s %s: %d files, %d lines, %d bytes, %s", strings.Repeat("  ", depth[n.Path]-1), n.Path, n.Kind, n.Files, n.Lines, n.Bytes, n.Lang)
			if n.FanIn != nil {
				fmt.Fprintf(got, ", used by %d", *n.FanIn)
			}
			if n.Churn != nil {
				fmt.Fprintf(got, ", changed by %d", *n.Churn)
			}
			for _, reason := range slices.Sorted(maps.Keys(n.LeftOut)) {
				fmt.Fprintf(got, ", %s %d", reason, n.LeftOut[reason])
			}
			if n.Test {
				got.WriteString(", test")
			}
			if n.Open {
				fmt.Fprintf(got, ", open")
			}
			fmt.Fprintf(got, ", %d inside\n", n.Inside)
		}
		fmt.Fprintf(got, "of %d, %v, complete %t %q, not looked at: %q\n", a.Total, a.Languages, a.Complete, a.Because, a.NotLookedAt)
		return nil
	})
}

package index

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/subgraph"
)

// TestSubgraph asks for the graphs of each archive in subgraph/testdata, by the queries of its file
// "ask", one in a line. A line of "want" is a node or, further in, an edge with its call sites; the
// last says how many nodes and edges there are without a limit, and why the answer is not complete.
func TestSubgraph(t *testing.T) {
	asked(t, "subgraph/testdata/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, line string, got *strings.Builder) error {
		var q subgraph.Query
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		a, err := x.Subgraph(t.Context(), q)
		if err != nil {
			return err
		}
		for _, n := range a.Nodes {
			fmt.Fprintf(got, "%d %s %s %s %s", n.Depth, n.Side, n.ID, n.Kind, n.Symbol)
			if n.Count > 1 {
				fmt.Fprintf(got, " x%d", n.Count)
			}
			if n.Test {
				got.WriteString(" test")
			}
			got.WriteByte('\n')
		}
		for _, e := range a.Edges {
			fmt.Fprintf(got, "    %s -> %s %s %s x%d", e.From, e.To, e.Kind, e.Confidence, e.Count)
			if e.Ambiguous {
				got.WriteString(" ambiguous")
			}
			if e.Path {
				got.WriteString(" path")
			}
			for _, s := range e.Sites {
				fmt.Fprintf(got, " :%d", s.Line)
				if s.Text != "" {
					fmt.Fprintf(got, " %q", s.Text)
				}
			}
			got.WriteByte('\n')
		}
		fmt.Fprintf(got, "of %d and %d, complete %t %q", a.Total, a.TotalEdges, a.Complete, a.Because)
		if a.Backward {
			got.WriteString(", backward")
		}
		got.WriteByte('\n')
		return nil
	})
}

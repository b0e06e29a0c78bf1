package index

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/flow"
)

// TestFlows asks for the paths of values through each archive in testdata/flows, by the queries of
// its file "ask", one in a line.
func TestFlows(t *testing.T) {
	names, err := filepath.Glob("testdata/flows/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			x, a := plain(t, name)
			var got strings.Builder
			for line := range strings.Lines(part(a, "ask")) {
				fmt.Fprintf(&got, "> %s\n", strings.TrimSpace(line))
				var q flow.FlowsQuery
				if err := json.Unmarshal([]byte(line), &q); err != nil {
					t.Fatal(err)
				}
				found, err := x.Flows(t.Context(), q)
				if err != nil {
					fmt.Fprintf(&got, "%T: %v\n", err, err)
					continue
				}
				flowsText(&got, &found)
			}
			golden(t, name, a, got.String())
		})
	}
}

func flowsText(b *strings.Builder, a *flow.FlowsAnswer) {
	for _, f := range a.Flows {
		fmt.Fprintf(b, "%s %s: %s:%d %s -> %s:%d %s\n", f.Preset, f.Confidence, f.Source.File, f.Source.Line, f.Source.Name, f.Sink.File, f.Sink.Line, f.Sink.Name)
		for _, s := range f.Steps {
			fmt.Fprintf(b, "\t%s:%d %s\t# %s", s.File, s.Line, s.Text, s.Reason)
			if s.Name != "" {
				fmt.Fprintf(b, " %s", s.Name)
			}
			if s.Variable != "" {
				fmt.Fprintf(b, " %s", s.Variable)
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, "%d of %d, %d sources, %d sinks, complete %v\n", len(a.Flows), a.Total, a.Sources, a.Sinks, a.Complete)
	for _, why := range a.Because {
		fmt.Fprintf(b, "\t%s\n", why)
	}
	for _, cut := range a.Cuts {
		fmt.Fprintf(b, "\tcut: %s\n", cut)
	}
}

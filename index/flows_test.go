package index

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/flow"
)

// TestFlows asks for the paths of values through each archive in testdata/flows, by the queries of
// its file "ask", one in a line.
func TestFlows(t *testing.T) {
	asked(t, "testdata/flows/*.txtar", "> %s\n", func(t *testing.T, x *Index, line string, got *strings.Builder) error {
		var q flow.FlowsQuery
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		found, err := x.Flows(t.Context(), q)
		if err == nil {
			flowsText(got, &found)
		}
		return err
	})
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

// TestFlowsBounds asks about functions that call each other and themselves, each with a longer part
// of an object: what is left out is said, and an answer is the same each time.
func TestFlowsBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("import os\nfrom flask import request\n\n\n")
	const n = 8
	for i := range n {
		fmt.Fprintf(&b, "def f%d(x, deep):\n    x.a%d = request.args['v']\n    x.next = x\n    x.b.c.d.e.f = deep\n    f%d(x, x)\n    f%d(x.next, deep)\n    os.system(deep)\n    return x.a%d\n\n\n", i, i, i, (i+1)%n, i)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "loop.py"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	x := build(t, root)
	for _, c := range []struct {
		q   flow.FlowsQuery
		cut string
	}{
		{flow.FlowsQuery{Preset: "exec", Functions: 3}, "functions"},
		{flow.FlowsQuery{Preset: "exec", Depth: 2}, "depth"},
		{flow.FlowsQuery{Preset: "exec", Depth: 20, Limit: 5}, "limit"},
	} {
		a, err := x.Flows(t.Context(), c.q)
		if err != nil || a.Complete || !a.Truncated || !slices.ContainsFunc(a.Cuts, func(cut answer.Cut) bool { return string(cut) == c.cut }) || len(a.Flows) == 0 {
			t.Errorf("%+v: %d flows, complete %v, %v, %v", c.q, len(a.Flows), a.Complete, a.Cuts, err)
		}
		again, err := x.Flows(t.Context(), c.q)
		if d := gocmp.Diff(a, again, cmpopts.IgnoreFields(a, "State")); d != "" || err != nil {
			t.Errorf("%+v: another answer: %v\n%s", c.q, err, d)
		}
	}
}

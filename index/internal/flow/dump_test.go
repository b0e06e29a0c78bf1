package flow_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var (
	dumpSources = flag.String("dump", "", "a file that names sources, a line for each: language, a tab, path")
	dumpTo      = flag.String("dump-to", "", "where the graphs of the functions in them are written, as lines of JSON")
)

// A dumped function, as quarry-lab flow and quarry-lab slices read it. Offsets are bytes.
type dumped struct {
	File       string     `json:"file"`
	Name       string     `json:"name"`
	Start      int        `json:"start"`
	End        int        `json:"end"`
	Module     bool       `json:"module,omitempty"`
	Steps      []dumpStep `json:"steps"`
	Vars       []string   `json:"vars"`
	Free       []bool     `json:"free"`
	Pairs      [][4]int   `json:"pairs"` // step and access of the definition, of the use
	Deps       [][4]int   `json:"deps"`  // from, on, reason, variable
	Gaps       []walk.Gap `json:"gaps"`
	Complexity int        `json:"complexity"`
}

type dumpStep struct {
	Kind   string        `json:"kind"`
	Start  int           `json:"start"`
	End    int           `json:"end"`
	Next   []dumpEdge    `json:"next"`
	Fall   int           `json:"fall"`
	Access []walk.Access `json:"access"`
}

type dumpEdge struct {
	To    int    `json:"to"`
	Kind  string `json:"kind"`
	Maybe bool   `json:"maybe,omitempty"`
}

// TestDump writes the graphs of all functions in some sources, for the oracles of quarry-lab.
func TestDump(t *testing.T) {
	if *dumpSources == "" || *dumpTo == "" {
		t.Skip("it runs with -dump and -dump-to")
	}
	list, err := os.ReadFile(*dumpSources)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(*dumpTo)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	p := lang.NewParser()
	defer p.Close()
	for line := range strings.Lines(string(list)) {
		language, path, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			t.Fatalf("what is %q?", line)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, tree := p.ParseTree(language, src)
		if tree == nil {
			t.Logf("%s is not parsed", path)
			continue
		}
		root := flow.Function{Node: tree.Root(), Start: tree.Start(tree.Root()), End: tree.End(tree.Root())}
		if err := dump(enc, path, language, tree, flow.Graph(language, tree, root), true); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// dump writes a graph and those of the functions inside, each made as if it were asked for.
func dump(enc *json.Encoder, path, language string, tree *syntax.Tree, g *walk.Graph, module bool) error {
	out := dumped{File: path, Name: g.Name, Start: g.Start, End: g.End, Module: module, Gaps: g.Gaps, Complexity: flow.ShapeOf(g).Complexity}
	for i := range g.Steps {
		s := &g.Steps[i]
		step := dumpStep{Kind: s.Kind.String(), Start: s.Start, End: s.End, Fall: s.Fall, Access: s.Access}
		for _, e := range s.Next {
			step.Next = append(step.Next, dumpEdge{e.To, e.Kind.String(), e.Maybe})
		}
		out.Steps = append(out.Steps, step)
	}
	for i := range g.Vars {
		out.Vars = append(out.Vars, g.Vars[i].Name)
		out.Free = append(out.Free, g.Vars[i].Free)
	}
	pairs, _ := flow.Reach(g)
	for _, p := range pairs {
		out.Pairs = append(out.Pairs, [4]int{p.Def.Step, p.Def.Access, p.Use.Step, p.Use.Access})
	}
	deps, _ := flow.Depend(g)
	for _, d := range deps {
		out.Deps = append(out.Deps, [4]int{d.From, d.On, int(d.Reason), int(d.Var)})
	}
	for _, in := range g.Nested {
		if in.Start == g.Start && in.End == g.End { // a class that is all of a file
			continue
		}
		f, ok := flow.At(language, tree, in.Start)
		if ok && f.Start == in.Start && f.End == in.End {
			in = flow.Graph(language, tree, f)
		}
		if err := dump(enc, path, language, tree, in, false); err != nil {
			return err
		}
	}
	return enc.Encode(out)
}

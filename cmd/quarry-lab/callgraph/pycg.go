package callgraph

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/index/calls"
)

// pycgOptions are the flags of `quarry-lab callgraph pycg`.
type pycgOptions struct {
	json, verbose bool
}

func newPyCGCommand() *cobra.Command {
	o := pycgOptions{}
	cmd := &cobra.Command{
		Use:   "pycg DIR",
		Short: "Compare with the micro-benchmark of PyCG",
		Long: `Pycg compares the calls of small Python projects with the call graphs that the
authors of PyCG wrote for them (Salis and others, "PyCG: Practical Call Graph
Generation in Python", 2021). DIR is a checkout of the repository vitsalis/PyCG, or
a folder with cases: each has its files and a callgraph.json.

Only calls of functions in the project by code in the project count, a pair of
functions once. Their graphs have no classes, so the making of an object counts
where the class has a constructor. A lambda is part of the function around it.`,
		Example: `  quarry-lab callgraph pycg ~/src/PyCG
  quarry-lab callgraph pycg ~/src/PyCG --verbose`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.verbose, "verbose", false, "list the edges that only one of the two has")
	return cmd
}

func (o *pycgOptions) run(cmd *cobra.Command, dir string) error {
	r, err := measurePyCG(cmd.Context(), dir)
	if err != nil {
		return err
	}
	if !o.verbose {
		r.Missing, r.Extra = nil, nil
	}
	if o.json {
		out := json.NewEncoder(cmd.OutOrStdout())
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	return r.write(cmd.OutOrStdout())
}

// A category is a group of cases, or all of them.
type category struct {
	Name      string  `json:"name"`
	Cases     int     `json:"cases"`
	Exact     int     `json:"exact"` // cases in which both graphs are the same
	Wanted    int     `json:"wanted"`
	Given     int     `json:"given"`
	Common    int     `json:"common"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
}

func (c *category) add(o category) {
	c.Cases += o.Cases
	c.Exact += o.Exact
	c.Wanted += o.Wanted
	c.Given += o.Given
	c.Common += o.Common
	c.Precision, c.Recall = share(c.Common, c.Given), share(c.Common, c.Wanted)
}

// A pycgResult is a comparison to print.
type pycgResult struct {
	Categories []category `json:"categories"`
	Total      category   `json:"total"`
	Missing    []string   `json:"missing,omitempty"`
	Extra      []string   `json:"extra,omitempty"`
}

func (r pycgResult) write(w io.Writer) (err error) {
	line := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	for _, e := range r.Missing {
		line("missing %s\n", e)
	}
	for _, e := range r.Extra {
		line("extra   %s\n", e)
	}
	line("%-14s %6s %6s %7s %7s %7s  %9s %9s\n", "category", "cases", "exact", "wanted", "given", "common", "precision", "recall")
	for _, c := range append(slices.Clone(r.Categories), r.Total) {
		line("%-14s %6d %6d %7d %7d %7d  %9.4f %9.4f\n", c.Name, c.Cases, c.Exact, c.Wanted, c.Given, c.Common, c.Precision, c.Recall)
	}
	return err
}

// graphFile is the name of a case's graph.
const graphFile = "callgraph.json"

// measurePyCG compares all cases below a folder.
func measurePyCG(ctx context.Context, dir string) (pycgResult, error) {
	if sub := filepath.Join(dir, "micro-benchmark", "snippets"); isFolder(sub) {
		dir = sub
	}
	r := pycgResult{Total: category{Name: "all"}}
	by := map[string]*category{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != graphFile {
			return err
		}
		at := filepath.Dir(p)
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		want, given, err := pycgCase(ctx, at)
		if err != nil {
			return fmt.Errorf("callgraph: case %s: %w", rel, err)
		}
		c := category{Name: path.Dir(rel), Cases: 1, Wanted: len(want), Given: len(given)}
		for _, e := range slices.Sorted(maps.Keys(want)) {
			if given[e] {
				c.Common++
			} else {
				r.Missing = append(r.Missing, rel+": "+e)
			}
		}
		for _, e := range slices.Sorted(maps.Keys(given)) {
			if !want[e] {
				r.Extra = append(r.Extra, rel+": "+e)
			}
		}
		if c.Common == c.Wanted && c.Common == c.Given {
			c.Exact = 1
		}
		if by[c.Name] == nil {
			by[c.Name] = &category{Name: c.Name}
		}
		by[c.Name].add(c)
		r.Total.add(c)
		return nil
	})
	if err == nil && r.Total.Cases == 0 {
		err = fmt.Errorf("callgraph: no %s below %s", graphFile, dir)
	}
	for _, c := range by {
		r.Categories = append(r.Categories, *c)
	}
	slices.SortFunc(r.Categories, func(a, b category) int { return cmp.Compare(a.Name, b.Name) })
	return r, err
}

func isFolder(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// pycgCase returns the edges that the authors of a case wrote, and Quarry's.
func pycgCase(ctx context.Context, dir string) (want, given map[string]bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, graphFile))
	if err != nil {
		return nil, nil, err
	}
	var graph map[string][]string
	if err := json.Unmarshal(text, &graph); err != nil {
		return nil, nil, err
	}
	modules, err := modulesIn(dir)
	if err != nil {
		return nil, nil, err
	}
	want = map[string]bool{}
	for from, list := range graph {
		for _, to := range list {
			if inModules(modules, from) && inModules(modules, to) {
				want[lambda.ReplaceAllString(from, "")+" -> "+lambda.ReplaceAllString(to, "")] = true
			}
		}
	}
	x, err := quarryIndex(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	defer x.Close()
	calls, err := quarryCalls(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	given = map[string]bool{}
	for _, e := range calls {
		if makesOnly(e) {
			continue
		}
		given[pythonName(e.From.File, e.From.Symbol)+" -> "+pythonName(*e.To.File, e.To.Symbol)] = true
	}
	return want, given, nil
}

// lambda is what PyCG adds to the name of a function for a lambda in it.
var lambda = regexp.MustCompile(`\.<lambda\d+>`)

// makesOnly reports whether an edge leads to a class without a constructor.
func makesOnly(e calls.CallEdge) bool {
	name := e.To.Symbol[strings.LastIndexByte(e.To.Symbol, '.')+1:]
	return e.Rule == "constructor" && name != "__init__" && name != "__new__"
}

// modulesIn returns the names of the modules below a folder.
func modulesIn(dir string) (map[string]bool, error) {
	modules := map[string]bool{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(p) != ".py" {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		modules[pythonName(filepath.ToSlash(rel), "")] = true
		return err
	})
	return modules, err
}

// inModules reports whether a dotted name is one of the modules or lies in one.
func inModules(modules map[string]bool, name string) bool {
	for name != "" {
		if modules[name] {
			return true
		}
		name = name[:max(0, strings.LastIndexByte(name, '.'))]
	}
	return false
}

// pythonName is the name that PyCG gives a symbol of a file.
func pythonName(file, symbol string) string {
	module := strings.TrimSuffix(file, ".py")
	module = strings.ReplaceAll(strings.TrimSuffix(module, "/__init__"), "/", ".")
	if symbol == "" {
		return module
	}
	return module + "." + symbol
}

package index

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/construct"
)

// hidden are the cases whose call is known to be lost while the answer calls itself
// complete, with the reason why that is not mended, by language and name.
var hidden = map[string]string{
	"cpp/handed out (template)": "arguments of templates outside of the index are not followed",
	"lua/handed out":            "what is known of a table is its name alone",
}

// TestConstructsComplete asks, for the cases of the table in docs/graph.md, who calls what is
// called: where the answer lacks the caller, it must not say that it is complete. The golden
// file has what is said of each, so that answers which are complete do not get lost either.
func TestConstructsComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	archives, err := filepath.Glob("internal/graph/testdata/constructs/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	var b strings.Builder
	known := maps.Clone(hidden)
	for _, archive := range archives {
		cases, err := construct.Read(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			name := construct.Language(archive) + "/" + c.Name
			found, complete, why := callersIn(t, c)
			said := map[bool]string{true: "found", false: "not found"}[found]
			if complete {
				said += ", complete"
			}
			fmt.Fprintf(&b, "%s: %s\n", name, said)
			for _, reason := range why {
				fmt.Fprintf(&b, "  %s\n", reason)
			}
			switch excuse := known[name]; {
			case complete && !found && excuse == "":
				t.Errorf("%s: complete without its caller", name)
			case excuse != "" && (!complete || found):
				t.Errorf("%s is no exception any more", name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("there is no case %s", name)
	}
	const golden = "testdata/constructs.golden"
	if updating() {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", golden, d)
	}
}

// callersIn asks for the callers of the targets of a case. found says that its caller is
// among them, complete that each answer says so, and why what they say otherwise. Of what has
// no name that can be asked for, nothing is complete.
func callersIn(t *testing.T, c *construct.Case) (found, complete bool, why []string) {
	t.Helper()
	root := t.TempDir()
	for _, f := range c.Files {
		write(t, root, f.Name, string(f.Data))
	}
	x, err := Open(root, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	targets, callers := sidesOf(x, c)
	if len(callers) == 0 {
		t.Errorf("%s: nothing calls", c.Name)
	}
	complete = len(targets) > 0
	for _, target := range targets {
		q := calls.CallsQuery{Target: target, Direction: calls.Callers, Limit: 1000}
		a, err := x.Calls(t.Context(), q)
		if err != nil {
			complete = false
			why = append(why, err.Error())
			continue
		}
		calls.Prepare(t.Context(), x.View)
		again, err := x.Calls(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(a.Completeness, again.Completeness); d != "" {
			t.Errorf("%s: with postings %s is said to be otherwise:\n%s", c.Name, target, d)
		}
		complete = complete && a.Complete
		why = append(why, a.Because...)
		for _, e := range slices.Concat(a.Edges, a.Ambiguous) {
			found = found || slices.Contains(callers, e.From)
		}
	}
	return found, complete, why
}

// sidesOf returns what to ask for to be told of the targets of a case, and the places of its
// callers as answers have them.
func sidesOf(x *Index, c *construct.Case) (targets []string, callers []answer.Place) {
	calls.ReadGraph(x.View, func(w *calls.Walk) {
		for _, f := range c.Files {
			if id := w.G.File(f.Name); id != 0 && c.Calls(*w.Node(id)) {
				callers = append(callers, w.Place(id))
			}
			for spot, ids := range w.G.NamedIn(f.Name) {
				for _, id := range ids {
					n := w.Node(id)
					if c.Calls(*n) {
						callers = append(callers, w.Place(w.Home(id)))
					}
					if !c.Called(*n) || n.Kind == graph.FileNode {
						continue
					}
					r := x.Table.Files[f.Name]
					if r == nil {
						continue
					}
					target := fmt.Sprintf("%s:%d", f.Name, spot.Line)
					if i := r.NamedAt(spot.Name, spot.Line); i >= 0 && r.SymbolAt(spot.Line) != i {
						target = f.Name + ":" + r.Symbols[i].Qualified()
					}
					targets = append(targets, target)
				}
			}
		}
	})
	slices.Sort(targets)
	return slices.Compact(targets), callers
}

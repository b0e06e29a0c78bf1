package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/trace"
)

// ask runs one line of a script, a method and its query as JSON, and renders the
// answer.
func ask(t testing.TB, x *Index, a *txtar.Archive, line string) string {
	method, query, _ := strings.Cut(line, " ")
	read := func(q any) {
		d := json.NewDecoder(strings.NewReader(query))
		d.DisallowUnknownFields()
		if err := d.Decode(q); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	var given any
	var state answer.State
	var cuts []answer.Cut
	var err error
	switch method {
	case "structure":
		var q outline.StructureQuery
		read(&q)
		var a outline.StructureAnswer
		a, err = x.Structure(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	case "skeleton":
		var q outline.SkeletonQuery
		read(&q)
		var a outline.Skeletons
		a, err = x.Skeleton(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	case "extract":
		var q outline.ExtractQuery
		read(&q)
		var a outline.ExtractAnswer
		a, err = x.Extract(t.Context(), q)
		if given, state = any(a.Symbol), a.State; a.File != nil {
			given = a.File
		}
	case "calls":
		var q calls.CallsQuery
		read(&q)
		var a calls.CallsAnswer
		a, err = x.Calls(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	case "impact":
		var q impact.Query
		read(&q)
		if strings.HasSuffix(q.Diff, ".diff") {
			q.Diff = part(a, q.Diff)
		}
		var a impact.Answer
		a, err = x.Impact(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	case "trace":
		var q trace.Query
		read(&q)
		var a trace.Answer
		a, err = x.Trace(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	case "context":
		var q brief.ContextQuery
		read(&q)
		var a brief.ContextAnswer
		a, err = x.Context(t.Context(), q)
		given, state, cuts = a, a.State, a.Cuts
	default:
		t.Fatalf("no method %s", method)
	}
	if err != nil {
		return fmt.Sprintf("%T: %v\n", err, err)
	}
	if state.Generation == 0 || state.Root != x.Root() {
		t.Errorf("%s: state %+v", line, state)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(given); err != nil {
		t.Fatal(err)
	}
	// Texts are easier to read as they are.
	out := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, x.Root(), "$ROOT").Replace(b.String())
	if len(cuts) > 0 {
		out += fmt.Sprintf("cut by %v\n", cuts)
	}
	return out
}

// TestAsk runs the scripts in testdata: archives with a file "ask".
func TestAsk(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		x, a := plain(t, name)
		script := part(a, "ask")
		if script == "" {
			continue
		}
		n++
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			var got strings.Builder
			for line := range strings.Lines(script) {
				line = strings.TrimSpace(line)
				fmt.Fprintf(&got, "> %s\n%s", line, ask(t, x, a, line))
			}
			golden(t, name, a, got.String())
		})
	}
	if n == 0 {
		t.Fatal("no scripts")
	}
}

package callgraph

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestTypeScript compares Quarry with what the compiler has said of a project. With
// -update, and the folder of the package typescript in TYPESCRIPT, it is asked again.
func TestTypeScript(t *testing.T) {
	const name = "testdata/typescript.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, want := unpack(t, a)
	recorded := filepath.Join(dir, "calls.jsonl")
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(recorded); err != nil {
		t.Fatal(err)
	}
	if compiler := os.Getenv("TYPESCRIPT"); compiler != "" {
		o := typescriptOptions{configs: []string{"tsconfig.json"}, compiler: compiler, node: "node"}
		said, err := o.calls(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			text = said
			a.Files[len(a.Files)-2].Data = said
		} else if d := cmp.Diff(string(text), string(said)); d != "" {
			t.Errorf("the compiler: -recorded +now:\n%s", d)
		}
	}
	truth, err := readTypeScript(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	given, err := quarryEdges(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	scores, outside := compare(truth, given)
	var got strings.Builder
	if err := (result{Scores: scores, Unreached: truth.unreached, Outside: outside}).writeText(&got, true); err != nil {
		t.Fatal(err)
	}
	if *update {
		a.Files[len(a.Files)-1].Data = []byte(got.String())
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestTypeScriptWithoutCompiler(t *testing.T) {
	out, err := run(t, "typescript", t.TempDir(), "--node", filepath.Join(t.TempDir(), "none"))
	if err == nil || !strings.Contains(err.Error(), "callgraph: run the TypeScript compiler") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestReadTypeScriptBroken(t *testing.T) {
	for _, text := range []string{"{", `{"at":["a.ts",1],"kind":"direct"}`, `{"at":["a.ts",1,2],"kind":"direct","to":[[1,2,3]]}`} {
		if _, err := readTypeScript(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

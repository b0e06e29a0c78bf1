package callgraph

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted outputs")

// run runs the command and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := Command()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// unpack writes the files of an archive into a folder of its own.
func unpack(t *testing.T, a *txtar.Archive) (dir, want string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, want
}

func TestGo(t *testing.T) {
	const name = "testdata/go.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, want := unpack(t, a)
	got, err := run(t, "go", "--module", dir, "--verbose")
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if *update {
		a.Files[len(a.Files)-1].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	text, err := run(t, "go", "--module", dir, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Scores) != 3 || r.Scores[0].Kind != direct || r.Scores[0].Recall != 1 {
		t.Errorf("JSON: %s", text)
	}
}

func TestGoWithoutModule(t *testing.T) {
	out, err := run(t, "go", "--module", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "callgraph: ") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestCompare(t *testing.T) {
	at := func(line int) place { return place{"a.go", line, 2} }
	def := func(line int) place { return place{"a.go", line, 0} }
	want := truth{
		sites: map[place]kind{at(1): direct, at(2): direct, at(3): through, at(4): value},
		edges: map[edge]bool{{at(1), def(10)}: true, {at(3), def(11)}: true, {at(3), def(12)}: true, {at(4), def(13)}: true},
		files: map[string]bool{"a.go": true},
	}
	scores, outside := compare(want, []found{
		{edge: edge{at(1), def(10)}},
		{edge: edge{at(1), def(10)}},               // twice is once
		{edge: edge{at(2), def(10)}},               // a call of something outside
		{edge: edge{at(3), def(11)}},               //
		{edge: edge{at(4), def(14)}, own: true},    // a literal in its own function
		{edge: edge{at(5), def(10)}},               // no call
		{edge: edge{at(1), place{"b.go", 1, 0}}},   // not of this build
		{edge: edge{place{"b.go", 1, 1}, def(10)}}, // as above
	})
	type figures struct{ sites, wanted, given, common, missing, extra int }
	var got []figures
	for _, s := range scores {
		got = append(got, figures{s.Sites, s.Wanted, s.Given, s.Common, len(s.missing), len(s.extra)})
	}
	if d := cmp.Diff([]figures{{2, 1, 2, 1, 0, 1}, {1, 2, 1, 1, 1, 0}, {1, 1, 0, 0, 1, 0}}, got, cmp.AllowUnexported(figures{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if scores[0].Precision != 0.5 || scores[1].Recall != 0.5 || scores[2].Precision != 1 || outside != 1 {
		t.Errorf("scores %+v, %d outside", scores, outside)
	}
}

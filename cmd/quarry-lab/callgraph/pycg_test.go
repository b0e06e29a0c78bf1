package callgraph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestPyCG measures cases in the form of PyCG's micro-benchmark, two of them with
// graphs that are wrong on purpose.
func TestPyCG(t *testing.T) {
	a, err := txtar.ParseFile("testdata/pycg.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, want := unpack(t, a)
	got, err := run(t, "pycg", dir, "--verbose")
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestPyCGNothing(t *testing.T) {
	if out, err := run(t, "pycg", t.TempDir()); err == nil {
		t.Errorf("no error for a folder without cases:\n%s", out)
	}
}

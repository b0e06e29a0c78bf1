package host

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index"
)

// TestSCIPNextToASnapshot: what lies there is found, and one that cannot be read leaves the
// index as it is and is logged.
func TestSCIPNextToASnapshot(t *testing.T) {
	with, without, root := t.TempDir(), t.TempDir(), t.TempDir()
	name := filepath.Join(with, SCIPName)
	for _, file := range []string{name, filepath.Join(root, "a.py")} {
		if err := os.WriteFile(file, []byte("this is no index\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(without, SCIPName), 0o755); err != nil {
		t.Fatal(err)
	}
	found := scipOf("", filepath.Join(without, "snap"), filepath.Join(with, "snap"))
	if !slices.Equal(found, []string{name}) {
		t.Fatalf("found %q", found)
	}
	x, err := index.Open(root, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	h := &Host{log: slog.New(slog.NewTextHandler(&log, nil))}
	h.takeSCIP(t.Context(), &live{p: &project{name: "shop"}, x: x, scip: found})
	if !strings.Contains(log.String(), "a SCIP index is not used") || !strings.Contains(log.String(), "not a SCIP index") || x.Status(0).SCIPFiles != 0 {
		t.Errorf("logged %q", log.String())
	}
}

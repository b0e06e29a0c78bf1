package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// The mode chooses a port only where nobody says which.
func TestCompatPort(t *testing.T) {
	file := hermetic(t)
	port := func(want int, flags ...string) {
		t.Helper()
		s, err := load(t, flags...)
		if err != nil || s.Server.Port != want {
			t.Errorf("port %d, %v; want %d", s.Server.Port, err, want)
		}
	}
	port(3456)
	port(4444, "--compat", "osgrep")
	port(3456, "--compat", "osgrep", "--port", "3456")
	write(t, file, "[server]\ncompat = \"osgrep\"\n")
	port(4444)
	port(3456, "--compat", "")
	write(t, file, "[server]\ncompat = \"osgrep\"\nport = 4001\n")
	port(4001)
	write(t, file, "[server]\nport = 4001\n")
	t.Setenv("QUARRY_COMPAT", "osgrep")
	port(4001)
	t.Setenv("QUARRY_PORT", "4002")
	port(4002)
	if _, err := load(t, "--compat", "grep"); err == nil || !strings.Contains(err.Error(), "compat must be osgrep") {
		t.Errorf("another mode: %v", err)
	}
}

// A server that stands in for osgrep's answers its programs in their shape, and this
// one in ours.
func TestServeCompat(t *testing.T) {
	hermetic(t)
	root := t.TempDir()
	write(t, filepath.Join(root, "lamp.go"), "package lamp\n\n// Lantern gives light.\nfunc Lantern() {}\n")
	s := startServer(t, root, "--compat", "osgrep", "--backend", "none")
	var got struct {
		Results []struct {
			Text      string
			Metadata  struct{ Path string }
			Generated struct {
				Start int `json:"start_line"`
				End   int `json:"end_line"`
			} `json:"generated_metadata"`
		}
	}
	if err := s.Ask(t.Context(), registry.ProbeTimeout, "/search?query=Lantern&limit=1", nil, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Results) != 1 || got.Results[0].Metadata.Path != "lamp.go" || got.Results[0].Generated.Start != 3 || got.Results[0].Text != "func Lantern() {}" {
		t.Errorf("%+v", got)
	}
	if file, err := s.where(t.Context(), "Lantern"); err != nil || file != "lamp.go" {
		t.Errorf("our own search: %q, %v", file, err)
	}
}

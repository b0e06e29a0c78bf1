package command

import (
	"path/filepath"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index/throttle"
)

func TestNice(t *testing.T) {
	file := hermetic(t)
	want := func(want config.Nice, flags ...string) {
		t.Helper()
		s, err := load(t, flags...)
		if err != nil || s.Server.Nice != want {
			t.Errorf("%v: %s, %v; want %s", flags, s.Server.Nice, err, want)
		}
	}
	want(config.Nice{})
	want(config.Nice{Battery: true, Load: true}, "--nice", "auto")
	want(config.Nice{Battery: true, Load: true}, "--nice=load, battery")
	want(config.Nice{Battery: true}, "--nice=battery")
	write(t, file, "[server]\nnice = \"load\"\ncpus = 3\n")
	want(config.Nice{Load: true})
	want(config.Nice{}, "--nice", "off")
	t.Setenv("QUARRY_NICE", "battery")
	want(config.Nice{Battery: true})
	if s, err := load(t); err != nil || s.Server.CPUs != 3 {
		t.Errorf("cpus %d, %v", s.Server.CPUs, err)
	}
	for _, n := range []config.Nice{{}, {Battery: true}, {Load: true}, {Battery: true, Load: true}} {
		var back config.Nice
		if err := back.Set(n.String()); err != nil || back != n {
			t.Errorf("%s is read as %s, %v", n, back, err)
		}
	}
}

// TestExpedite: nothing pauses the first builds while somebody waits for them.
func TestExpedite(t *testing.T) {
	gate := throttle.New(nil)
	ended := config.Expedite(gate, true, 2)
	for i, want := range []bool{true, true, false, false} {
		if got := gate.Expedited(); got != want {
			t.Errorf("after %d builds: %v", i, got)
		}
		ended()
	}
	config.Expedite(gate, false, 1)()
	if gate.Expedited() {
		t.Error("nobody waits, and the work is expedited")
	}
}

// TestServePaced: a server with --nice builds, for a load that is not there yet pauses
// nothing.
func TestServePaced(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "lamp.go"), "package lamp\n\nfunc Lantern() {}\n")
	s := startServer(t, root, "--nice", "auto", "--wait")
	if st, err := s.state(t.Context()); err != nil || st.Files != 1 || st.Paused != "" {
		t.Errorf("%+v, %v", st, err)
	}
}

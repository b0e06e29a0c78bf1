package command

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index"
)

func TestPartial(t *testing.T) {
	for reason, want := range map[string]bool{
		"unreadable": true, "parse_error": true, "binary": false, "secret": false, "vanished": false,
	} {
		st := index.Status{Coverage: index.Coverage{Reasons: map[string]int{reason: 1}}}
		if got := newIndexReport(st).Partial; got != want {
			t.Errorf("%s: partial %v", reason, got)
		}
	}
}

func TestTune(t *testing.T) {
	for _, v := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT"} {
		t.Setenv(v, "")
	}
	before := runtime.GOMAXPROCS(0)
	processors, _, restore, err := machine.Tune(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if processors != before || runtime.GOMAXPROCS(0) != before+machine.SparePs {
		t.Errorf("%d processors, %d Ps; before %d", processors, runtime.GOMAXPROCS(0), before)
	}
	if gc := debug.SetGCPercent(machine.GCPercent); gc != machine.GCPercent {
		t.Errorf("GC percent %d", gc)
	}
	restore()
	if runtime.GOMAXPROCS(0) != before {
		t.Errorf("%d Ps after restore, %d before", runtime.GOMAXPROCS(0), before)
	}
	if kb, ok := machine.ParseMemTotal("MemFree: 1 kB\nMemTotal:       16384 kB\n"); kb != 16384 || !ok {
		t.Errorf("memory %d, %v", kb, ok)
	}
	if _, ok := machine.ParseMemTotal("nothing"); ok {
		t.Error("memory from nothing")
	}
}

// A server and index set the runtime up while they run, and put it back.
func TestTuneIsApplied(t *testing.T) {
	for _, v := range []string{"GOMAXPROCS", "GOGC", "GOMEMLIMIT"} {
		t.Setenv(v, "")
	}
	before := runtime.GOMAXPROCS(0)
	root := t.TempDir()
	write(t, filepath.Join(root, "logo.png"), "no picture")

	var during []int
	cmd := New()
	cmd.SetArgs([]string{"index", root, "--backend", "none"})
	cmd.SetOut(new(bytes.Buffer))
	cmd.SetErr(writerFunc(func(b []byte) (int, error) { // it says that nothing is indexed
		during = append(during, runtime.GOMAXPROCS(0))
		return len(b), nil
	}))
	if err := cmd.ExecuteContext(t.Context()); err != nil || len(during) != 1 || during[0] != before+machine.SparePs {
		t.Errorf("index: %v, Ps %v; before %d", err, during, before)
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("after index: %d Ps, before %d", now, before)
	}

	s := startServer(t, root)
	if now := runtime.GOMAXPROCS(0); now != before+machine.SparePs {
		t.Errorf("serve: %d Ps, before %d", now, before)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if now := runtime.GOMAXPROCS(0); now != before {
		t.Errorf("after serve: %d Ps, before %d", now, before)
	}
}

// What was garbage while many files were indexed goes back to the system.
func TestLoosely(t *testing.T) {
	debug.FreeOSMemory() // what a test before this one has left
	gc := collector.New(machine.GCPercent, 3*machine.GarbageBeside)
	defer gc.Close()
	taken := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapSys - m.HeapReleased
	}
	end := machine.Loosely(gc)()
	var made [][]byte
	for range machine.GarbageBeside / 2 >> 20 {
		made = append(made, make([]byte, 1<<20))
	}
	runtime.KeepAlive(made)
	before := taken()
	end()
	if after := taken(); before < machine.GarbageBeside/2 || after > before-machine.GarbageBeside/3 {
		t.Errorf("%d bytes of the system's before, %d after", before, after)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Without vectors, everybody says why.
func TestNoModel(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "lamp.go"), "package lamp\n\nfunc lantern() {}\n")
	const why = "vectors are turned off: the backend is none"
	s := startServer(t, root, "--backend", "none")
	var text json.RawMessage
	err := s.Ask(t.Context(), registry.ProbeTimeout, "/status", nil, &text)
	if err != nil || !bytes.Contains(text, []byte(`"model":null,"no_model":"`+why+`"`)) {
		t.Errorf("/status: %s, %v", text, err)
	}
	if file, err := s.where(t.Context(), "lantern"); file != "lamp.go" {
		t.Errorf("lantern is in %q, %v", file, err)
	}
	for _, args := range [][]string{{"status", "--url", s.URL}, {"index", root, "--backend", "none"}} {
		if out, err := execute(t, args...); err != nil || !bytes.Contains(out, []byte("\nmodel      none: "+why+"\n")) {
			t.Errorf("%v: %s, %v", args, out, err)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]config.Size{"0": 0, "12": 12, "2GiB": 2 << 30, "500MB": 500_000_000, "1.5 KiB": 1536, "7B": 7} {
		var s config.Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %d, want %d (%v)", text, s, want, err)
		}
		var again config.Size
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%v is read as %d (%v)", s, again, err)
		}
	}
	for _, text := range []string{"", "much", "-1", "1e300GB", "NaN", "2 GiBs"} {
		var s config.Size
		if err := s.Set(text); err == nil {
			t.Errorf("%q is a size: %d", text, s)
		}
	}
}

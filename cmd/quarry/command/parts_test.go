package command

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/index"
)

func TestRegistry(t *testing.T) {
	root := t.TempDir()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"status":"ok","root":"` + root + `"}`))
	}))
	defer server.Close()
	r := registry{filepath.Join(t.TempDir(), "deep", "servers")}
	release, held, err := r.lock(root)
	if err != nil || !held {
		t.Fatalf("lock: %v, %v", held, err)
	}
	if _, held, err := r.lock(root); held || err != nil {
		t.Errorf("a second lock: %v, %v", held, err)
	}
	reg := registration{PID: 1, URL: server.URL, Root: root, Started: time.Now().UTC()}
	remove, err := r.add(reg)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(r.file(root) + ".json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	ctx := t.Context()
	for _, dir := range []string{root, filepath.Join(root, "a", "b")} {
		if got, ok := r.containing(ctx, dir); !ok || got.URL != server.URL {
			t.Errorf("%s: %+v, %v", dir, got, ok)
		}
	}
	if _, ok := r.find(ctx, filepath.Join(root, "a")); ok {
		t.Error("a folder below the root has a server of its own")
	}
	// The answer of a server of another root is not believed, nor a broken file.
	other := t.TempDir()
	if _, err := r.add(registration{PID: 2, URL: server.URL, Root: other}); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.find(ctx, other); ok {
		t.Error("a server of another root is believed")
	}
	if got, ok := r.only(ctx); !ok || got.Root != root {
		t.Errorf("the only server: %+v, %v", got, ok)
	}
	write(t, r.file(other)+".json", "{")
	if _, ok := r.find(ctx, other); ok {
		t.Error("a broken file is believed")
	}
	// What another process has written since stays.
	newer := reg
	newer.PID = 3
	removeNewer, err := r.add(newer)
	if err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, ok := r.find(ctx, root); !ok {
		t.Error("an older server removed the file of a newer one")
	}
	if err := removeNewer(); err != nil {
		t.Error(err)
	}
	if _, ok := r.find(ctx, root); ok {
		t.Error("the file is still there")
	}
	release()
	if release, held, err := r.lock(root); !held || err != nil {
		t.Errorf("the lock after its release: %v, %v", held, err)
	} else {
		release()
	}
}

func TestClientErrors(t *testing.T) {
	answer := ""
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	defer server.Close()
	c := remote{base: server.URL + "/"}
	for _, test := range []struct {
		status       int
		answer, want string
	}{
		{200, "hello", "/health is not from a Quarry server"},
		{200, `{"status":"up"}`, " is not a Quarry server"},
		{404, "not found", "/health answered 404 Not Found"},
		{429, `{"error":"rate_limited","message":"too many searches"}`, "too many searches"},
	} {
		status, answer = test.status, test.answer
		if _, err := c.health(t.Context()); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%d %s: %v, want %q", test.status, test.answer, err, test.want)
		}
	}
	status = http.StatusServiceUnavailable
	if ok, err := c.ready(t.Context()); ok || err != nil {
		t.Errorf("ready: %v, %v", ok, err)
	}
}

func TestCounterLines(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, false, "")
	p.Update(index.Progress{Phase: "files", FilesDone: 1, FilesTotal: 9})
	if out.Len() > 0 {
		t.Errorf("a line at once: %q", out.String())
	}
	for _, now := range []index.Progress{
		{Phase: "walk", FilesDone: 7},
		{Phase: "files", FilesDone: 20, FilesTotal: 90},
		{Phase: "vectors", ChunksDone: 3, ChunksTotal: 4},
	} {
		p.spoke = time.Now().Add(-counterInterval)
		p.Update(now)
	}
	p.End()
	want := "quarry: 7 files\nquarry: 20 of 90 files\nquarry: 3 of 4 chunks with vectors\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestBar(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, true, "")
	for done := range 11 {
		p.Update(index.Progress{Phase: "files", FilesDone: done, FilesTotal: 10})
	}
	p.Update(index.Progress{Phase: "vectors", ChunksDone: 1, ChunksTotal: 2})
	p.End()
	if !strings.Contains(out.String(), "files") || strings.Contains(out.String(), "\n") {
		t.Errorf("%q", out.String())
	}
}

func TestPrint(t *testing.T) {
	found := foundResults{Root: "/no/such/root", Results: []index.Result{{
		File: "a\x1b[2Jb.go", Line: 3, EndLine: 9, Score: 0.5, Role: index.RoleTest,
		Signature: "func A()", Symbol: "A", Kind: "function",
		Content: "func A() {\n\tone()\r\n\ttwo()\n\tthree()\n\tfour()\n\tfive()\n}\n",
	}, {File: "b.toml", Line: 1, EndLine: 1, Score: 0.25, Role: index.RoleConfig, Signature: "x = 1", Content: "x = 1"}}}
	for _, test := range []struct {
		name string
		o    searchOptions
		want string
	}{
		{"plain", searchOptions{}, "a\ufffd[2Jb.go:3-9 function A (test)\n    func A() {\n    \tone()\n    \ttwo()\n    \tthree()\n    \tfour()\n    ... 2 more lines\n\nb.toml:1 (config)\n    x = 1\n"},
		{"compact", searchOptions{compact: true, scores: true}, "0.500 a\ufffd[2Jb.go:3-9 func A()\n0.250 b.toml:1 x = 1\n"},
		{"content", searchOptions{content: true}, "a\ufffd[2Jb.go:3-9 function A (test)\n    func A() {\n    \tone()\n    \ttwo()\n    \tthree()\n    \tfour()\n    \tfive()\n    }\n\nb.toml:1 (config)\n    x = 1\n"},
	} {
		var out bytes.Buffer
		if err := test.o.print(&out, found); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestSearchExplained(t *testing.T) {
	found := foundResults{Root: "/no/such/root", Results: []index.Result{{
		File: "a.go", Line: 3, EndLine: 3, Signature: "func A()", Content: "func A() {}",
		Explain: []index.Signal{{Name: "words", Value: 0.25, Weight: 2, Added: 0.5}, {Name: "test", Value: 1, Weight: -1.5, Added: -1.5}},
	}}}
	want := "a.go:3\n    func A() {}\n     -1.5000  test             1 of -1.5\n     +0.5000  words            0.25 of 2\n"
	explain := wire.SearchRequest{Explain: true}
	for _, o := range []searchOptions{{asked: explain}, {asked: explain, mode: "regex"}} {
		var out bytes.Buffer
		if err := o.print(&out, found); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

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
	gc := collector.New(machine.GCPercent, machine.GarbageBeside)
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
	err := s.ask(t.Context(), probeTimeout, "/status", nil, &text)
	if err != nil || !bytes.Contains(text, []byte(`"model":null,"no_model":"`+why+`"`)) {
		t.Errorf("/status: %s, %v", text, err)
	}
	if file, err := s.where(t.Context(), "lantern"); file != "lamp.go" {
		t.Errorf("lantern is in %q, %v", file, err)
	}
	for _, args := range [][]string{{"status", "--url", s.base}, {"index", root, "--backend", "none"}} {
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

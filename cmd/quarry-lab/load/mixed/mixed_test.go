package mixed

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// TestPlanter makes many edits of all kinds. After each, the model and the disk must be
// the same.
func TestPlanter(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"pool.go":    "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire(timeout int) {}\n",
		"release.py": "# Give the connection back to the pool.\ndef release_connection(connection): pass\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := newPlanter(t.Context(), root, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.tree.Fixed()) != 2 {
		t.Errorf("%d files were there", len(p.tree.Fixed()))
	}
	for range 150 {
		before := maps.Clone(p.done)
		paths, err := p.step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 {
			t.Fatal("an edit of no file")
		}
		all, _, err := textsBelow(root)
		if err != nil {
			t.Fatal(err)
		}
		for path := range p.tree.Fixed() {
			delete(all, path)
		}
		known := map[string]string{}
		now, states := p.tree.Now()
		for i, s := range states {
			known[now[i]] = s.Text
		}
		if diff := cmp.Diff(all, known); diff != "" {
			t.Fatalf("after %v, before it %v (-disk +model):\n%s", p.done, before, diff)
		}
	}
	for _, kind := range []string{"change", "append", "atomic save", "create", "delete", "rename", "folder move", "checkout"} {
		if p.done[kind] == 0 {
			t.Errorf("no %s", kind)
		}
	}
}

// TestMemory is about the medians of the second and of the last sixth.
func TestMemory(t *testing.T) {
	var samples []sampled
	for i := range 60 {
		bytes := int64(1000) // while it warms up
		if i >= 10 {
			bytes = int64(500 + i)
		}
		samples = append(samples, sampled{time.Duration(i) * time.Minute, bytes})
	}
	got := summarizeMemory(samples, time.Hour)
	want := memoryReport{First: 1000, Last: 559, Min: 510, Max: 559, Early: 515, Late: 555, Slope: 1, Ratio: 555.0 / 515}
	if got.Slope > 0.999 && got.Slope < 1.001 {
		got.Slope = 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := summarizeMemory(nil, time.Hour); got != (memoryReport{}) {
		t.Error(got)
	}
}

func TestRules(t *testing.T) {
	good := func() *mixedReport {
		return &mixedReport{
			PerS: 199, Requests: 10, All: endpointReport{Codes: map[int]int{200: 9, 503: 1}, Times: rig.Summary{P99: 49}},
			Before: load.Left{Goroutines: 10, Descriptors: 10}, After: load.Left{Goroutines: 10, Descriptors: 9}, Memory: memoryReport{Ratio: 1.04},
		}
	}
	for _, c := range []struct {
		breaks string
		change func(*mixedReport)
	}{
		{"", func(*mixedReport) {}},
		{"all requests were made", func(r *mixedReport) { r.PerS = 190 }},
		{"no wrong answer", func(r *mixedReport) { r.Wrong = 1 }},
		{"no 5xx", func(r *mixedReport) { r.All.Codes[500] = 1 }},
		{"p99 under 50 ms", func(r *mixedReport) { r.All.Times.P99 = 50 }},
		{"memory flat within 5 %", func(r *mixedReport) { r.Memory.Ratio = 1.051 }},
		{"memory flat within 5 %", func(r *mixedReport) { r.Memory.Ratio = 0.94 }},
		{"goroutines back", func(r *mixedReport) { r.After.Goroutines = 11 }},
		{"descriptors back", func(r *mixedReport) { r.After.Descriptors = 11 }},
	} {
		r := good()
		c.change(r)
		r.judge(200)
		broken := []string{}
		for _, one := range r.Rules {
			if !one.Held {
				broken = append(broken, one.Name)
			}
		}
		if strings.Join(broken, ", ") != c.breaks || (r.broken() == nil) != (c.breaks == "") {
			t.Errorf("broken: %q, want %q", broken, c.breaks)
		}
		if text := r.String(); strings.Contains(text, "FAIL  "+c.breaks) != (c.breaks != "") {
			t.Error(text)
		}
	}
}

// TestMixedChecks gives answers to a question and says which of them are wrong.
func TestMixedChecks(t *testing.T) {
	m := &mixed{planter: &planter{tree: model.New(map[string]string{"a.go": "one\ntwo x\n"})}}
	m.learnFixed([]string{" x|x is", "two"})
	s := &model.Source{Lang: "go", Funcs: []model.Func{{Name: "fx", Doc: "is", Mark: 1}, {Name: "gx", Doc: "is", Calls: []string{"fx"}, Mark: 2}}}
	if err := m.tree.Apply(map[string]model.Change{"planted/p.go": {To: s.State()}}, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	lines := func(pattern string) func(*reply) []string {
		return func(r *reply) []string {
			states, want := m.lines(pattern, false, r)
			got := map[string][]string{}
			for line := range strings.Lines(string(r.body)) {
				file, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				got[file] = append(got[file], rest)
			}
			return model.Judge(states, got, want, true)
		}
	}
	callers := m.callers(func(a *relations) []node { return a.Callers })
	callees := m.callees(func(a *relations) []node { return a.Callees })
	for _, c := range []struct {
		name  string
		check func(*reply) []string
		body  string
		right bool
	}{
		{"grep", lines(" x|x is"), "a.go 2:two x\nplanted/p.go 3:// fx is.\nplanted/p.go 8:// gx is.\n", true},
		{"grep without a line", lines(" x|x is"), "a.go 2:two x\nplanted/p.go 3:// fx is.\n", false},
		{"grep with another file", lines("two"), "a.go 2:two x\nb.go 2:two x\n", false},
		{"search", m.searched("", "", 1), `{"results":[{"file":"a.go","line":1,"end_line":2,"content":"one\ntwo x"}],"meta":{"matches":1}}`, true},
		{"search, other text", m.searched("", "", 1), `{"results":[{"file":"a.go","line":1,"end_line":2,"content":"one\ntwo"}],"meta":{"matches":1}}`, false},
		{"search, other lines", m.searched("", "", 1), `{"results":[{"file":"a.go","line":2,"end_line":3,"content":"one\ntwo x"}],"meta":{"matches":1}}`, false},
		{"search, said to have changed", m.searched("", "", 1), `{"results":[{"file":"a.go","line":1,"end_line":1,"content":"one","changed":true}],"meta":{"matches":1}}`, false},
		{"search, in disorder", m.searched("", "", 2), `{"results":[{"file":"a.go","line":1,"end_line":1,"content":"one","score":0.1},{"file":"a.go","line":1,"end_line":1,"content":"one","score":0.2}],"meta":{"matches":1}}`, false},
		{"search, not said to be cut", m.searched("", "", 2), `{"results":[],"meta":{"matches":1}}`, false},
		{"search that misses the planted", m.searched("gx", "", 2), `{"results":[],"meta":{}}`, false},
	} {
		r := &reply{code: http.StatusOK, body: []byte(c.body), sent: now, answered: now, window: model.Window{From: now, To: now.Add(time.Hour), Sent: now}}
		if wrong := c.check(r); (len(wrong) == 0) != c.right {
			t.Errorf("%s: %q", c.name, wrong)
		}
	}
	r := &reply{sent: now, answered: now, window: model.Window{From: now.Add(time.Minute), To: now.Add(time.Hour), Sent: now}}
	fx, gx := node{Symbol: "fx", File: "planted/p.go", Line: 4}, node{Symbol: "gx", File: "planted/p.go", Line: 9, Sites: []int{10}}
	for _, c := range []struct {
		name  string
		check func(*relations, string, *reply) []string
		about string
		a     relations
		right bool
	}{
		{"callers", callers, "fx", relations{Callers: []node{gx}}, true},
		{"no callers", callers, "fx", relations{}, false},
		{"no callers yet", callers, "fx", relations{Because: []string{"1 file is not in the call graph yet"}}, true},
		{"a false caller", callers, "gx", relations{Callers: []node{fx}}, false},
		{"callees", callees, "gx", relations{Callees: []node{fx}}, true},
		{"no callees", callees, "gx", relations{}, false},
		{"a false callee", callees, "fx", relations{Callees: []node{gx}}, false},
	} {
		if wrong := c.check(&c.a, c.about, r); (len(wrong) == 0) != c.right {
			t.Errorf("%s: %q", c.name, wrong)
		}
	}
}

// TestSchedule has one client ask a server that stands still for a while: what was due
// meanwhile is late, though it is answered at once.
func TestSchedule(t *testing.T) {
	first := true
	fake := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if first {
			first = false
			time.Sleep(200 * time.Millisecond)
		}
	}))
	defer fake.Close()
	e := &endpoint{codes: map[int]int{}}
	m := &mixed{
		Server: &rig.Server{URL: fake.URL}, planter: &planter{tree: model.New(nil)}, log: &bytes.Buffer{},
		o: mixedOptions{c: 1, rate: 100}, ends: map[string]*endpoint{"x": e}, wrongs: map[string]int{},
	}
	c := &http.Client{}
	defer c.CloseIdleConnections()
	began := time.Now()
	for i := range 5 {
		m.one(t.Context(), c, question{name: "x", method: http.MethodGet, path: "/"}, began.Add(time.Duration(i)*10*time.Millisecond))
	}
	if slices.Min(e.times) < 150*time.Millisecond || slices.Min(e.service) > 100*time.Millisecond || e.codes[200] != 5 || m.r.Wrong != 0 {
		t.Errorf("%v, of which %v; %v; %d wrong", e.times, e.service, e.codes, m.r.Wrong)
	}
}

// TestMixed is a short load on the server that QUARRY_MIXED names, on the folder
// QUARRY_MIXED_DIR:
//
//	QUARRY_MIXED=$PWD/bin/quarry QUARRY_MIXED_DIR=$PWD/client go test -C cmd/quarry-lab ./load/mixed -run TestMixed -v
//
// What it measures is not looked at, only that no answer is wrong and nothing is left over.
func TestMixed(t *testing.T) {
	program, dir := os.Getenv("QUARRY_MIXED"), os.Getenv("QUARRY_MIXED_DIR")
	if program == "" || dir == "" {
		t.Skip("QUARRY_MIXED and QUARRY_MIXED_DIR do not name a server and a folder")
	}
	var out bytes.Buffer
	err := run(t.Context(), []string{"mixed", "--program", program, "--dir", dir, "--for", "20s", "--rate", "50"}, &out, &out)
	t.Log(out.String())
	for _, held := range []string{"no wrong answer", "no 5xx", "goroutines back", "descriptors back"} {
		if !strings.Contains(out.String(), "pass  "+held) {
			t.Errorf("%s does not hold: %v", held, err)
		}
	}
}

package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/watcher"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A journal is a log that a test reads.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until nothing is wrong any more.
func eventually(t *testing.T, wrong func() error) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := wrong()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A batch that fails is logged, and handed over again by the watcher.
func TestFailedBatchIsLogged(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n")
	x, err := index.Open(root, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil { // every update of it fails from now on
		t.Fatal(err)
	}
	log := new(journal)
	w, err := watcher.New(watcher.Options{Root: root, Debounce: time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, follow(x, w, unobserved{})) }()
	<-w.Ready()
	write(t, filepath.Join(root, "b.go"), "package b\n")
	eventually(t, func() error {
		if w.Status().Failures == 0 || !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), answer.ErrClosed.Error()) {
			return errors.New("no failure is logged: " + log.String())
		}
		return nil
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestKeeperCleans checks that what a killed server was writing is taken away, whatever
// the data folder is called, and that nobody else can read what is kept.
func TestKeeperCleans(t *testing.T) {
	k, err := newKeeper(filepath.Join(t.TempDir(), "data [1]*", "5eed"), "/home/me/project", nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(k.path)
	for _, name := range []string{snapshotName, snapshotName + ".tmp-123", "other.tmp-1"} {
		write(t, filepath.Join(dir, name), "x")
	}
	if _, err := newKeeper(dir, "/home/me/project", nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{snapshotName, "other.tmp-1", "root"}; !slices.Equal(names, want) {
		t.Errorf("left %v, want %v", names, want)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v (%v), want 0700", info.Mode(), err)
	}
}

// TestKeeperMakesFolderAgain removes the folder of an index while it is kept: it is made
// again with its mode, and what cannot be saved costs one line of the log, not one a try.
func TestKeeperMakesFolderAgain(t *testing.T) {
	root := tree(t, "kept")
	x, err := index.Open(root, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	log := new(journal)
	data := filepath.Join(t.TempDir(), "data")
	dir := filepath.Join(data, "5eed")
	k, err := newKeeper(dir, root, x, slog.New(slog.NewTextHandler(log, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !k.save(t.Context(), false) {
			t.Fatal("not saved: " + log.String())
		}
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 || k.gone() || rootOf(dir) != root {
			t.Fatalf("%v, %v, the snapshot is gone: %v, the folder is that of %q", info, err, k.gone(), rootOf(dir))
		}
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	}
	write(t, data, "a file in the place of the folder")
	for range 5 {
		if k.save(t.Context(), false) || !k.again.After(time.Now()) {
			t.Fatalf("saved, or to be tried again at once: %v", k.again)
		}
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	if !k.save(t.Context(), false) || k.gone() {
		t.Error("not saved: " + log.String())
	}
	for line, want := range map[string]int{"level=WARN": 3, "made again": 2, "was not saved": 1, "after all": 1} {
		if got := strings.Count(log.String(), line); got != want {
			t.Errorf("%d lines with %q, want %d:\n%s", got, line, want, log.String())
		}
	}
}

// tree makes a root with one file that has a word of its own.
func tree(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, name)
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc "+name+"Word() {}\n")
	return root
}

// startHost runs a Host of some roots until the test ends. taken is what it believes
// that the process takes.
func startHost(t *testing.T, opt Options, taken *atomic.Int64, roots ...string) *Host {
	t.Helper()
	data := t.TempDir()
	opt.Open = func(_ context.Context, root string) (*index.Index, error) {
		return index.Open(root, index.Options{Workers: 1})
	}
	opt.Dir = func(root string) string { return filepath.Join(data, filepath.Base(root)) }
	opt.Watch.Debounce = time.Millisecond
	if taken != nil {
		opt.taken = taken.Load
	}
	h := New(opt)
	for _, root := range roots {
		if err := h.Take(root, "", "", nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, _, err := h.Acquire(context.Background(), ""); err == nil {
			t.Error("a project can be acquired after the end")
		}
	})
	return h
}

// finds asks a project for a word, and returns how many results there are.
func finds(t *testing.T, h *Host, project, word string) int {
	t.Helper()
	p, release, err := h.Acquire(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	a, err := p.Index.Search(t.Context(), search.Query{Text: word, Mode: search.Lexical, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Results)
}

func loadedNames(t *testing.T, h *Host) (names []string) {
	for _, p := range h.List(t.Context()) {
		if p.Loaded {
			names = append(names, p.Name)
		}
	}
	return names
}

// settle waits until all projects that are loaded are ready.
func settle(t *testing.T, h *Host) {
	t.Helper()
	eventually(t, func() error {
		for _, p := range h.List(t.Context()) {
			if p.Loaded && p.State.State != answer.Ready {
				return errors.New(p.Name + " is " + p.State.State)
			}
		}
		return nil
	})
}

// What only a build needed is given back to the system after it, once.
func TestGivesBack(t *testing.T) {
	gc := collector.New(40, 64<<20)
	defer gc.Close()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.NumForcedGC
	h := New(Options{
		Open: func(_ context.Context, root string) (*index.Index, error) {
			return index.Open(root, index.Options{Workers: 1})
		},
		Collector: gc,
	})
	if err := h.Take(tree(t, "lamp"), "", "", nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	eventually(t, func() error {
		if runtime.ReadMemStats(&m); m.NumForcedGC == before {
			return errors.New("nothing is given back")
		}
		return nil
	})
	time.Sleep(2 * settleLook) // who also waits for the build's end has seen it
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if runtime.ReadMemStats(&m); m.NumForcedGC != before+1 {
		t.Errorf("%d collections by hand, %d before", m.NumForcedGC, before)
	}
}

// What only updates need is given back at rest, and is there again when something changes.
func TestGivesBackAtRest(t *testing.T) {
	root := tree(t, "lamp")
	h := startHost(t, Options{rest: 20 * time.Millisecond}, nil, root)
	whole, err := index.Open(root, index.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if _, err := whole.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	rests := func(files int) {
		t.Helper()
		eventually(t, func() error {
			p, release, err := h.Acquire(t.Context(), "")
			if err != nil {
				return err
			}
			defer release()
			s, has, most := p.Index.State(), p.Index.Status(0).Memory.Graph, whole.Memory().Graph
			if s.Files != files || s.GraphOld || has == 0 || has >= most {
				return fmt.Errorf("%d files, the graph is old: %v, and takes %d bytes; whole, it takes %d", s.Files, s.GraphOld, has, most)
			}
			return nil
		})
	}
	rests(1)
	write(t, filepath.Join(root, "b.go"), "package a\n\nfunc lampOther() { lampWord() }\n")
	rests(2)
}

func TestLeastRecentlyUsedGoesToDisk(t *testing.T) {
	var taken atomic.Int64
	h := startHost(t, Options{Budget: 1000 << 20}, &taken, tree(t, "one"), tree(t, "two"), tree(t, "three"))
	settle(t, h)
	for _, name := range []string{"one", "two", "three", "one"} { // two was asked for the longest ago
		if n := finds(t, h, name, name+"Word"); n != 1 {
			t.Fatalf("%d results in %s", n, name)
		}
	}
	taken.Store(950 << 20)
	eventually(t, func() error {
		if h.evicted.Load() == 0 {
			return errors.New("nothing was put on disk")
		}
		taken.Store(100 << 20)
		return nil
	})
	names := loadedNames(t, h)
	if slices.Contains(names, "two") || len(names) == 0 {
		t.Errorf("loaded are %v", names)
	}
	info := h.List(t.Context())[1]
	if info.Loaded || info.State.State != answer.Stale || info.State.Files != 1 || info.Work.Parsed != 1 {
		t.Errorf("of what is on disk: %+v", info)
	}
	// The next request has it back, from its snapshot; what has changed since is found.
	write(t, filepath.Join(info.Root, "b.go"), "package a\n\nfunc kangaroo() {}\n")
	if n := finds(t, h, "two", "twoWord"); n != 1 {
		t.Errorf("%d results", n)
	}
	eventually(t, func() error {
		if finds(t, h, "two", "kangaroo") != 1 {
			return errors.New("what changed while it was on disk is not found")
		}
		return nil
	})
	if work := h.List(t.Context())[1].Work; work.Parsed != 2 || work.Reused != 1 {
		t.Errorf("work: %+v", work)
	}
	if m := h.Memory(); m.Evicted == 0 || m.Budget != 1000<<20 {
		t.Errorf("%+v", m)
	}
}

func TestNoRoom(t *testing.T) {
	var taken atomic.Int64
	h := startHost(t, Options{Budget: 1000 << 20, Allow: []string{"/"}}, &taken, tree(t, "one"))
	settle(t, h)
	p, release, err := h.Acquire(t.Context(), "one") // in use: it cannot go to disk
	if err != nil {
		t.Fatal(err)
	}
	taken.Store(900 << 20)
	var busy *api.BusyError
	if _, _, err := h.Add(t.Context(), tree(t, "two"), ""); !errors.As(err, &busy) || busy.After <= 0 {
		t.Errorf("added without room: %v", err)
	}
	if len(h.List(t.Context())) != 1 {
		t.Errorf("%+v", h.List(t.Context()))
	}
	if a, err := p.Index.Search(t.Context(), search.Query{Text: "oneWord", Limit: 1}); err != nil || len(a.Results) != 1 {
		t.Errorf("%v, %v", a.Results, err)
	}
	release()
	taken.Store(100 << 20)
	if _, added, err := h.Add(t.Context(), tree(t, "two"), ""); err != nil || !added {
		t.Errorf("not added: %v", err)
	}
}

// A first build that the budget is too small for is stopped, and requests are told so.
func TestTooSmallBudget(t *testing.T) {
	var taken atomic.Int64
	taken.Store(1 << 40)
	root := tree(t, "one")
	for i := range 300 {
		write(t, filepath.Join(root, fmt.Sprintf("f%d.go", i)), "package a\n\n"+strings.Repeat("func f() { g(1) }\n", 2000))
	}
	h := startHost(t, Options{Budget: 1000 << 20}, &taken, root)
	var busy *api.BusyError
	eventually(t, func() error {
		_, release, err := h.Acquire(t.Context(), "one")
		if err == nil {
			release()
			return errors.New("it goes on")
		}
		if !errors.As(err, &busy) {
			t.Fatal(err)
		}
		return nil
	})
	if !strings.Contains(busy.Reason, "too small") || h.List(t.Context())[0].State.State != answer.Failed {
		t.Errorf("%v; %+v", busy, h.List(t.Context())[0])
	}
}

func TestAddAndRemove(t *testing.T) {
	claimed := map[string]int{}
	var mu sync.Mutex
	one, two := tree(t, "one"), tree(t, "two")
	h := startHost(t, Options{
		Allow: []string{filepath.Dir(two)},
		Claim: func(root string) (func() error, error) {
			mu.Lock()
			defer mu.Unlock()
			claimed[root]++
			return func() error {
				mu.Lock()
				defer mu.Unlock()
				claimed[root]--
				return nil
			}, nil
		},
		Check: func(path string) (string, error) {
			path, err := filepath.EvalSymlinks(path)
			return path, err // "" where it is not there
		},
	}, nil, one)
	out := filepath.Join(filepath.Dir(two), "out")
	if err := os.Symlink("/", out); err != nil {
		t.Fatal(err)
	}
	var bad *api.RootError
	// What is there and what is not, elsewhere, is refused in the same words, which name
	// what was asked for.
	for _, root := range []string{"/etc", "/nowhere", filepath.Dir(one), out + "/etc", out + "/nowhere"} {
		if _, _, err := h.Add(t.Context(), root, ""); !errors.As(err, &bad) || !bad.NotAllowed || !strings.HasPrefix(bad.Reason, root+" is not below") {
			t.Errorf("%s: %v", root, err)
		}
	}
	if _, _, err := h.Add(t.Context(), two+"-none", ""); !errors.As(err, &bad) || bad.NotAllowed || !strings.Contains(bad.Reason, two+"-none") {
		t.Errorf("what does not exist: %v", err)
	}
	if _, _, err := h.Add(t.Context(), two, "one"); !errors.As(err, &bad) {
		t.Errorf("a name that is taken: %v", err)
	}
	info, added, err := h.Add(t.Context(), two, "")
	if err != nil || !added || info.Name != "two" || claimed[two] != 1 {
		t.Errorf("%+v %v %v", info, added, err)
	}
	if _, added, err := h.Add(t.Context(), two, ""); err != nil || added || claimed[two] != 1 {
		t.Errorf("added twice: %v %v", added, err)
	}
	eventually(t, func() error {
		if finds(t, h, two, "twoWord") != 1 {
			return errors.New("not found")
		}
		return nil
	})
	var none *api.ProjectError
	if err := h.Remove(t.Context(), "three"); !errors.As(err, &none) {
		t.Error(err)
	}
	if err := h.Remove(t.Context(), "two"); err != nil || claimed[two] != 0 {
		t.Errorf("%v, %v", err, claimed)
	}
	if _, _, err := h.Acquire(t.Context(), "two"); !errors.As(err, &none) {
		t.Error(err)
	}
	if err := h.Remove(t.Context(), ""); err == nil || len(h.List(t.Context())) != 1 {
		t.Errorf("the last one was removed: %v", err)
	}
}

// Requests, evictions, additions and removals at once: nothing fails but for want of
// room, and nothing is asked that is closed.
func TestMixedUse(t *testing.T) {
	var taken atomic.Int64
	roots := []string{tree(t, "one"), tree(t, "two"), tree(t, "three")}
	h := startHost(t, Options{Budget: 1000 << 20, Allow: []string{"/"}}, &taken, roots...)
	extra := tree(t, "four")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() {
		for n := int64(0); ctx.Err() == nil; n++ {
			taken.Store((n % 2) * 950 << 20)
			for h.evict(nil) {
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	group.Go(func() {
		for ctx.Err() == nil {
			var busy *api.BusyError
			if _, _, err := h.Add(ctx, extra, ""); err != nil && !errors.As(err, &busy) && ctx.Err() == nil {
				t.Error(err)
			}
			var none *api.ProjectError
			if err := h.Remove(ctx, "four"); err != nil && !errors.As(err, &none) && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	var answers atomic.Int64
	for i := range 4 {
		group.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				name := []string{"one", "two", "three"}[n%3]
				p, release, err := h.Acquire(ctx, name)
				var busy *api.BusyError
				if errors.As(err, &busy) || ctx.Err() != nil {
					if err == nil {
						release()
					}
					continue
				}
				if err != nil {
					t.Error(err)
					continue
				}
				if _, err := p.Index.Search(ctx, search.Query{Text: name + "Word", Limit: 1}); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				answers.Add(1)
				release()
				h.List(t.Context())
			}
		})
	}
	group.Wait()
	if answers.Load() < 10 || h.evicted.Load() < 3 {
		t.Errorf("%d answers, %d evictions", answers.Load(), h.evicted.Load())
	}
}

// An audience keeps what an Observer is told.
type audience struct {
	mu     sync.Mutex
	saved  int
	failed int
	lags   []time.Duration
}

func (a *audience) Saved(_ time.Duration, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.saved++; err != nil {
		a.failed++
	}
}

func (a *audience) Followed(lag time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lags = append(a.lags, lag)
}

// An edit and a save are told, and what a project did counts when it is gone.
func TestObserved(t *testing.T) {
	seen := new(audience)
	h := startHost(t, Options{Observer: seen}, nil, tree(t, "one"), tree(t, "two"))
	settle(t, h)
	if w := h.Watches(); w.Watched != 2 || w.Polled != 0 {
		t.Errorf("%d folders watched, %d polled", w.Watched, w.Polled)
	}
	write(t, filepath.Join(h.List(t.Context())[0].Root, "b.go"), "package a\n\nfunc later() {}\n")
	eventually(t, func() error {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if len(seen.lags) == 0 || seen.lags[0] <= 0 || seen.lags[0] > time.Minute || seen.saved == 0 || seen.failed > 0 {
			return fmt.Errorf("%d saves, %d of them failed, lags of %v", seen.saved, seen.failed, seen.lags)
		}
		return nil
	})
	settle(t, h)
	var before answer.Work
	for _, p := range h.List(t.Context()) {
		before = before.Add(p.Work)
	}
	if err := h.Remove(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if after := h.List(t.Context())[0].Work.Add(h.Departed()); after != before || h.Departed().Parsed != 1 {
		t.Errorf("%+v after a project is gone, %+v before", after, before)
	}
}

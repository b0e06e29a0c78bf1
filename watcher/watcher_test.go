package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// A subject is a running watcher and what it has handed over.
type subject struct {
	t    *testing.T
	root string
	*Watcher

	mu      sync.Mutex
	batches []Batch
	fails   func(Batch) error // what handle returns; nil: nil
	more    chan struct{}
	done    chan error
	cancel  context.CancelFunc
}

// start runs a watcher on a new folder which fill has filled, and waits until
// it is ready. It is stopped, and its end waited for, when the test ends.
func start(t *testing.T, opt Options, fill func(root string), with ...func(*subject)) *subject {
	t.Helper()
	if opt.Root == "" {
		opt.Root = t.TempDir()
	}
	if fill != nil {
		fill(opt.Root)
	}
	w, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{t: t, root: opt.Root, Watcher: w, more: make(chan struct{}, 1), done: make(chan error, 1)}
	for _, f := range with {
		f(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.cancel = cancel
	go func() { s.done <- w.Run(ctx, s.take) }()
	t.Cleanup(s.stop)
	select {
	case <-w.Ready():
	case <-time.After(patience):
		t.Fatal("never ready")
	}
	return s
}

func (s *subject) stop() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.cancel = nil
	if err := <-s.done; err != nil {
		s.t.Errorf("Run: %v", err)
	}
}

func (s *subject) take(_ context.Context, b Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = append(s.batches, b)
	select {
	case s.more <- struct{}{}:
	default:
	}
	if s.fails != nil {
		return s.fails(b)
	}
	return nil
}

// seen returns the batches so far.
func (s *subject) seen() []Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.batches)
}

// clear forgets the batches so far.
func (s *subject) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batches = nil
}

func (s *subject) has(path string) bool {
	for _, b := range s.seen() {
		if slices.Contains(b.Paths, path) {
			return true
		}
	}
	return false
}

func (s *subject) rescans() (n int) {
	for _, b := range s.seen() {
		if b.Rescan {
			n++
		}
	}
	return n
}

// until waits for cond, which is asked again after each batch and now and then.
func (s *subject) until(what string, cond func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited in vain for %s; batches %+v; status %+v", what, s.seen(), s.Status())
		}
		select {
		case <-s.more:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// expect waits until all paths have been handed over.
func (s *subject) expect(paths ...string) {
	s.t.Helper()
	for _, p := range paths {
		s.until(p, func() bool { return s.has(p) })
	}
}

// settle writes a mark and waits for it: what went before has been handed over
// with it or before it.
func (s *subject) settle() {
	s.t.Helper()
	mark := fmt.Sprintf("mark%d", time.Now().UnixNano())
	write(s.t, s.root, mark, "")
	s.expect(mark)
}

func write(t testing.TB, root, path, text string) {
	t.Helper()
	name := filepath.Join(root, filepath.FromSlash(path))
	check(t, os.MkdirAll(filepath.Dir(name), 0o777))
	check(t, os.WriteFile(name, []byte(text), 0o666))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func quick() Options {
	return Options{Debounce: 10 * time.Millisecond, PollInterval: 30 * time.Millisecond}
}

func TestNewRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o666))
	for name, opt := range map[string]Options{
		"relative": {Root: "some/folder"},
		"empty":    {},
		"missing":  {Root: filepath.Join(t.TempDir(), "none")},
		"file":     {Root: file},
		"negative": {Root: t.TempDir(), Debounce: -1},
	} {
		if _, err := New(opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRunOnlyOnce(t *testing.T) {
	s := start(t, quick(), nil)
	if err := s.Run(t.Context(), s.take); err == nil {
		t.Error("second Run: no error")
	}
}

// TestChanges makes one change each and names the paths that must be reported
// and those that must not.
func TestChanges(t *testing.T) {
	type disk struct {
		t    *testing.T
		root string
	}
	at := func(d disk, p string) string { return filepath.Join(d.root, filepath.FromSlash(p)) }
	mv := func(d disk, from, to string) { d.t.Helper(); check(d.t, os.Rename(at(d, from), at(d, to))) }
	cases := []struct {
		name   string
		change func(d disk)
		want   []string
		not    []string
	}{
		{"write", func(d disk) { write(d.t, d.root, "a.go", "2") }, []string{"a.go"}, []string{"dir/b.go"}},
		{"write below", func(d disk) { write(d.t, d.root, "dir/sub/c.go", "2") }, []string{"dir/sub/c.go"}, []string{"a.go"}},
		{"new file", func(d disk) { write(d.t, d.root, "dir/new.go", "") }, []string{"dir/new.go"}, nil},
		{"remove", func(d disk) { check(d.t, os.Remove(at(d, "a.go"))) }, []string{"a.go"}, nil},
		{"new folders", func(d disk) { write(d.t, d.root, "x/y/z/new.go", "") }, []string{"x/y/z/new.go"}, nil},
		{"rename file", func(d disk) { mv(d, "a.go", "dir/a2.go") }, []string{"a.go", "dir/a2.go"}, nil},
		{"rename folder", func(d disk) { mv(d, "dir", "moved") }, []string{"dir", "moved/b.go", "moved/sub/c.go"}, nil},
		{"move folder out", func(d disk) {
			check(d.t, os.Rename(at(d, "dir"), filepath.Join(d.t.TempDir(), "dir")))
		}, []string{"dir"}, nil},
		{"move folder in", func(d disk) {
			out := d.t.TempDir()
			write(d.t, out, "in/deep/new.go", "")
			check(d.t, os.Rename(filepath.Join(out, "in"), at(d, "in")))
		}, []string{"in/deep/new.go"}, nil},
		{"remove folder", func(d disk) { check(d.t, os.RemoveAll(at(d, "dir"))) }, []string{"dir"}, nil},
		{"folder becomes file", func(d disk) {
			check(d.t, os.RemoveAll(at(d, "dir")))
			write(d.t, d.root, "dir", "a file")
		}, []string{"dir"}, nil},
		{"file becomes folder", func(d disk) {
			check(d.t, os.Remove(at(d, "a.go")))
			write(d.t, d.root, "a.go/inside.go", "")
		}, []string{"a.go", "a.go/inside.go"}, nil},
		{"save by rename", func(d disk) {
			write(d.t, d.root, ".a.go.tmp", "2")
			mv(d, ".a.go.tmp", "a.go")
		}, []string{"a.go"}, nil},
		{"save as vim does", func(d disk) {
			write(d.t, d.root, "dir/4913", "")
			check(d.t, os.Remove(at(d, "dir/4913")))
			mv(d, "dir/b.go", "dir/b.go~")
			write(d.t, d.root, "dir/b.go", "2")
			check(d.t, os.Chmod(at(d, "dir/b.go"), 0o600))
			check(d.t, os.Remove(at(d, "dir/b.go~")))
		}, []string{"dir/b.go"}, nil},
		{"save by unlink", func(d disk) {
			check(d.t, os.Remove(at(d, "a.go")))
			write(d.t, d.root, "a.go", "2")
		}, []string{"a.go"}, nil},
		{"chmod", func(d disk) {
			check(d.t, os.Chmod(at(d, "a.go"), 0o600))
			check(d.t, os.Chmod(at(d, "dir"), 0o700))
		}, nil, []string{"a.go", "dir"}},
		{"ignored", func(d disk) {
			write(d.t, d.root, ".git/HEAD", "2")
			write(d.t, d.root, ".git/objects/ab/cd", "")
			write(d.t, d.root, "dir/x.o", "")
			write(d.t, d.root, "new/.git/HEAD", "")
			write(d.t, d.root, "new/x.o", "")
		}, nil, []string{".git", ".git/HEAD", ".git/objects/ab/cd", "dir/x.o", "new/.git/HEAD", "new/x.o"}},
		{"symlinked folder", func(d disk) {
			out := d.t.TempDir()
			write(d.t, out, "far/f.go", "")
			check(d.t, os.Symlink(out, at(d, "link")))
			check(d.t, os.Mkdir(at(d, "n"), 0o777))
			check(d.t, os.Symlink(out, at(d, "n/link")))
			write(d.t, out, "far/g.go", "")
		}, []string{"link", "n/link"}, []string{"link/far/f.go", "link/far/g.go", "n/link/far/f.go", "n/link/far/g.go"}},
	}
	for _, poll := range []bool{false, true} {
		for _, c := range cases {
			t.Run(fmt.Sprintf("poll=%t/%s", poll, c.name), func(t *testing.T) {
				t.Parallel()
				opt := quick()
				opt.Poll = poll
				opt.Ignore = func(path string, dir bool) bool {
					return dir && filepath.Base(path) == ".git" || strings.HasSuffix(path, ".o")
				}
				s := start(t, opt, func(root string) {
					for _, p := range []string{"a.go", "dir/b.go", "dir/sub/c.go", ".git/HEAD"} {
						write(t, root, p, "1")
					}
					age(t, root)
				})
				c.change(disk{t, s.root})
				s.expect(c.want...)
				s.settle()
				for _, p := range c.not {
					if s.has(p) {
						t.Errorf("reported: %s", p)
					}
				}
				for _, b := range s.seen() {
					if b.Rescan || !slices.IsSorted(b.Paths) || len(slices.Compact(slices.Clone(b.Paths))) != len(b.Paths) || b.First.IsZero() {
						t.Errorf("bad batch %+v", b)
					}
				}
				// Whatever happened, changes below go on being seen, under their names.
				s.clear()
				write(t, s.root, "later/f.go", "1")
				s.expect("later/f.go")
				s.clear()
				write(t, s.root, "later/f.go", "22")
				s.expect("later/f.go")
			})
		}
	}
}

// age makes all files old, so that polling need not take them for changed.
func age(t testing.TB, root string) {
	t.Helper()
	old := time.Now().Add(-time.Hour).Add(time.Microsecond)
	check(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chtimes(path, old, old)
	}))
}

// TestMovedFolder holds what is easiest to get wrong: the watches of a moved
// folder and of all below it.
func TestMovedFolder(t *testing.T) {
	s := start(t, quick(), func(root string) { write(t, root, "a/b/c/f.go", "1") })
	check(t, os.Rename(filepath.Join(s.root, "a"), filepath.Join(s.root, "z")))
	s.expect("a", "z/b/c/f.go")
	s.clear()
	write(t, s.root, "z/b/c/f.go", "2")
	s.expect("z/b/c/f.go")
	write(t, s.root, "a/b/c/f.go", "new")
	s.expect("a/b/c/f.go")
	s.clear()
	write(t, s.root, "z/b/g.go", "3")
	write(t, s.root, "a/b/h.go", "3")
	s.expect("z/b/g.go", "a/b/h.go")
	if s.has("a/b/g.go") || s.has("z/b/h.go") {
		t.Errorf("wrong names: %+v", s.seen())
	}
	if got := s.Status().Watches; got != 7 {
		t.Errorf("%d watches, want 7", got)
	}
	check(t, os.RemoveAll(filepath.Join(s.root, "z")))
	out := t.TempDir()
	check(t, os.Rename(filepath.Join(s.root, "a"), filepath.Join(out, "a")))
	s.until("one watch", func() bool { return s.Status().Watches == 1 })
	s.settle()
	s.clear()
	write(t, out, "a/b/far.go", "") // outside now
	s.settle()
	if s.has("a/b/far.go") {
		t.Error("a folder moved out is still watched")
	}
}

func TestIgnoredFoldersAreNotWatched(t *testing.T) {
	opt := quick()
	opt.Ignore = func(path string, dir bool) bool { return dir && filepath.Base(path) == "node_modules" }
	s := start(t, opt, func(root string) {
		write(t, root, "node_modules/a/b/c.js", "")
		write(t, root, "web/node_modules/a/b/c.js", "")
	})
	if got := s.Status(); got.Watches != 2 || got.Mode != ModeNotify || got.Reason != "" {
		t.Errorf("status %+v, want 2 watches", got)
	}
}

func TestRescanAfterIgnoreChanged(t *testing.T) {
	var mu sync.Mutex
	ignored := "a"
	opt := quick()
	opt.Ignore = func(path string, dir bool) bool {
		mu.Lock()
		defer mu.Unlock()
		return path == ignored
	}
	s := start(t, opt, func(root string) {
		write(t, root, "a/f.go", "")
		write(t, root, "b/f.go", "")
	})
	mu.Lock()
	ignored = "b"
	mu.Unlock()
	s.Rescan()
	s.until("rescan", func() bool { return s.rescans() == 1 })
	write(t, s.root, "b/f.go", "2")
	write(t, s.root, "a/f.go", "2")
	s.expect("a/f.go")
	s.settle()
	if s.has("b/f.go") || s.Status().Watches != 2 {
		t.Errorf("batches %+v, status %+v", s.seen(), s.Status())
	}
}

func TestRootGoneAndBack(t *testing.T) {
	for name, opt := range map[string]Options{
		"fsnotify": quick(),
		"poll":     {Poll: true, Debounce: 10 * time.Millisecond, PollInterval: 30 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			opt.Root = filepath.Join(t.TempDir(), "up", "root")
			s := start(t, opt, func(root string) { write(t, root, "a/f.go", "") })
			gone := func() bool {
				st := s.Status()
				return st.Watches+st.Polled == 0 && strings.Contains(st.LastError, "root")
			}
			check(t, os.RemoveAll(s.root))
			s.until("loss", func() bool { return s.rescans() >= 1 && gone() })
			n := s.rescans()
			write(t, s.root, "a/g.go", "")
			s.until("return", func() bool { return s.rescans() > n && !gone() })
			s.clear()
			write(t, s.root, "a/h.go", "")
			s.expect("a/h.go")

			// Moved away by itself.
			s.clear()
			check(t, os.Rename(s.root, s.root+"2"))
			s.until("loss by move", func() bool { return s.rescans() >= 1 && gone() })
			n = s.rescans()
			check(t, os.Rename(s.root+"2", s.root))
			s.until("return by move", func() bool { return s.rescans() > n && !gone() })
			s.clear()
			write(t, s.root, "a/i.go", "")
			s.expect("a/i.go")

			// The folder above moved: the kernel says nothing, the next change does.
			s.clear()
			up := filepath.Dir(s.root)
			check(t, os.Rename(up, up+"2"))
			write(t, up+"2", "root/a/i.go", "changed")
			s.until("loss with parent", func() bool { return s.rescans() >= 1 && gone() })
		})
	}
}

func TestThousandFiles(t *testing.T) {
	opt := Options{Debounce: 60 * time.Millisecond}
	name := func(i int) string { return fmt.Sprintf("pkg%d/sub%d/file%d.go", i%20, i%7, i) }
	s := start(t, opt, func(root string) {
		for i := range 500 {
			write(t, root, name(i), "1")
		}
	})
	begin := time.Now()
	for i := range 1000 { // half of them new, in folders old and new
		write(t, s.root, name(i), "22")
	}
	took := time.Since(begin)
	want := make(map[string]bool)
	for i := range 1000 {
		want[name(i)] = true
	}
	s.until("1000 files", func() bool {
		for _, b := range s.seen() {
			for _, p := range b.Paths {
				delete(want, p)
			}
		}
		return len(want) == 0
	})
	// Writing takes its time on a busy machine; a batch each half second is due.
	if n, limit := len(s.seen()), 2+int(took/(500*time.Millisecond)); n > limit {
		t.Errorf("%d batches in %v, want at most %d", n, took, limit)
	}
	if st := s.Status(); st.Overflows != 0 || st.Batches != uint64(len(s.seen())) || st.Events < 1000 {
		t.Errorf("status %+v", st)
	}
}

func TestTooManyBecomeRescan(t *testing.T) {
	opt := quick()
	opt.MaxBatch = 50
	opt.Debounce = 500 * time.Millisecond
	opt.MaxDelay = 10 * time.Second
	s := start(t, opt, nil)
	for i := range 51 {
		write(t, s.root, fmt.Sprintf("f%d", i), "")
	}
	s.until("rescan", func() bool { return s.rescans() == 1 })
	if b := s.seen()[0]; len(b.Paths) != 0 {
		t.Errorf("rescan with %d paths", len(b.Paths))
	}
}

func TestGathersWhileHandling(t *testing.T) {
	opt := quick()
	entered, leave := make(chan struct{}), make(chan struct{})
	first := true
	s := start(t, opt, nil, func(s *subject) {
		s.fails = func(Batch) error {
			if first {
				first = false
				close(entered)
				<-leave
			}
			return nil
		}
	})
	write(t, s.root, "one", "")
	<-entered
	for i := range 20 {
		write(t, s.root, fmt.Sprintf("two/f%d", i), "")
	}
	time.Sleep(50 * time.Millisecond) // longer than Debounce: they would go out
	close(leave)
	s.expect("two/f0", "two/f19")
	if n := len(s.seen()); n > 3 {
		t.Errorf("%d batches", n)
	}
}

func TestFailureIsRetried(t *testing.T) {
	s := start(t, quick(), nil, func(s *subject) {
		s.fails = func(b Batch) error {
			if slices.Contains(b.Paths, "bad") {
				return errors.New("no such luck")
			}
			return nil
		}
	})
	tries := func() (n int) {
		for _, b := range s.seen() {
			if slices.Contains(b.Paths, "bad") {
				n++
			}
		}
		return n
	}
	write(t, s.root, "bad", "")
	s.until("second try", func() bool { return tries() == 2 })
	s.until("count", func() bool { return s.Status().Failures == 2 })
	if got := s.Status().LastError; got != "no such luck" {
		t.Errorf("last error %q", got)
	}
	s.settle()
	if tries() != 2 {
		t.Errorf("%d tries", tries())
	}
}

// TestLatency: a single save is handed over, and not before the default time to wait has
// passed. The median is logged.
func TestLatency(t *testing.T) {
	s := start(t, Options{}, nil)
	var took []time.Duration
	for i := range 11 {
		s.clear()
		p := fmt.Sprintf("f%d.go", i)
		begin := time.Now()
		write(t, s.root, p, "package f")
		s.expect(p)
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	t.Logf("median %v", took[len(took)/2])
	if took[0] < defaultDebounce {
		t.Errorf("all %v", took)
	}
}

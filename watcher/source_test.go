package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"
)

// A fake source gives the notices it is told to give.
type fake struct {
	events chan fsnotify.Event
	errors chan error
}

func newFake() *fake {
	return &fake{events: make(chan fsnotify.Event), errors: make(chan error)}
}

func (f *fake) Add(string) error              { return nil }
func (f *fake) Remove(string) error           { return nil }
func (f *fake) Events() <-chan fsnotify.Event { return f.events }
func (f *fake) Errors() <-chan error          { return f.errors }

func (f *fake) Close() error {
	close(f.events)
	close(f.errors)
	return nil
}

func (f *fake) write(root, path string) {
	f.events <- fsnotify.Event{Name: filepath.Join(root, path), Op: fsnotify.Write}
}

// A meddler stands between the watcher and the kernel.
type meddler struct {
	source
	errors chan error
	events chan fsnotify.Event
	end    chan struct{} // closed: the source ends by itself
	pumps  sync.WaitGroup

	mu    sync.Mutex
	deaf  bool                 // drop events
	limit int                  // watches allowed; 0: no limit
	held  map[string]bool      // watches held
	adds  int                  // calls of Add
	deny  func(p string) error // an error for this folder
}

func meddle(t *testing.T) (*meddler, func(*subject)) {
	real, err := openNotify()
	check(t, err)
	m := &meddler{source: real, errors: make(chan error), events: make(chan fsnotify.Event),
		end: make(chan struct{}), held: make(map[string]bool)}
	m.pumps.Go(func() {
		defer close(m.errors)
		for err := range real.Errors() {
			m.errors <- err
		}
	})
	m.pumps.Go(func() {
		defer close(m.events)
		for {
			select {
			case ev, ok := <-real.Events():
				if !ok {
					return
				}
				m.mu.Lock()
				deaf := m.deaf
				m.mu.Unlock()
				if !deaf {
					select {
					case m.events <- ev:
					case <-m.end:
						return
					}
				}
			case <-m.end:
				return
			}
		}
	})
	return m, func(s *subject) { s.open = func() (source, error) { return m, nil } }
}

func (m *meddler) Events() <-chan fsnotify.Event { return m.events }
func (m *meddler) Errors() <-chan error          { return m.errors }

func (m *meddler) Close() error {
	select {
	case <-m.end:
	default:
		close(m.end)
	}
	err := m.source.Close()
	m.pumps.Wait()
	return err
}

func (m *meddler) Add(p string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.adds++
	if m.deny != nil {
		if err := m.deny(p); err != nil {
			return err
		}
	}
	if m.limit > 0 && !m.held[p] && len(m.held) >= m.limit {
		return syscall.ENOSPC
	}
	if err := m.source.Add(p); err != nil {
		return err
	}
	m.held[p] = true
	return nil
}

func (m *meddler) Remove(p string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, p)
	return m.source.Remove(p)
}

func (m *meddler) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// overflow ends deafness as the kernel does.
func (m *meddler) overflow(t *testing.T) {
	t.Helper()
	time.Sleep(50 * time.Millisecond) // let the kernel's notices pass
	m.set(func() { m.deaf = false })
	select {
	case m.errors <- fsnotify.ErrEventOverflow:
	case <-time.After(patience):
		t.Fatal("no one takes errors")
	}
}

// TestOverflow loses the notices of changes in the folders themselves: after
// the overflow is known, the folders must be watched as they are.
func TestOverflow(t *testing.T) {
	m, with := meddle(t)
	s := start(t, quick(), func(root string) {
		for _, p := range []string{"gone/x/f", "old/x/f", "stays/f", "again/f"} {
			write(t, root, p, "")
		}
	}, with)
	m.set(func() { m.deaf = true })
	check(t, os.RemoveAll(filepath.Join(s.root, "gone")))
	check(t, os.Rename(filepath.Join(s.root, "old"), filepath.Join(s.root, "moved")))
	check(t, os.RemoveAll(filepath.Join(s.root, "again")))
	write(t, s.root, "again/f", "")
	write(t, s.root, "new/y/f", "")
	m.overflow(t)
	s.until("rescan", func() bool { return s.rescans() == 1 })
	s.clear()
	for _, p := range []string{"moved/x/f", "stays/f", "again/f", "new/y/f"} {
		write(t, s.root, p, "2")
		s.expect(p)
	}
	if s.has("old/x/f") {
		t.Error("reported under its old name")
	}
	if st := s.Status(); st.Overflows != 1 || st.Watches != 7 || !strings.Contains(st.LastError, "overflow") {
		t.Errorf("status %+v", st)
	}
}

func TestWatchesRunOut(t *testing.T) {
	m, with := meddle(t)
	m.limit = 3
	s := start(t, quick(), func(root string) {
		for i := range 6 {
			write(t, root, fmt.Sprintf("d%d/f", i), "")
			write(t, root, fmt.Sprintf("d%d/sub/f", i), "")
		}
		age(t, root)
	}, with)
	st := s.Status()
	if st.Mode != ModeMixed || st.Watches != 3 || st.Polled != 10 || !strings.Contains(st.Reason, "max_user_watches") {
		t.Fatalf("status %+v", st)
	}
	m.set(func() {
		if m.adds > 4 { // one refusal is enough
			t.Errorf("%d calls of Add for 13 folders", m.adds)
		}
	})
	for i := range 6 {
		write(t, s.root, fmt.Sprintf("d%d/f", i), "2")
		write(t, s.root, fmt.Sprintf("d%d/sub/new/f", i), "2")
	}
	for i := range 6 {
		s.expect(fmt.Sprintf("d%d/f", i), fmt.Sprintf("d%d/sub/new/f", i))
	}
	check(t, os.Remove(filepath.Join(s.root, "d0/f")))
	check(t, os.RemoveAll(filepath.Join(s.root, "d1/sub")))
	check(t, os.Rename(filepath.Join(s.root, "d2/sub"), filepath.Join(s.root, "d3/sub2")))
	s.clear()
	s.expect("d0/f", "d1/sub", "d2/sub", "d3/sub2/f", "d3/sub2/new/f")

	// When watches are free again, the polled folders get them.
	m.set(func() { m.limit = 0 })
	s.until("all watched", func() bool {
		st := s.Status()
		return st.Mode == ModeNotify && st.Polled == 0 && st.Reason == "" && st.Watches == 17
	})
	s.clear()
	write(t, s.root, "d5/sub/new/f", "3")
	write(t, s.root, "d3/sub2/new/f", "3")
	s.expect("d5/sub/new/f", "d3/sub2/new/f")
}

func TestNoNoticesAtAll(t *testing.T) {
	s := start(t, quick(), func(root string) { write(t, root, "a/f", "") }, func(s *subject) {
		s.open = func() (source, error) { return nil, fmt.Errorf("kernel notifications: %w", syscall.EMFILE) }
	})
	if st := s.Status(); st.Mode != ModePoll || st.Polled != 2 || !strings.Contains(st.Reason, "too many open files") {
		t.Errorf("status %+v", st)
	}
	write(t, s.root, "a/f", "2")
	s.expect("a/f")
}

func TestSourceEnds(t *testing.T) {
	m, with := meddle(t)
	s := start(t, quick(), func(root string) { write(t, root, "a/f", "") }, with)
	close(m.end)
	s.until("rescan", func() bool { return s.rescans() == 1 })
	if st := s.Status(); st.Mode != ModePoll || st.Polled != 2 || st.Watches != 0 || st.Reason == "" {
		t.Errorf("status %+v", st)
	}
	write(t, s.root, "a/f", "2")
	s.expect("a/f")
}

// TestForbiddenFolder: what may not be read is left alone until its mode changes.
func TestForbiddenFolder(t *testing.T) {
	m, with := meddle(t)
	m.deny = func(p string) error {
		if info, err := os.Stat(p); err == nil && info.Mode()&0o400 == 0 {
			return syscall.EACCES
		}
		return nil
	}
	var dir string
	s := start(t, quick(), func(root string) {
		dir = filepath.Join(root, "shut")
		write(t, root, "shut/f", "")
		check(t, os.Chmod(dir, 0o300))
	}, with)
	if st := s.Status(); st.Mode != ModeNotify || st.Watches != 1 {
		t.Errorf("status %+v", st)
	}
	check(t, os.Chmod(dir, 0o700))
	s.expect("shut/f")
	s.clear()
	write(t, s.root, "shut/g", "")
	s.expect("shut/g")
}

func TestOtherErrorsAreRecorded(t *testing.T) {
	m, with := meddle(t)
	s := start(t, quick(), nil, with)
	m.errors <- fs.ErrInvalid
	s.until("error", func() bool { return strings.Contains(s.Status().LastError, fs.ErrInvalid.Error()) })
}

// TestEndWhileHandling: Run waits for handle, and nothing is left behind.
func TestEndWhileHandling(t *testing.T) {
	before := goleak.IgnoreCurrent()
	w, err := New(Options{Root: t.TempDir(), Debounce: ms})
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	entered, left := make(chan struct{}), false
	done := make(chan error)
	go func() {
		done <- w.Run(ctx, func(ctx context.Context, _ Batch) error {
			close(entered)
			<-ctx.Done()
			time.Sleep(20 * ms)
			left = true
			return errors.Join(ctx.Err())
		})
	}()
	<-w.Ready()
	write(t, w.opt.Root, "f", "")
	<-entered
	cancel()
	if err := <-done; err != nil || !left {
		t.Errorf("Run returned %v, handle had returned: %t", err, left)
	}
	if st := w.Status(); st.Failures != 0 {
		t.Errorf("the end counts as a failure: %+v", st)
	}
	goleak.VerifyNone(t, before)
}

package watcher

import (
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/quarry-search/quarry/index/oserror"
)

// faulty has calls about one path fail while an error is set.
type faulty struct {
	call, path string
	errno      atomic.Uint64
}

func (f *faulty) with(s *subject) {
	s.fault = func(call, path string) error {
		if n := f.errno.Load(); n != 0 && call == f.call && path == f.path {
			return syscall.Errno(n)
		}
		return nil
	}
}

func (f *faulty) set(n syscall.Errno) { f.errno.Store(uint64(n)) }

// TestFolderThatCannotBeLookedAt hides a folder by each error that passes, from the start or
// when it appears: once the error has passed, its files are reported and it is watched, and
// nobody has to say anything for it.
func TestFolderThatCannotBeLookedAt(t *testing.T) {
	for _, e := range oserror.Table() {
		if !e.Transient || e.Errno == 0 {
			continue
		}
		for _, call := range []string{"stat", "readdir"} {
			t.Run(e.Name+" "+call, func(t *testing.T) {
				t.Parallel()
				f := &faulty{call: call, path: "d"}
				f.set(e.Errno)
				s := start(t, quick(), func(root string) {
					write(t, root, "d/early", "")
					write(t, root, "d/deep/early", "")
				}, f.with)
				write(t, s.root, "d/late", "")
				f.set(0)
				s.expect("d", "d/early", "d/late", "d/deep/early")
				s.clear()
				write(t, s.root, "d/deep/after", "")
				s.expect("d/deep/after")
			})
		}
	}
}

// TestNewFolderThatCannotBeLookedAt has a folder appear that cannot be listed then.
func TestNewFolderThatCannotBeLookedAt(t *testing.T) {
	for _, call := range []string{"stat", "readdir"} {
		f := &faulty{call: call, path: "d"}
		s := start(t, quick(), nil, f.with)
		f.set(syscall.EMFILE)
		write(t, s.root, "d/early", "")
		s.until("it is to be looked at again", func() bool { return s.Status().LastError != "" })
		f.set(0)
		s.expect("d/early")
		s.clear()
		write(t, s.root, "d/late", "")
		s.expect("d/late")
	}
}

// TestRescanKeepsWhatIsHidden walks all folders again while one cannot be looked at: what is
// below it stays watched.
func TestRescanKeepsWhatIsHidden(t *testing.T) {
	f := &faulty{call: "stat", path: "d"}
	s := start(t, quick(), func(root string) { write(t, root, "d/deep/f", "") }, f.with)
	watches := s.Status().Watches
	f.set(syscall.ENOMEM)
	s.Rescan()
	s.until("rescan", func() bool { return s.rescans() == 1 })
	if got := s.Status().Watches; got != watches {
		t.Errorf("%d folders are watched, and were %d", got, watches)
	}
	s.clear()
	write(t, s.root, "d/deep/g", "")
	s.expect("d/deep/g")
}

// TestPolledFolderThatCannotBeLookedAt has looks at a polled folder fail: what changes
// meanwhile is found afterwards, and what does not is not reported as gone.
func TestPolledFolderThatCannotBeLookedAt(t *testing.T) {
	for _, c := range []struct{ call, path string }{{"stat", "d"}, {"readdir", "d"}, {"stat", "d/f"}} {
		opt := quick()
		opt.Poll = true
		f := &faulty{call: c.call, path: c.path}
		s := start(t, opt, func(root string) {
			write(t, root, "d/f", "")
			write(t, root, "e/f", "")
			age(t, root)
		}, f.with)
		f.set(syscall.EMFILE)
		write(t, s.root, "e/g", "") // proof of a look at everything
		s.expect("e/g")
		write(t, s.root, "e/h", "")
		s.expect("e/h")
		if s.has("d/f") || s.has("d") {
			t.Errorf("%s of %s: what cannot be looked at is reported: %v", c.call, c.path, s.seen())
		}
		write(t, s.root, "d/f", "changed")
		write(t, s.root, "d/g", "")
		f.set(0)
		s.expect("d/f", "d/g")
	}
}

// TestNoticesComeLater has the kernel give no notices at first, for want of descriptors.
func TestNoticesComeLater(t *testing.T) {
	var refused atomic.Bool
	refused.Store(true)
	s := start(t, quick(), func(root string) { write(t, root, "d/f", "") }, func(s *subject) {
		s.open = func() (source, error) {
			if refused.Load() {
				return nil, syscall.EMFILE
			}
			return openNotify()
		}
	})
	if st := s.Status(); st.Mode != ModePoll || st.Reason == "" {
		t.Errorf("without notices: %+v", st)
	}
	write(t, s.root, "d/g", "")
	s.expect("d/g")
	refused.Store(false)
	s.until("notices", func() bool { st := s.Status(); return st.Mode == ModeNotify && st.Polled == 0 })
	s.clear()
	write(t, s.root, "d/h", "")
	s.expect("d/h")
	if slices.ContainsFunc(s.seen(), func(b Batch) bool { return b.Rescan }) {
		t.Error("everything is reported as changed")
	}
}

package watcher

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMaxWatches: beyond the watcher's own limit folders are polled, it says so, what
// changes in them is seen, and they are watched once others are gone.
func TestMaxWatches(t *testing.T) {
	opt := quick()
	opt.MaxWatches = 4
	s := start(t, opt, func(root string) {
		for i := range 6 {
			write(t, root, fmt.Sprintf("d%d/f", i), "")
		}
		age(t, root)
	})
	st := s.Status()
	if st.Mode != ModeMixed || st.Watches != 4 || st.Polled != 3 || st.Limit != 4 || !strings.Contains(st.Reason, "own limit") {
		t.Fatalf("status %+v", st)
	}
	for i := range 6 {
		write(t, s.root, fmt.Sprintf("d%d/f", i), "2")
	}
	for i := range 6 {
		s.expect(fmt.Sprintf("d%d/f", i))
	}
	for i := range 3 {
		if err := os.RemoveAll(filepath.Join(s.root, fmt.Sprintf("d%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	s.until("all watched", func() bool {
		st := s.Status()
		return st.Mode == ModeNotify && st.Watches == 4 && st.Polled == 0 && st.Reason == ""
	})
}

func TestGrantedWatches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "limit")
	if n := grantedWatches(file); n != 0 {
		t.Errorf("%d from nothing", n)
	}
	for text, want := range map[string]int{"8192\n": 8192, "": 0, "many": 0, "-1": 0} {
		write(t, filepath.Dir(file), "limit", text)
		if n := grantedWatches(file); n != want {
			t.Errorf("%q: %d", text, n)
		}
	}
	w, err := New(Options{Root: t.TempDir()})
	check(t, err)
	if st := w.Status(); st.Limit > st.Granted || st.Granted > 3 && st.Limit == 0 {
		t.Errorf("%+v", st)
	}
}

package watcher

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A mirror is a copy of a tree that knows only what a watcher says. It is what
// an index is to a repository.
type mirror map[string]string

// handle follows a batch. By the contract it may walk folders that are named,
// and need not.
func (m mirror) handle(root string, b Batch, walks bool) {
	if b.Rescan {
		clear(m)
		m.walk(root, ".")
	}
	for _, p := range b.Paths {
		for old := range m {
			if old == p || strings.HasPrefix(old, p+"/") {
				delete(m, old)
			}
		}
		if info, err := os.Lstat(filepath.Join(root, p)); walks || err == nil && !info.IsDir() {
			m.walk(root, p)
		}
	}
}

func (m mirror) walk(root, p string) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(root, dir)); err != nil || !info.IsDir() {
			return // the path is out of date and leads nowhere, or through a link
		}
	}
	_ = filepath.WalkDir(filepath.Join(root, p), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // gone again
		}
		if text, err := os.ReadFile(name); err == nil {
			rel, _ := filepath.Rel(root, name)
			m[filepath.ToSlash(rel)] = string(text)
		}
		return nil
	})
}

// TestMirror makes changes at random, quicker than they can be followed, and
// wants a mirror kept by the batches to be equal to the tree in the end.
func TestMirror(t *testing.T) {
	for _, mode := range []string{"fsnotify", "mixed", "poll", "overflow"} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s/%d", mode, seed), func(t *testing.T) {
				t.Parallel()
				opt := quick()
				opt.Poll = mode == "poll"
				rnd := rand.New(rand.NewPCG(seed, 7))
				m, with := meddle(t)
				switch mode {
				case "mixed":
					m.limit = 4
				case "poll":
					check(t, m.Close())
				}
				kept := make(mirror)
				// Where folders are polled, what comes and goes between two looks
				// is not reported. There the mirror must not look meanwhile, nor
				// see more by a walk than the watcher has seen.
				polls := mode == "mixed" || mode == "poll"
				walks := !polls && seed%2 == 1
				var busy sync.Mutex
				s := start(t, opt, func(root string) {
					for range 50 {
						disturb(t, root, rnd)
					}
					kept.walk(root, ".")
				}, with, func(s *subject) {
					s.fails = func(b Batch) error {
						if polls {
							busy.Lock()
							defer busy.Unlock()
						}
						kept.handle(s.root, b, walks)
						return nil
					}
				})
				for round := range 4 {
					if mode == "overflow" {
						m.set(func() { m.deaf = true })
					}
					busy.Lock()
					for range 150 {
						disturb(t, s.root, rnd)
					}
					busy.Unlock()
					if mode == "overflow" {
						m.overflow(t)
					}
					want := make(mirror)
					want.walk(s.root, ".")
					var diff string
					deadline := time.Now().Add(patience / 2)
					s.until(fmt.Sprintf("round %d", round), func() bool {
						s.mu.Lock()
						defer s.mu.Unlock()
						diff = cmp.Diff(want, kept)
						return diff == "" || time.Now().After(deadline)
					})
					if diff != "" {
						t.Fatalf("round %d: the mirror differs from the tree (-tree +mirror):\n%s", round, diff)
					}
				}
			})
		}
	}
}

// disturb makes one change among few names, so that they meet often.
func disturb(t *testing.T, root string, rnd *rand.Rand) {
	name := func() string {
		p := root
		for range 1 + rnd.IntN(4) {
			p = filepath.Join(p, string(rune('a'+rnd.IntN(4))))
		}
		return p
	}
	p := name()
	// Many of these fail, for the names are what they are: that is no matter.
	switch rnd.IntN(10) {
	case 0:
		_ = os.RemoveAll(p)
	case 1, 2:
		_ = os.Rename(p, name())
	case 3:
		tmp := filepath.Join(filepath.Dir(p), "tmp")
		if os.WriteFile(tmp, fmt.Append(nil, rnd.Int()), 0o666) == nil && os.Rename(tmp, p) != nil {
			check(t, os.Remove(tmp))
		}
	case 4:
		_ = os.Symlink(name(), p)
	default:
		_ = os.MkdirAll(filepath.Dir(p), 0o777)
		_ = os.WriteFile(p, fmt.Append(nil, rnd.Int()), 0o666)
	}
}

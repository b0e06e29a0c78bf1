// Package model knows what the files of a tree were, and may have been, at any moment
// of a load: who changes a file says so before and after. An answer about the tree is
// right if each file in it is as it was at some moment of the answer's window. Package
// model is plain and slow on purpose: it is what a server is compared with.
package model

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A State is what a file was at some moment.
type State struct {
	Gone   bool    // there was no such file; then the other fields are empty
	Text   string  // all of it
	Source *Source // what the text was made of; nil: it was not planted
}

// A Window is the time at which an answer may have looked at a file.
type Window struct {
	From time.Time // earlier changes are seen
	To   time.Time // of the answer
	Sent time.Time // what was confirmed until then is seen, too, whatever From
}

// A version is a state and when the file may have had it.
type version struct {
	State
	from  time.Time // before the change to it began
	until time.Time // after the change away from it had ended; zero: it is still so
}

// keepFor is how long states are known that the files no longer have.
const keepFor = 2 * time.Minute

// A Tree is what is known of the files below a root, by paths with slashes. Its methods
// may be called at the same time.
type Tree struct {
	mu    sync.Mutex
	files map[string][]version
	fixed map[string]string // files that never change
	sure  []confirmation
}

// A confirmation says that whoever asks after answered sees all that was changed below
// some paths before asked.
type confirmation struct {
	paths           []string
	asked, answered time.Time
}

// New returns a tree of files that never change, by path.
func New(fixed map[string]string) *Tree {
	return &Tree{files: map[string][]version{}, fixed: fixed}
}

// Fixed are the files that never change, by path. They must not be written to.
func (t *Tree) Fixed() map[string]string { return t.fixed }

// A Change is what becomes of one file.
type Change struct {
	To      State
	Between []State // what a reader may find while it is under way, besides before and after
}

// Apply records a change of files, by path, that do makes. All files are taken to change
// at any time while do runs, in any order. When do fails, nothing is known any more.
func (t *Tree) Apply(changes map[string]Change, do func() error) error {
	t.mu.Lock()
	began := time.Now()
	old := map[string]int{}
	for path, c := range changes {
		v := t.files[path]
		if len(v) == 0 {
			v = []version{{State: State{Gone: true}}}
		}
		old[path] = len(v) + len(c.Between)
		for _, s := range c.Between {
			v = append(v, version{State: s, from: began})
		}
		t.files[path] = append(v, version{State: c.To, from: began})
	}
	t.mu.Unlock()
	err := do()
	t.mu.Lock()
	defer t.mu.Unlock()
	ended := time.Now()
	for path := range changes {
		v := t.files[path]
		for i := range v[:old[path]] {
			if v[i].until.IsZero() {
				v[i].until = ended
			}
		}
		v = slices.DeleteFunc(v, func(v version) bool { return !v.until.IsZero() && ended.Sub(v.until) > keepFor })
		if t.files[path] = v; len(v) == 1 && v[0].Gone && began.Sub(v[0].from) > keepFor {
			delete(t.files, path)
		}
	}
	return err
}

// Confirm records that a question at the time asked was answered at the time answered
// with the promise that all that changed below some paths before it can be seen from now
// on.
func (t *Tree) Confirm(paths []string, asked, answered time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sure = append(t.sure, confirmation{paths, asked, answered}); len(t.sure) > 20 {
		t.sure = slices.Delete(t.sure, 0, 10)
	}
}

// States are those that a file may have had in a window, the oldest first.
func (t *Tree) States(path string, w Window) []State {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.states(path, w)
}

func (t *Tree) states(path string, w Window) []State {
	if text, ok := t.fixed[path]; ok {
		return []State{{Text: text}}
	}
	from := w.From
	for _, c := range t.sure {
		if c.asked.After(from) && !c.answered.After(w.Sent) && slices.ContainsFunc(c.paths, func(folder string) bool { return Below(path, folder) }) {
			from = c.asked
		}
	}
	var all []State
	for _, v := range t.files[path] {
		if !v.from.After(w.To) && (v.until.IsZero() || !v.until.Before(from)) {
			all = append(all, v.State)
		}
	}
	if len(all) == 0 {
		return []State{{Gone: true}}
	}
	return all
}

// Planted are the states of all files below a folder that are changed by somebody, and
// that may have been there in a window. Folder "" is the root.
func (t *Tree) Planted(folder string, w Window) map[string][]State {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := map[string][]State{}
	for path := range t.files {
		if !Below(path, folder) {
			continue
		}
		states := t.states(path, w)
		if slices.ContainsFunc(states, func(s State) bool { return !s.Gone }) {
			found[path] = states
		}
	}
	return found
}

// Now are the files that are changed by somebody as they are, in the order of their paths.
func (t *Tree) Now() (paths []string, states []State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(t.files)) {
		v := t.files[path]
		if last := v[len(v)-1]; !last.Gone {
			paths, states = append(paths, path), append(states, last.State)
		}
	}
	return paths, states
}

// Below reports whether a path is a folder, or below it. Every path is below "".
func Below(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

package watcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// top is the relative path of the root.
const top = "."

const duplicateReason = "a folder is mounted twice, and the kernel names only one of the two"

// A tree knows the folders that are watched or polled, and only those.
//
// No change may fall between two looks, so for each folder the order is: have
// the kernel watch it, then read it. What is made before the watch is found by
// reading, what is made after it is noticed, what is made in between is both.
//
// The kernel watches a folder, not its name, and keeps to it through a move;
// fsnotify keeps the name that it was given. So a moved folder must be forgotten
// under its old name before it is watched under the new one, or its changes are
// reported under the old. The notice of the move may come too late for that:
// reading a new folder can find a moved one in it before the notice of its move
// is read. Hence byID, which finds the old name.
//
// A tree belongs to one goroutine.
type tree struct {
	root    string
	ignore  func(path string, dir bool) bool
	src     source // nil: poll everything
	changed func(path string)
	fail    func(error)
	fault   func(call, path string) error // see Watcher

	folders map[string]*folder
	byID    map[identity]*folder
	polled  map[string]*folder
	denied  map[string]struct{} // folders that may not be read; a change of mode brings them back
	unread  map[string]struct{} // what an error that passes hides, to be looked at again

	watches int
	full    bool   // the kernel refused the last watch: do not ask for each folder
	reason  string // why folders are polled
	pass    uint   // number of the last walk of all folders
}

type folder struct {
	path      string
	id        identity
	children  map[string]*folder
	watched   bool
	duplicate bool // the same folder is watched under another name (a bind mount)
	pass      uint
	seen      snapshot // of a polled folder
}

func newTree(root string, ignore func(string, bool) bool, src source) *tree {
	return &tree{
		root:    root,
		ignore:  ignore,
		src:     src,
		folders: make(map[string]*folder),
		byID:    make(map[identity]*folder),
		polled:  make(map[string]*folder),
		denied:  make(map[string]struct{}),
		unread:  make(map[string]struct{}),
	}
}

func (t *tree) abs(p string) string { return filepath.Join(t.root, filepath.FromSlash(p)) }

// stat does not follow links, except at the root.
func (t *tree) stat(p string) (fs.FileInfo, error) {
	if t.fault != nil {
		if err := t.fault("stat", p); err != nil {
			return nil, err
		}
	}
	if p == top {
		return os.Stat(t.root)
	}
	return os.Lstat(t.abs(p))
}

// same reports whether p is still the folder with that identity.
func (t *tree) same(p string, id identity) bool {
	info, err := t.stat(p)
	return err == nil && info.IsDir() && identify(info) == id
}

// vanished reports whether err says that a folder is gone or no folder.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func join(dir, name string) string {
	if dir == top {
		return name
	}
	return dir + "/" + name
}

// grow takes in the folder p and all below it that are not yet known, and with
// report calls changed for the files in them. It ends early when ctx ends.
func (t *tree) grow(ctx context.Context, p string, report bool) {
	t.walk(ctx, p, report, false)
}

// renew walks all folders, asks for each watch again, for the kernel may have
// ended it without our knowing, and forgets those that are gone or now ignored.
func (t *tree) renew(ctx context.Context) {
	t.pass++
	t.full = false
	t.walk(ctx, top, false, true)
	if ctx.Err() != nil {
		return
	}
	var stale []string
	for p, f := range t.folders {
		if f.pass != t.pass && !t.hidden(p) {
			stale = append(stale, p)
		}
	}
	for _, p := range stale {
		t.forget(p)
	}
}

func (t *tree) walk(ctx context.Context, p string, report, again bool) {
	todo := []string{p}
	for len(todo) > 0 && ctx.Err() == nil {
		p := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], t.enter(p, report, again)...)
	}
}

// enter takes in one folder and returns the folders to enter next.
func (t *tree) enter(p string, report, again bool) []string {
	info, err := t.stat(p)
	if t.later(p, err) {
		return nil // what is known of it stays
	}
	if err != nil || !info.IsDir() || p != top && t.ignore(p, true) {
		t.forget(p) // if it is gone, the parent notices that too
		return nil
	}
	id := identify(info)
	f := t.folders[p]
	if f != nil && f.id != id {
		t.forget(p)
		f = nil
	}
	if f != nil && !again {
		return nil
	}
	if f == nil {
		f = t.plant(p, id)
	}
	f.pass = t.pass
	if err := t.watch(f); err != nil {
		t.drop(f, err)
		return nil
	}
	// Between stat and watch the folder may have been replaced, and Add
	// follows links: only what is still the same folder is what we watch.
	at := time.Now()
	info, err = t.stat(p)
	if err != nil || !info.IsDir() || identify(info) != id {
		t.forget(p)
		if t.later(p, err) {
			return nil
		}
		return []string{p}
	}
	entries, err := t.readDir(p)
	if err != nil {
		t.drop(f, err)
		return nil
	}
	if !f.watched {
		f.seen = t.shoot(p, at, info, entries)
	}
	var next []string
	for _, e := range entries {
		child := join(p, e.Name())
		switch {
		case e.IsDir():
			next = append(next, child)
		case report && !t.ignore(child, false):
			t.changed(child)
		}
	}
	return next
}

// plant makes p known, neither watched nor polled yet.
func (t *tree) plant(p string, id identity) *folder {
	f := &folder{path: p, id: id}
	delete(t.denied, p)
	if other := t.byID[id]; identities && other != nil {
		if t.same(other.path, id) {
			f.duplicate = true
		} else {
			t.forget(other.path) // it has moved here
		}
	}
	t.folders[p] = f
	if !f.duplicate {
		t.byID[id] = f
	}
	if p == top {
		return f
	}
	if parent := t.folders[path.Dir(p)]; parent != nil {
		if parent.children == nil {
			parent.children = make(map[string]*folder)
		}
		parent.children[p] = f
	}
	return f
}

// watch has the kernel watch f, or else puts it among the polled. The error is
// set if f can be neither watched nor polled.
func (t *tree) watch(f *folder) error {
	if t.polled[f.path] == f {
		return nil // until promote
	}
	if t.src != nil && !f.duplicate && (f.watched || !t.full) {
		err := t.src.Add(t.abs(f.path))
		switch {
		case err == nil:
			if !f.watched {
				f.watched = true
				t.watches++
			}
			return nil
		case vanished(err), errors.Is(err, fs.ErrPermission):
			return err
		}
		t.refused(err)
	}
	if f.watched {
		f.watched = false
		t.watches--
	}
	if f.duplicate && t.reason == "" {
		t.reason = duplicateReason
	}
	t.polled[f.path] = f
	return nil
}

// refused notes that no more folders can be watched.
func (t *tree) refused(err error) {
	t.full = true
	reason := fmt.Sprintf("the kernel takes no more watches: %v", err)
	switch {
	case errors.Is(err, errBound):
		reason = "no more folders are watched: " + err.Error()
	case errors.Is(err, syscall.ENOSPC):
		reason = "the kernel takes no more watches (fs.inotify.max_user_watches is reached)"
	}
	if t.reason != reason {
		t.reason = reason
		t.fail(errors.New(reason))
	}
}

// drop forgets a folder that cannot be read or watched.
func (t *tree) drop(f *folder, err error) {
	t.forget(f.path)
	switch {
	case t.later(f.path, err):
	case vanished(err): // the parent notices
	case errors.Is(err, fs.ErrPermission):
		t.denied[f.path] = struct{}{}
	default:
		t.fail(err)
	}
}

// forget ends watching p and all folders below it.
func (t *tree) forget(p string) {
	if len(t.denied) > 0 {
		for d := range t.denied {
			if d == p || p == top || strings.HasPrefix(d, p+"/") {
				delete(t.denied, d)
			}
		}
	}
	for d := range t.unread {
		if d == p || p == top || strings.HasPrefix(d, p+"/") {
			delete(t.unread, d)
		}
	}
	f := t.folders[p]
	if f == nil {
		return
	}
	if parent := t.folders[path.Dir(p)]; parent != nil && p != top {
		delete(parent.children, p)
	}
	todo := []*folder{f}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range f.children {
			todo = append(todo, c)
		}
		delete(t.folders, f.path)
		delete(t.polled, f.path)
		if t.byID[f.id] == f {
			delete(t.byID, f.id)
		}
		if f.watched {
			// An error says that the kernel has ended the watch already, for
			// the folder is gone.
			_ = t.src.Remove(t.abs(f.path))
			t.watches--
			t.full = false
		}
	}
}

// promote tries to have the kernel watch what is polled for want of watches,
// until it refuses. Called once a round, it costs one call when nothing is free.
func (t *tree) promote(ctx context.Context) {
	if t.src == nil || len(t.polled) == 0 {
		return
	}
	t.full = false
	paths := make([]string, 0, len(t.polled))
	for p := range t.polled {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	duplicates := false
	for _, p := range paths {
		f := t.polled[p]
		if f == nil || ctx.Err() != nil {
			continue
		}
		if f.duplicate {
			duplicates = true
			continue
		}
		if err := t.src.Add(t.abs(p)); vanished(err) || errors.Is(err, fs.ErrPermission) {
			continue // the next look sees to it
		} else if err != nil {
			t.refused(err)
			return
		}
		f.watched = true
		t.watches++
		delete(t.polled, p)
		t.look(ctx, f) // for what came between the last look and the watch
		f.seen = snapshot{}
	}
	t.reason = ""
	if duplicates {
		t.reason = duplicateReason
	}
}

// readmit tries the folders that could not be read, once a round: where the
// parent is polled, no notice tells that their mode has changed.
func (t *tree) readmit(ctx context.Context) {
	for p := range maps.Clone(t.denied) {
		t.grow(ctx, p, true)
	}
}

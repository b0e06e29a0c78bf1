package source

import (
	"fmt"
	"time"
)

// A Reader reads files as Tree.Read does, one after the other. The folders above the
// last one stay open for the next, which most often lies next to it: to go down from the
// root for each takes three system calls a folder, and was a third of the time of reading
// the files of ktor, eight folders deep. It is not safe for concurrent use. Close it.
type Reader struct {
	tree   *Tree
	cursor *cursor
	since  time.Time // the folders have been opened
}

// openFor is how long a Reader trusts the folders that are open: somebody may move one
// out of the root, or put something else in its place.
const openFor = 100 * time.Millisecond

// Reader returns a Reader of the tree's files.
func (t *Tree) Reader() *Reader { return &Reader{tree: t} }

// Close closes the folders.
func (r *Reader) Close() {
	if r.cursor != nil {
		r.cursor.close()
		r.cursor = nil
	}
}

// Read is Tree.Read.
func (r *Reader) Read(f File) ([]byte, *Skip, error) {
	t := r.tree
	if !validPath(f.Path) {
		return nil, nil, fmt.Errorf("read %q: %w", f.Path, ErrOutside)
	}
	if skip := t.refused(f.Path); skip != nil {
		return nil, skip, nil
	}
	if s := t.byName(f.Path, 0); s != nil {
		return nil, s, nil
	}
	if over, ok := t.text(f.Path); ok {
		text, skip := over.read(t, f.Path)
		return text, skip, nil
	}
	text, skip, err := r.regular(f.Path)
	if skip != nil || err != nil {
		return nil, skip, err
	}
	if skip := t.byContent(f.Path, text); skip != nil {
		return nil, skip, nil
	}
	return t.masked(f.Path, text), nil, nil
}

// regular reads a regular file. What cannot be read in the folders that are open is
// looked for from the root: they may not be those that bear these names now.
func (r *Reader) regular(name string) ([]byte, *Skip, error) {
	if r.cursor != nil && time.Since(r.since) < openFor {
		if text, _, skip, err := r.tree.readAt(r.cursor, name, r.tree.opt.MaxFileBytes); skip == nil && err == nil {
			return text, nil, nil
		}
	}
	r.Close()
	r.cursor, r.since = r.tree.cursor(nil), time.Now()
	text, _, skip, err := r.tree.readAt(r.cursor, name, r.tree.opt.MaxFileBytes)
	return text, skip, err
}

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
	if a := t.archived(); a != nil {
		text, skip := readArchived(a, f.Path)
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

// maxPlain bounds what Text and ReadPlain read of a file, in bytes.
const maxPlain = 64 << 20

// Text returns the text of a file whether or not the index has room for it: generated,
// minified or large ones, too, up to 64 MiB, and such as are not UTF-8
// throughout. What is secret, a link, binary or in two bytes a letter is a Skip as it is of
// Read. The size is that of the file in bytes, also of one that is refused for what it
// holds; -1: not known. The error is as that of Read.
func (t *Tree) Text(name string) (text []byte, size int64, skip *Skip, err error) {
	if !validPath(name) {
		return nil, -1, nil, fmt.Errorf("read %q: %w", name, ErrOutside)
	}
	if skip := t.refused(name); skip != nil {
		return nil, -1, skip, nil
	}
	if a := t.archived(); a != nil {
		_, over := t.text(name)
		left, size, ok := a.LeftOut(name)
		switch s, _ := a.Skip(name); {
		case !ok || over:
		case size < 0:
			return nil, -1, &s, nil
		default:
			return left(), size, nil, nil
		}
		text, skip = readArchived(a, name)
		return text, int64(len(text)), skip, nil
	}
	text, size, skip, err = t.readRegular(name, maxPlain)
	if skip != nil || err != nil {
		return nil, size, skip, err
	}
	if skip := binaryText(name, text); skip != nil {
		return nil, size, skip, nil
	}
	return t.maskedAgain(name, text), size, nil, nil
}

// Undecoded returns the bytes of a file that Text takes for binary or refuses for its encoding, up to 8 MiB, so that
// a name can be looked for in it: nothing of it is to be shown. ok is false where it cannot be read, as in a sealed index.
func (t *Tree) Undecoded(name string) (raw []byte, ok bool) {
	if !validPath(name) || t.refused(name) != nil || t.archived() != nil {
		return nil, false
	}
	raw, _, skip, err := t.readRegular(name, maxUndecoded)
	return raw, skip == nil && err == nil
}

const maxUndecoded = 8 << 20

// ReadPlain is Text for people who name a file: it refuses what is not UTF-8 throughout,
// too.
func (t *Tree) ReadPlain(name string) (text []byte, size int64, skip *Skip, err error) {
	text, size, skip, err = t.Text(name)
	if skip != nil || err != nil {
		return nil, size, skip, err
	}
	if skip := encoding(name, text); skip != nil {
		return nil, size, skip, nil
	}
	return text, size, nil, nil
}

package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
)

// Bounds of what one With takes.
const (
	MaxOverlays     = 32      // files
	MaxOverlayBytes = 4 << 20 // of all their contents
)

// An Overlay is what a file is to hold for one request, whatever is saved.
type Overlay struct {
	Path    string // of a file, relative to the root or absolute inside it; links are followed
	Content string // all of it
	Deleted bool   // the file is gone; Content is not looked at
}

// An OverlayError says what is wrong with an Overlay.
type OverlayError struct {
	Path   string // as it was given; "": it is about all of them
	Reason string
}

// Error returns a sentence for the client.
func (e *OverlayError) Error() string {
	if e.Path == "" {
		return "the overlay " + e.Reason
	}
	return fmt.Sprintf("the overlay of %q %s", e.Path, e.Reason)
}

// An Overlaid is an Index as it would be if some files were saved: what With returns. Release
// it; after that, its Index must not be asked any more.
type Overlaid struct {
	// Index answers Search, Related, Structure, Skeleton, Extract, Calls, Impact, Context
	// and Trace. State says what the saved index says of itself, and its generation.
	// What goes to the disk itself (Grep, Read, Find) does not see the overlay.
	Index *Index

	Files   int                  // of the overlay that are in the answers, the deleted ones included
	LeftOut []answer.SkippedFile // those that would not be indexed if they were saved, by path; nil: none

	draft   *draft
	release func()
}

// Release ends the use of the view.
func (v *Overlaid) Release() { v.release() }

// GraphOld reports whether what was asked of the call graph did not see the overlay,
// because the graph of so large a tree is still being made. Nobody else is told that.
func (v *Overlaid) GraphOld() bool { return v.draft.graphOld() }

// With returns the index as it would be if the files were saved. Nobody else sees them:
// not in an answer, an event, a generation or a snapshot. The same pipeline makes it that
// a save runs through, so the answers are those that the save would give. With is cheap
// for what was asked before, and for other contents of the same files; see drafts. Errors:
// *OverlayError, ErrOutside, ErrClosed, and that of ctx.
func (x *Index) With(ctx context.Context, files []Overlay) (*Overlaid, error) {
	if x.Over != nil {
		return nil, errors.New("index: an overlay of an overlay")
	}
	o, err := x.overlay(files)
	if err != nil {
		return nil, err
	}
	d, err := x.drafts.take(ctx, x.Writer, o)
	if err != nil {
		return nil, err
	}
	return &Overlaid{Index: &Index{Writer: d.index}, draft: d, Files: len(o.texts) - len(d.leftOut), LeftOut: d.leftOut, release: func() { x.drafts.give(d) }}, nil
}

// overlaid are the texts of some files, by their paths in the index.
type overlaid struct {
	key   [sha256.Size]byte // of all that follows
	texts map[string]source.Text
}

// overlay checks overlays and brings them in the form that they are compared in.
func (x *Index) overlay(files []Overlay) (*overlaid, error) {
	switch {
	case len(files) == 0:
		return nil, &OverlayError{Reason: "has no file"}
	case len(files) > MaxOverlays:
		return nil, &OverlayError{Reason: fmt.Sprintf("has %d files, more than %d", len(files), MaxOverlays)}
	}
	o := &overlaid{texts: make(map[string]source.Text, len(files))}
	total := 0
	for _, f := range files {
		path, err := x.Tree.Resolve(f.Path)
		if err != nil {
			return nil, err
		}
		if path == "." || strings.HasSuffix(f.Path, "/") {
			return nil, &OverlayError{f.Path, "is of a folder"}
		}
		if _, twice := o.texts[path]; twice {
			return nil, &OverlayError{f.Path, "is the second one of this file"}
		}
		if f.Deleted {
			o.texts[path] = source.Text{}
			continue
		}
		if total += len(f.Content); total > MaxOverlayBytes {
			return nil, &OverlayError{Reason: fmt.Sprintf("has more than %d bytes", MaxOverlayBytes)}
		}
		o.texts[path] = source.Text{Content: append([]byte{}, f.Content...), ModTime: draftTime}
	}
	paths := o.paths()
	for path := range o.texts {
		for dir := path; strings.Contains(dir, "/"); {
			dir = dir[:strings.LastIndexByte(dir, '/')]
			if t, ok := o.texts[dir]; ok && t.Content != nil && o.texts[path].Content != nil {
				return nil, &OverlayError{path, "lies below a file of it"}
			}
		}
	}
	h := sha256.New()
	var size [8]byte
	for _, path := range paths {
		t := o.texts[path]
		n := uint64(len(t.Content)) + 1
		if t.Content == nil {
			n = 0
		}
		for _, part := range [][]byte{[]byte(path), t.Content} {
			binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
			_, _ = h.Write(size[:]) // it never fails
			_, _ = h.Write(part)
		}
		binary.LittleEndian.PutUint64(size[:], n)
		_, _ = h.Write(size[:])
	}
	h.Sum(o.key[:0])
	return o, nil
}

func (o *overlaid) paths() []string {
	paths := make([]string, 0, len(o.texts))
	for p := range o.texts {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

func (d *draft) leave(s *source.Skip) {
	d.leftOut = append(d.leftOut, answer.SkippedFile{Path: s.Path, Reason: string(s.Reason), Detail: s.Detail})
}

func sortSkipped(list []answer.SkippedFile) {
	slices.SortFunc(list, func(a, b answer.SkippedFile) int { return cmp.Compare(a.Path, b.Path) })
}

package source

import (
	"errors"
	"io/fs"
	"log/slog"
	"path"
	"time"
)

// ErrNoFolder says that a Tree has no folder, which is needed for what was asked.
var ErrNoFolder = errors.New("the files themselves are needed for that, and there is only a snapshot of them")

// Archived is the Reason of a file that an Archive knows and has no text of. Walk never
// reports it.
const Archived Reason = "not_in_snapshot"

// byArchive is what Tree.Source says of a Tree without a folder.
const byArchive = "snapshot"

// An Archive has the files of a Tree that has no folder, as they were when they were indexed.
// It never changes.
type Archive interface {
	// File describes a file that is in the index; its text is as Read gives it.
	File(path string) (f File, text func() []byte, ok bool)
	// Skip returns why a file is not in the index.
	Skip(path string) (s Skip, ok bool)
	// LeftOut returns the text of a file that is not in the index, as Text gives it, where that is known; size is
	// below 0 where it gives none.
	LeftOut(path string) (text func() []byte, size int64, ok bool)
	// Links are what the symbolic links to files of Go in a folder lead to.
	Links(dir string) []string
	// Holds reports whether a file or a Skip lies below a folder.
	Holds(folder string) bool
}

// OpenArchive returns a Tree without a folder, which has a name in place of a path. Until
// Seal has been called it has no file.
func OpenArchive(name string, opt Options) *Tree {
	if opt.MaxFileBytes <= 0 {
		opt.MaxFileBytes = defaultMaxFileBytes
	}
	if opt.MaxLineBytes <= 0 {
		opt.MaxLineBytes = defaultMaxLineBytes
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Tree{root: name, opt: opt, log: opt.Logger, rules: newRules(opt.Logger), source: byArchive}
	t.Seal(nothing{})
	return t
}

// Sibling returns another Tree without a folder, which has the same files.
func (t *Tree) Sibling() *Tree {
	s := OpenArchive(t.root, t.opt)
	s.archive.Store(t.archive.Load())
	return s
}

// Seal says which files the Tree has. It is for one that OpenArchive has returned.
func (t *Tree) Seal(a Archive) { t.archive.Store(&a) }

// Sealed reports whether the Tree has no folder.
func (t *Tree) Sealed() bool { return t.archive.Load() != nil }

// archived returns the files of a Tree without a folder, nil of one that has a folder.
func (t *Tree) archived() Archive {
	if a := t.archive.Load(); a != nil {
		return *a
	}
	return nil
}

// nothing is an Archive without files.
type nothing struct{}

func (nothing) File(string) (File, func() []byte, bool) { return File{}, nil, false }
func (nothing) Skip(string) (Skip, bool)                { return Skip{}, false }
func (nothing) LeftOut(string) (func() []byte, int64, bool) {
	return nil, 0, false
}
func (nothing) Links(string) []string { return nil }
func (nothing) Holds(string) bool     { return false }

// unarchived is the Skip of a file of which an Archive has no text.
func unarchived(name string, s Skip) *Skip {
	return &Skip{name, Archived, "a snapshot has no text of what is not indexed (" + string(s.Reason) + ")"}
}

// readArchived is what Read returns of a file.
func readArchived(a Archive, name string) ([]byte, *Skip) {
	if _, text, ok := a.File(name); ok {
		return text(), nil
	}
	if s, ok := a.Skip(name); ok {
		return nil, unarchived(name, s)
	}
	return nil, &Skip{name, Vanished, "no longer there"}
}

// lookupArchived is Lookup of clean paths.
func lookupArchived(a Archive, paths []string) (files []File, skips []Skip, gone []string) {
	for _, p := range paths {
		if f, _, ok := a.File(p); ok {
			files = append(files, f)
		} else if s, ok := a.Skip(p); ok {
			skips = append(skips, s)
		} else if !a.Holds(p) {
			gone = append(gone, p)
		}
	}
	return files, skips, gone
}

// An archivedInfo describes a file or folder of an Archive.
type archivedInfo struct {
	name string
	file File
	dir  bool
}

func (i archivedInfo) Name() string       { return i.name }
func (i archivedInfo) Size() int64        { return i.file.Size }
func (i archivedInfo) ModTime() time.Time { return time.Unix(0, i.file.ModTime) }
func (i archivedInfo) IsDir() bool        { return i.dir }
func (i archivedInfo) Sys() any           { return nil }
func (i archivedInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}

// lstatArchived is Lstat.
func lstatArchived(a Archive, name string) (fs.FileInfo, error) {
	info := archivedInfo{name: path.Base(name)}
	var ok bool
	if info.file, _, ok = a.File(name); ok {
		return info, nil
	}
	if _, ok := a.Skip(name); ok {
		return info, nil
	}
	if info.dir = name == "." || a.Holds(name); info.dir {
		return info, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

// statArchived is Stat of one file. Of a file whose text is not there, nothing is known.
func statArchived(a Archive, name string) (f File, there, known bool) {
	if f, _, ok := a.File(name); ok {
		return f, true, true
	}
	if _, size, ok := a.LeftOut(name); ok {
		return File{Path: name, Size: max(size, 0)}, true, true
	}
	_, skipped := a.Skip(name)
	return File{Path: name}, false, !skipped
}

package grep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/oserror"
)

// A ReadQuery asks for lines of a file.
type ReadQuery struct {
	Path  string // relative to the root or absolute, links are followed inside of the root
	Start int    // 1-based; 0: the first line
	End   int    // inclusive; 0: the last line
}

// A FileText is what a file holds on disk now.
type FileText struct {
	File    string       // relative to the root, links resolved
	Lang    string       // as the index has it; "": it does not know the file, or no language
	Size    int64        // of the file, in bytes
	Lines   int          // of the file
	Start   int          // of Text; 1 for an empty file
	End     int          // inclusive; 0 for an empty file
	Text    string       // of these lines, with their line ends
	Whole   string       // all of the file
	Hash    uint64       // of all of the file
	Indexed bool         // the index has the file
	Changed bool         // but with another content
	Symbols []FileSymbol // of the whole file, by line; none where Changed
	State   answer.State
}

// A FileSymbol is a definition in a FileText.
type FileSymbol struct {
	Symbol string // with the names around it
	Kind   string
	Line   int
}

// A FileError says why a file that is there is not read.
type FileError struct {
	File   string
	Size   int64  // bytes; -1: not known
	Reason string // one of the Refused constants
	Detail string // for people
}

// The reasons of a FileError.
const (
	RefusedSecret   = string(source.Secret)     // the name stands for keys or credentials
	RefusedIgnored  = "ignored"                 // by git or an ignore file
	RefusedBinary   = string(source.Binary)     // no text
	RefusedEncoding = string(source.NotUTF8)    // text in another encoding
	RefusedSize     = string(source.Oversized)  // more than 64 MiB
	RefusedFolder   = "folder"                  // not a file
	RefusedSpecial  = string(source.Special)    // a device, a socket or a named pipe
	RefusedAccess   = string(source.Unreadable) // by the system
	RefusedNow      = string(source.Pending)    // by the system, for an error that passes: asked again, it may be read
	RefusedArchived = string(source.Archived)   // the index has a snapshot only, which has no text of it
)

// Error returns a sentence.
func (e *FileError) Error() string {
	switch e.Reason {
	case RefusedSecret:
		return fmt.Sprintf("%s is not read: %s", e.File, e.Detail)
	case RefusedIgnored:
		return fmt.Sprintf("%s is not read: it is left out by an ignore rule", e.File)
	case RefusedBinary:
		return fmt.Sprintf("%s is a binary file of %d bytes", e.File, e.Size)
	case RefusedFolder:
		return fmt.Sprintf("%s is a folder", e.File)
	case RefusedNow:
		return fmt.Sprintf("%s cannot be read now: %s", e.File, e.Detail)
	}
	return fmt.Sprintf("%s cannot be read: %s", e.File, e.Detail)
}

// Read returns lines of a file as they are on disk, whether the index has the file,
// leaves it out for its form, or has an older content of it. Secrets, and what the
// ignore rules leave out, it does not read. Errors: ErrOutside, fs.ErrNotExist, a
// FileError, a PlaceError for a line that the file does not have, ErrClosed.
func Read(ctx context.Context, x *store.View, q ReadQuery) (FileText, error) {
	path, err := x.Resolve(q.Path)
	if err != nil {
		return FileText{}, err
	}
	x.Mu.RLock()
	closed, r := x.Closed, x.Table.Files[path]
	_, skipped := x.Table.Skips[path]
	x.Mu.RUnlock()
	if closed {
		return FileText{}, answer.ErrClosed
	}
	if path == "." {
		return FileText{}, &FileError{File: path, Size: -1, Reason: RefusedFolder}
	}
	if r == nil && !skipped {
		if err := admitted(ctx, x, path); err != nil {
			return FileText{}, err
		}
	}
	src, size, skip, err := x.Tree.ReadPlain(path)
	if err != nil {
		return FileText{}, err
	}
	if skip != nil {
		if skip.Reason == source.Vanished {
			return FileText{}, fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
		}
		return FileText{}, &FileError{File: path, Size: size, Reason: string(skip.Reason), Detail: skip.Detail}
	}
	out := FileText{File: path, Size: size, Hash: xxhash.Sum64(src), Whole: string(src), Start: 1, State: x.State()}
	out.Text = out.Whole
	if len(src) > 0 {
		out.Lines = source.CountLines(src)
	}
	out.End = out.Lines
	if r != nil {
		out.Indexed, out.Lang = true, r.Lang
		if out.Changed = r.Hash != out.Hash; !out.Changed {
			out.Symbols = fileSymbols(r)
		}
	}
	return out, out.narrow(q)
}

// admitted returns an error for a file that the index does not know and that it would
// not look at either.
func admitted(ctx context.Context, x *store.View, path string) error {
	info, err := x.Tree.Lstat(path)
	switch {
	case x.Tree.IsSecret(path): // whether it is there or not
		return &FileError{File: path, Size: -1, Reason: RefusedSecret, Detail: "the name stands for keys or credentials"}
	case errors.Is(err, fs.ErrPermission):
		return &FileError{File: path, Size: -1, Reason: RefusedAccess, Detail: "permission denied"}
	case oserror.Transient(err):
		return fmt.Errorf("read %s: %w", path, err)
	case err != nil: // or an element of the path is a file
		return fmt.Errorf("read %s: %w", path, fs.ErrNotExist)
	}
	_, skips, gone, err := x.Tree.Lookup(ctx, []string{path})
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return &FileError{File: path, Size: -1, Reason: RefusedFolder}
	case len(gone) > 0:
		return &FileError{File: path, Size: info.Size(), Reason: RefusedIgnored}
	}
	for _, s := range skips {
		if s.Reason == source.Pending { // whether it is ignored is not known
			return &FileError{File: path, Size: info.Size(), Reason: RefusedNow, Detail: s.Detail}
		}
	}
	return nil
}

// narrow leaves the lines that are asked for.
func (t *FileText) narrow(q ReadQuery) error {
	if q.Start > max(t.Lines, 1) {
		return &answer.PlaceError{File: t.File, Line: q.Start, Lines: max(t.Lines, 1)}
	}
	if q.End > 0 && q.End < t.End {
		at, ok := source.LineAt([]byte(t.Text), q.End)
		if ok {
			t.Text = t.Text[:at]
		}
		t.End = q.End
	}
	if q.Start > 1 {
		at, _ := source.LineAt([]byte(t.Text), q.Start-1)
		t.Text, t.Start = t.Text[at:], q.Start
	}
	return nil
}

// fileSymbols returns the definitions of a record, by line.
func fileSymbols(r *store.Record) []FileSymbol {
	list := make([]FileSymbol, len(r.Symbols))
	for i := range r.Symbols {
		s := &r.Symbols[i]
		list[i] = FileSymbol{Symbol: s.Qualified(), Kind: string(s.Kind()), Line: int(s.Line)}
	}
	return list
}

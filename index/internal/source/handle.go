package source

import (
	"io/fs"
	"os"
)

// A handle is an open folder, below which its methods look. All calls of this package that
// open, list or describe something go through one, or ask Options.Fault before: so a test can
// have any of them fail.
type handle struct {
	dir   *os.Root
	path  string                        // below the tree's root, "" for that; known with fault only
	fault func(call, name string) error // see Options.Fault; nil: none
}

// fails returns the error that a test wants of a call.
func (r *handle) fails(call, name string) error {
	if r.fault == nil {
		return nil
	}
	if name == "." {
		return fault(r.fault, call, r.path)
	}
	return fault(r.fault, call, join(r.path, name))
}

// fault asks for the error that a test wants of a call; ask may be nil.
func fault(ask func(call, name string) error, call, name string) error {
	if ask == nil {
		return nil
	}
	if err := ask(call, name); err != nil {
		return &fs.PathError{Op: call, Path: name, Err: err}
	}
	return nil
}

func (r *handle) Close() error { return r.dir.Close() }

func (r *handle) Stat(name string) (fs.FileInfo, error) {
	if err := r.fails("stat", name); err != nil {
		return nil, err
	}
	return r.dir.Stat(name)
}

func (r *handle) Lstat(name string) (fs.FileInfo, error) {
	if err := r.fails("lstat", name); err != nil {
		return nil, err
	}
	return r.dir.Lstat(name)
}

func (r *handle) OpenRoot(name string) (*handle, error) {
	if err := r.fails("open", name); err != nil {
		return nil, err
	}
	dir, err := r.dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	next := &handle{dir: dir, fault: r.fault}
	if r.fault != nil {
		next.path = join(r.path, name)
	}
	return next, nil
}

func (r *handle) OpenFile(name string, flag int) (*file, error) {
	if err := r.fails("open", name); err != nil {
		return nil, err
	}
	f, err := r.dir.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	return &file{f, r, name}, nil
}

// A file is one that a handle has opened.
type file struct {
	*os.File
	from *handle
	name string
}

func (f *file) Read(b []byte) (int, error) {
	if err := f.from.fails("read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}

func (f *file) Stat() (fs.FileInfo, error) {
	if err := f.from.fails("fstat", f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *file) ReadDir(n int) ([]fs.DirEntry, error) {
	if err := f.from.fails("readdir", f.name); err != nil {
		return nil, err
	}
	return f.File.ReadDir(n)
}

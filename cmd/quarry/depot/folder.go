package depot

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry/folder"
)

// folderStorage is a folder, which must exist: one that is not mounted is not to be made. Links
// do not lead out of it.
type folderStorage string

func (s folderStorage) rest() {}

// temporary is in the name of a file while it is written, before something random.
const temporary = ".tmp-"

// in calls do with the folder.
func (s folderStorage) in(do func(root *os.Root) error) error {
	root, err := os.OpenRoot(string(s))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no such folder", ErrNone)
	}
	if err != nil {
		return folder.Reason(err)
	}
	defer root.Close()
	return do(root)
}

// plain opens a file, and nothing else: a pipe would keep its reader for ever.
func plain(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := root.Lstat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("it is not there: %w", fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a plain file", name)
	}
	f, err := root.Open(filepath.FromSlash(name))
	return f, info, err
}

func (s folderStorage) read(_ context.Context, name string, most int64) (text []byte, version string, err error) {
	err = s.in(func(root *os.Root) error {
		text, version, err = readIn(root, name, most)
		return err
	})
	return text, version, err
}

func readIn(root *os.Root, name string, most int64) (text []byte, version string, err error) {
	f, _, err := plain(root, name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:]), err
}

func (s folderStorage) replace(ctx context.Context, name string, text []byte, version string) error {
	return s.in(func(root *os.Root) error {
		unlock, err := lock(ctx, root, name+".lock")
		if err != nil {
			return err
		}
		defer unlock()
		_, now, err := readIn(root, name, maxList)
		if errors.Is(err, fs.ErrNotExist) {
			now, err = "", nil
		}
		if err != nil {
			return err
		}
		if now != version {
			return errChanged
		}
		return write(root, name, bytes.NewReader(text))
	})
}

// lock waits until nobody else has the lock of a file, which stays there.
func lock(ctx context.Context, root *os.Root, name string) (unlock func(), err error) {
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o777); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		held, err := folder.TryLock(f)
		switch {
		case err != nil:
			return nil, errors.Join(err, f.Close())
		case held:
			return func() { _ = f.Close() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(pause):
		}
	}
}

// write writes a file, which has its name only when it is completely on disk.
func write(root *os.Root, name string, from io.Reader) (err error) {
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	tmp := name + temporary + rand.Text()
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

func (s folderStorage) size(_ context.Context, name string) (n int64, err error) {
	err = s.in(func(root *os.Root) error {
		f, info, err := plain(root, name)
		if err != nil {
			return err
		}
		n = info.Size()
		return f.Close()
	})
	return n, err
}

// cancelled is a reader until over returns an error.
type cancelled struct {
	over func() error
	io.ReadCloser
}

func (c cancelled) Read(p []byte) (int, error) {
	if err := c.over(); err != nil {
		return 0, err
	}
	return c.ReadCloser.Read(p)
}

func (s folderStorage) open(ctx context.Context, name string) (from io.ReadCloser, err error) {
	err = s.in(func(root *os.Root) error {
		f, _, err := plain(root, name)
		from = cancelled{ctx.Err, f}
		return err
	})
	return from, err
}

func (s folderStorage) put(ctx context.Context, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.in(func(root *os.Root) error { return write(root, name, cancelled{ctx.Err, f}) })
}

func (s folderStorage) list(_ context.Context, name string) (all []object, err error) {
	err = s.in(func(root *os.Root) error {
		dir, err := root.Open(filepath.FromSlash(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer dir.Close()
		entries, err := dir.ReadDir(-1)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				all = append(all, object{e.Name(), info.ModTime()})
			}
		}
		return err
	})
	return all, err
}

func (s folderStorage) remove(_ context.Context, name string) error {
	return s.in(func(root *os.Root) error { return root.Remove(filepath.FromSlash(name)) })
}

// prune removes the folders of a repository, and those around it, as far as they are empty.
func (s folderStorage) prune(name string) error {
	return s.in(func(root *os.Root) error {
		for _, sub := range []string{"latest", "snapshots"} {
			_ = root.Remove(filepath.Join(filepath.FromSlash(name), sub)) // one that is not empty stays
		}
		for ; name != "."; name = path.Dir(name) {
			if root.Remove(filepath.FromSlash(name)) != nil {
				break
			}
		}
		return nil
	})
}

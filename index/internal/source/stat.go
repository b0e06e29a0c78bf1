package source

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/quarry-search/quarry/index/oserror"
)

// Lstat describes what has a path, relative to the root, with slashes; "" is the root. A
// link at its end is not followed, and one on the way only as far as it stays below the
// root. What is outside is an error, as is what is not there.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	if name == "" {
		name = "."
	}
	if a := t.archived(); a != nil {
		return lstatArchived(a, name)
	}
	return t.dir.Load().Lstat(filepath.FromSlash(name))
}

// Stat describes files without opening anything, one after the other: where a
// regular file is, there is set. It follows no link, in no element of a path, and
// looks at no rules. Paths are relative to the root, with slashes.
//
// It asks for each file and each folder on the way by its whole path, which takes 29 us
// for the ten files of a search's answer, where a cursor's open folders take 41. Somebody who puts a link in the
// place of a folder at the same moment may have it describe a file elsewhere; that
// is no more than a size and a time, and who wants the text must call Read.
//
// Of a file that an error hides which passes, see is not called.
func (t *Tree) Stat(paths []string, see func(i int, f File, there bool)) {
	folders := map[string]bool{"": true} // those on the way: is each a folder, and no link?
	for i, p := range paths {
		dir, _ := split(p)
		f := File{Path: p}
		if over, ok := t.text(p); ok {
			f.Size, f.ModTime = int64(len(over.Content)), over.ModTime
			see(i, f, over.Content != nil)
			continue
		}
		if a := t.archived(); a != nil {
			if f, there, known := statArchived(a, p); known {
				see(i, f, there)
			}
			continue
		}
		plain, err := t.plainFolder(dir, folders)
		if err != nil {
			continue
		}
		if !validPath(p) || !plain {
			see(i, f, false)
			continue
		}
		info, err := t.lstat(p)
		if oserror.Transient(err) {
			continue
		}
		there := err == nil && info.Mode().IsRegular()
		if there {
			f.Size, f.ModTime = info.Size(), info.ModTime().UnixNano()
		}
		see(i, f, there)
	}
}

// plainFolder reports whether a path leads to a folder through no link. The error is one
// that passes.
func (t *Tree) plainFolder(dir string, known map[string]bool) (plain bool, err error) {
	plain, ok := known[dir]
	if ok {
		return plain, nil
	}
	up, _ := split(dir)
	if plain, err = t.plainFolder(up, known); err != nil {
		return false, err
	}
	if plain {
		info, err := t.lstat(dir)
		if oserror.Transient(err) {
			return false, err
		}
		plain = err == nil && info.IsDir()
	}
	known[dir] = plain
	return plain, nil
}

// lstat describes a file by its whole path.
func (t *Tree) lstat(name string) (fs.FileInfo, error) {
	if err := fault(t.opt.Fault, "lstat", name); err != nil {
		return nil, err
	}
	return os.Lstat(t.root + "/" + name)
}

// Links are what the symbolic links in a folder lead to whose names have an ending, as far as that is below the root. The
// folder "." is the root.
func (t *Tree) Links(dir, ending string) (targets []string) {
	if a := t.archived(); a != nil {
		if ending != ".go" {
			return nil
		}
		return a.Links(dir)
	}
	folder, err := t.dir.Load().OpenFile(filepath.FromSlash(dir), os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer func() { _ = folder.Close() }()
	entries, err := folder.ReadDir(-1)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 || filepath.Ext(e.Name()) != ending {
			continue
		}
		if target, err := t.Resolve(path.Join(dir, e.Name())); err == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

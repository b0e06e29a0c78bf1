package git

import (
	"os"
	"path/filepath"
	"strings"
)

// maxObjects is how many files of objects are looked at.
const maxObjects = 4_000_000

// objects is what is known about where the objects lie.
type objects struct {
	dir string // what git is given: the repository's, or an empty one of ours
	why error  // why it is ours
}

// look decides whether git may read the repository's objects: not where something among
// them leads to another place or is no plain file. A list of files needs none but for a
// sparse index, and for ignore files that are tracked and not checked out.
func (r *Repository) look() *objects {
	if r.objects != nil && r.objects.why == nil && borrows(r.place.common) {
		r.objects = nil
	}
	if r.objects == nil {
		o := &objects{dir: filepath.Join(r.place.common, "objects")}
		if o.why = own(o.dir); o.why != nil {
			o.dir = filepath.Join(r.dir, "objects")
		}
		r.objects = o
	}
	return r.objects
}

// borrows says whether there is a file that names other folders with objects.
func borrows(common string) bool {
	_, err := os.Lstat(filepath.Join(common, "objects", "info", "alternates"))
	return err == nil
}

func own(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return refuse("the repository's objects: %v", bare(err))
	}
	defer root.Close()
	if text, err := readIfThere(root, "info/alternates", maxIgnore); err != nil || strings.TrimSpace(string(text)) != "" {
		return refuse("the repository borrows objects of another one (info/alternates)")
	}
	left := maxObjects
	return plainBelow(dir, 3, &left)
}

// plainBelow refuses what is neither a plain file nor a folder in a folder of objects, down to
// a depth. It does not go through the os.Root, which asks for the size of every file.
func plainBelow(dir string, depth int, left *int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return refuse("the repository's objects: %v", bare(err))
	}
	if *left -= len(entries); *left < 0 {
		return refuse("the repository has more than %d files of objects", maxObjects)
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && depth > 0:
			if err := plainBelow(filepath.Join(dir, e.Name()), depth-1, left); err != nil {
				return err
			}
		case !e.IsDir() && !e.Type().IsRegular():
			return refuse("one of the repository's objects is not a plain file")
		}
	}
	return nil
}

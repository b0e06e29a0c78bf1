package source

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxDepth is how many folders there may be above a file. Each of them takes a descriptor
// while the files in it are looked at, in each goroutine that does so; the deepest trees
// that people make have a third of that.
const maxDepth = 128

// errTooDeep is the error of a path below more folders.
var errTooDeep = fmt.Errorf("it is below more than %d folders", maxDepth)

// errLinked is the error of a path that leads through a symbolic link.
var errLinked = errors.New("a folder of the path is a symbolic link")

// A cursor looks at files one after the other and keeps the folders on the way
// open, so that files given in order cost one system call each, where os.Root
// goes down from the root for every one: Walk over the 15,000 files in 1,670
// folders of a Go distribution makes 35,000 system calls.
//
// It follows no link in any element of a path. It is not safe for concurrent
// use. Close it.
type cursor struct {
	rules   *rules // nil: the levels have no folder
	stack   []level
	lent    int    // levels at the bottom that belong to somebody else
	failed  string // the folder that could not be entered last
	failure error
}

type level struct {
	path   string // "" for the root
	dir    *handle
	folder *folder
}

// cursor returns a cursor that stands at the root.
func (t *Tree) cursor(r *rules) *cursor {
	c := &cursor{rules: r, stack: []level{{dir: t.dir.Load()}}, lent: 1} // the root belongs to the Tree
	if r != nil {
		// On failure every move fails, as everything is below "".
		c.stack[0].folder, c.failure = r.folder(nil, "", t.dir.Load())
	}
	return c
}

func (c *cursor) top() *level { return &c.stack[len(c.stack)-1] }

func (c *cursor) pop() {
	c.top().dir.Close()
	c.stack = c.stack[:len(c.stack)-1]
}

func (c *cursor) close() {
	for len(c.stack) > c.lent {
		c.pop()
	}
}

// enter moves to a folder, "" for the root. On failure the cursor stays at the
// last folder on the way.
func (c *cursor) enter(dir string) error {
	if c.failure != nil && below(dir, c.failed) {
		return c.failure
	}
	if strings.Count(dir, "/") >= maxDepth {
		return errTooDeep
	}
	for len(c.stack) > 1 && !below(dir, c.top().path) {
		c.pop()
	}
	for c.top().path != dir {
		top := c.top()
		rest := strings.TrimPrefix(dir[len(top.path):], "/")
		name, _, _ := strings.Cut(rest, "/")
		next, err := c.down(top, name)
		if err != nil {
			c.failed, c.failure = join(top.path, name), err
			return err
		}
		c.stack = append(c.stack, next)
	}
	return nil
}

// fork returns a cursor of its own that stands at a folder, for what is below it.
func (c *cursor) fork(dir string) (*cursor, error) {
	if err := c.enter(dir); err != nil {
		return nil, err
	}
	own := &cursor{rules: c.rules, stack: []level{*c.top()}}
	c.stack = c.stack[:len(c.stack)-1]
	return own, nil
}

func (c *cursor) down(from *level, name string) (level, error) {
	info, err := from.dir.Lstat(name)
	if err != nil {
		return level{}, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return level{}, errLinked
	case !info.IsDir():
		return level{}, fs.ErrNotExist
	}
	dir, err := from.dir.OpenRoot(name)
	if err != nil {
		return level{}, err
	}
	next := level{path: join(from.path, name), dir: dir}
	if c.rules != nil {
		if next.folder, err = c.rules.folder(from.folder, name, dir); err != nil {
			return level{}, errors.Join(err, dir.Close())
		}
	}
	return next, nil
}

// lstat describes a file without following links. Its error is fs.ErrNotExist
// where nothing is there, also because a folder above it is a file now.
func (c *cursor) lstat(name string) (fs.FileInfo, error) {
	dir, base := split(name)
	if err := c.enter(dir); err != nil {
		return nil, err
	}
	return c.top().dir.Lstat(base)
}

// split cuts a path into its folder, "" for the root, and its last element.
func split(name string) (dir, base string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// below says whether name is dir or lies below it; "" is the root.
func below(name, dir string) bool {
	return dir == "" || strings.HasPrefix(name, dir) && (len(name) == len(dir) || name[len(dir)] == '/')
}

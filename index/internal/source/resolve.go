package source

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/oserror"
)

// ErrOutside is the error of a path that is not, or does not lead to, something
// below the root.
var ErrOutside = errors.New("the path is outside the root")

// ErrBadPath is the error of a path that cannot be one.
var ErrBadPath = errors.New("the path contains a NUL byte")

// Links followed in one path, as in Linux; more is a loop.
const maxLinks = 40

// Resolve is the gate: it turns a path from outside, relative to the root or
// absolute, into the path of the same thing relative to the root, with slashes
// and links resolved; the root itself is ".". "" is the root too.
//
// The thing need not exist. The error is ErrOutside for everything that is not
// below the root in the end: an absolute path elsewhere, "..", a link that
// leads out, also one whose target does not exist. A name that holds secrets
// does resolve, but Read refuses it. An error that passes (see oserror) is returned as it
// is: whether there is a link is not known.
//
// The answer is about the moment; Read does not rely on it.
func (t *Tree) Resolve(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", ErrBadPath
	}
	full := filepath.FromSlash(name)
	if filepath.IsAbs(full) {
		full = filepath.Clean(full)
	} else {
		full = filepath.Clean(full)
		// Before links are looked at: a/../../b is refused whatever a is.
		if !filepath.IsLocal(full) {
			return "", fmt.Errorf("%s: %w", name, ErrOutside)
		}
		if t.Sealed() { // there are no links
			return filepath.ToSlash(full), nil
		}
		full = filepath.Join(t.root, full)
	}
	if t.Sealed() {
		return "", fmt.Errorf("%s: %w", name, ErrOutside)
	}
	full, err := t.followLinks(full)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	rel, err := filepath.Rel(t.root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: %w", name, ErrOutside)
	}
	return filepath.ToSlash(rel), nil
}

// validPath says whether a path is clean, relative and below the root. Unlike
// fs.ValidPath it lets names pass that are not UTF-8, which exist.
func validPath(name string) bool {
	return filepath.IsLocal(name) && path.Clean(name) == name && name != "." && !strings.ContainsRune(name, 0)
}

// followLinks resolves every link in a clean absolute path as far as it exists;
// what does not exist is kept as it is. Unlike filepath.EvalSymlinks it also
// says where a link leads whose target is missing. The last link of a loop is
// kept. The error is one that passes.
func (t *Tree) followLinks(full string) (string, error) {
	volume := filepath.VolumeName(full)
	top := volume + string(filepath.Separator)
	done, todo := top, strings.TrimPrefix(full[len(volume):], string(filepath.Separator))
	for links := 0; todo != ""; {
		elem, rest, _ := strings.Cut(todo, string(filepath.Separator))
		todo = rest
		switch elem {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		// Both are clean: filepath.Join would go through the whole path for each part of it.
		next := strings.TrimSuffix(done, string(filepath.Separator)) + string(filepath.Separator) + elem
		target, err := os.Readlink(next)
		if wanted := fault(t.opt.Fault, "readlink", next); wanted != nil {
			err = wanted
		}
		if oserror.Transient(err) {
			return "", err
		}
		if err != nil || links == maxLinks {
			done = next // not a link, or nothing there
			continue
		}
		links++
		if filepath.IsAbs(target) {
			done = top
		}
		todo = filepath.FromSlash(target) + string(filepath.Separator) + todo
	}
	return done, nil
}

// Within reports whether a path is the folder or file, or lies below it.
func Within(path, folder string) bool {
	return folder == "" || folder == "." || path == folder ||
		len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}

// Below reports whether a path or one of its folders is in the set.
func Below(path string, set map[string]bool) bool {
	for {
		if set[path] {
			return true
		}
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return false
		}
		path = path[:i]
	}
}

// Dir returns the folder of a path, "" for the root.
func Dir(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 0)] }

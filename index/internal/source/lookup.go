package source

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/oserror"
)

// Lookup returns what Walk would return now for the paths, given relative to
// the root, with slashes. A folder stands for everything below it: what is not
// in files or skips then is not there any more. gone holds the paths for which
// Walk would return nothing, because they do not exist, are ignored, or are a
// second name of a file that is listed.
//
// One thing differs from Walk: whether a link is skipped depends on its target,
// and Lookup of the target does not return the link.
func (t *Tree) Lookup(ctx context.Context, paths []string) (files []File, skips []Skip, gone []string, err error) {
	asked := make([]string, 0, len(paths))
	for _, p := range paths {
		p = path.Clean(p)
		if p == "." {
			p = ""
		} else if !validPath(p) {
			return nil, nil, nil, fmt.Errorf("look up %q: %w", p, ErrOutside)
		}
		asked = append(asked, p)
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	if a := t.archived(); a != nil {
		files, skips, gone = lookupArchived(a, asked)
		return files, skips, gone, nil
	}

	r := newRules(t.log)
	there := t.existing(r, asked)
	f := &found{}
	if len(there) > 0 {
		f, err = t.lookup(ctx, r, there)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("look up files of %s: %w", t.root, err)
		}
	}
	f.sort()
	t.mu.Lock()
	f.addForced(t.forced)
	t.mu.Unlock()
	for _, p := range asked {
		if !f.has(p) {
			gone = append(gone, p)
		}
	}
	return f.files, f.skips, gone, nil
}

// existing returns the paths that are there, or may be, without those below another one.
func (t *Tree) existing(r *rules, sorted []string) []string {
	c := t.cursor(r)
	defer c.close()
	var there []string
	seen := map[string]bool{}
	for _, p := range sorted {
		if atOrBelow(p, seen) {
			continue
		}
		if p != "" {
			if _, err := c.lstat(p); err != nil && !oserror.Transient(err) && !errors.Is(err, errTooDeep) {
				continue
			}
		}
		there = append(there, p)
		seen[p] = true
	}
	return there
}

func (t *Tree) lookup(ctx context.Context, r *rules, paths []string) (*found, error) {
	if paths[0] == "" {
		paths = nil
	}
	f, _, _, err := t.gather(ctx, r, paths)
	if err != nil {
		return nil, err
	}
	known := f.paths()
	var targets []string
	for _, l := range f.links {
		if _, ok := known[l.target]; !ok {
			targets = append(targets, l.target)
		}
	}
	if len(targets) > 0 {
		slices.Sort(targets)
		g, _, _, err := t.gather(ctx, r, slices.Compact(targets))
		if err != nil {
			return nil, err
		}
		for p := range g.paths() {
			known[p] = struct{}{}
		}
	}
	f.settleLinks(known)
	return f, nil
}

// has says whether the sorted files or skips hold the path or one below it.
func (f *found) has(p string) bool {
	if p == "" {
		return len(f.files)+len(f.skips) > 0
	}
	// Names between p and p + "/" exist ("a-b" between "a" and "a/b"), so two searches.
	for _, from := range []string{p, p + "/"} {
		i, _ := slices.BinarySearchFunc(f.files, from, func(f File, s string) int { return strings.Compare(f.Path, s) })
		if i < len(f.files) && below(f.files[i].Path, p) {
			return true
		}
		i, _ = slices.BinarySearchFunc(f.skips, from, func(f Skip, s string) int { return strings.Compare(f.Path, s) })
		if i < len(f.skips) && below(f.skips[i].Path, p) {
			return true
		}
	}
	return false
}

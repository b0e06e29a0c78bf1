package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/index/oserror"
)

// found is what is known about a list of names.
type found struct {
	files  []File
	skips  []Skip
	links  []link   // to files in the root; settleLinks decides
	dirs   []string // listed, but folders: repositories in the tree
	forced []string // listed by git although the ignore files leave them out
	apart  []string // repositories in the tree that git was not asked about, and why
}

// A link is a symbolic link to a file in the root.
type link struct{ path, target string }

func (f *found) merge(g *found) {
	f.files = append(f.files, g.files...)
	f.skips = append(f.skips, g.skips...)
	f.links = append(f.links, g.links...)
	f.dirs = append(f.dirs, g.dirs...)
	f.forced = append(f.forced, g.forced...)
	f.apart = append(f.apart, g.apart...)
}

func (f *found) skip(path string, r Reason, detail string) {
	f.skips = append(f.skips, Skip{path, r, detail})
}

// paths returns the paths that are accounted for.
func (f *found) paths() map[string]struct{} {
	m := make(map[string]struct{}, len(f.files)+len(f.skips))
	for i := range f.files {
		m[f.files[i].Path] = struct{}{}
	}
	for i := range f.skips {
		m[f.skips[i].Path] = struct{}{}
	}
	return m
}

// settleLinks skips the links whose target is not among the known paths and
// drops the others, which are second names.
func (f *found) settleLinks(known map[string]struct{}) {
	for _, l := range f.links {
		if _, ok := known[l.target]; !ok {
			f.skip(l.path, Symlink, "leads to "+l.target+", which is not in the index")
		}
	}
	f.links = nil
}

func (f *found) sort() {
	slices.SortFunc(f.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(f.skips, func(a, b Skip) int { return strings.Compare(a.Path, b.Path) })
}

// addForced adds the forced paths and the folders above them.
func (f *found) addForced(m map[string]struct{}) {
	for _, p := range f.forced {
		for p != "" {
			if _, ok := m[p]; ok {
				break
			}
			m[p] = struct{}{}
			p, _ = split(p)
		}
	}
}

// Fewer names than this are not worth a goroutine of their own.
const describeBatch = 1000

// describe looks at every name that git listed, once, and applies .quarryignore.
// A name with a slash at the end is a repository in the tree.
func (t *Tree) describe(ctx context.Context, r *rules, names []string) (*found, error) {
	slices.Sort(names)
	names = slices.Compact(names) // git lists a file in conflict three times

	n := min(runtime.GOMAXPROCS(0), len(names)/describeBatch+1)
	parts := make([]found, n)
	g, ctx := errgroup.WithContext(ctx)
	for i := range parts {
		part := names[i*len(names)/n : (i+1)*len(names)/n]
		g.Go(func() error { return t.describePart(ctx, r, part, &parts[i]) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	all := &parts[0]
	for i := 1; i < n; i++ {
		all.merge(&parts[i])
	}
	return all, nil
}

func (t *Tree) describePart(ctx context.Context, r *rules, names []string, f *found) error {
	c := t.cursor(r)
	defer c.close()
	for i, name := range names {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			f.dirs = append(f.dirs, dir)
			continue
		}
		info, err := c.lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errLinked):
			continue // tracked, but deleted
		case err != nil:
			f.skip(name, unread(err), cause(err))
			continue
		}
		_, base := split(name)
		in := c.top().folder
		git, own := in.verdict(name, base, info.IsDir())
		if own || in.never || neverFolder(base) {
			continue
		}
		if git && !info.IsDir() {
			f.forced = append(f.forced, name)
		}
		t.classify(name, info, f)
	}
	return nil
}

// classify puts one thing that is there where it belongs.
func (t *Tree) classify(name string, info fs.FileInfo, f *found) {
	switch mode := info.Mode(); {
	case mode.IsDir():
		f.dirs = append(f.dirs, name) // as git lists a submodule
	case t.IsSecret(name):
		f.skip(name, Secret, secretDetail)
	case !utf8.ValidString(name):
		f.skip(name, NotUTF8, "the name is not UTF-8, so no answer could show it")
	case mode&fs.ModeSymlink != 0:
		t.classifyLink(name, f)
	case !mode.IsRegular():
		f.skip(name, Special, "not a regular file")
	default:
		if s := t.byName(name, info.Size()); s != nil {
			f.skips = append(f.skips, *s)
			return
		}
		f.files = append(f.files, File{Path: name, Size: info.Size(), ModTime: info.ModTime().UnixNano()})
	}
}

func (t *Tree) classifyLink(name string, f *found) {
	target, err := t.Resolve(name)
	if oserror.Transient(err) {
		f.skip(name, Pending, cause(err))
		return
	}
	if err != nil {
		f.skip(name, Symlink, "leads out of the root")
		return
	}
	info, err := t.dir.Load().Lstat(target)
	switch {
	case oserror.Transient(err):
		f.skip(name, Pending, cause(err))
	case err != nil || info.Mode()&fs.ModeSymlink != 0:
		f.skip(name, Symlink, "leads nowhere")
	case info.IsDir():
		f.skip(name, Symlink, "leads to a folder")
	default:
		f.links = append(f.links, link{name, target})
	}
}

const secretDetail = "the name stands for keys or credentials"

// byName returns why a regular file that is no secret is left out, as far as
// name and size tell.
func (t *Tree) byName(name string, size int64) *Skip {
	switch {
	case binaryName(name):
		return &Skip{name, Binary, "a type of file that is not text"}
	case lockFile(name):
		return &Skip{name, Generated, "a lock file"}
	case minifiedName(name):
		return &Skip{name, Minified, "by its name"}
	case size > t.opt.MaxFileBytes:
		return oversized(name, size, t.opt.MaxFileBytes)
	}
	return nil
}

func oversized(name string, size, most int64) *Skip {
	return &Skip{name, Oversized, fmt.Sprintf("%d bytes, more than %d", size, most)}
}

// unread returns why something is left out that an error kept from being looked at.
func unread(err error) Reason {
	switch {
	case errors.Is(err, errTooDeep):
		return TooDeep
	case oserror.Transient(err):
		return Pending
	}
	return Unreadable
}

// cause returns the system's words of an error, without the path.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

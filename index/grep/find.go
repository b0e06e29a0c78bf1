package grep

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A FindQuery asks for the paths of files and folders.
type FindQuery struct {
	Path  string   // only below this folder, relative to the root; "": everywhere
	Paths []string // only below one of these, if any; "." is the root
	// Written is what each of Paths is written as where an Expression looks at whole paths.
	Written    []string
	Expression []string // the arguments of find that say which paths; its files are as Paths are
	Name       []string // globs as in Query; without a slash about a name; none: all
	Type       string   // "f": files, "d": folders; "": both
	Limit      int      // paths at most; 0: all
	Offset     int      // paths to pass over
}

// start returns where a path is first looked for, as it would be printed, and how deep it is
// below that. "." is printed as ".", and so are the paths below it: ./a.
func (q *FindQuery) start(p string) (written string, depth int, ok bool) {
	folders, as := q.Paths, q.Written
	if len(folders) == 0 {
		folders, as = []string{cmp.Or(q.Path, ".")}, nil
	}
	for i, folder := range folders {
		if folder = strings.Trim(folder, "/"); !source.Within(p, folder) {
			continue
		}
		if written = folder; i < len(as) {
			written = as[i]
		}
		rest := p
		if folder != "." && folder != "" {
			rest = strings.TrimPrefix(p[len(folder):], "/")
		}
		if rest == "" || rest == "." {
			return written, 0, true
		}
		return strings.TrimSuffix(written, "/") + "/" + rest, strings.Count(rest, "/") + 1, true
	}
	return "", 0, false
}

// A Found lists paths, the likeliest first: names that are what the query says, source
// before tests before what is generated, shallow before deep.
type Found struct {
	Paths  []FoundPath // never nil
	Total  int         // on all pages
	Secret int         // files that are left out, because their names stand for keys or credentials
	State  answer.State
}

// A FoundPath is a file or a folder with something in it.
type FoundPath struct {
	Path string `json:"path"` // relative to the root, with slashes
	Dir  bool   `json:"dir"`
}

// Find lists files, those that the index leaves out among them, and the folders that
// hold some. What the ignore rules leave out is not there. While there is no index yet,
// the list is from disk. It returns a PatternError, an
// ExpressionError and ErrClosed.
func Find(ctx context.Context, x *store.View, q FindQuery) (Found, error) {
	a := Found{Paths: []FoundPath{}, State: x.State()}
	if err := store.CheckGlobs(q.Name); err != nil {
		return a, err
	}
	files, skips, err := known(ctx, x)
	if err != nil {
		return a, err
	}
	f := pathFinder{view: x, query: q, globs: store.NewGlobs(q.Name), below: strings.Trim(q.Path, "/"), dirs: map[string]bool{}, pruned: map[string]bool{}}
	if f.below == "." {
		f.below = ""
	}
	describe := f.describe
	if x.Tree.Sealed() {
		describe = nil
	}
	if f.expression, err = parseExpression(q.Expression, describe); err != nil {
		return a, err
	}
	f.name()
	for _, p := range files {
		f.add(p, false)
	}
	for _, s := range skips {
		if s.Reason != source.Secret {
			f.add(s.Path, s.Reason == source.Generated || s.Reason == source.Minified)
		} else if f.wants("f") && f.admits(s.Path, false) {
			a.Secret++
		}
	}
	slices.SortFunc(f.found, func(a, b rankedPath) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.depth, b.depth), strings.Compare(a.path, b.path))
	})
	a.Total = len(f.found)
	from := min(max(q.Offset, 0), a.Total)
	to := a.Total
	if q.Limit > 0 {
		to = min(from+q.Limit, a.Total)
	}
	for _, c := range f.found[from:to] {
		a.Paths = append(a.Paths, FoundPath{c.path, c.dir})
	}
	return a, ctx.Err()
}

// known lists the files that there are, by the index or, before the first build has
// ended, by the disk.
func known(ctx context.Context, x *store.View) (files []string, skips []source.Skip, err error) {
	if !x.Counters.Built.Load() {
		list, skips, err := x.Tree.Walk(ctx)
		for i := range list {
			files = append(files, list[i].Path)
		}
		return files, skips, err
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return nil, nil, answer.ErrClosed
	}
	for p := range x.Table.Files {
		files = append(files, p)
	}
	for _, s := range x.Table.Skips {
		skips = append(skips, s)
	}
	return files, skips, nil
}

// A pathFinder collects the paths that a query admits.
type pathFinder struct {
	view       *store.View
	expression *expression
	pruned     map[string]bool // folders that were looked at: below them nothing is

	query FindQuery
	globs store.Globs
	below string
	exact map[string]bool // what names are, letter by letter, as far as the globs say it
	dirs  map[string]bool // folders that were seen
	found []rankedPath
}

type rankedPath struct {
	path  string
	dir   bool
	rank  int
	depth int
}

func (f *pathFinder) wants(kind string) bool { return f.query.Type == "" || f.query.Type == kind }

// admits reports whether a path is asked for.
func (f *pathFinder) admits(p string, dir bool) bool {
	if !source.Within(p, f.below) || !f.globs.Admit(p) {
		return false
	}
	written, depth, ok := f.query.start(p)
	if !ok || len(f.query.Expression) == 0 {
		return ok
	}
	return !f.belowPruned(p, depth) && f.expression.lists(f.visit(p, written, dir, depth))
}

func (f *pathFinder) visit(p, written string, dir bool, depth int) *visit {
	return &visit{path: p, written: written, dir: dir, depth: depth, info: func() fileInfo {
		info, _ := f.describe(p)
		return info
	}}
}

// belowPruned reports whether a folder above a path is one that the expression does not go
// into.
func (f *pathFinder) belowPruned(p string, depth int) bool {
	if !f.expression.prunes || depth == 0 {
		return false
	}
	dir := path.Dir(p)
	if known, ok := f.pruned[dir]; ok {
		return known
	}
	written, depth, ok := f.query.start(dir)
	is := false
	if ok {
		v := f.visit(dir, written, true, depth)
		f.expression.lists(v)
		is = v.pruned || f.belowPruned(dir, depth)
	}
	f.pruned[dir] = is
	return is
}

// describe asks the system for a file or folder.
func (f *pathFinder) describe(p string) (fileInfo, error) {
	rel, err := f.view.Resolve(p)
	if err != nil {
		return fileInfo{}, fmt.Errorf("find %s: %w", p, err)
	}
	info, err := f.view.Tree.Lstat(rel)
	if err != nil {
		return fileInfo{}, fmt.Errorf("find %s: %w", p, err)
	}
	return fileInfo{info.Size(), info.ModTime().UnixNano()}, nil
}

// name finds out which names are exactly what the globs say: for *handler* and
// handler.* it is "handler".
func (f *pathFinder) name() {
	f.exact = map[string]bool{}
	for _, p := range append(f.expression.names, f.query.Name...) {
		p = p[strings.LastIndexByte(p, '/')+1:]
		if text := strings.ToLower(strings.Trim(p, "*.")); text != "" && !strings.ContainsAny(text, "*?[{!") {
			f.exact[text] = true
		}
	}
}

// add takes a file, and the folders above it that were not seen yet.
func (f *pathFinder) add(file string, generated bool) {
	if f.wants("f") && f.admits(file, false) {
		f.found = append(f.found, rankedPath{file, false, f.rank(file, generated), strings.Count(file, "/")})
	}
	if !f.wants("d") {
		return
	}
	for dir := path.Dir(file); dir != "." && !f.dirs[dir]; dir = path.Dir(dir) {
		f.dirs[dir] = true
		if f.admits(dir, true) {
			f.found = append(f.found, rankedPath{dir, true, f.rank(dir, false), strings.Count(dir, "/")})
		}
	}
}

// rank orders by the name first, then by what the file is for.
func (f *pathFinder) rank(p string, generated bool) int {
	const kinds = 4
	base := strings.ToLower(path.Base(p))
	rank := kinds
	if f.exact[base] || f.exact[strings.TrimSuffix(base, path.Ext(base))] {
		rank = 0
	}
	t := source.TraitsOf(p)
	switch {
	case generated || t.Vendored:
		return rank + kinds - 1
	case t.Test:
		return rank + 2
	case t.Doc || t.Config || t.Example:
		return rank + 1
	}
	return rank
}

package flow

import (
	"cmp"
	"slices"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/flow/walk"
)

// frame puts in what the lines of the slice cannot be read without: declarations of their
// variables that do nothing else, and what stands around them in the text.
func (s *slicer) frame() {
	list := make([]*function, 0, len(s.noted))
	for _, f := range s.noted {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *function) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.graph.Start, b.graph.Start), cmp.Compare(b.graph.End, a.graph.End))
	})
	for _, f := range list {
		s.declarations(f)
	}
	kept := map[string]map[int]bool{}
	depth := map[string]map[int]int{}
	for key, l := range s.lines {
		if kept[key.file] == nil {
			kept[key.file], depth[key.file] = map[int]bool{}, map[int]int{}
		}
		for n := l.Line; n <= l.EndLine; n++ {
			kept[key.file][n], depth[key.file][n] = true, l.Depth
		}
	}
	for _, f := range list {
		tree := f.tree
		if tree == nil {
			tree = s.tree(f.record)
		}
		if tree == nil || len(s.lines) >= maxLines {
			continue
		}
		lines := kept[f.File]
		for _, n := range control.Frame(f.Lang, tree, f.graph.Start, f.graph.End, f.text.line, lines) {
			of := n
			for d := 1; !lines[of]; d++ {
				if of = n + d; !lines[of] && lines[n-d] {
					of = n - d
				}
			}
			key := lineKey{f.File, n}
			if s.lines[key] == nil {
				s.lines[key] = s.lineOf(f, n, n, SliceLine{Reason: "syntax", Of: of}, depth[f.File][of])
			}
		}
	}
}

// declarations puts in where the variables of the steps of a function are declared, if nothing
// else happens there.
func (s *slicer) declarations(f *function) {
	seen := map[int]bool{}
	for i := range f.graph.Steps {
		if !s.seen[point{f.graph, i, false}] && !s.seen[point{f.graph, i, true}] {
			continue
		}
		for _, a := range f.graph.Steps[i].Access {
			v := &f.graph.Vars[a.Var]
			if v.Outer != 0 || v.Free || seen[v.At] {
				continue
			}
			seen[v.At] = true
			why := SliceLine{Reason: "declaration", Of: f.text.line(f.graph.Steps[i].Start), Variable: v.Name}
			at := slices.IndexFunc(f.graph.Steps, func(s walk.Step) bool { return s.Start <= v.At && v.At < s.End })
			if at < 0 && !slices.Contains(f.graph.Params, a.Var) && !slices.Contains(f.graph.Results, a.Var) && v.At > f.graph.Start { // without a step: it has no value
				line := f.text.line(v.At)
				if key := (lineKey{f.File, line}); s.lines[key] == nil {
					s.lines[key] = s.lineOf(f, line, line, why, 0)
				}
			} else if at > walk.Leave && plain(&f.graph.Steps[at]) {
				s.note(f, at, why, 0)
			}
		}
	}
}

// plain reports whether a step calls nothing and reads nothing.
func plain(s *walk.Step) bool {
	return len(s.Calls) == 0 && !slices.ContainsFunc(s.Access, func(a walk.Access) bool { return a.Kind == walk.Use })
}

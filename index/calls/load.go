package calls

import (
	"path"
	"regexp"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// into calls yield for the edges to a node, and as imports for those from files that run it
// when they are loaded without naming it: a package of Go runs what initializes any of its
// files, and a module of Python the __init__.py of the packages above it.
func (w *Walk) into(id graph.ID, yield func(graph.Edge) bool) {
	more := true
	w.G.In(id, func(e graph.Edge) bool {
		more = yield(e)
		return more
	})
	if !more {
		return
	}
	w.loaders(id, func(file graph.ID) bool {
		return yield(graph.Edge{From: file, To: id, Kind: graph.Imports, Pos: ir.At(1, 1)})
	})
}

// loaders calls yield for the files that run a node when they are loaded, and have no edge to it.
func (w *Walk) loaders(id graph.ID, yield func(graph.ID) bool) {
	n := w.Node(id)
	if !loads(n) {
		return
	}
	runs := func(file graph.ID) bool { return file == 0 || file == id || yield(file) }
	if n.Kind == graph.FuncNode {
		runs(w.G.File(n.Path))
		return
	}
	dir := path.Dir(n.Path)
	take := func(r *store.Record) bool { return r.Lang == "python" }
	if n.Language == "go" {
		take = func(r *store.Record) bool { return r.Traits.Test && path.Dir(r.Path) == dir }
	}
	for _, file := range w.below(loading{n.Language, dir}, take) {
		if !runs(file) {
			return
		}
	}
}

// loads reports whether loading files may run a node without an edge to it.
func loads(n *graph.Node) bool {
	switch {
	case n.Language == "go" && n.Kind == graph.FuncNode:
		return n.Name == "init" || n.Name == "TestMain"
	case n.Kind == graph.FileNode:
		return n.Language == "go" || n.Language == "python" && path.Base(n.Path) == "__init__.py"
	}
	return false
}

// Importers notes once that what some nodes do when their package is loaded may matter to
// packages of Go that import it: which these are the graph does not know.
func (w *Walk) Importers(found []Reached, l *Gaps) {
	for _, r := range found {
		if !w.isFile(r.ID) {
			continue
		}
		n := w.Node(r.ID)
		if n.Language != "go" || w.IsTest(r.ID) {
			continue
		}
		if record := w.index.Record(n.Path); record != nil && !mainPackage.Match(record.Text.All()) {
			l.Because("what %s does when it is loaded matters to packages that import it, which are not followed", n.Path)
			return
		}
	}
}

var mainPackage = regexp.MustCompile(`(?m)^package main\b`)

// RunsImports reports whether importing a file runs the code at its top, in a language.
func RunsImports(language string) bool {
	switch store.CrossFamily(language) {
	case "go", "python", "javascript", "php":
		return true
	}
	return language == "ruby" || language == "lua" || language == "elixir"
}

// A loading is a folder whose files of a language are loaded.
type loading struct{ language, dir string }

// below returns the nodes of some files below a folder. A folder is gone through once: each of
// its files asks for the same.
func (w *Walk) below(at loading, take func(*store.Record) bool) []graph.ID {
	files, ok := w.loaded[at]
	if ok {
		return files
	}
	w.index.Mu.RLock()
	defer w.index.Mu.RUnlock()
	for _, r := range w.index.Table.Below(at.dir) {
		if take(r) {
			files = append(files, w.G.File(r.Path))
		}
	}
	w.loaded[at] = files
	return files
}

package calls

import (
	"bytes"
	"path"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
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
	n := w.Node(id)
	runs := func(file graph.ID) bool {
		return file == 0 || file == id || yield(graph.Edge{From: file, To: id, Kind: graph.Imports, Pos: ir.At(1, 1)})
	}
	dir := path.Dir(n.Path)
	switch {
	case n.Language == "go" && n.Kind == graph.FuncNode && (n.Name == "init" || n.Name == "TestMain"):
		runs(w.G.File(n.Path))
	case n.Language == "go" && n.Kind == graph.FileNode:
		for _, file := range w.below(loading{n.Language, dir}, func(r *store.Record) bool { return r.Traits.Test && path.Dir(r.Path) == dir }) {
			if !runs(file) {
				return
			}
		}
	case n.Language == "python" && n.Kind == graph.FileNode && path.Base(n.Path) == "__init__.py":
		for _, file := range w.below(loading{n.Language, dir}, func(r *store.Record) bool { return r.Lang == "python" }) {
			if !runs(file) {
				return
			}
		}
	}
}

// importers notes once that what some nodes do when their package is loaded may matter to
// packages of Go that import it: which these are the graph does not know.
func (w *Walk) importers(found []reached, l *Gaps) {
	for _, r := range found {
		n := w.Node(r.ID)
		if n.Language != "go" || n.Kind != graph.FileNode || w.IsTest(r.ID) {
			continue
		}
		w.index.Mu.RLock()
		record := w.index.Table.Files[n.Path]
		w.index.Mu.RUnlock()
		if record != nil && !mainPackage.Match(record.Text.All()) {
			l.Because("what %s does when it is loaded matters to packages that import it, which are not followed", n.Path)
			return
		}
	}
}

var mainPackage = regexp.MustCompile(`(?m)^package main\b`)

// runsImports reports whether importing a file runs the code at its top, in a language.
func runsImports(language string) bool {
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

// pathNamed reports whether code names a file by its path, or by that of its folder, to
// import it, as far as the file's own name tells.
func pathNamed(name string) bool {
	switch language := source.Language(name, nil); store.CrossFamily(language) {
	case "python", "javascript", "c", "php":
		return true
	default:
		return language == "rust" || language == "ruby" || language == "lua" || language == "bash"
	}
}

// atTop says what some lines of a text do outside of definitions: whether one is a statement
// that runs when the file is loaded, and whether one is of an import.
func atTop(x *store.View, language string, src []byte, lines []int) (runs, imports bool) {
	if !runsImports(language) || language == "go" { // there nothing but definitions runs
		return false, false
	}
	p := x.Parsers.Get()
	defer x.Parsers.Put(p)
	file, tree := p.ParseTree(language, src)
	if tree == nil || tree.Root() == 0 {
		return true, true
	}
	places := mention.PlacesIn(tree)
	at, n := 0, 1
	for line := range bytes.Lines(src) {
		code := bytes.TrimLeft(line, " \t\r\n")
		if _, touched := slices.BinarySearch(lines, n); touched && len(code) > 0 && !slices.ContainsFunc(file.Symbols, func(s syntax.Symbol) bool { return s.Line <= n && n <= s.EndLine }) {
			switch places.KindAt(at + len(line) - len(code)) {
			case mention.Import:
				imports = true
			case mention.Comment, mention.String, mention.Declaration:
			default:
				runs = true
			}
		}
		at += len(line)
		n++
	}
	return runs, imports
}

package impact

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

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
	if !calls.RunsImports(language) || language == "go" { // there nothing but definitions runs
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

package diagnostics

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A look is the work for an answer.
type look struct {
	*Answer
	index    *store.View
	kinds    []string
	patterns map[string]int // files without a syntax tree, by language
	grammars map[string]int // files whose grammar does not have all of the language
	flowless map[string]int // files whose functions have no flow here
	storing  map[string]int // files whose assignments are not looked at

	importing map[string]int             // files whose imports are not looked at
	naming    map[string]int             // files whose names are not looked at
	hiding    map[string]int             // files whose shadowed errors are not looked for
	open      int                        // files that may have more names than can be seen
	counting  map[string]int             // files whose calls are not looked at
	taken     map[string]map[uint32]head // what functions take, by file and the place of their names
	led       []led
	graphless []string // why the call graph cannot be asked, or not about all
	apart     int      // files of others, or that tests work on
	all       *project // what the index has; made when it is asked for
	gaps      int      // functions that could not be followed
	unread    int      // files without a tree that should have one
	more      int      // files with more errors of syntax than are given
}

// project is what the index has.
func (l *look) project() *project {
	if l.all == nil {
		l.all = newProject(l.index)
	}
	return l.all
}

func (l *look) wants(kind string) bool { return slices.Contains(l.kinds, kind) }

// file looks at a file.
func (l *look) file(ctx context.Context, r *store.Record) (found []Finding) {
	l.known[r.Path] = true
	syntax := l.wants(Syntax) && r.Lang != ""
	switch {
	case syntax && r.Traits.Doc: // what people read has no errors of syntax
	case syntax && !r.Grammar:
		l.patterns[r.Lang]++
	case syntax && !parsed[r.Lang]:
		l.grammars[r.Lang]++
	}
	syntax = syntax && parsed[r.Lang] && r.Errors
	flows := l.wants(Unreachable) || l.wants(DeadStore)
	if flows && r.Lang != "" && !slices.Contains(control.Languages(), r.Lang) {
		if flows = false; !source.IsText(r.Lang) && !source.IsData(r.Lang) {
			l.flowless[r.Lang]++
		}
	}
	imports := l.wants(UnresolvedImport) && r.Lang != ""
	arguments := l.wants(WrongArguments) && r.Lang != "" && len(l.graphless) == 0
	if imports && importers[r.Lang] == nil {
		if imports = false; program(r) {
			l.importing[r.Lang]++
		}
	}
	if arguments && forms[r.Lang] == nil {
		if arguments = false; program(r) {
			l.counting[r.Lang]++
		}
	}
	names := l.wants(UnresolvedName)
	if names && namers[r.Lang] == nil {
		if names = false; program(r) {
			l.naming[r.Lang]++
		}
	}
	shadows := l.wants(ShadowedError)
	if shadows && !shadowing[r.Lang] {
		if shadows = false; program(r) {
			l.hiding[r.Lang]++
		}
	}
	if (imports || arguments || names) && apart(r) {
		l.apart++
		imports, names = false, false
	}
	if !r.Grammar || !flows && !syntax && !imports && !arguments && !names && !shadows {
		return nil
	}
	p := l.index.Parsers.Get()
	defer l.index.Parsers.Put(p)
	file := &text{record: r, src: r.Text.All()}
	if len(bytes.TrimSpace(file.src)) == 0 {
		return nil
	}
	if file.tree = p.Tree(r.Lang, file.src); file.tree == nil || file.tree.Root() == 0 {
		l.unread++
		return nil
	}
	if syntax {
		errs := file.syntaxErrors()
		if len(errs) > maxPerFile {
			errs = errs[:maxPerFile]
			l.more++
		}
		found = append(found, errs...)
	}
	if flows || names || shadows {
		g := control.Graph(r.Lang, file.tree, control.Root(file.tree))
		if flows {
			found = append(found, l.flows(file, g)...)
		}
		if names && !r.Errors {
			found = append(found, l.names(file, g)...)
		}
		if shadows {
			found = append(found, file.shadowed(g)...)
		}
	}
	if imports {
		found = append(found, l.imports(file)...)
	}
	if arguments {
		l.calls(ctx, file)
	}
	slices.SortStableFunc(found, func(f, g Finding) int { return cmp.Or(cmp.Compare(f.Line, g.Line), cmp.Compare(f.Column, g.Column)) })
	return found
}

// notes says what was not looked at.
func (l *look) notes() {
	note := func(of map[string]int, format string) {
		for _, lang := range slices.Sorted(keys(of)) {
			l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf(format, of[lang], lang))
		}
	}
	note(l.patterns, "syntax of %d files of language %s: they are read by patterns, without a grammar")
	note(l.grammars, "syntax of %d files of language %s: the grammar does not have all of the language")
	note(l.flowless, "flow of %d files of language %s: there is no control flow of that language here")
	note(l.storing, "dead stores of %d files of language %s: they are not looked for in that language")
	note(l.importing, "imports of %d files of language %s: they are not looked at in that language")
	note(l.hiding, "shadowed errors of %d files of language %s: they are not looked for in that language")
	note(l.naming, "names of %d files of language %s: they are not looked at in that language")
	if l.open > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("names of %d files: they may have more names than can be seen", l.open))
	}
	note(l.counting, "arguments of %d files of language %s: they are not counted in that language")
	if l.apart > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("imports, names and arguments of %d files: they are of others, or what tests work on", l.apart))
	}
	for _, why := range l.graphless {
		l.NotLookedAt = append(l.NotLookedAt, "arguments of calls: "+why)
	}
	if l.gaps > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("flow of %d functions: some of their code could not be followed", l.gaps))
	}
	if l.more > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("syntax of %d files after the first %d errors", l.more, maxPerFile))
	}
	if l.unread > 0 {
		l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf("%d files: their syntax could not be read", l.unread))
	}
	if len(l.patterns)+len(l.grammars)+len(l.flowless)+len(l.storing)+len(l.importing)+len(l.counting)+len(l.naming)+len(l.hiding)+l.open+l.apart+l.gaps+l.more+l.unread+len(l.graphless) > 0 {
		l.Complete = false
		l.Because = append(l.Because, "not_looked_at says what was not")
	}
}

func keys(of map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range of {
			if !yield(k) {
				return
			}
		}
	}
}

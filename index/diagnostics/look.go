package diagnostics

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	control "github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A look is the work for an answer.
type look struct {
	*Answer
	index     *store.View
	kinds     []string
	left      map[left]int               // how many files, or what else lacks has
	taken     map[string]map[uint32]head // what functions take, by file and the place of their names
	led       []led
	graphless []string // why the call graph cannot be asked, or not about all
	all       *project // what the index has; made when it is asked for
}

// A left is something that was not looked at, and the language of the files that it is of; "" where
// that says nothing.
type left struct {
	lack lack
	lang string
}

// A lack is why something was not looked at.
type lack int

const (
	noTree lack = iota
	partOfGrammar
	noFlow
	noStores
	noImports
	noShadows
	noNames
	moreNames
	noArguments
	ofOthers
	flowGaps
	manyErrors
	unread
)

// lacks say it, with a count and a language.
var lacks = [...]string{
	noTree:        "syntax of %[1]d files of language %[2]s: they are read by patterns, without a grammar",
	partOfGrammar: "syntax of %[1]d files of language %[2]s: the grammar does not have all of the language",
	noFlow:        "flow of %[1]d files of language %[2]s: there is no control flow of that language here",
	noStores:      "dead stores of %[1]d files of language %[2]s: they are not looked for in that language",
	noImports:     "imports of %[1]d files of language %[2]s: they are not looked at in that language",
	noShadows:     "shadowed errors of %[1]d files of language %[2]s: they are not looked for in that language",
	noNames:       "names of %[1]d files of language %[2]s: they are not looked at in that language",
	moreNames:     "names of %[1]d files: they may have more names than can be seen",
	noArguments:   "arguments of %[1]d files of language %[2]s: they are not counted in that language",
	ofOthers:      "imports, names and arguments of %[1]d files: they are of others, or what tests work on",
	flowGaps:      "flow of %[1]d functions: some of their code could not be followed",
	manyErrors:    "syntax of %[1]d files after the first " + strconv.Itoa(maxPerFile) + " errors",
	unread:        "%[1]d files: their syntax could not be read",
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
		l.left[left{noTree, r.Lang}]++
	case syntax && !parsed[r.Lang]:
		l.left[left{partOfGrammar, r.Lang}]++
	}
	syntax = syntax && parsed[r.Lang] && r.Errors
	flows := l.wants(Unreachable) || l.wants(DeadStore)
	if flows && r.Lang != "" && !slices.Contains(control.Languages(), r.Lang) {
		if flows = false; !source.IsText(r.Lang) && !source.IsData(r.Lang) {
			l.left[left{noFlow, r.Lang}]++
		}
	}
	imports := l.wants(UnresolvedImport) && r.Lang != ""
	arguments := l.wants(WrongArguments) && r.Lang != "" && len(l.graphless) == 0
	if imports && importers[r.Lang] == nil {
		if imports = false; program(r) {
			l.left[left{noImports, r.Lang}]++
		}
	}
	if arguments && forms[r.Lang] == nil {
		if arguments = false; program(r) {
			l.left[left{noArguments, r.Lang}]++
		}
	}
	names := l.wants(UnresolvedName)
	if names && namers[r.Lang] == nil {
		if names = false; program(r) {
			l.left[left{noNames, r.Lang}]++
		}
	}
	shadows := l.wants(ShadowedError)
	if shadows && !shadowing[r.Lang] {
		if shadows = false; program(r) {
			l.left[left{noShadows, r.Lang}]++
		}
	}
	if (imports || arguments || names) && apart(r) {
		l.left[left{lack: ofOthers}]++
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
		l.left[left{lack: unread}]++
		return nil
	}
	if syntax {
		errs := file.syntaxErrors()
		if len(errs) > maxPerFile {
			errs = errs[:maxPerFile]
			l.left[left{lack: manyErrors}]++
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
	before := len(l.NotLookedAt)
	all := slices.SortedFunc(maps.Keys(l.left), func(a, b left) int { return cmp.Or(cmp.Compare(a.lack, b.lack), cmp.Compare(a.lang, b.lang)) })
	for why := range lack(len(lacks)) {
		if why == flowGaps {
			for _, reason := range l.graphless {
				l.NotLookedAt = append(l.NotLookedAt, "arguments of calls: "+reason)
			}
		}
		for _, one := range all {
			if one.lack == why {
				l.NotLookedAt = append(l.NotLookedAt, fmt.Sprintf(lacks[why], l.left[one], one.lang))
			}
		}
	}
	if len(l.NotLookedAt) > before {
		l.Complete = false
		l.Because = append(l.Because, "not_looked_at says what was not")
	}
}

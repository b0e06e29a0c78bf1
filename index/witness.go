package index

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
)

// Bounds of what a witness looks at for one answer.
const (
	maxWitnessed = 128      // names
	maxRead      = 32 << 20 // bytes of text
	maxReparsed  = 1 << 20  // bytes of files whose syntax is asked whether a place is a call
	maxDoubts    = 3        // names with a doubt, of several; one would do
)

// A witness compares an answer about callers with the text: wherever that calls something
// of the name, the graph must have a call, or the answer may lack one. It finds what no
// edge and no open call tells of: calls that the graph took for those of something else,
// in macros, and in files that are not in it.
//
// It looks at all texts that may hold the names by their filters: some milliseconds for a
// name in a tree of 1,600 files, more where most files say it.
type witness struct {
	*walk
	l      *gaps
	asked  map[string]*askedName
	claims func() *modules
	took   func(file *grepSource, m mention.Mention) // takes all mentions, in place of doubts; nil: there are doubts
	any    func(file *grepSource, name string) bool  // with took: mentions count that are no calls
	read   int
	parsed int // bytes
}

// An askedName is a name whose calls are looked for.
type askedName struct {
	language string
	member   bool // of a class
	accessor bool // a mention without arguments runs it
	inherits bool // its class may stand for one from outside of the index
	told     map[string]bool
}

// fileCalls are what the graph has of a file, by place and, as column 0, by line.
type fileCalls map[ir.Pos][]calledHere

// calledHere is an edge (to) or a site.
type calledHere struct {
	name     string // the last part
	path     string // of a site
	external bool
	open     bool // nobody knows what is called
}

// witness looks for calls of some nodes in the text.
func (w *walk) witness(ctx context.Context, at *target, ids []graph.ID, l *gaps) {
	x := w.index
	if !x.state.built.Load() || ctx.Err() != nil {
		return // then the answer is not complete anyway
	}
	t := witness{walk: w, l: l, asked: map[string]*askedName{}}
	names, more := t.ask(at, ids)
	if more {
		l.because("only %d names of all that are affected were looked for in the text", maxWitnessed)
	}
	if len(t.asked) > 1 && (l.open > 0 || len(l.reasons) > 0) {
		return // one doubt more would say nothing new
	}
	t.search(ctx, names)
}

// search goes through the texts.
func (t *witness) search(ctx context.Context, names *mention.Names) {
	x, l := t.index, t.l
	if names.Len() == 0 {
		return
	}
	t.claims = sync.OnceValue(func() *modules {
		m := modulesOf(x.records())
		return &m
	})
	pattern, err := compileLine(names.Pattern(), line.Options{})
	if err != nil {
		l.because("the text could not be searched: %v", err)
		return
	}
	sources, err := x.grepSources(ctx)
	if err != nil {
		return // closed
	}
	s := &textSearch{index: x, pattern: pattern, files: sources.files}
	s.look()
	one := textReader{src: takeText()}
	defer func() { giveText(one.src) }()
	for n := range s.files {
		if ctx.Err() != nil || !t.unsure() {
			break
		}
		file := &s.files[n]
		if !t.concerns(file) {
			continue
		}
		var found textHead
		if !s.text(&one, n, &found) {
			if found.unread {
				l.because("%s could not be read", file.path)
			}
			continue
		}
		if t.read += len(one.src); t.read > maxRead {
			l.because("the names were looked for in %d MiB of text only", maxRead>>20)
			break
		}
		t.look(file, one.src, names)
	}
	if s.made.Load() {
		x.weighFilters()
	}
}

// unsure reports whether it is worth while to go on: of a name that there is a doubt of it
// need not be known how many there are.
func (t *witness) unsure() bool {
	if t.took != nil {
		return true
	}
	doubted := 0
	for _, a := range t.asked {
		if len(a.told) > 0 {
			doubted++
		}
	}
	return doubted < min(len(t.asked), maxDoubts)
}

// ask notes the names of some nodes, and that of a target, which may have none in the
// graph.
func (t *witness) ask(at *target, ids []graph.ID) (names *mention.Names, more bool) {
	var list []string
	if s := at.function(); s != nil && !slices.ContainsFunc(ids, func(id graph.ID) bool {
		n := t.node(id)
		return n.Kind == graph.FuncNode && plainName(n) == s.name
	}) {
		t.asked[s.name] = &askedName{language: at.record.lang, member: true, inherits: true, told: map[string]bool{}}
		list = append(list, s.name)
		t.g.Open(s.name, func(o graph.Site) bool {
			if graph.SameFamily(at.record.lang, t.node(o.From).Language) {
				t.l.called(s.name)
			}
			return true
		})
	}
	for _, id := range ids {
		n := t.node(id)
		if n.Kind != graph.FuncNode && n.Kind != graph.ClassNode || n.Flags&(ir.TestFunc|ir.Entry) != 0 {
			continue // what is run from outside of the index does not count
		}
		if n.Flags&ir.Operator != 0 {
			t.l.because("%s may be called by an operator", n.Name)
			continue
		}
		name := plainName(n)
		if makesInstances(name) || n.Flags&ir.Constructor != 0 {
			name = className(n)
		}
		if name == "" {
			continue
		}
		a := t.asked[name]
		if a == nil {
			if len(t.asked) == maxWitnessed {
				return mention.Of(list), true
			}
			a = &askedName{language: n.Language, told: map[string]bool{}}
			t.asked[name] = a
			list = append(list, name)
		}
		if up := t.node(n.Outer); n.Kind == graph.FuncNode && n.Outer != 0 && (up.Kind == graph.ClassNode || strings.Contains(n.Name, ".")) {
			a.member = true
			a.inherits = a.inherits || t.mayStandFor(up)
		}
		a.accessor = a.accessor || n.Flags&(ir.Getter|ir.Setter) != 0
	}
	names = mention.Of(list)
	for name, a := range t.asked {
		if !names.Has(name) {
			delete(t.asked, name)
			t.doubt(a, "unnamed", "%s may be called without its name", name)
		}
	}
	return names, false
}

// makesInstances reports whether a method of a name is called by the name of its class.
func makesInstances(name string) bool {
	switch name {
	case "__init__", "__new__", "constructor", "__construct", "initialize", "init", "<init>":
		return true
	}
	return false
}

// className is the part before the last of a node's name, or the name if it has one part.
func className(n *graph.Node) string {
	name := n.Name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// mayStandFor reports whether instances of a class may be known, to code that calls their
// methods, as those of a type that is not in the index.
func (t *witness) mayStandFor(class *graph.Node) bool {
	switch class.Language {
	case "java", "kotlin", "csharp":
		t.index.mu.RLock()
		defer t.index.mu.RUnlock()
		r := t.index.table.files[class.Path]
		if r == nil {
			return true
		}
		head, _, _ := bytes.Cut(r.text.slice(int(class.Start), min(int(class.End), int(class.Start)+2000)), []byte("{"))
		return bytes.ContainsAny(head, ":") || bytes.Contains(head, []byte("extends")) || bytes.Contains(head, []byte("implements"))
	case "rust", "c":
		return false
	}
	return true
}

// doubt notes once why the callers of a name may be incomplete.
func (t *witness) doubt(a *askedName, key, format string, args ...any) {
	if !a.told[key] {
		a.told[key] = true
		t.l.because(format, args...)
	}
}

// concerns reports whether code in a file may call something in the index.
func (t *witness) concerns(file *grepSource) bool {
	if t.g.Has(file.path) {
		return true
	}
	if file.traits.Doc || file.traits.Config {
		return false
	}
	switch source.Language(file.path, nil) {
	case "json", "yaml", "toml", "ini", "xml", "csv", "diff", "text", "markdown", "rst", "asciidoc", "org", "tex", "css", "scss", "less", "sass", "stylus":
		return false
	}
	return !strings.HasSuffix(file.path, ".snap") && !strings.HasSuffix(file.path, ".map")
}

// look compares the mentions in a file with the graph.
func (t *witness) look(file *grepSource, src []byte, names *mention.Names) {
	inGraph := t.g.Has(file.path)
	lang := ""
	if file.record != nil {
		lang = file.record.lang
	} else {
		lang = source.Language(file.path, src[:min(len(src), 512)])
	}
	// A table of functions, such as commands.def, is in a language of its own.
	if lang == "" && path.Ext(file.path) == "" {
		return
	}
	tables := lang == "" && !file.traits.Test
	var open []mention.Mention
	names.Each(src, func(m mention.Mention) bool {
		a := t.asked[m.Name]
		related := sameCode(lang, a.language)
		loose := related && (lang == "ruby" || lang == "elixir") || a.accessor && m.Member || inGraph && handler(lang, src, m.Offset)
		switch {
		case t.took != nil && (m.Call || t.any(file, m.Name)):
		case t.took != nil, len(a.told) > 0:
			return true
		case inGraph && (!related || !m.Call && !loose):
			return true
		case !inGraph && !m.Call && !loose && !(related || tables):
			return true
		case file.record != nil && file.record.namesAt(m.Name, m.Line):
			return true
		}
		open = append(open, m)
		return true
	})
	if inGraph && len(open) > 0 {
		calls := t.callsIn(file.path, open)
		open = slices.DeleteFunc(open, func(m mention.Mention) bool {
			return (t.took == nil || m.Call) && t.explained(calls, src, &m, t.asked[m.Name])
		})
	}
	if len(open) == 0 {
		return
	}
	open, known := t.calls(lang, src, open)
	for _, m := range open {
		if t.took != nil {
			if known || !remark(src, m.Offset) {
				t.took(file, m)
			}
			continue
		}
		a := t.asked[m.Name]
		place := fmt.Sprintf("%s:%d", file.path, m.Line)
		switch {
		case !known:
			t.doubt(a, "bound", "not all places that name %s were looked at, as %s", m.Name, place)
		case !inGraph:
			t.doubt(a, "left", "%s is named in %s, a file that is not in the call graph", m.Name, place)
		default:
			t.doubt(a, "missed", "%s is called in %s, where the call graph does not know what that is", m.Name, place)
		}
	}
}

package calls

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls/postings"
	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
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
	*Walk
	l      *Gaps
	asked  map[string]*askedName
	took   func(file *texts.Source, m mention.Mention) // takes all mentions, in place of doubts; nil: there are doubts
	every  bool                                        // with took: what the graph knows, too
	doubts doubter                                     // takes the places of all doubts, which are not told then
	read   int
	parsed int // bytes
}

// An askedName is a name whose calls are looked for.
type askedName struct {
	language string
	member   bool     // of a class
	accessor bool     // a mention without arguments runs it
	free     bool     // a function of C++ in a namespace
	paths    []string // the names of what it is of C++, with all around them
	makes    bool     // a class, whose constructor is asked for
	class    string   // around a member
	trait    bool     // it is one of a trait of Rust
	mixin    bool     // it is one of a module of Ruby
	nodes    []graph.ID
	bare     bool // mentions count that have a way to be called, and no others
	inherits bool // its class may stand for one from outside of the index
	named    bool // with took: mentions count that are no calls
	told     map[string]bool
	doubted  bool // with doubts: there was one
}

// fileCalls are what the graph has of a file, by place and, as column 0, by line.
type fileCalls map[ir.Pos][]calledHere

// calledHere is an edge (to) or a site.
type calledHere struct {
	name     string   // the last part
	path     string   // of a site
	to       graph.ID // of an edge
	external bool
	open     bool // nobody knows what is called
	calls    bool // it is an edge of a call, not of a use
	method   bool // of a class, which a receiver of another class may have, too, or a class that is made
	implicit bool // the language makes the call, and its place may be that of another
}

// witness looks for calls of some nodes in the text.
func (w *Walk) witness(ctx context.Context, at *store.Target, ids []graph.ID, l *Gaps) {
	x := w.index
	if !x.Counters.Built.Load() || x.Graph.Behind() || ctx.Err() != nil {
		return // then the answer is not complete anyway, and the solver needs the processor
	}
	t := witness{Walk: w, l: l, asked: map[string]*askedName{}}
	names, more := t.ask(at, ids)
	if more {
		l.Because("only %d names of all that are affected were looked for in the text", maxWitnessed)
	}
	if len(t.asked) > 1 && (l.open > 0 || len(l.reasons) > 0) {
		return // one doubt more would say nothing new
	}
	t.search(ctx, t.unsearched(names))
}

// search goes through the texts.
func (t *witness) search(ctx context.Context, names *mention.Names) {
	x, l := t.index, t.l
	if len(t.asked) == 0 {
		return
	}
	sources, err := texts.SourcesOf(ctx, x)
	if err != nil {
		return // closed
	}
	defer t.undecoded(sources.Undecoded)
	if names.Len() == 0 {
		return
	}
	pattern, err := texts.Compile(names.Pattern(), line.Options{})
	if err != nil {
		l.Because("the text could not be searched: %v", err)
		return
	}
	s := &texts.Search{Index: x, Pattern: pattern, Sources: sources, Files: sources.Files, Before: t.looked}
	s.Look()
	t.looked = s
	one := texts.Reader{Src: texts.Take()}
	defer func() { texts.Give(one.Src) }()
	unread, first, whole := 0, "", true
	for n := range texts.TestsLast(t.toRead(ctx, s, sources.State.Generation), s.Files) {
		if whole = ctx.Err() == nil && t.unsure(); !whole {
			break
		}
		file := &s.Files[n]
		if !postings.Concerns(file, t.G.Has(file.Path)) {
			continue
		}
		var found texts.Head
		if !s.Text(&one, n, &found) {
			if found.Unread {
				unread, first = unread+1, cmp.Or(first, file.Path)
			}
			continue
		}
		if t.read += len(one.Src); t.read > maxRead {
			l.Because("the names were looked for in %d MiB of text only", maxRead>>20)
			whole = false
			break
		}
		t.look(file, one.Src, names)
	}
	l.Unread(unread, first)
	if t.doubts != nil && whole && unread == 0 {
		t.remember()
	}
	if s.Made.Load() {
		texts.Weigh(x)
	}
}

// unsure reports whether it is worth while to go on: of a name that there is a doubt of it
// need not be known how many there are.
func (t *witness) unsure() bool {
	if t.took != nil {
		return true
	}
	doubted, named := 0, 0
	for _, a := range t.asked {
		if len(a.told) > 0 {
			doubted++
		}
		if !a.bare {
			named++
		}
	}
	return doubted < named && (doubted < maxDoubts || t.doubts != nil)
}

// ask notes the names of some nodes, and that of a target, which may have none in the
// graph.
func (t *witness) ask(at *store.Target, ids []graph.ID) (names *mention.Names, more bool) {
	var list []string
	named := 0
	if s := function(at); s != nil && !slices.ContainsFunc(ids, func(id graph.ID) bool {
		n := t.Node(id)
		return n.Kind == graph.FuncNode && PlainName(n) == s.Name
	}) {
		t.asked[s.Name] = &askedName{language: at.Record.Lang, member: true, inherits: true, told: map[string]bool{}}
		list = append(list, s.Name)
		t.G.Open(s.Name, func(o graph.Site) bool {
			if graph.SameFamily(at.Record.Lang, t.Node(o.From).Language) {
				t.l.Called(s.Name)
			}
			return true
		})
	}
	for _, id := range ids {
		n := t.Node(id)
		if n.Flags&ir.Constructor != 0 && n.Language == "swift" && t.asked["init"] == nil {
			t.asked["init"] = &askedName{language: n.Language, makes: true, bare: true, told: map[string]bool{}}
			list = append(list, "init")
		}
		if n.Kind != graph.FuncNode && n.Kind != graph.ClassNode || n.Flags&(ir.TestFunc|ir.Entry) != 0 {
			continue // what is run from outside of the index does not count
		}
		if n.Flags&ir.Operator != 0 {
			t.l.Because("%s may be called by an operator or by the library", n.Name)
			continue
		}
		name := PlainName(n)
		makes := store.MakesInstances(n.Language, name) || n.Flags&ir.Constructor != 0
		if makes {
			name = ClassName(n)
		}
		if name == "" {
			continue
		}
		a := t.asked[name]
		if a != nil && a.bare {
			a = nil // a part of another one, and a name itself
		}
		if a == nil {
			if named++; named > maxWitnessed {
				return mention.Of(list), true
			}
			a = &askedName{language: n.Language, told: map[string]bool{}}
			t.asked[name] = a
			list = append(list, name)
		}
		a.makes, a.nodes = a.makes || makes, append(a.nodes, id)
		of := n // what has the name
		if makes && n.Outer != 0 && store.CrossFamily(n.Language) == "javascript" {
			of = t.Node(n.Outer)
		}
		if up := t.Node(of.Outer); n.Kind == graph.FuncNode && of.Outer != 0 && (up.Kind == graph.ClassNode || strings.Contains(of.Name, ".")) {
			a.member, a.class = true, ClassName(n)
			a.inherits = a.inherits || t.mayStandFor(up)
			a.trait = a.trait || n.Language == "rust" && up.ClassKind == ir.Trait
			a.mixin = a.mixin || n.Language == "ruby" && up.ClassKind == ir.Trait
		}
		if n.Language == "cpp" && n.Outer != 0 {
			a.free = a.free || n.Kind == graph.FuncNode && t.Node(n.Outer).ClassKind == ir.Namespace
			a.paths = append(a.paths, n.Name)
		}
		a.accessor = a.accessor || n.Flags&(ir.Getter|ir.Setter) != 0
		for _, part := range mention.Parts(n.Language, name, a.member) {
			if makes {
				continue
			}
			if t.asked[part] == nil {
				t.asked[part] = &askedName{language: n.Language, bare: true, told: map[string]bool{}}
				list = append(list, part)
			}
			if p := t.asked[part]; p.bare {
				p.nodes = append(p.nodes, id)
			}
		}
	}
	names = mention.Of(list)
	for _, name := range list {
		if a := t.asked[name]; a != nil && !names.Has(name) {
			delete(t.asked, name)
			t.doubt(a, "unnamed", "%s may be called without its name", name)
		}
	}
	return names, false
}

// part reports whether it is asked for only where a name is put together of it.
func (a *askedName) part() bool { return a.bare && !a.makes }

// fits returns the way in which a place may have something called, or NoWay where that is not
// asked for.
func (a *askedName) fits(m *mention.Mention, way mention.Way) mention.Way {
	switch {
	case strings.HasPrefix(m.Name, "#"),
		(way == mention.Part) != a.part(),
		way == mention.Quoted && a.language == "go" && !a.member, // no string calls a function
		way == mention.Taken && (m.Call || !a.member),
		(way == mention.Class || way == mention.Implied) && !a.makes,
		way == mention.Braced && a.member,
		way == mention.Token && m.Call:
		return mention.NoWay
	}
	return way
}

// doubt notes once why the callers of a name may be incomplete.
func (t *witness) doubt(a *askedName, key, format string, args ...any) {
	if !a.told[key] {
		a.told[key] = true
		t.l.Because(format, args...)
	}
}

// look compares the mentions in a file with the graph.
func (t *witness) look(file *texts.Source, src []byte, names *mention.Names) {
	inGraph := t.G.Has(file.Path)
	lang := ""
	if file.Record != nil {
		lang = file.Record.Lang
	} else {
		lang = source.Language(file.Path, src[:min(len(src), 512)])
	}
	// A table of functions, such as commands.def, is in a language of its own.
	if lang == "" && (path.Ext(file.Path) == "" || protocol.ListsExports(src)) {
		return
	}
	src = mention.Plain(lang, file.Path, src)
	entry := protocol.NamesFunctions(file.Path)
	tables := (lang == "" || entry) && !file.Traits.Test
	var open []mention.Mention
	ways := map[int]mention.Way{} // by offset, of those that do not look like calls
	text := mention.Ways{Language: lang, Src: src}
	names.Each(src, func(m mention.Mention) bool {
		a := t.asked[m.Name]
		related := store.SameCode(lang, a.language)
		loose := related && mention.Loose(lang) && lang != "vue" && lang != "svelte" || a.accessor && m.Member || inGraph && mention.Attribute(lang, src, m.Offset)
		way := mention.NoWay
		if (related || entry) && t.took == nil && !(m.Call && (lang == "vue" || lang == "svelte")) && !mention.Attribute(lang, src, m.Offset) {
			way = a.fits(&m, text.At(m.Offset, m.Offset+len(mention.Word(m.Name))))
		}
		if way == mention.Quoted && lang == "go" && mention.InPath(src, m.Offset) && mention.Receiver(src, m.Offset) != a.class {
			way = mention.NoWay // of another type, or of a package
		}
		if way == mention.Quoted && file.Traits.Test && mention.Title(src, m.Offset) {
			way = mention.NoWay
		}
		switch {
		case t.took != nil && (m.Call || m.Member || a.named):
		case t.took != nil, len(a.told) > 0:
			return true
		case a.bare && way == mention.NoWay:
			return true
		case way != mention.NoWay:
			ways[m.Offset] = way
		case inGraph && (!related || !m.Call && !loose):
			return true
		case !inGraph && !m.Call && !loose && !(related || tables), entry:
			return true
		case file.Record != nil && !mention.Dotted(lang, src, m.Offset) && file.Record.NamedAt(m.Name, m.Line) >= 0:
			return true
		}
		if t.took == nil && t.elsewhere(a, file.Path, src, &m, way) {
			return true
		}
		open = append(open, m)
		return true
	})
	if inGraph && len(open) > 0 {
		calls := t.callsIn(file.Path, open)
		open = slices.DeleteFunc(open, func(m mention.Mention) bool {
			return !t.every && (t.took == nil || m.Call) && t.explained(calls, src, &m, t.asked[m.Name], ways[m.Offset])
		})
	}
	if len(open) == 0 {
		return
	}
	open, known := t.calls(file, lang, src, open, ways)
	for _, m := range open {
		if t.took != nil {
			if known || !mention.Remark(src, m.Offset) {
				t.took(file, m)
			}
			continue
		}
		a := t.asked[m.Name]
		place := fmt.Sprintf("%s:%d", file.Path, m.Line)
		switch {
		case t.doubts != nil:
			if a.doubted = true; !t.doubts(file, m) {
				a.told["many"] = true
			}
		case !known:
			t.doubt(a, "bound", "not all places that name %s were looked at, as %s", m.Name, place)
		case ways[m.Offset] == mention.Quoted:
			t.doubt(a, "quoted", "%s is named by a string in %s, which may have it called", m.Name, place)
		case ways[m.Offset] == mention.Part:
			t.doubt(a, "part", "a name is put together of %s and something else in %s", m.Name, place)
		case ways[m.Offset] != mention.NoWay:
			t.doubt(a, "taken", "%s is named in %s, where the call graph does not know whether it is called", m.Name, place)
		case !inGraph:
			t.doubt(a, "left", "%s is named in %s, a file that is not in the call graph", m.Name, place)
		default:
			t.doubt(a, "missed", "%s is called in %s, where the call graph does not know what that is", m.Name, place)
		}
	}
}

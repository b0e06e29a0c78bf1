// Package resolve has what is special about C and C++: files see what they include,
// prototypes are linked by their names, and C++ has operators and virtual methods.
package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// C and C++ have one name space for all files, of which a file sees what it
// includes. What a prototype declares is found by its name, as a linker does it.

// Family is C and C++.
var Family = program.Languages{Name: "c", Names: map[string]string{"c": "c", "cpp": "cpp"}, Make: newC}

// c is the Language of C, and what C++ has in common with it.
type c struct {
	plain.Default
	link *linkage
}

func newC() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.SpacesAroundReceiver, t.SpaceReceivers, t.TagNames = program.Global, true, true, true
	t.Merges, t.ClassesPerFile, t.NamedConstructors = true, true, true
	t.PointerIndex, t.OperatorFuncs = true, true
	link := &linkage{}
	ofC := t
	t.ImplicitThis, t.PointerFields, t.VirtualOnly, t.Constructors = true, true, true, []string{""}
	t.GetItem = []string{"operator[]"}
	t.CallMakes, t.Aggregates, t.Overloads, t.FreeOperators, t.Callable = true, true, true, true, []string{"operator()"}
	return map[string]*program.Lang{
		"c":   {Traits: ofC, ModuleRules: &c{link: link}},
		"cpp": {Traits: t, ModuleRules: &cpp{c{link: link}}},
	}
}

// Forget lets go of what files see.
func (l *c) Forget() { l.link.reach, l.link.using, l.link.direct = nil, nil, nil }

// Resolve finds the file whose path ends like the included one,
// the nearest to the including file where there are several.
func (l *c) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module := f.IR.String(i.Module)
	if i.Flags&ir.Include == 0 {
		return resolveUsing(g, f, i)
	}
	if id := g.FileAt(path.Join(f.Dir, module)); id != 0 && i.Flags&ir.System == 0 {
		return program.Target{In: []edge.ID{id}}
	}
	if i.Flags&ir.System != 0 && libraryHeader(module) {
		return g.OutsideOf(module)
	}
	if id := g.Nearest(f, g.BySuffix(module)); id != 0 {
		return program.Target{In: []edge.ID{id}}
	}
	return g.OutsideOf(module)
}

// Reaches adds to files what they include: where an include leads elsewhere,
// all of that comes into sight or goes out of it.
func (l *c) Reaches(g *program.Family, list []edge.ID) []edge.ID {
	l.Forget()
	out := slices.Clip(list) // the caller's own
	for _, id := range list {
		f := g.Entities[id].File
		if f == nil || g.Entities[id].Kind != edge.FileNode {
			continue
		}
		for to := range l.link.included(g, f) {
			if !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	l.Forget()
	return out
}

// Linked leaves of the definitions of a name in all files what a file means by it:
// its own, what it includes, what that declares, and else what can be linked.
func (l *c) Linked(e *eval.Evaluator, list []program.Entry) []program.Entry {
	g := e.Family
	if len(list) == 0 {
		return list
	}
	list = sort(e, list)
	if len(list) == 1 && g.Entities[list[0].ID].File == e.File && !isPrototype(g, list[0]) {
		return list
	}
	var own, seen, declared, linkable, rest, closed []program.Entry
	reach := l.link.included(g, e.File)
	for _, m := range list {
		o := g.Entities[m.ID].File
		switch {
		case isPrototype(g, m) && reach[fileOf(m, g)]:
			declared = append(declared, m)
		case isPrototype(g, m):
			rest = append(rest, m)
		case o == e.File:
			own = append(own, m)
		case reach[fileOf(m, g)]:
			seen = append(seen, m)
		case m.Open && (m.Kind == ir.VarMember || m.Kind == ir.FuncMember && g.Func(m.ID).Flags&ir.MacroFunc == 0):
			linkable = append(linkable, m)
		case m.Open:
			rest = append(rest, m)
		default:
			closed = append(closed, m)
		}
	}
	overloads := e.File.Lang.Overloads && list[0].Kind == ir.FuncMember
	if visible := slices.Concat(own, seen); len(visible) > 0 && len(declared) > 0 && !slices.ContainsFunc(visible, isFunction) {
		// A macro that stands for a name, in some builds, and the function that it has in the others.
		linkable = slices.DeleteFunc(linkable, func(m program.Entry) bool { return !isFunction(m) })
		if len(linkable) > 0 {
			declared = l.link.near(g, e.File, declared, linkable)
		}
		return append(visible, declared...)
	}
	switch {
	case len(own) > 0 && !overloads:
		return own
	case len(own)+len(seen) > 0 && !overloads:
		return seen
	case overloads && len(own)+len(seen)+len(declared) > 0:
		out := append(own, seen...)
		if len(declared) > 0 {
			out = append(out, l.link.near(g, e.File, declared, linkable)...)
		}
		return append(out, declared...)
	case len(declared) > 0:
		if len(linkable) > 0 {
			return l.link.near(g, e.File, declared, linkable)
		}
		return declared
	case len(linkable) > 0:
		return l.link.near(g, e.File, nil, linkable)
	case len(rest) == 0 && len(closed) > 0:
		return l.link.together(g, e.File, closed)
	}
	return rest
}

// sort leaves out classes where something else has the name, and the other way
// round where a type is meant: a struct and a function may have one name.
func sort(e *eval.Evaluator, list []program.Entry) []program.Entry {
	classes := 0
	for _, m := range list {
		if m.Kind == ir.ClassMember {
			classes++
		}
	}
	if classes == 0 || classes == len(list) {
		return list
	}
	out := make([]program.Entry, 0, len(list))
	for _, m := range list {
		if (m.Kind == ir.ClassMember) == e.Types {
			out = append(out, m)
		}
	}
	return out
}

func fileOf(m program.Entry, g *program.Family) edge.ID {
	if f := g.Entities[m.ID].File; f != nil {
		return f.ID
	}
	return 0
}

func isFunction(m program.Entry) bool { return m.Kind == ir.FuncMember }

func isPrototype(g *program.Family, m program.Entry) bool {
	fn := g.Func(m.ID)
	return m.Kind == ir.FuncMember && fn != nil && fn.Flags&ir.Prototype != 0
}

// Top finds a name outside of all namespaces.
func (l *c) Top(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool) {
	s, found, rule = l.atTop(e, f, n)
	return s, found, rule, true
}

func (l *c) atTop(e *eval.Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	g := e.Family
	for _, m := range g.Find(g.Bag(f.ID), n) {
		if m.Kind == ir.ImportMember { // using a::b
			if s := e.EntryValue(m, 0); s != 0 {
				return s, true, edge.ByImport
			}
		}
	}
	if list := l.Linked(e, slices.DeleteFunc(slices.Clone(g.Find(g.Bag(f.Pkg), n)), func(m program.Entry) bool { return m.Kind == ir.ImportMember })); len(list) > 0 {
		rule = edge.ByScope
		if g.Entities[list[0].ID].File != f {
			rule = edge.ByImport
		}
		return e.Entries(list, 0), true, rule
	}
	if sub := g.Lookspace(f.Pkg, n); sub != 0 {
		return e.Single(pointsto.Info{Kind: pointsto.Module, ID: uint32(sub)}), true, edge.ByScope
	}
	for _, in := range l.link.usingIn(g, f) {
		if s, ok := e.Within(in, n, 0); ok && s != 0 {
			return s, true, edge.ByImport
		}
	}
	return e.External(n), false, 0
}

// resolveUsing finds the namespace of "using namespace a", "using a::b" and
// "namespace c = a": from the top, or from a namespace that the file opens.
func resolveUsing(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	t := g.ResolveNamed(f, i)
	if len(t.In) > 0 {
		return t
	}
	for c := 1; c < len(f.IR.Classes); c++ {
		if f.IR.Classes[c].Kind != ir.Namespace {
			continue
		}
		at := g.SpaceOf(f, ir.Class(c))
		for _, segment := range program.Split(f.IR.String(i.Module)) {
			if at = g.Lookspace(at, g.Names.Intern(segment)); at == 0 {
				break
			}
		}
		if at != 0 {
			return program.Target{In: []edge.ID{at}}
		}
	}
	return t
}

// Field returns the name of the i-th member of a struct for "#i", in which the
// initializer lists of C speak of structs of other files.
func (*c) Field(k *program.Class, n intern.Name, text string) intern.Name {
	if len(text) < 2 || text[0] != '#' {
		return n
	}
	i := 0
	for _, d := range text[1:] {
		i = i*10 + int(d-'0')
	}
	for _, m := range k.Info.Members {
		if m.Kind != ir.VarMember || m.Static {
			continue
		}
		if i == 0 {
			return k.File.Names[m.Name]
		}
		i--
	}
	return n
}

// libraryHeader reports whether an included file is one of the library of C or C++:
// a file of the project with such a name is not meant by <...>.
func libraryHeader(p string) bool {
	switch strings.TrimSuffix(p, ".h") {
	case "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes", "iso646", "limits", "locale", "math", "setjmp", "signal",
		"stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint", "stdio", "stdlib", "stdnoreturn", "string", "tgmath", "threads",
		"time", "uchar", "wchar", "wctype", "unistd", "pthread", "fcntl", "dirent", "poll", "sched", "strings", "regex", "signals",
		"algorithm", "array", "atomic", "chrono", "deque", "exception", "filesystem", "format", "functional", "future", "iostream",
		"iterator", "list", "map", "memory", "mutex", "optional", "queue", "random", "ranges", "set", "span", "sstream", "stack",
		"string_view", "thread", "tuple", "type_traits", "unordered_map", "unordered_set", "utility", "variant", "vector":
		return !strings.Contains(p, "/")
	}
	return false
}

package graph

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// C and C++ have one name space for all files, of which a file sees what it
// includes. What a prototype declares is found by its name, as a linker does it.

var cFamily = langFamily{name: "c", names: map[string]string{"c": "c", "cpp": "cpp"}, make: newC}

// c is the Language of C, and what C++ has in common with it.
type c struct {
	Default
	link *linkage
}

// linkage is what the files of C and C++ see of each other. It is made as it is
// asked for.
type linkage struct {
	reach map[ID]map[ID]bool // the files that a file includes, directly or not
	kept  int                // entries in reach
	using map[ID][]ID        // the namespaces that a file brings whole
}

func newC() map[string]*lang {
	var t traits
	t.pack, t.spacesAroundReceiver, t.spaceReceivers, t.tagNames = global, true, true, true
	t.merges, t.classesPerFile, t.namedConstructors = true, true, true
	t.pointerIndex, t.operatorFuncs = true, true
	link := &linkage{}
	ofC := t
	t.implicitThis, t.pointerFields, t.virtualOnly, t.constructors = true, true, true, []string{""}
	t.getItem = []string{"operator[]"}
	t.callMakes, t.aggregates, t.overloads, t.freeOperators, t.callable = true, true, true, true, []string{"operator()"}
	return map[string]*lang{
		"c":   {traits: ofC, Language: &c{link: link}},
		"cpp": {traits: t, Language: &cpp{c{link: link}}},
	}
}

// Forget lets go of what files see.
func (l *c) Forget() { l.link.reach, l.link.using = nil, nil }

// Resolve finds the file whose path ends like the included one,
// the nearest to the including file where there are several.
func (l *c) Resolve(g *family, f *file, i *ir.ImportInfo) target {
	module := f.ir.String(i.Module)
	if i.Flags&ir.Include == 0 {
		return resolveUsing(g, f, i)
	}
	if id := g.fileAt(path.Join(f.dir, module)); id != 0 && i.Flags&ir.System == 0 {
		return target{in: []ID{id}}
	}
	if i.Flags&ir.System != 0 && libraryHeader(module) {
		return g.outsideOf(module)
	}
	if id := g.nearest(f, g.bySuffix(module)); id != 0 {
		return target{in: []ID{id}}
	}
	return g.outsideOf(module)
}

// maxReach bounds the entries of linkage.reach.
const maxReach = 1 << 20

// included returns the files that a file sees, itself included.
func (l *linkage) included(g *family, f *file) map[ID]bool {
	if seen, ok := l.reach[f.id]; ok {
		return seen
	}
	seen := map[ID]bool{f.id: true}
	for todo := []*file{f}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := 1; i < len(at.targets); i++ {
			if at.ir.Imports[i].Flags&ir.Include == 0 {
				continue
			}
			for _, to := range at.targets[i].in {
				if next := g.entities[to].file; next != nil && !seen[to] {
					seen[to] = true
					todo = append(todo, next)
				}
			}
		}
	}
	if l.kept += len(seen); l.kept > maxReach || l.reach == nil {
		l.reach, l.kept = map[ID]map[ID]bool{}, len(seen)
	}
	l.reach[f.id] = seen
	return seen
}

// Reaches adds to files what they include: where an include leads elsewhere,
// all of that comes into sight or goes out of it.
func (l *c) Reaches(g *family, list []ID) []ID {
	l.Forget()
	out := slices.Clip(list) // the caller's own
	for _, id := range list {
		f := g.entities[id].file
		if f == nil || g.entities[id].kind != FileNode {
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
func (l *c) Linked(e *eval, list []entry) []entry {
	g := e.g
	if len(list) == 0 {
		return list
	}
	list = e.sort(list)
	if len(list) == 1 && g.entities[list[0].id].file == e.f && !g.isPrototype(list[0]) {
		return list
	}
	var own, seen, declared, linkable, rest []entry
	reach := l.link.included(g, e.f)
	for _, m := range list {
		o := g.entities[m.id].file
		switch {
		case g.isPrototype(m) && reach[m.fileOf(g)]:
			declared = append(declared, m)
		case g.isPrototype(m):
			rest = append(rest, m)
		case o == e.f:
			own = append(own, m)
		case reach[m.fileOf(g)]:
			seen = append(seen, m)
		case m.open && (m.kind == ir.VarMember || m.kind == ir.FuncMember && g.fn(m.id).Flags&ir.MacroFunc == 0):
			linkable = append(linkable, m)
		case m.open:
			rest = append(rest, m)
		}
	}
	overloads := e.f.lang.overloads && list[0].kind == ir.FuncMember
	switch {
	case len(own) > 0 && !overloads:
		return own
	case len(own)+len(seen) > 0 && !overloads:
		return seen
	case overloads && len(own)+len(seen)+len(declared) > 0:
		out := append(own, seen...)
		if len(declared) > 0 {
			out = append(out, l.link.near(g, e.f, declared, linkable)...)
		}
		return append(out, declared...)
	case len(declared) > 0:
		if len(linkable) > 0 {
			return l.link.near(g, e.f, declared, linkable)
		}
		return declared
	case len(linkable) > 0:
		return l.link.near(g, e.f, nil, linkable)
	}
	return rest
}

// sort leaves out classes where something else has the name, and the other way
// round where a type is meant: a struct and a function may have one name.
func (e *eval) sort(list []entry) []entry {
	classes := 0
	for _, m := range list {
		if m.kind == ir.ClassMember {
			classes++
		}
	}
	if classes == 0 || classes == len(list) {
		return list
	}
	out := make([]entry, 0, len(list))
	for _, m := range list {
		if (m.kind == ir.ClassMember) == e.types {
			out = append(out, m)
		}
	}
	return out
}

func (m entry) fileOf(g *family) ID {
	if f := g.entities[m.id].file; f != nil {
		return f.id
	}
	return 0
}

func (g *family) isPrototype(m entry) bool {
	fn := g.fn(m.id)
	return m.kind == ir.FuncMember && fn != nil && fn.Flags&ir.Prototype != 0
}

// near leaves of definitions those that declarations mean: in files that include
// one of the declaring ones, with the name of one, in the same folder. A rule that
// none passes is skipped.
func (l *linkage) near(g *family, f *file, declared, list []entry) []entry {
	keep := func(ok func(o *file) bool) {
		var out []entry
		for _, m := range list {
			if o := g.entities[m.id].file; o != nil && ok(o) {
				out = append(out, m)
			}
		}
		if len(out) > 0 {
			list = out
		}
	}
	if len(list) > 1 && len(declared) > 0 {
		keep(func(o *file) bool {
			reach := l.included(g, o)
			return slices.ContainsFunc(declared, func(d entry) bool { return reach[d.fileOf(g)] })
		})
	}
	if len(list) > 1 && len(declared) > 0 {
		keep(func(o *file) bool {
			return slices.ContainsFunc(declared, func(d entry) bool {
				h := g.entities[d.id].file
				return h != nil && stem(h.path) == stem(o.path)
			})
		})
	}
	if len(list) > 1 {
		keep(func(o *file) bool { return o.dir == f.dir })
	}
	return list
}

func stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

// Top finds a name outside of all namespaces.
func (l *c) Top(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool) {
	s, found, rule = l.atTop(e, f, n)
	return s, found, rule, true
}

func (l *c) atTop(e *eval, f *file, n name) (s set, found bool, rule Rule) {
	g := e.g
	for _, m := range g.find(g.bag(f.id), n) {
		if m.kind == ir.ImportMember { // using a::b
			if s := e.entryValue(m, 0); s != 0 {
				return s, true, ByImport
			}
		}
	}
	if list := l.Linked(e, slices.DeleteFunc(slices.Clone(g.find(g.bag(f.pkg), n)), func(m entry) bool { return m.kind == ir.ImportMember })); len(list) > 0 {
		rule = ByScope
		if g.entities[list[0].id].file != f {
			rule = ByImport
		}
		return e.entries(list, 0), true, rule
	}
	if sub := g.lookspace(f.pkg, n); sub != 0 {
		return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true, ByScope
	}
	for _, in := range l.link.usingIn(g, f) {
		if s, ok := e.within(in, n, 0); ok && s != 0 {
			return s, true, ByImport
		}
	}
	return e.external(n), false, 0
}

// usingIn returns the namespaces that a file, or one that it includes, brings whole.
func (l *linkage) usingIn(g *family, f *file) []ID {
	if list, ok := l.using[f.id]; ok {
		return list
	}
	var list []ID
	for id := range l.included(g, f) {
		o := g.entities[id].file
		for i := 1; i < len(o.targets); i++ {
			if info := &o.ir.Imports[i]; info.Flags&ir.Include == 0 && o.ir.String(info.Name) == "*" {
				list = append(list, o.targets[i].in...)
			}
		}
	}
	slices.SortFunc(list, g.compare)
	list = slices.Compact(list)
	if l.using == nil {
		l.using = map[ID][]ID{}
	}
	l.using[f.id] = list
	return list
}

// resolveUsing finds the namespace of "using namespace a", "using a::b" and
// "namespace c = a": from the top, or from a namespace that the file opens.
func resolveUsing(g *family, f *file, i *ir.ImportInfo) target {
	t := g.resolveNamed(f, i)
	if len(t.in) > 0 {
		return t
	}
	for c := 1; c < len(f.ir.Classes); c++ {
		if f.ir.Classes[c].Kind != ir.Namespace {
			continue
		}
		at := g.spaceOf(f, ir.Class(c))
		for _, segment := range split(f.ir.String(i.Module)) {
			if at = g.lookspace(at, g.names.intern(segment)); at == 0 {
				break
			}
		}
		if at != 0 {
			return target{in: []ID{at}}
		}
	}
	return t
}

// Field returns the name of the i-th member of a struct for "#i", in which the
// initializer lists of C speak of structs of other files.
func (*c) Field(k *class, n name, text string) name {
	if len(text) < 2 || text[0] != '#' {
		return n
	}
	i := 0
	for _, d := range text[1:] {
		i = i*10 + int(d-'0')
	}
	for _, m := range k.info.Members {
		if m.Kind != ir.VarMember || m.Static {
			continue
		}
		if i == 0 {
			return k.file.names[m.Name]
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

package graph

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// C and C++ have one name space for all files, of which a file sees what it
// includes. What a prototype declares is found by its name, as a linker does it.

// spaceKey is a name in a namespace.
type spaceKey struct {
	space ID
	name  name
}

// linkage is what the files of C and C++ see of each other. It is made as it is
// asked for.
type linkage struct {
	reach map[ID]map[ID]bool   // the files that a file includes, directly or not
	kept  int                  // entries in reach
	using map[ID][]ID          // the namespaces that a file brings whole
	apart map[spaceKey][]entry // functions that are defined outside of their namespace: a::f() {}
}

// maxReach bounds the entries of linkage.reach.
const maxReach = 1 << 20

// included returns the files that a file sees, itself included.
func (g *family) included(f *file) map[ID]bool {
	if seen, ok := g.link.reach[f.id]; ok {
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
	if g.link.kept += len(seen); g.link.kept > maxReach || g.link.reach == nil {
		g.link.reach, g.link.kept = map[ID]map[ID]bool{}, len(seen)
	}
	g.link.reach[f.id] = seen
	return seen
}

// throughIncludes adds to files what they include: where an include leads elsewhere,
// all of that comes into sight or goes out of it.
func (g *family) throughIncludes(list []ID) []ID {
	g.link.reach, g.link.using = nil, nil
	out := slices.Clip(list) // the caller's own
	for _, id := range list {
		f := g.entities[id].file
		if f == nil || f.lang.family != "c" || g.entities[id].kind != FileNode {
			continue
		}
		for to := range g.included(f) {
			if !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	g.link.reach, g.link.using = nil, nil
	return out
}

// linked leaves of the definitions of a name in all files what a file means by it:
// its own, what it includes, what that declares, and else what can be linked.
func (e *eval) linked(list []entry) []entry {
	g := e.g
	if e.f.lang.family != "c" || len(list) == 0 {
		return list
	}
	list = e.sort(list)
	if len(list) == 1 && g.entities[list[0].id].file == e.f && !g.isPrototype(list[0]) {
		return list
	}
	var own, seen, declared, linkable, rest []entry
	reach := g.included(e.f)
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
	overloads := e.f.lang.name != "c" && list[0].kind == ir.FuncMember
	switch {
	case len(own) > 0 && !overloads:
		return own
	case len(own)+len(seen) > 0 && !overloads:
		return seen
	case overloads && len(own)+len(seen)+len(declared) > 0:
		out := append(own, seen...)
		if len(declared) > 0 {
			out = append(out, g.near(e.f, declared, linkable)...)
		}
		return append(out, declared...)
	case len(declared) > 0:
		if len(linkable) > 0 {
			return g.near(e.f, declared, linkable)
		}
		return declared
	case len(linkable) > 0:
		return g.near(e.f, nil, linkable)
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
func (g *family) near(f *file, declared, list []entry) []entry {
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
			reach := g.included(o)
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

// inSpace finds a name in a namespace.
func (e *eval) inSpace(ns ID, n name) []entry {
	list := e.g.find(e.g.bag(ns), n)
	if more := e.g.link.apart[spaceKey{ns, n}]; len(more) > 0 {
		list = append(slices.Clone(list), more...)
	}
	return e.linked(list)
}

// atTopC finds a name outside of all namespaces in C and C++.
func (e *eval) atTopC(f *file, n name) (s set, found bool, rule Rule) {
	g := e.g
	for _, m := range g.find(g.bag(f.id), n) {
		if m.kind == ir.ImportMember { // using a::b
			if s := e.entryValue(m, 0); s != 0 {
				return s, true, ByImport
			}
		}
	}
	if list := e.linked(slices.DeleteFunc(slices.Clone(g.find(g.bag(f.pkg), n)), func(m entry) bool { return m.kind == ir.ImportMember })); len(list) > 0 {
		rule = ByScope
		if g.entities[list[0].id].file != f {
			rule = ByImport
		}
		return e.entries(list, 0), true, rule
	}
	if sub := g.lookspace(f.pkg, n); sub != 0 {
		return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true, ByScope
	}
	for _, in := range g.using(f) {
		if s, ok := e.within(in, n, 0); ok && s != 0 {
			return s, true, ByImport
		}
	}
	return e.external(n), false, 0
}

// using returns the namespaces that a file, or one that it includes, brings whole.
func (g *family) using(f *file) []ID {
	if list, ok := g.link.using[f.id]; ok {
		return list
	}
	var list []ID
	for id := range g.included(f) {
		o := g.entities[id].file
		for i := 1; i < len(o.targets); i++ {
			if info := &o.ir.Imports[i]; info.Flags&ir.Include == 0 && o.ir.String(info.Name) == "*" {
				list = append(list, o.targets[i].in...)
			}
		}
	}
	slices.SortFunc(list, g.compare)
	list = slices.Compact(list)
	if g.link.using == nil {
		g.link.using = map[ID][]ID{}
	}
	g.link.using[f.id] = list
	return list
}

// resolveUsing finds the namespace of "using namespace a", "using a::b" and
// "namespace c = a": from the top, or from a namespace that the file opens.
func (g *family) resolveUsing(f *file, i *ir.ImportInfo) target {
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

// nthField returns the name of the i-th member of a struct for "#i", in which the
// initializer lists of C speak of structs of other files.
func (g *family) nthField(c *class, n name) name {
	text := g.names.text[n]
	if len(text) < 2 || text[0] != '#' {
		return n
	}
	i := 0
	for _, d := range text[1:] {
		i = i*10 + int(d-'0')
	}
	for _, m := range c.info.Members {
		if m.Kind != ir.VarMember || m.Static {
			continue
		}
		if i == 0 {
			return c.file.names[m.Name]
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

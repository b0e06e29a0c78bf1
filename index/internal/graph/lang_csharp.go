package graph

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// csharpTypes are, of types of the library, the interfaces that extension methods
// are written for and that they implement.
var csharpTypes = map[string][]string{
	"list":                {"IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IEnumerable"},
	"iterator":            {"IEnumerable"},
	"generator":           {"IEnumerable", "IAsyncEnumerable"},
	"string":              {"IEnumerable"},
	"List":                {"IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IEnumerable"},
	"IList":               {"ICollection", "IEnumerable"},
	"ICollection":         {"IEnumerable"},
	"IReadOnlyList":       {"IReadOnlyCollection", "IEnumerable"},
	"IReadOnlyCollection": {"IEnumerable"},
	"ISet":                {"ICollection", "IEnumerable"},
	"HashSet":             {"ISet", "ICollection", "IReadOnlyCollection", "IEnumerable"},
	"Queue":               {"IReadOnlyCollection", "IEnumerable"},
	"Stack":               {"IReadOnlyCollection", "IEnumerable"},
	"Dictionary":          {"IDictionary", "IReadOnlyDictionary", "ICollection", "IEnumerable"},
	"IDictionary":         {"ICollection", "IEnumerable"},
	"IReadOnlyDictionary": {"IEnumerable"},
	"IQueryable":          {"IEnumerable"},
	"IGrouping":           {"IEnumerable"},
	"ImmutableArray":      {"IReadOnlyList", "IEnumerable"},
	"ImmutableList":       {"IReadOnlyList", "IEnumerable"},
	"object":              {},
}

// extensions are the methods of a name that the index adds to a value from outside
// of the index: to its type, to what that implements, and to anything.
func (e *eval) extensions(i valueInfo, n name) []entry {
	g := e.g
	if e.isKotlin() {
		return e.kotlinExtensions(name(i.id), n)
	}
	if list := g.find(g.foreign[name(i.id)], n); len(list) > 0 {
		return list
	}
	if e.f.lang.family != "csharp" {
		return nil
	}
	text := g.names.text[i.id]
	for _, up := range csharpTypes[text[strings.LastIndexByte(text, '.')+1:]] {
		if list := e.foreignNamed(up, n); len(list) > 0 {
			return list
		}
	}
	if list := e.foreignNamed("object", n); len(list) > 0 {
		return list
	}
	return e.foreignNamed(anyItem, n)
}

func (e *eval) foreignNamed(typ string, n name) []entry {
	if id, ok := e.g.names.lookup(typ); ok {
		return e.g.find(e.g.foreign[id], n)
	}
	return nil
}

// extensionsOf are the methods that the index adds to a class by way of its bases
// outside of it, or to anything.
func (e *eval) extensionsOf(k *class, n name) []entry {
	g := e.g
	if e.f.lang.family != "csharp" {
		return nil
	}
	for _, s := range g.lineOf(k) {
		if !s.class.foreign {
			continue
		}
		for _, b := range s.class.bases {
			for _, v := range g.elems(b.values) {
				if x := g.values.info[v]; x.kind == vExternal || x.kind == vGeneric {
					if list := e.extensions(x, n); len(list) > 0 {
						return list
					}
				}
			}
		}
	}
	if list := e.foreignNamed("object", n); len(list) > 0 {
		return list
	}
	return e.foreignNamed(anyItem, n)
}

// csharpUniversal names a member that all objects have, or that the compiler makes.
func (e *eval) csharpUniversal(k *class, v value, n name) (path string, typed set, ok bool) {
	g := e.g
	one := g.values.single(v)
	switch text := g.names.text[n]; text {
	case "ToString", "Equals", "GetHashCode", "GetType", "ReferenceEquals", "MemberwiseClone":
		return "object." + text, 0, true
	case "GetValueOrDefault":
		if k.info.Kind == ir.Struct || k.info.Kind == ir.Enum {
			return "Nullable." + text, one, true
		}
	case "HasFlag", "CompareTo":
		if k.info.Kind == ir.Enum {
			return "Enum." + text, 0, true
		}
	case "Deconstruct":
		return "record." + text, 0, true
	}
	return "", 0, false
}

// nullable is a member of a value that may be null, of one that may not: x.Value is
// x, as the lowering takes T? for T.
func (e *eval) nullable(k *class, v value, n name) (set, bool) {
	if e.f.lang.family != "csharp" || k.info.Kind != ir.Struct && k.info.Kind != ir.Enum {
		return 0, false
	}
	switch e.g.names.text[n] {
	case "Value":
		return e.g.values.single(v), true
	case "HasValue":
		return e.external(e.g.names.intern("bool")), true
	}
	return 0, false
}

// inNamespace finds a name in a namespace that is written out in the file, and in
// those that its path leads through: namespace A.B is in A.
func (e *eval) inNamespace(c ir.Class, n name) (set, bool) {
	g := e.g
	stop := e.f.pkg
	if outer := e.f.ir.Classes[c].Outer; outer != 0 {
		stop = g.spaceOf(e.f, outer)
	}
	first := g.spaceOf(e.f, c)
	for ns := first; ns != 0 && (ns != stop || ns == first); ns = g.entities[ns].outer {
		if list := e.f.withoutImports(g.find(g.bag(ns), n)); len(list) > 0 {
			return e.entries(list, 0), true
		}
		if sub := g.lookspace(ns, n); sub != 0 {
			return e.single(valueInfo{kind: vModule, id: uint32(sub)}), true
		}
		if e.f.lang.family != "csharp" {
			break // a namespace sees nothing of the one that its name begins with
		}
	}
	return 0, false
}

// withoutImports leaves out what other files import: that is theirs alone.
func (f *file) withoutImports(list []entry) []entry {
	out := list[:0:0]
	for _, m := range list {
		if m.kind != ir.ImportMember || f != nil && m.id == f.id {
			out = append(out, m)
		}
	}
	return out
}

// globalsDiffer reports whether a file brings other namespaces into all files than
// before.
func globalsDiffer(old *file, f *ir.File) bool {
	list := func(f *ir.File) (out []string) {
		if f != nil && f.Language == "csharp" {
			for _, i := range f.Imports[1:] {
				if i.Flags&ir.Global != 0 {
					out = append(out, f.String(i.Module)+"."+f.String(i.Name))
				}
			}
		}
		return out
	}
	var before []string
	if old != nil {
		before = list(old.ir)
	}
	return !slices.Equal(before, list(f))
}

// forTypes leaves of overloads those that have as many type parameters as a call
// gives types, if there are any.
func (e *eval) forTypes(list []entry, explicit []set) []entry {
	if len(explicit) == 0 || len(list) < 2 || e.f.lang.family != "csharp" {
		return list
	}
	var out []entry
	for _, m := range list {
		if fn := e.g.fn(m.id); fn != nil && len(fn.TypeParams()) == len(explicit) {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// csharpSuits says how well a value suits a declared type where the general rules
// know less: of functions, by their parameters and by whether they return
// something; of members of library types, which are mostly of the type themselves.
func (e *eval) csharpSuits(d, v valueInfo, up *class) (int, bool) {
	g := e.g
	switch {
	case v.kind == vFunc || v.kind == vBound:
		fn := g.fn(ID(v.id))
		switch {
		case fn == nil || fn.Name != 0 && d.kind == vGeneric && g.isFunctionType(d):
			return 0, false // a method group: which of its methods shows elsewhere
		case d.kind == vGeneric && g.isFunctionType(d):
			at := &g.entities[v.id]
			g.load(at.file)
			return g.literalSuits(fn, at.file.ir.Body(ir.Func(at.ref)), d), true
		case up != nil && up.info.Kind != ir.Alias:
			return -1, true
		case d.kind == vGeneric && csharpTypes[g.names.text[d.id]] != nil, d.kind == vExternal && isWord(literalWord(g.names.text[d.id])):
			return -1, true
		}
	case d.kind == vExternal && v.kind == vExternal:
		declared, value := g.names.text[d.id], g.names.text[v.id]
		switch {
		case strings.HasPrefix(value, declared+"."):
			return 2, true // TimeSpan.Zero, Encoding.UTF8
		case isWord(literalWord(value)) && literalWord(value) != "string" && isUpper(declared) && !isWord(literalWord(declared)):
			return -1, declared != "Object" && declared != "IComparable" && declared != "Nullable"
		}
	case d.kind == vGeneric && g.isFunctionType(d) && v.kind != vParam && v.kind != vMany:
		if v.kind == vGeneric && g.isFunctionType(v) {
			return 0, false
		}
		return -1, v.kind != vExternal || isWord(literalWord(g.names.text[v.id]))
	}
	return 0, false
}

func literalWord(s string) string {
	if w, ok := literalWords[s]; ok {
		return w
	}
	return s
}

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// literalSuits says how well a function literal suits a function type.
func (g *family) literalSuits(fn *ir.FuncInfo, body []ir.Stmt, d valueInfo) int {
	args := g.args(d.args)
	if len(fn.Params) != max(0, len(args)-1) {
		return -1
	}
	result := set(0)
	if len(args) > 0 {
		result = args[len(args)-1]
	}
	task := false
	for _, v := range g.elems(result) {
		i := g.values.info[v]
		text := ""
		if i.kind == vExternal || i.kind == vGeneric {
			text = g.names.text[i.id]
		}
		task = task || strings.HasSuffix(text, "Task")
	}
	returns, throws := false, false
	for _, s := range body {
		returns = returns || s.Op == ir.Return
		throws = throws || s.Op == ir.Raise
	}
	switch {
	case fn.Flags&ir.Async != 0 && task:
		return 3
	case fn.Flags&ir.Async != 0 && result != 0:
		return -1
	case fn.Flags&ir.Async != 0:
		return 1
	case !returns && !throws && result != 0:
		return -1
	case returns && result == 0:
		return 1 // x => F(x) may be of either kind
	}
	return 2
}

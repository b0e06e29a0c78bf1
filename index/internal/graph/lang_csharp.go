package graph

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

var csharpFamily = langFamily{name: "csharp", names: map[string]string{"csharp": "csharp"}, make: newCSharp}

// csharp is the Language.
type csharp struct {
	Default
	globals []ID // what global using directives bring, made at the first use
}

func newCSharp() map[string]*lang {
	var t traits
	t.pack, t.nestedSpaces, t.implicitThis = byName, true, true
	t.merges, t.classCode, t.constructors = true, true, []string{"<new>"}
	t.getItem, t.setItem, t.iterate = []string{"this"}, []string{"this"}, []string{"GetEnumerator"}
	t.overloads, t.passesOver = true, true
	return map[string]*lang{"csharp": {traits: t, Language: &csharp{}}}
}

// Forget lets go of the namespaces.
func (l *csharp) Forget() { l.globals = nil }

// Resolve finds a namespace, or what is in one.
func (*csharp) Resolve(g *family, f *file, i *ir.ImportInfo) target { return g.resolveNamed(f, i) }

// GlobalImports are the namespaces of the global using directives.
func (l *csharp) GlobalImports(g *family) []ID {
	if l.globals == nil {
		l.globals = []ID{}
		for _, p := range g.paths() {
			o := g.files[p]
			for i := 1; i < len(o.ir.Imports); i++ {
				if o.ir.Imports[i].Flags&ir.Global == 0 || o.targets == nil {
					continue
				}
				for _, in := range o.targets[i].in {
					if !slices.Contains(l.globals, in) {
						l.globals = append(l.globals, in)
					}
				}
			}
		}
	}
	return l.globals
}

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

// Extensions are the methods of a name that the index adds to a value from outside
// of the index: to its type, to what that implements, and to anything.
func (*csharp) Extensions(e *eval, i valueInfo, n name) []entry { return e.csharpExtensions(i, n) }

func (e *eval) csharpExtensions(i valueInfo, n name) []entry {
	g := e.g
	if list := g.find(g.foreign[name(i.id)], n); len(list) > 0 {
		return list
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
	for _, s := range g.lineOf(k) {
		if !s.class.foreign {
			continue
		}
		for _, b := range s.class.bases {
			for _, v := range g.elems(b.values) {
				if x := g.values.info[v]; x.kind == vExternal || x.kind == vGeneric {
					if list := e.csharpExtensions(x, n); len(list) > 0 {
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

// Universal names a member that all objects have, or that the compiler makes.
func (*csharp) Universal(e *eval, k *class, v value, n name) (path string, typed set, ok bool) {
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

// MissingMember is a member of a nullable value, or an extension.
func (*csharp) MissingMember(e *eval, recv value, c *class, _ int, n name, pos ir.Pos) (set, bool) {
	if s, ok := e.nullable(c, recv, n); ok {
		return s, true
	}
	if list := e.extensionsOf(c, n); len(list) > 0 {
		return e.bound(list, recv, nil, pos), true
	}
	return 0, false
}

// CallUndeclared calls a member that all objects have.
func (*csharp) CallUndeclared(e *eval, c *calling, k *class, v value, _ int) (set, bool) {
	return e.callUniversal(c, k, v)
}

// FreeCall calls a method of a base outside of the index, or one of all objects.
func (*csharp) FreeCall(e *eval, c *calling) (set, bool) { return e.callInherited(c) }

// nullable is a member of a value that may be null, of one that may not: x.Value is
// x, as the lowering takes T? for T.
func (e *eval) nullable(k *class, v value, n name) (set, bool) {
	if k.info.Kind != ir.Struct && k.info.Kind != ir.Enum {
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

// Restarts reports whether a file brings other namespaces into all files than before.
func (*csharp) Restarts(old *file, f *ir.File) bool {
	list := func(f *ir.File) (out []string) {
		if f != nil {
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

// ForTypes leaves of overloads those that have as many type parameters as a call
// gives types, if there are any.
func (*csharp) ForTypes(e *eval, list []entry, explicit []set) []entry {
	if len(explicit) == 0 || len(list) < 2 {
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

// Suits says how well a value suits a declared type where the general rules
// know less: of functions, by their parameters and by whether they return
// something; of members of library types, which are mostly of the type themselves.
func (*csharp) Suits(e *eval, d, v valueInfo, up *class) (int, bool) {
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

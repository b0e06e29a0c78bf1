// Package resolve has what is special about C#: global imports, extension methods, and
// overloads that are told apart by functions.
package resolve

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Family is C#.
var Family = program.Languages{Name: "csharp", Names: map[string]string{"csharp": "csharp"}, Make: newCSharp}

// language is the Language.
type language struct {
	plain.Default
	globals []edge.ID // what global using directives bring, made at the first use
}

func newCSharp() map[string]*program.Lang {
	var t program.Traits
	t.Pack, t.NestedSpaces, t.ImplicitThis = program.ByName, true, true
	t.Merges, t.ClassCode, t.Constructors = true, true, []string{"<new>"}
	t.GetItem, t.SetItem, t.Iterate = []string{"this"}, []string{"this"}, []string{"GetEnumerator"}
	t.Overloads, t.PassesOver, t.Extends, t.NewType, t.ByArity = true, true, true, true, true
	return map[string]*program.Lang{"csharp": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of the namespaces.
func (l *language) Forget() { l.globals = nil }

// Resolve finds a namespace, or what is in one.
func (*language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	return g.ResolveNamed(f, i)
}

// GlobalImports are the namespaces of the global using directives.
func (l *language) GlobalImports(g *program.Family) []edge.ID {
	if l.globals == nil {
		l.globals = []edge.ID{}
		for _, p := range g.Paths() {
			o := g.Files[p]
			for i := 1; i < len(o.IR.Imports); i++ {
				if o.IR.Imports[i].Flags&ir.Global == 0 || o.Targets == nil {
					continue
				}
				for _, in := range o.Targets[i].In {
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
	"func":                {"MulticastDelegate", "Delegate"},
	"object":              {},
}

// Extensions are the methods of a name that the index adds to a value from outside
// of the index: to its type, to what that implements, and to anything.
func (*language) Extensions(e *eval.Evaluator, i pointsto.Info, n intern.Name) []program.Entry {
	return csharpExtensions(e, i, n)
}

func csharpExtensions(e *eval.Evaluator, i pointsto.Info, n intern.Name) []program.Entry {
	g := e.Family
	if list := g.Find(g.Foreign[intern.Name(i.ID)], n); len(list) > 0 {
		return list
	}
	for _, up := range csharpTypes[lastName(g, i)] {
		if list := foreignNamed(e, up, n); len(list) > 0 {
			return list
		}
	}
	if list := foreignNamed(e, "object", n); len(list) > 0 {
		return list
	}
	return foreignNamed(e, pointsto.AnyItem, n)
}

func foreignNamed(e *eval.Evaluator, typ string, n intern.Name) []program.Entry {
	if id, ok := e.Family.Names.Lookup(typ); ok {
		return e.Family.Find(e.Family.Foreign[id], n)
	}
	return nil
}

// extensionsOf are the methods that the index adds to a class by way of its bases
// outside of it, or to anything.
func extensionsOf(e *eval.Evaluator, k *program.Class, n intern.Name) []program.Entry {
	g := e.Family
	for _, v := range g.OutsideBases(g.MRO(k)) {
		if x := g.Values.Info[v]; x.Kind == pointsto.External || x.Kind == pointsto.Generic {
			if list := csharpExtensions(e, x, n); len(list) > 0 {
				return list
			}
		}
	}
	if k.Info.Kind == ir.Enum {
		if list := foreignNamed(e, "Enum", n); len(list) > 0 {
			return list
		}
	}
	if list := foreignNamed(e, "object", n); len(list) > 0 {
		return list
	}
	return foreignNamed(e, pointsto.AnyItem, n)
}

// Universal names a member that all objects have, or that the compiler makes.
func (*language) Universal(e *eval.Evaluator, k *program.Class, v pointsto.Value, n intern.Name) (path string, typed pointsto.Set, ok bool) {
	g := e.Family
	one := g.Values.Single(v)
	switch text := g.Names.Text[n]; text {
	case "ToString", "Equals", "GetHashCode", "GetType", "ReferenceEquals", "MemberwiseClone":
		return "object." + text, 0, true
	case "GetValueOrDefault":
		if k.Info.Kind == ir.Struct || k.Info.Kind == ir.Enum {
			return "Nullable." + text, one, true
		}
	case "HasFlag", "CompareTo":
		if k.Info.Kind == ir.Enum {
			return "Enum." + text, 0, true
		}
	case "Deconstruct":
		return "record." + text, 0, true
	}
	return "", 0, false
}

// MissingMember is a member of a nullable value, or an extension.
func (*language) MissingMember(e *eval.Evaluator, recv pointsto.Value, c *program.Class, _ int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	if s, ok := nullable(e, c, recv, n); ok {
		return s, true
	}
	if list := extensionsOf(e, c, n); len(list) > 0 {
		return e.Bound(list, recv, nil, pos), true
	}
	return 0, false
}

// CallUndeclared calls a member that all objects have.
func (*language) CallUndeclared(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, _ int) (pointsto.Set, bool) {
	return e.CallUniversal(c, k, v)
}

// FreeCall calls a method of a base outside of the index, or one of all objects.
func (*language) FreeCall(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	return library.CallInherited(e, c)
}

// nullable is a member of a value that may be null, of one that may not: x.Value is
// x, as the lowering takes T? for T.
func nullable(e *eval.Evaluator, k *program.Class, v pointsto.Value, n intern.Name) (pointsto.Set, bool) {
	if k.Info.Kind != ir.Struct && k.Info.Kind != ir.Enum {
		return 0, false
	}
	switch e.Family.Names.Text[n] {
	case "Value":
		return e.Family.Values.Single(v), true
	case "HasValue":
		return e.External(e.Family.Names.Intern("bool")), true
	}
	return 0, false
}

// Restarts reports whether a file brings other namespaces into all files than before.
func (*language) Restarts(old *program.File, f *ir.File) bool {
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
		before = list(old.IR)
	}
	return !slices.Equal(before, list(f))
}

// ForTypes leaves of overloads those that have as many type parameters as a call
// gives types, if there are any.
func (*language) ForTypes(e *eval.Evaluator, list []program.Entry, explicit []pointsto.Set) []program.Entry {
	if len(explicit) == 0 || len(list) < 2 {
		return list
	}
	var out []program.Entry
	for _, m := range list {
		if fn := e.Family.Func(m.ID); fn != nil && len(fn.TypeParams()) == len(explicit) {
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
func (*language) Suits(e *eval.Evaluator, d, v pointsto.Info, up *program.Class) (int, bool) {
	g := e.Family
	switch {
	case v.Kind == pointsto.Func || v.Kind == pointsto.Bound:
		fn := g.Func(edge.ID(v.ID))
		switch {
		case fn == nil || fn.Name != 0 && d.Kind == pointsto.Generic && g.IsFunctionType(d):
			return 0, false // a method group: which of its methods shows elsewhere
		case d.Kind == pointsto.Generic && g.IsFunctionType(d):
			at := &g.Entities[v.ID]
			g.Load(at.File)
			return literalSuits(g, fn, at.File.IR.Body(ir.Func(at.Ref)), d), true
		case up != nil && up.Info.Kind != ir.Alias:
			return -1, true
		case d.Kind == pointsto.Generic && csharpTypes[g.Names.Text[d.ID]] != nil, d.Kind == pointsto.External && program.IsWord(program.LiteralWord(g.Names.Text[d.ID])):
			return -1, true
		}
	case d.Kind == pointsto.External && v.Kind == pointsto.External:
		declared, value := g.Names.Text[d.ID], g.Names.Text[v.ID]
		switch {
		case strings.HasPrefix(value, declared+"."):
			return 2, true // TimeSpan.Zero, Encoding.UTF8
		case program.IsWord(program.LiteralWord(value)) && program.LiteralWord(value) != "string" && isUpper(declared) && !program.IsWord(program.LiteralWord(declared)):
			return -1, declared != "Object" && declared != "IComparable" && declared != "Nullable"
		}
	case d.Kind == pointsto.Generic && g.IsFunctionType(d) && v.Kind != pointsto.Param && v.Kind != pointsto.Many:
		if v.Kind == pointsto.Generic && g.IsFunctionType(v) {
			return 0, false
		}
		return -1, v.Kind != pointsto.External || program.IsWord(program.LiteralWord(g.Names.Text[v.ID]))
	}
	return 0, false
}

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// literalSuits says how well a function literal suits a function type.
func literalSuits(g *program.Family, fn *ir.FuncInfo, body []ir.Stmt, d pointsto.Info) int {
	args := g.Args(d.Args)
	if len(fn.Params) != max(0, len(args)-1) {
		return -1
	}
	result := pointsto.Set(0)
	if len(args) > 0 {
		result = args[len(args)-1]
	}
	task := false
	for _, v := range g.Elems(result) {
		i := g.Values.Info[v]
		text := ""
		if i.Kind == pointsto.External || i.Kind == pointsto.Generic {
			text = g.Names.Text[i.ID]
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

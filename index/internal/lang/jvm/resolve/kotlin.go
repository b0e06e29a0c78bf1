package resolve

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/call"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// kotlin is the Language.
type kotlin struct{ jvm }

// Universal is a member of Any, or of an enum.
func (*kotlin) Universal(e *eval.Evaluator, k *program.Class, _ pointsto.Value, n intern.Name) (path string, typed pointsto.Set, ok bool) {
	return jvmUniversal(e, "Any", k, n)
}

// CallUndeclared calls what the library has for everything, the copy of a data class, or
// what all objects have.
func (*kotlin) CallUndeclared(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, _ int) (pointsto.Set, bool) {
	if s, ok := kotlinOutside(e, c, v); ok {
		return s, true
	}
	if e.Family.Names.Text[c.Name] == "copy" {
		c.External = c.Name
		return e.Family.Values.Single(v), true
	}
	return e.CallUniversal(c, k, v)
}

// CallLibrary calls a scope function, a method of the library, or an extension of
// everything.
func (*kotlin) CallLibrary(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	return kotlinOutside(e, c, v)
}

func kotlinOutside(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	if s, ok := callScope(e, c, v); ok {
		return s, true
	}
	if s, ok := converted(e, c, v); ok {
		return s, true
	}
	if s, ok := callOutside(e, c, v); ok {
		return s, true
	}
	if k := g.Values.Info[v].Kind; k == pointsto.Inst || k == pointsto.Decl || k == pointsto.Param {
		if s, ok := callExtension(e, c, v); ok {
			return s, true
		}
	}
	if g.Names.Text[c.Name] == "to" && len(c.Args) == 1 {
		c.External = c.Name
		return e.Generic("Pair", g.Values.Single(v), c.Args[0].Value), true
	}
	return 0, false
}

// FreeCall calls what the companion of a class around inherits, a function of the library
// without a receiver, a method of a base outside of the index, or one of all objects.
func (*kotlin) FreeCall(e *eval.Evaluator, c *eval.Call) (pointsto.Set, bool) {
	if s := ofCompanion(e, c.Name); s != 0 {
		return e.CallValues(c, s, edge.BySelf), true
	}
	if s, ok := callFree(e, c); ok {
		return s, true
	}
	return library.CallInherited(e, c)
}

// Property is a property of the library, or a method of Java.
func (*kotlin) Property(e *eval.Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	if s, ok := libraryField(e, v, n); ok {
		return s, true
	}
	return javaProperty(e, v, n, pos)
}

// MissingProperty is what the compiler adds, or an extension of everything.
func (*kotlin) MissingProperty(e *eval.Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	k, typed, ok := enumField(e, v, n)
	if ok || k == nil {
		return typed, ok
	}
	if list := extensionsOfAll(e, n); len(list) > 0 {
		return e.Bound(list, v, nil, pos), true
	}
	return 0, false
}

// Extensions are those that the file sees. Of what the library returns the type is not known.
func (*kotlin) Extensions(e *eval.Evaluator, i pointsto.Info, n intern.Name) []program.Entry {
	if !knownType(e, i) {
		return nil
	}
	return kotlinExtensions(e, intern.Name(i.ID), n)
}

// CallOn calls an extension of a type of the library that takes the arguments, of a function
// unless it has become an instance of an interface, or what java calls.
func (l *kotlin) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, all pointsto.Set) (pointsto.Set, bool) {
	switch i := e.Family.Values.Info[v]; i.Kind {
	case pointsto.Func, pointsto.Bound:
		if e.Family.Names.Text[c.Name] == "invoke" || ofInterface(e, all, c.Name) {
			break
		}
		if s, ok := callExtension(e, c, v); ok {
			return s, true
		}
		if s, ok := callScope(e, c, v); ok {
			return s, true
		}
	case pointsto.External, pointsto.Generic:
		if knownType(e, i) {
			if s, ok := callExtension(e, c, v); ok {
				return s, true
			}
		}
	}
	return l.jvm.CallOn(e, c, v, all)
}

// InSight leaves the extensions that the file sees.
func (*kotlin) InSight(e *eval.Evaluator, list []program.Entry) []program.Entry {
	return inSight(e, list)
}

// Applies says that an extension must be in sight, and take the arguments: a name is
// looked for further out otherwise.
func (*kotlin) Applies(e *eval.Evaluator, m program.Entry, args []eval.Argument) bool {
	return seesExtension(e, m) && applies(e, m, args)
}

// Applicable leaves the functions that take the arguments.
func (*kotlin) Applicable(e *eval.Evaluator, s pointsto.Set, args []eval.Argument) pointsto.Set {
	return applicable(e, s, args)
}

// Candidates are members before extensions.
func (*kotlin) Candidates(e *eval.Evaluator, list []program.Entry, args []eval.Argument) []program.Entry {
	return membersFirst(e, list, args)
}

// BoundReceiver is the receiver of an extension of a type parameter.
func (*kotlin) BoundReceiver(e *eval.Evaluator, n intern.Name, args []eval.Argument) pointsto.Set {
	return boundReceiver(e, n, args)
}

// LambdaReceiver is the receiver of a lambda.
func (*kotlin) LambdaReceiver(e *eval.Evaluator, n intern.Name) (recv pointsto.Set, pending bool) {
	return lambdaReceiver(e, n)
}

// Delegated is what a class of Kotlin delegates to.
func (*jvm) Delegated(e *eval.Evaluator, k *program.Class, recv pointsto.Value) pointsto.Set {
	if k.File.Lang.Name != "kotlin" {
		return 0
	}
	return delegated(e, k, recv)
}

// Read is a member of the receiver of a lambda, or a property that runs code.
func (*kotlin) Read(e *eval.Evaluator, n *ir.Node) (pointsto.Set, edge.Rule, bool) {
	nm := e.File.Names[n.Name]
	if recv, pending := lambdaReceiver(e, nm); recv != 0 || pending {
		return e.AttrAt(recv, nm, n.Pos), edge.ByType, true
	}
	if recv := getterReceiver(e, nm); recv != 0 {
		return e.AttrAt(recv, nm, n.Pos), edge.BySelf, true
	}
	return 0, 0, false
}

// Elements are entries, of a map.
func (*kotlin) Elements(e *eval.Evaluator, v pointsto.Value, _ *ir.Node) (pointsto.Set, bool) {
	i := e.Family.Values.Info[v]
	if args := e.Family.Args(i.Args); i.Kind == pointsto.Generic && len(args) == 2 && strings.HasSuffix(e.Family.Names.Text[i.ID], "Map") {
		return e.Generic("Entry", args...), true
	}
	return 0, false
}

// delegateField is the field that holds what a class of Kotlin delegates to.
const delegateField = "<by>"

// inSight leaves of extensions of Kotlin those that the file sees: of its package,
// imported, or of a class.
func inSight(e *eval.Evaluator, list []program.Entry) []program.Entry {
	hidden := func(m program.Entry) bool { return !seesExtension(e, m) }
	if !slices.ContainsFunc(list, hidden) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), hidden)
}

func seesExtension(e *eval.Evaluator, m program.Entry) bool {
	g := e.Family
	fn := g.Func(m.ID)
	if m.Kind != ir.FuncMember || fn == nil || fn.Flags&ir.Extension == 0 || fn.Class != 0 || fn.Outer != 0 {
		return true
	}
	f := g.Entities[m.ID].File
	if f.Lang.Name != "kotlin" || f.Pkg == e.File.Pkg {
		return true
	}
	pkg := f.IR.String(f.IR.Package)
	for i := 1; i < len(e.File.IR.Imports); i++ {
		info := &e.File.IR.Imports[i]
		if e.File.IR.String(info.Module) != pkg {
			continue
		}
		if n := e.File.IR.String(info.Name); n == "*" || n == f.IR.String(fn.Name) {
			return true
		}
	}
	return false
}

// membersFirst leaves the extensions out of the functions of one name of a class
// where a member can be called: it wins.
func membersFirst(e *eval.Evaluator, list []program.Entry, args []eval.Argument) []program.Entry {
	list = inSight(e, list)
	extension := func(m program.Entry) bool {
		fn := e.Family.Func(m.ID)
		return fn != nil && fn.Flags&ir.Extension != 0
	}
	if len(list) < 2 || !slices.ContainsFunc(list, extension) {
		return list
	}
	members := slices.DeleteFunc(slices.Clone(list), extension)
	if slices.ContainsFunc(members, func(m program.Entry) bool { return applies(e, m, args) }) {
		return members
	}
	if rest := slices.DeleteFunc(slices.Clone(list), func(m program.Entry) bool { return !extension(m) }); len(members) > 0 && len(rest) > 0 {
		return rest
	}
	return list
}

// applies reports whether a function can be called with arguments, as far as their
// number and the lambdas among them say.
func applies(e *eval.Evaluator, m program.Entry, args []eval.Argument) bool {
	g := e.Family
	fn := g.Func(m.ID)
	if fn == nil {
		return false
	}
	if fn.Flags&ir.Getter != 0 {
		return true
	}
	if !call.Takes(fn, args) || spreads(args) && !slices.ContainsFunc(fn.Params, func(p ir.Param) bool { return p.Kind == ir.Variadic }) {
		return false
	}
	f := g.Entities[m.ID].File
	for i, a := range args {
		p := -1
		if a.Kind == ir.Block {
			p = len(fn.Params) - 1
		} else if x := &e.File.IR.Exprs[a.X]; x.Op == ir.Lambda {
			p = program.ParamFor(fn, f, i, a.Name, e.File)
		}
		if p < 0 {
			continue
		}
		for _, d := range g.Elems(f.VarTypes[fn.Params[p].Var]) {
			if di := g.Values.Info[d]; di.Kind == pointsto.External && program.LiteralWords[g.Names.Text[di.ID]] != "" {
				return false
			}
		}
	}
	return true
}

// applicable leaves the functions out of some values that cannot be called with the
// arguments.
func applicable(e *eval.Evaluator, s pointsto.Set, args []eval.Argument) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Func || i.Kind == pointsto.Bound {
			if !applies(e, program.Entry{ID: edge.ID(i.ID)}, args) || !seesExtension(e, program.Entry{Kind: ir.FuncMember, ID: edge.ID(i.ID)}) {
				continue
			}
		}
		out = g.Union(out, g.Values.Single(v))
	}
	return out
}

// delegated are the values that an instance of a class passes the calls on to that
// the class does not answer itself.
func delegated(e *eval.Evaluator, k *program.Class, recv pointsto.Value) pointsto.Set {
	id, ok := e.Family.Names.Lookup(delegateField)
	if !ok {
		return 0
	}
	list, at := e.Family.Member(k, id)
	if at < 0 {
		return 0
	}
	ancestor := e.Family.MRO(k)[at]
	return e.Bound(list, recv, &ancestor, 0)
}

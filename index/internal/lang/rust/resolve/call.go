package resolve

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Call resolves a call that the rules of Rust decide: of a macro, and of a path
// that names a trait. ok is false for others.
func (l *language) Call(e *eval.Evaluator, c *eval.Call, fn *ir.Node, recv pointsto.Set) (pointsto.Set, bool) {
	if c.Node.Flags&ir.Macro != 0 {
		return l.callMacro(e, c, fn, recv), true
	}
	wanted := c.Explicit
	c.Explicit = nil // of the path of a function nothing is known to be chosen
	if fn.Op != ir.Attr || fn.Flags&ir.Path == 0 {
		return 0, false
	}
	if len(wanted) == 1 && wanted[0] != 0 && makesSelf(e.Family, recv, e.File.Names[fn.Name]) {
		c.Name = e.File.Names[fn.Name]
		out := pointsto.Set(0)
		for _, trait := range e.Family.Elems(recv) {
			out = e.Family.Union(out, callTrait(e, c, trait, wanted[0]))
		}
		return out, true
	}
	at := &e.File.IR.Exprs[fn.A]
	if at.Op != ir.Apply || e.File.IR.String(at.Name) != "as" { // <T as Trait>::f
		return 0, false
	}
	c.Name = e.File.Names[fn.Name]
	selves := e.Typ(e.File.IR.Args[at.Lo].X)
	out := pointsto.Set(0)
	for _, trait := range e.Family.Elems(recv) {
		out = e.Family.Union(out, callTrait(e, c, trait, selves))
	}
	return out, true
}

// callPath calls a member by the path of a type or trait. ok is false where the
// type has at most one member of the name.
func callPath(e *eval.Evaluator, c *eval.Call, v pointsto.Value) (pointsto.Set, bool) {
	g := e.Family
	k := g.ClassOf(v)
	if k == nil {
		return 0, false
	}
	if k.Info.Kind == ir.Alias {
		return callAlias(e, c, k)
	}
	list, at := g.Member(k, c.Name)
	if at < 0 {
		return derived(e, c, k, v, true)
	}
	if list[0].Kind != ir.FuncMember {
		return 0, false
	}
	hasSelf := g.Func(list[0].ID).Self != 0
	if k.Info.Kind == ir.Trait {
		selves := pointsto.Set(0)
		if hasSelf && len(c.Args) > 0 {
			selves = c.Args[0].Value
		}
		return callTrait(e, c, v, selves), true
	}
	if list = ownFirst(g, list); len(list) < 2 {
		if len(list) == 1 && at == 0 {
			return e.Invoke(c, g.Values.Intern(pointsto.Info{Kind: pointsto.Func, ID: uint32(list[0].ID)}), edge.ByType), true
		}
		return 0, false
	}
	args := c.Args
	if hasSelf && len(args) > 0 {
		c.Args = args[1:]
	}
	chosen, possible := e.Overload(c, list)
	c.Args = args
	out := pointsto.Set(0)
	for _, m := range chosen {
		if possible {
			c.Add(m.ID, edge.ByOverload, true)
			out = g.Union(out, e.Returned(m.ID, 0, nil))
			continue
		}
		out = g.Union(out, e.Invoke(c, g.Values.Intern(pointsto.Info{Kind: pointsto.Func, ID: uint32(m.ID)}), edge.ByType))
	}
	return out, true
}

// callAlias calls a member by an alias, or by an associated type, which is an alias
// of what bounds it.
func callAlias(e *eval.Evaluator, c *eval.Call, k *program.Class) (pointsto.Set, bool) {
	g := e.Family
	out, found := pointsto.Set(0), false
	for _, w := range g.Elems(eval.Aliased(g, k)) {
		if up := g.ClassOf(w); up != nil && up != k && up.Info.Kind != ir.Alias {
			out, found = g.Union(out, e.CallOn(c, g.Values.Intern(pointsto.Info{Kind: pointsto.Class, ID: uint32(up.ID)}), 0, edge.ByType)), true
		} else if up == nil {
			out, found = g.Union(out, e.CallOn(c, w, 0, edge.ByType)), true
		}
	}
	return out, found
}

// callTrait calls a function of a trait on the types that implement it: those of
// the values in selves, or all where nothing is known of them.
func callTrait(e *eval.Evaluator, c *eval.Call, trait pointsto.Value, selves pointsto.Set) pointsto.Set {
	g := e.Family
	k := g.ClassOf(trait)
	var own []program.Entry
	if k != nil {
		own, _ = g.Member(k, c.Name)
	}
	args := c.Args
	if len(own) > 0 && own[0].Kind == ir.FuncMember && g.Func(own[0].ID).Self != 0 && len(args) > 0 {
		c.Args = args[1:]
		defer func() { c.Args = args }()
	}
	out, known := pointsto.Set(0), false
	for _, v := range g.Elems(selves) {
		switch g.Values.Info[v].Kind {
		case pointsto.Param:
			for _, b := range g.Elems(e.BoundOf(g.Values.Info[v])) {
				if up := g.ClassOf(b); up != nil && up.Info.Kind == ir.Trait {
					out, known = g.Union(out, e.CallInstance(c, b, up, 0, selves, edge.ByType)), true
				}
			}
		case pointsto.Inst, pointsto.Decl:
			s, ok := callAs(e, c, trait, v, selves)
			out, known = g.Union(out, s), known || ok
		case pointsto.External, pointsto.Generic:
			b := g.Foreign[intern.Name(g.Values.Info[v].ID)]
			if b == nil {
				continue
			}
			for _, m := range g.Find(b, c.Name) {
				if implementsTrait(g, m, trait) {
					out, known = g.Union(out, e.Invoke(c, g.Values.Intern(pointsto.Info{Kind: pointsto.Bound, ID: uint32(m.ID), Base: v}), edge.ByType)), true
				}
			}
		}
	}
	switch {
	case known:
	case k != nil && k.Info.Kind == ir.Trait:
		out = e.CallInstance(c, g.Self(k, pointsto.Decl), k, 0, 0, edge.ByType)
	case k == nil:
		i := g.Values.Info[trait]
		if i.Kind == pointsto.External || i.Kind == pointsto.Generic {
			c.External = g.Names.Intern(g.Names.Text[i.ID] + "." + g.Names.Text[c.Name])
			out = e.Outside(c, 0)
		}
	}
	return out
}

// callAs calls what an instance's class has for a function of a trait.
func callAs(e *eval.Evaluator, c *eval.Call, trait, v pointsto.Value, all pointsto.Set) (pointsto.Set, bool) {
	g := e.Family
	k, up := g.ClassOf(v), g.ClassOf(trait)
	if k == nil {
		return 0, false
	}
	if k == up || k.Abstract() {
		return e.CallInstance(c, v, k, 0, all, edge.ByType), true
	}
	for i := range g.MRO(k) {
		at := &g.MRO(k)[i]
		out, found := pointsto.Set(0), false
		for _, m := range g.Declared(at.Class, c.Name) {
			if m.Kind == ir.FuncMember && (implementsTrait(g, m, trait) || at.Class == up) {
				out, found = g.Union(out, e.CallMethod(c, m, eval.Receiver{Value: v, Class: k, At: at, All: all, Super: true}, edge.ByType, false)), true
			}
		}
		if found {
			return out, true
		}
	}
	return 0, false
}

// CallMissing calls a method that the type of an instance does not have itself: it
// may have it by Deref, as an iterator, or by a trait that is derived.
func (l *language) CallMissing(e *eval.Evaluator, c *eval.Call, k *program.Class, recv pointsto.Value, _ int, rule edge.Rule) (pointsto.Set, bool) {
	g := e.Family
	if s := derefed(e, recv, k); s != 0 {
		return e.CallMember(c, s, rule), true
	}
	if s, ok := derived(e, c, k, recv, false); ok {
		return s, true
	}
	if list := l.ofAll(g, c.Name); len(list) > 0 {
		return e.CallValues(c, e.Bound(list, recv, nil, e.At), rule), true
	}
	if next, at := g.Member(k, g.Names.Intern("next")); at >= 0 && next[0].Kind == ir.FuncMember && k.Foreign {
		elem := e.Await(e.Returned(next[0].ID, recv, nil))
		c.External = g.Names.Intern("Iterator." + g.Names.Text[c.Name])
		return e.Outside(c, g.Values.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(g.Names.Intern("list"))}, []pointsto.Set{elem})), true
	}
	return 0, false
}

// derefed is what an instance stands for, by an implementation of Deref.
func derefed(e *eval.Evaluator, recv pointsto.Value, k *program.Class) pointsto.Set {
	list, at := e.Family.Member(k, e.Family.Names.Intern("deref"))
	if at < 0 || list[0].Kind != ir.FuncMember || e.Family.Depth > program.MaxNesting/2 {
		return 0
	}
	out := pointsto.Set(0)
	for _, v := range e.Family.Elems(e.Returned(list[0].ID, recv, nil)) {
		if e.Family.ClassOf(v) != k {
			out = e.Family.Union(out, e.Family.Values.Single(v))
		}
	}
	return out
}

// derivedMethods are methods of traits that derive makes, or the standard library
// for every type, and what they give: the value itself, or nothing that is known.
var derivedMethods = map[string]struct {
	trait string
	same  bool
}{
	"clone": {"Clone", true}, "to_owned": {"ToOwned", true}, "borrow": {"Borrow", true}, "borrow_mut": {"BorrowMut", true},
	"as_ref": {"AsRef", true}, "as_mut": {"AsMut", true}, "by_ref": {"Iterator", true}, "upgrade": {"Weak", true},
	"as_ptr": {"NonNull", true}, "as_mut_ptr": {"NonNull", true}, "as_deref": {"Deref", true}, "as_deref_mut": {"DerefMut", true}, "into": {"Into", false},
	"try_into": {"TryInto", false}, "to_string": {"ToString", false}, "eq": {"PartialEq", false}, "ne": {"PartialEq", false},
	"cmp": {"Ord", false}, "partial_cmp": {"PartialOrd", false}, "lt": {"PartialOrd", false}, "le": {"PartialOrd", false},
	"gt": {"PartialOrd", false}, "ge": {"PartialOrd", false}, "max": {"Ord", true}, "min": {"Ord", true}, "clamp": {"Ord", true},
	"hash": {"Hash", false}, "fmt": {"Debug", false}, "type_id": {"Any", false}, "clone_from": {"Clone", false},
	"default": {"Default", true}, "from": {"From", true}, "try_from": {"TryFrom", true},
}

// derived calls a method of such a trait that the files do not implement.
func derived(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, static bool) (pointsto.Set, bool) {
	g := e.Family
	d, ok := derivedMethods[g.Names.Text[c.Name]]
	if !ok || k.Info.Kind == ir.Trait && static {
		return 0, false
	}
	c.External = g.Names.Intern(d.trait + "." + g.Names.Text[c.Name])
	if !d.same {
		return 0, true
	}
	if static {
		return g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Inst, ID: uint32(k.ID)})), true
	}
	return g.Values.Single(v), true
}

// AsSelf puts the receiver in the place of Self in what a method of a trait
// returned.
func (*language) AsSelf(e *eval.Evaluator, s pointsto.Set, trait *program.Class, recv pointsto.Value) pointsto.Set {
	g := e.Family
	if trait.Info.Kind != ir.Trait {
		return s
	}
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Decl && edge.ID(i.ID) == trait.ID {
			v = recv
		}
		out = g.Union(out, g.Values.Single(v))
	}
	return out
}

// callMacro calls a macro: one of the module or of those that a use brings, then
// one of the package, for the scope of macros is the text that follows, through
// all modules.
func (l *language) callMacro(e *eval.Evaluator, c *eval.Call, fn *ir.Node, recv pointsto.Set) pointsto.Set {
	g := e.Family
	c.Name, c.Reason = e.File.Names[fn.Name], edge.UnknownMember
	s := pointsto.Set(0)
	switch fn.Op {
	case ir.Name:
		s, _, _ = e.Free(c.Name)
	case ir.Attr:
		s = e.AttrValues(recv, c.Name)
	default:
		s = e.Eval(c.Node.A)
	}
	var found []edge.ID
	for _, v := range g.Elems(s) {
		switch i := g.Values.Info[v]; {
		case i.Kind == pointsto.Func && g.Func(edge.ID(i.ID)) != nil && g.Func(edge.ID(i.ID)).Flags&ir.MacroFunc != 0:
			found = append(found, edge.ID(i.ID))
		case i.Kind == pointsto.External:
			c.External = intern.Name(i.ID)
		}
	}
	if imported := c.External != 0 && g.Names.Text[c.External] != g.Names.Text[c.Name]; len(found) == 0 && !imported {
		if id := l.macroNamed(g, e.File, c.Name); id != 0 {
			found = append(found, id)
		}
	}
	if len(found) == 0 && c.External == 0 && fn.Op == ir.Name {
		c.External = c.Name // a function of the name is another thing
	}
	for _, id := range found {
		e.Invoke(c, g.Values.Intern(pointsto.Info{Kind: pointsto.Func, ID: uint32(id)}), edge.ByMacro)
	}
	return 0
}

// macroNamed finds a macro by its name alone: the nearest one of the package, or one
// that another package exports.
func (l *language) macroNamed(g *program.Family, f *program.File, n intern.Name) edge.ID {
	if l.macros == nil {
		l.macros = map[intern.Name][]edge.ID{}
		for _, p := range g.Paths() {
			o := g.Files[p]
			for i := 2; i < len(o.IR.Funcs); i++ {
				if info := &o.IR.Funcs[i]; info.Flags&ir.MacroFunc != 0 && info.Outer == 0 {
					l.macros[o.Names[info.Name]] = append(l.macros[o.Names[info.Name]], o.Funcs[i])
				}
			}
		}
	}
	var paths, others []string
	for _, id := range l.macros[n] {
		o := g.Entities[id].File
		switch {
		case l.crateOf(g, o) == l.crateOf(g, f):
			paths = append(paths, o.Path)
		case slices.ContainsFunc(o.IR.Top, func(m ir.Member) bool { return m.Exported && m.Kind == ir.FuncMember && o.Funcs[m.Ref] == id }):
			others = append(others, o.Path)
		}
	}
	if len(paths) == 0 {
		paths = others
	}
	at := g.Nearest(f, paths)
	for _, id := range l.macros[n] {
		if at != 0 && g.Entities[id].File.ID == at {
			return id
		}
	}
	return 0
}

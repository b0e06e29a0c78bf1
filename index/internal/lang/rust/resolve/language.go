package resolve

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// CallOn calls a member by the path of a type or trait.
func (*language) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, _ pointsto.Set) (pointsto.Set, bool) {
	if e.Family.Values.Info[v].Kind != pointsto.Class {
		return 0, false
	}
	return callPath(e, c, v)
}

// Narrow leaves the members of a type itself. Those of one trait are told apart by types.
func (*language) Narrow(g *program.Family, list []program.Entry) (rest []program.Entry, overloaded bool) {
	list = ownFirst(g, list)
	return list, len(list) > 0 && traitOf(g, list[0]) != 0
}

// Invokes reports whether a call can mean a function: macros have names of their own, and
// a literal is no call.
func (*language) Invokes(c *eval.Call, fn *ir.FuncInfo) bool {
	return !(c.Quiet && c.ForNew) && (fn.Flags&ir.MacroFunc != 0) == (c.Node.Flags&ir.Macro != 0)
}

// LibraryType is a type of the standard library.
func (*language) LibraryType(e *eval.Evaluator, path intern.Name, args []pointsto.Set) pointsto.Set {
	return rustType(e, path, args)
}

// Outside is what the standard library does.
func (*language) Outside(e *eval.Evaluator, c *eval.Call, recv pointsto.Value) (pointsto.Set, bool) {
	return rustCall(e, c, recv), true
}

// Elements is what a loop gives.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, n *ir.Node) (pointsto.Set, bool) {
	g := e.Family
	switch i := g.Values.Info[v]; i.Kind {
	case pointsto.Generic:
		args, word := g.Args(i.Args), g.Names.Text[i.ID]
		switch {
		case len(args) == 0 || e.WantsKey(n):
		case len(args) == 2 && word == "map":
			return e.Generic("tuple", args...), true
		case word == "Result":
			return args[0], true
		}
	case pointsto.Inst, pointsto.Decl:
		if c := g.ClassOf(v); c != nil && c.Target == 0 {
			return rustYields(e, v, c), true
		}
	}
	return 0, false
}

// Member is an element of a tuple.
func (*language) Member(e *eval.Evaluator, v pointsto.Value, n intern.Name, _ ir.Pos) (s pointsto.Set, found, ok bool) {
	i := e.Family.Values.Info[v]
	if i.Kind != pointsto.Generic || e.Family.Names.Text[i.ID] != "tuple" {
		return 0, false, false
	}
	at, err := strconv.Atoi(e.Family.Names.Text[n])
	args := e.Family.Args(i.Args)
	if err != nil || at >= len(args) || args[at] == 0 {
		return 0, false, false
	}
	return args[at], true, true
}

// Special gives the heads of paths: crate, self, super.
func (l *language) Special(e *eval.Evaluator, n string) (pointsto.Set, bool) {
	switch n {
	case "self":
		return moduleSet(e, e.File.ID), true
	case "super":
		return moduleSet(e, l.around(e.Family, e.File.ID)...), true
	case "crate":
		return moduleSet(e, l.roots(e.Family, e.File)...), true
	}
	return 0, false
}

// Unknown is a value's name that nothing has: most likely a macro has made it.
// The few that the language has itself are outside, and so is what else a glob can
// have brought from outside.
func (*language) Unknown(e *eval.Evaluator, s pointsto.Set, n intern.Name) pointsto.Set {
	text := e.Family.Names.Text[n]
	if text == "" || text[0] < 'a' || text[0] > 'z' || text == "drop" {
		return s
	}
	return e.StarExternal(e.File, n)
}

// InModule finds a name at the top of a file or inline module, and last among the
// libraries of the workspace.
func (l *language) InModule(e *eval.Evaluator, in edge.ID, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule) {
	g := e.Family
	if s, ok := rustWithin(e, in, n, 0, nil); ok {
		if list := g.Find(g.Bag(in), n); len(list) > 0 && list[0].Kind != ir.ImportMember {
			return s, true, edge.ByScope
		}
		return s, true, edge.ByImport
	}
	if id := l.externCrate(g, e.File, g.Names.Text[n]); id != 0 {
		return moduleSet(e, id), true, edge.ByImport
	}
	return e.External(n), false, 0
}

// Within finds a name in a module, as rustWithin.
func (*language) Within(e *eval.Evaluator, in edge.ID, n intern.Name, chain int) (s pointsto.Set, found, ok bool) {
	s, found = rustWithin(e, in, n, chain, nil)
	return s, found, true
}

// Family is Rust.
var Family = program.Languages{
	Name:   "rust",
	Names:  map[string]string{"rust": "rust"},
	Config: func(base string) bool { return base == "Cargo.toml" },
	Make:   newRust,
}

// language is the Language.
type language struct {
	plain.Default
	crates  []Crate // of the root, made at the first use
	read    bool    // that they were
	parents map[edge.ID][]parentModule
	macros  map[intern.Name][]edge.ID
	// blankets are the impl blocks for any type, in the order of their files.
	blankets []*program.Class
	sought   bool // that they were
}

func newRust() map[string]*program.Lang {
	var t program.Traits
	t.ClosedModules, t.CallMakes, t.OperatorFuncs, t.FieldReads = true, true, true, true
	return map[string]*program.Lang{"rust": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of modules, macros, packages and impl blocks.
func (l *language) Forget() {
	*l = language{}
}

package resolve

import (
	"path"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Unresolved notes what is handed to a package outside of the index and of the library.
func (*language) Unresolved(e *eval.Evaluator, c *eval.Call) {
	first, _, _ := strings.Cut(e.Family.Names.Text[c.External], ".")
	if c.External != 0 && !StandardModules[first] && !pythonBuiltins[first] {
		library.HandOut(e, c)
	}
}

// maxBelow bounds how many subclasses are asked for what a class lacks.
const maxBelow = 64

// missingAttr is an attribute that no class of an instance has: the subclasses of a
// mixin have it, __getattr__ answers for it, or it is one that every object has.
func missingAttr(e *eval.Evaluator, recv pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	g := e.Family
	if isSpecial(g.Names.Text[n]) {
		return e.External(g.Names.Intern("object." + g.Names.Text[n])), !foreignLine(g, c)
	}
	if found, at := g.Member(c, g.Names.Intern("__getattr__")); at >= from && found[0].Kind == ir.FuncMember {
		e.Property(found[0].ID, pos)
		e.PassSelf(found[0].ID, recv)
		return e.Returned(found[0].ID, recv, nil), true
	}
	out, any := pointsto.Set(0), false
	for _, sub := range below(e, recv, c, from) {
		mro := g.MRO(sub)
		if list, at := g.Member(sub, n); at >= 0 {
			out = g.Union(out, e.Bound(list, g.Self(sub, pointsto.Decl), &mro[at], pos))
			any = true
		}
		out = g.Union(out, e.Undeclared(mro, n))
	}
	if out == 0 && from == 0 {
		out = setForClass(e, c, n)
	}
	return out, any || out != 0
}

// setForClass is what fixtures of pytest set for the tests of a class, in its file or the
// conftest.py of a folder above: request.cls.x = ...
func setForClass(e *eval.Evaluator, c *program.Class, n intern.Name) pointsto.Set {
	g := e.Family
	field := uint32(g.Names.Intern("request.cls." + g.Names.Text[n]))
	out := e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: c.File.ID, Sub: field})
	for dir := c.File.Dir; out == 0; dir = program.Parent(dir) {
		if id := g.FileAt(path.Join(dir, "conftest.py")); id != 0 && id != c.File.ID {
			out = e.Cell(pointsto.CellKey{Kind: pointsto.NameCell, ID: id, Sub: field})
		}
		if dir == "" {
			break
		}
	}
	return out
}

// below are the classes that a receiver may be one of, besides its own.
func below(e *eval.Evaluator, recv pointsto.Value, c *program.Class, from int) []*program.Class {
	if from > 0 || e.Family.Values.Info[recv].Kind != pointsto.Decl {
		return nil
	}
	var out []*program.Class
	for _, id := range e.Family.BelowOf(c) {
		if sub := e.Family.Classes[id]; sub != nil && len(out) < maxBelow {
			out = append(out, sub)
		}
	}
	return out
}

// callBelow calls a method that a mixin does not have itself, but the classes that
// it is mixed into.
func callBelow(e *eval.Evaluator, c *eval.Call, recv pointsto.Value, k *program.Class, from int) (pointsto.Set, bool) {
	g := e.Family
	if e.Undeclared(g.MRO(k), c.Name) != 0 {
		return 0, false
	}
	var list []program.Entry
	for _, sub := range below(e, recv, k, from) {
		found, at := g.Member(sub, c.Name)
		if at < 0 {
			continue
		}
		if found[0].Kind != ir.FuncMember || e.IsGetter(found[0]) || e.Decorated(found) {
			return 0, false
		}
		if !program.ContainsEntry(list, found[0].ID) {
			list = append(list, found[0])
		}
	}
	out := pointsto.Set(0)
	for _, m := range list {
		c.Add(m.ID, edge.ByHierarchy, len(list) > 1)
		e.PassArgs(c, m.ID, 0, nil)
		out = g.Union(out, e.Returned(m.ID, 0, nil))
	}
	return out, len(list) > 0
}

// callForeignBelow is callBelow of a method that only a base outside the index can
// have.
func callForeignBelow(e *eval.Evaluator, c *eval.Call, recv pointsto.Value, k *program.Class, from int) (pointsto.Set, bool) {
	g := e.Family
	foreign := intern.Name(0)
	for _, sub := range below(e, recv, k, from) {
		for _, s := range g.MRO(sub) {
			if !s.Class.Foreign || foreign != 0 {
				continue
			}
			for _, v := range g.Elems(e.ForeignBase(s.Class, c.Name)) {
				foreign = intern.Name(g.Values.Info[v].ID)
			}
		}
	}
	if foreign == 0 {
		return 0, false
	}
	c.External = foreign
	return e.External(foreign), true
}

// isSpecial reports whether a name is one that the language gives a meaning.
func isSpecial(n string) bool {
	return len(n) > 4 && n[:2] == "__" && n[len(n)-2:] == "__"
}

// foreignLine reports whether a class inherits from one outside the index.
func foreignLine(g *program.Family, c *program.Class) bool {
	for _, s := range g.MRO(c) {
		if s.Class.Foreign {
			return true
		}
	}
	return false
}

// fixture is what pytest passes for a parameter of a test or of another fixture:
// the result of the fixture of that name in the class or one below it, the file, or the conftest.py
// of a folder above.
func fixture(e *eval.Evaluator, fn ir.Func, p ir.Param) pointsto.Set {
	g := e.Family
	n := e.File.Names[p.Name]
	var s pointsto.Set
	if c := e.File.IR.Funcs[fn].Class; c != 0 {
		ids := []edge.ID{g.Canonical(e.File, c)}
		if k := g.Classes[ids[0]]; k != nil { // its tests are those of the classes below, too
			below := g.BelowOf(k)
			ids = append(ids, below[:min(len(below), maxBelow)]...)
		}
		for _, id := range ids {
			found, _ := e.AttrFound(e.Single(pointsto.Info{Kind: pointsto.Class, ID: uint32(id)}), n)
			s = g.Union(s, found)
		}
	}
	s = fixtures(e, s)
	if s == 0 {
		s, _ = e.Within(e.File.ID, n, 0)
		s = fixtures(e, s)
	}
	for dir := e.File.Dir; s == 0; dir = program.Parent(dir) {
		if id := g.FileAt(path.Join(dir, "conftest.py")); id != 0 && id != e.File.ID {
			s, _ = e.Within(id, n, 0)
			s = fixtures(e, s)
		}
		if dir == "" {
			break
		}
	}
	if typ := pytestFixtures[g.Names.Text[n]]; s == 0 && typ != "" {
		return e.External(g.Names.Intern(typ))
	}
	at := e.At
	e.At = e.File.IR.Vars[p.Var].Pos
	defer func() { e.At = at }()
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		id := edge.ID(g.Values.Info[v].ID)
		e.Implicit(id)
		for _, r := range g.Elems(e.Returned(id, 0, nil)) {
			if g.Values.Info[r].Kind == pointsto.Generic && g.Names.Text[g.Values.Info[r].ID] == "generator" {
				out = g.Union(out, e.Elements(g.Values.Single(r), nil))
				continue
			}
			out = g.Union(out, g.Values.Single(r))
		}
	}
	return out
}

// pytestFixtures are those that pytest itself has, and the most used plugin.
var pytestFixtures = map[string]string{
	"cache": "pytest.Cache", "capfd": "pytest.CaptureFixture", "capfdbinary": "pytest.CaptureFixture",
	"caplog": "pytest.LogCaptureFixture", "capsys": "pytest.CaptureFixture", "capsysbinary": "pytest.CaptureFixture",
	"doctest_namespace": "dict", "mocker": "pytest_mock.MockerFixture", "monkeypatch": "pytest.MonkeyPatch",
	"pytestconfig": "pytest.Config", "pytester": "pytest.Pytester", "recwarn": "pytest.WarningsRecorder",
	"request": "pytest.FixtureRequest", "testdir": "pytest.Testdir", "tmp_path": "pathlib.Path",
	"tmp_path_factory": "pytest.TempPathFactory", "tmpdir": "py.path.local", "tmpdir_factory": "pytest.TempdirFactory",
}

// fixtures leaves the functions of a set that are fixtures.
func fixtures(e *eval.Evaluator, s pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		if i := g.Values.Info[v]; i.Kind == pointsto.Func || i.Kind == pointsto.Bound {
			if fn := g.Func(edge.ID(i.ID)); fn != nil && fn.Flags&ir.Entry != 0 {
				out = g.Union(out, g.Values.Single(v))
			}
		}
	}
	return out
}

// parameterized is a class with type arguments, as a value: Box[A]. ok is false
// where no class is indexed.
func parameterized(e *eval.Evaluator, recv pointsto.Set, index ir.Expr) (pointsto.Set, bool) {
	g, f := e.Family, e.File.IR
	out, ok := pointsto.Set(0), false
	for _, v := range g.Elems(recv) {
		i := g.Values.Info[v]
		c := g.ClassOf(v)
		if i.Kind != pointsto.Class || c == nil {
			continue
		}
		ok = true
		if c.Info.Kind == ir.Enum { // Color["RED"]
			out = g.Union(out, g.Values.Single(g.Self(c, pointsto.Inst)))
			continue
		}
		var args []pointsto.Set
		if n := &f.Exprs[index]; n.Op == ir.List {
			for _, a := range f.Args[n.Lo:n.Hi] {
				args = append(args, e.Typ(a.X))
			}
		} else {
			args = []pointsto.Set{e.Typ(index)}
		}
		out = g.Union(out, g.Values.Single(g.Values.Typed(pointsto.Info{Kind: pointsto.Class, ID: i.ID}, args)))
	}
	return out, ok
}

// awaitable is what an object with __await__ gives.
func awaitable(e *eval.Evaluator, v pointsto.Value) (pointsto.Set, bool) {
	n := e.Family.Names.Intern("__await__")
	if _, at := e.Family.Member(e.Family.ClassOf(v), n); at < 0 {
		return 0, false
	}
	return e.OperatorOf(v, n, 0), true
}

// Injected is what pytest passes.
func (*language) Injected(e *eval.Evaluator, fn ir.Func, p ir.Param) pointsto.Set {
	return fixture(e, fn, p)
}

// Index is a class with type arguments.
func (*language) Index(e *eval.Evaluator, recv pointsto.Set, index ir.Expr) (pointsto.Set, bool) {
	return parameterized(e, recv, index)
}

// Await is what __await__ gives.
func (*language) Await(e *eval.Evaluator, v pointsto.Value) (pointsto.Set, bool) {
	if k := e.Family.Values.Info[v].Kind; k != pointsto.Inst && k != pointsto.Decl {
		return 0, false
	}
	return awaitable(e, v)
}

// Elements is what a loop over an enum gives.
func (*language) Elements(e *eval.Evaluator, v pointsto.Value, _ *ir.Node) (pointsto.Set, bool) {
	if e.Family.Values.Info[v].Kind != pointsto.Class {
		return 0, false
	}
	if c := e.Family.ClassOf(v); c != nil && c.Info.Kind == ir.Enum {
		return e.Family.Values.Single(e.Family.Self(c, pointsto.Inst)), true
	}
	return 0, false
}

// Property is what a descriptor in a class gives for an instance.
func (*language) Property(e *eval.Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (out pointsto.Set, found bool) {
	g := e.Family
	if i := g.Values.Info[v]; i.Kind != pointsto.Inst && i.Kind != pointsto.Decl {
		return 0, false
	}
	list, at := g.Member(g.ClassOf(v), n)
	if at < 0 || list[0].Kind != ir.VarMember {
		return 0, false
	}
	get := g.Names.Intern("__get__")
	for _, w := range g.Elems(e.Bound(list, v, nil, 0)) {
		k := g.ClassOf(w)
		if k == nil || g.Values.Info[w].Kind == pointsto.Class {
			continue
		}
		if m, at := g.Member(k, get); at >= 0 && m[0].Kind == ir.FuncMember {
			e.Property(m[0].ID, pos)
			e.PassSelf(m[0].ID, w)
			e.Pass(m[0].ID, 0, g.Values.Single(v))
			out, found = g.Union(out, e.Returned(m[0].ID, w, nil)), true
		}
	}
	return out, found
}

// MissingMember is what a subclass of a mixin has, __getattr__ answers for, or every object.
func (*language) MissingMember(e *eval.Evaluator, recv pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (pointsto.Set, bool) {
	return missingAttr(e, recv, c, from, n, pos)
}

// CallOn calls a method of a built-in collection, text or number.
func (*language) CallOn(e *eval.Evaluator, c *eval.Call, v pointsto.Value, _ pointsto.Set) (pointsto.Set, bool) {
	switch e.Family.Values.Info[v].Kind {
	case pointsto.External, pointsto.Generic, pointsto.Object:
		return pythonMethod(e, c, v)
	}
	return 0, false
}

// CallMissing calls a method that the classes have which a mixin is mixed into.
func (*language) CallMissing(e *eval.Evaluator, c *eval.Call, k *program.Class, recv pointsto.Value, from int, _ edge.Rule) (pointsto.Set, bool) {
	return callBelow(e, c, recv, k, from)
}

// CallUndeclared calls a method that only a base outside the index can have.
func (*language) CallUndeclared(e *eval.Evaluator, c *eval.Call, k *program.Class, v pointsto.Value, from int) (pointsto.Set, bool) {
	if e.Family.Values.Info[v].Kind == pointsto.Class {
		return 0, false
	}
	return callForeignBelow(e, c, v, k, from)
}

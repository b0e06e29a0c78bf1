package graph

import (
	"path"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// maxBelow bounds how many subclasses are asked for what a class lacks.
const maxBelow = 64

// missingAttr is an attribute that no class of an instance has: the subclasses of a
// mixin have it, __getattr__ answers for it, or it is one that every object has.
func (e *eval) missingAttr(recv value, c *class, from int, n name, pos ir.Pos) (set, bool) {
	g := e.g
	if isSpecial(g.names.text[n]) {
		return e.external(g.names.intern("object." + g.names.text[n])), !g.foreignLine(c)
	}
	if found, at := g.member(c, g.names.intern("__getattr__")); at >= from && found[0].kind == ir.FuncMember {
		e.property(found[0].id, pos)
		e.passSelf(found[0].id, recv)
		return e.returned(found[0].id, recv, nil), true
	}
	out, any := set(0), false
	for _, sub := range e.below(recv, c, from) {
		line := g.lineOf(sub)
		if list, at := g.member(sub, n); at >= 0 {
			out = g.union(out, e.bound(list, g.self(sub, vDecl), &line[at], pos))
			any = true
		}
		out = g.union(out, e.undeclared(line, n))
	}
	return out, any || out != 0
}

// below are the classes that a receiver may be one of, besides its own.
func (e *eval) below(recv value, c *class, from int) []*class {
	if from > 0 || e.g.values.info[recv].kind != vDecl {
		return nil
	}
	var out []*class
	for _, id := range e.g.belowOf(c) {
		if sub := e.g.classes[id]; sub != nil && len(out) < maxBelow {
			out = append(out, sub)
		}
	}
	return out
}

// callBelow calls a method that a mixin does not have itself, but the classes that
// it is mixed into.
func (e *eval) callBelow(c *calling, recv value, k *class, from int) (set, bool) {
	g := e.g
	if e.undeclared(g.lineOf(k), c.name) != 0 {
		return 0, false
	}
	var list []entry
	for _, sub := range e.below(recv, k, from) {
		found, at := g.member(sub, c.name)
		if at < 0 {
			continue
		}
		if found[0].kind != ir.FuncMember || e.isGetter(found[0]) || e.decorated(found) {
			return 0, false
		}
		if !containsEntry(list, found[0].id) {
			list = append(list, found[0])
		}
	}
	out := set(0)
	for _, m := range list {
		c.hits = append(c.hits, hit{m.id, ByHierarchy, len(list) > 1})
		e.passArgs(c, m.id, 0, nil)
		out = g.union(out, e.returned(m.id, 0, nil))
	}
	return out, len(list) > 0
}

// callForeignBelow is callBelow of a method that only a base outside the index can
// have.
func (e *eval) callForeignBelow(c *calling, recv value, k *class, from int) (set, bool) {
	g := e.g
	foreign := name(0)
	for _, sub := range e.below(recv, k, from) {
		for _, s := range g.lineOf(sub) {
			if !s.class.foreign || foreign != 0 {
				continue
			}
			for _, v := range g.elems(e.foreignBase(s.class, c.name)) {
				foreign = name(g.values.info[v].id)
			}
		}
	}
	if foreign == 0 {
		return 0, false
	}
	c.external = foreign
	return e.external(foreign), true
}

// isSpecial reports whether a name is one that the language gives a meaning.
func isSpecial(n string) bool {
	return len(n) > 4 && n[:2] == "__" && n[len(n)-2:] == "__"
}

// foreignLine reports whether a class inherits from one outside the index.
func (g *family) foreignLine(c *class) bool {
	for _, s := range g.lineOf(c) {
		if s.class.foreign {
			return true
		}
	}
	return false
}

// fixture is what pytest passes for a parameter of a test or of another fixture:
// the result of the fixture of that name in the class, the file, or the conftest.py
// of a folder above.
func (e *eval) fixture(fn ir.Func, p ir.Param) set {
	g := e.g
	n := e.f.names[p.Name]
	var s set
	if c := e.f.ir.Funcs[fn].Class; c != 0 {
		s, _ = e.attrFound(g.values.single(g.values.intern(valueInfo{kind: vClass, id: uint32(g.canonical(e.f, c))})), n)
	}
	s = e.fixtures(s)
	if s == 0 {
		s, _ = e.within(e.f.id, n, 0)
		s = e.fixtures(s)
	}
	for dir := e.f.dir; s == 0; dir = parent(dir) {
		if id := g.fileAt(path.Join(dir, "conftest.py")); id != 0 && id != e.f.id {
			s, _ = e.within(id, n, 0)
			s = e.fixtures(s)
		}
		if dir == "" {
			break
		}
	}
	if typ := pytestFixtures[g.names.text[n]]; s == 0 && typ != "" {
		return e.external(g.names.intern(typ))
	}
	at := e.at
	e.at = e.f.ir.Vars[p.Var].Pos
	defer func() { e.at = at }()
	out := set(0)
	for _, v := range g.elems(s) {
		id := ID(g.values.info[v].id)
		e.implicit(id)
		for _, r := range g.elems(e.returned(id, 0, nil)) {
			if g.values.info[r].kind == vGeneric && g.names.text[g.values.info[r].id] == "generator" {
				out = g.union(out, e.elements(g.values.single(r), nil))
				continue
			}
			out = g.union(out, g.values.single(r))
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
func (e *eval) fixtures(s set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(s) {
		if i := g.values.info[v]; i.kind == vFunc || i.kind == vBound {
			if fn := g.fn(ID(i.id)); fn != nil && fn.Flags&ir.Entry != 0 {
				out = g.union(out, g.values.single(v))
			}
		}
	}
	return out
}

// parameterized is a class with type arguments, as a value: Box[A]. ok is false
// where no class is indexed.
func (e *eval) parameterized(recv set, index ir.Expr) (set, bool) {
	g, f := e.g, e.f.ir
	out, ok := set(0), false
	for _, v := range g.elems(recv) {
		i := g.values.info[v]
		c := g.classOf(v)
		if i.kind != vClass || c == nil {
			continue
		}
		ok = true
		if c.info.Kind == ir.Enum { // Color["RED"]
			out = g.union(out, g.values.single(g.self(c, vInst)))
			continue
		}
		var args []set
		if n := &f.Exprs[index]; n.Op == ir.List {
			for _, a := range f.Args[n.Lo:n.Hi] {
				args = append(args, e.typ(a.X))
			}
		} else {
			args = []set{e.typ(index)}
		}
		out = g.union(out, g.values.single(g.values.typed(valueInfo{kind: vClass, id: i.id}, args)))
	}
	return out, ok
}

// awaitable is what an object with __await__ gives.
func (e *eval) awaitable(v value) (set, bool) {
	n := e.g.names.intern("__await__")
	if _, at := e.g.member(e.g.classOf(v), n); at < 0 {
		return 0, false
	}
	return e.operatorOf(v, n, 0), true
}

// Injected is what pytest passes.
func (*python) Injected(e *eval, fn ir.Func, p ir.Param) set { return e.fixture(fn, p) }

// Index is a class with type arguments.
func (*python) Index(e *eval, recv set, index ir.Expr) (set, bool) {
	return e.parameterized(recv, index)
}

// Await is what __await__ gives.
func (*python) Await(e *eval, v value) (set, bool) {
	if k := e.g.values.info[v].kind; k != vInst && k != vDecl {
		return 0, false
	}
	return e.awaitable(v)
}

// Elements is what a loop over an enum gives.
func (*python) Elements(e *eval, v value, _ *ir.Node) (set, bool) {
	if e.g.values.info[v].kind != vClass {
		return 0, false
	}
	if c := e.g.classOf(v); c != nil && c.info.Kind == ir.Enum {
		return e.g.values.single(e.g.self(c, vInst)), true
	}
	return 0, false
}

// MissingMember is what a subclass of a mixin has, __getattr__ answers for, or every object.
func (*python) MissingMember(e *eval, recv value, c *class, from int, n name, pos ir.Pos) (set, bool) {
	return e.missingAttr(recv, c, from, n, pos)
}

// CallOn calls a method of a built-in collection, text or number.
func (*python) CallOn(e *eval, c *calling, v value, _ set) (set, bool) {
	switch e.g.values.info[v].kind {
	case vExternal, vGeneric, vObject:
		return e.pythonMethod(c, v)
	}
	return 0, false
}

// CallMissing calls a method that the classes have which a mixin is mixed into.
func (*python) CallMissing(e *eval, c *calling, k *class, recv value, from int, _ Rule) (set, bool) {
	return e.callBelow(c, recv, k, from)
}

// CallUndeclared calls a method that only a base outside the index can have.
func (*python) CallUndeclared(e *eval, c *calling, k *class, v value, from int) (set, bool) {
	if e.g.values.info[v].kind == vClass {
		return 0, false
	}
	return e.callForeignBelow(c, v, k, from)
}

package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// Containers are values: what is put into one is seen where the value goes, in
// literals and by append, which make another value. A store into an element, a
// map or a channel is seen by all who share it, and who does is not known. So it is
// kept by the type of the container, as variable type analysis does: what is
// stored into any map of Steps may come out of any map of Steps. Functions have no
// such type; they are kept where the container is, as a value of the variable.

// store puts values into an element of the container that x is.
func (e *eval) store(x ir.Expr, containers, s set) {
	g := e.g
	for _, v := range g.values.elems(containers) {
		i := g.values.info[v]
		switch i.kind {
		case vGeneric:
			e.storeAs(i, s)
		case vInst:
			if c := g.classOf(v); c != nil {
				for _, w := range g.values.elems(c.target) {
					if j := g.values.info[w]; j.kind == vGeneric {
						e.storeAs(j, s)
					}
				}
			}
		}
	}
	held := set(0)
	for _, v := range g.values.elems(s) {
		if k := g.values.info[v].kind; k == vFunc || k == vBound {
			held = g.union(held, g.values.single(v))
		}
	}
	if held == 0 {
		return
	}
	for _, form := range e.formsOf(containers) {
		into := set(0)
		// One value for each function: a set that grows must not leave its smaller
		// versions behind.
		for _, v := range g.values.elems(held) {
			args := []set{g.values.single(v)}
			if g.names.text[form] == "map" {
				args = []set{0, args[0]}
			}
			into = g.union(into, g.values.single(g.values.typed(valueInfo{kind: vGeneric, id: uint32(form)}, args)))
		}
		e.grow(x, into)
	}
}

// formsOf are the built-in forms of containers.
func (e *eval) formsOf(containers set) []name {
	g := e.g
	var out []name
	add := func(i valueInfo) {
		if i.kind != vGeneric || !builtinForms[g.names.text[i.id]] {
			return
		}
		for _, n := range out {
			if n == name(i.id) {
				return
			}
		}
		out = append(out, name(i.id))
	}
	for _, v := range g.values.elems(containers) {
		add(g.values.info[v])
		if c := g.classOf(v); c != nil {
			for _, w := range g.values.elems(c.target) {
				add(g.values.info[w])
			}
		}
	}
	return out
}

// grow adds to a variable that holds a container; other expressions hold none.
func (e *eval) grow(x ir.Expr, s set) {
	switch e.f.ir.Exprs[x].Op {
	case ir.Local, ir.Name, ir.Attr:
		e.bind(x, s)
	}
}

// storeAs keeps values by the type of a container.
func (e *eval) storeAs(i valueInfo, s set) {
	g := e.g
	args := g.values.args(i.args)
	if len(args) == 0 {
		return
	}
	for _, v := range g.values.elems(args[len(args)-1]) {
		if c := g.classOf(v); c != nil && g.abstractType(c) {
			e.write(cellKey{cStore, c.id, i.id}, s)
		}
	}
}

// stored are the elements of a container of a form, those stored elsewhere
// included.
func (e *eval) stored(form uint32, elems set) set {
	g := e.g
	if !e.f.lang.sharedStores {
		return elems
	}
	out := elems
	for _, v := range g.values.elems(elems) {
		if i := g.values.info[v]; i.kind == vDecl {
			if c := g.classOf(v); c != nil && g.abstractType(c) {
				out = g.union(out, e.cell(cellKey{cStore, c.id, form}))
			}
		}
	}
	return out
}

// elementsOf are the values of the elements of a literal.
func (e *eval) elementsOf(n *ir.Node) set {
	all := set(0)
	for _, a := range e.f.ir.Args[n.Lo:n.Hi] {
		all = e.g.union(all, e.eval(a.X))
	}
	return all
}

// A function that becomes a value of an external type, as of http.HandlerFunc, is
// called by that type's methods with what they get. What they do is not known;
// that they hand their arguments on, one by one, is the most that they can do, and
// variable type analysis sees the same in the type's source.

// become lets functions be called with what methods of the types are called with.
func (e *eval) become(types, s set) {
	g := e.g
	if !e.f.lang.funcTypes || e.n == 0 || s == 0 {
		return
	}
	for _, t := range g.values.elems(types) {
		i := g.values.info[t]
		if i.kind != vExternal || e.f.lang.predeclared[g.names.text[i.id]] {
			continue
		}
		for _, v := range g.values.elems(s) {
			j := g.values.info[v]
			if j.kind != vFunc && j.kind != vBound {
				continue
			}
			fn := g.fn(ID(j.id))
			if fn == nil {
				continue
			}
			for p := range fn.Params {
				if from := e.cell(cellKey{cForeign, ID(i.id), uint32(p)}); from != 0 {
					e.pass(ID(j.id), p, from)
				}
			}
		}
	}
}

// callForeign notes what a method of an external type is called with.
func (e *eval) callForeign(i valueInfo, args []argument) {
	if !e.f.lang.funcTypes || i.kind != vExternal {
		return
	}
	for n, a := range args {
		held := set(0)
		for _, v := range e.g.values.elems(a.value) {
			if k := e.g.values.info[v].kind; k == vInst || k == vDecl {
				held = e.g.union(held, e.g.values.single(v))
			}
		}
		e.write(cellKey{cForeign, ID(i.id), uint32(n)}, held)
	}
}

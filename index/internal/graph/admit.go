package graph

import "github.com/quarry-search/quarry/index/internal/ir"

// admit leaves of values that flow into a place those that can be what the place
// is declared to hold. Without it, what comes out of a container of the library, or
// through Object, would stay all that it may be. It judges each value alone, so that
// it does not matter when a value comes.
func (e *eval) admit(declared, s set) set {
	if declared == 0 || s == 0 || !e.f.lang.typed {
		return s
	}
	g := e.g
	key := uint64(declared)<<32 | uint64(s)
	if out, ok := g.admitted[key]; ok {
		return out
	}
	out := s
	for _, v := range g.elems(s) {
		if !g.admitsAny(declared, v, e.f.lang) {
			out = 0
			break
		}
	}
	if out == 0 {
		for _, v := range g.elems(s) {
			if g.admitsAny(declared, v, e.f.lang) {
				out = g.union(out, g.values.single(v))
			}
		}
	}
	if len(g.admitted) > 1<<18 {
		clear(g.admitted)
	}
	g.admitted[key] = out
	return out
}

func (g *family) admitsAny(declared set, v value, l *lang) bool {
	for _, d := range g.elems(declared) {
		if g.admits(d, v, l) {
			return true
		}
	}
	return false
}

// admits reports whether a value may be an instance of a declared type.
func (g *family) admits(d, v value, l *lang) bool {
	di, vi := g.values.info[d], g.values.info[v]
	up, k := g.classOf(d), g.classOf(v)
	if l.assignable {
		return g.assignable(di, vi, up, k)
	}
	switch vi.kind {
	case vInst, vDecl:
		switch {
		case k == nil || up == k || di.kind == vParam:
			return true
		case up != nil:
			// A declared type may hold an instance of one below it, too.
			return g.isAbove(up, k) || vi.kind == vDecl && g.isAbove(k, up) || vi.kind == vDecl && (up.abstract() || k.abstract())
		}
		return k.foreign || di.kind != vExternal && di.kind != vGeneric || g.isFunctionType(di) || isRoot(g.names.text[di.id])
	case vFunc, vBound:
		return up == nil && g.wordOf(di) == "" || up != nil && g.abstractType(up)
	case vExternal, vGeneric:
		return up == nil
	}
	return true
}

// assignable is admits in Go: the types of interfaces ask for methods, all others for
// the same type. Functions and containers go wherever a named type may be made of them,
// since they go together with values of it.
func (g *family) assignable(declared, given valueInfo, up, k *class) bool {
	if given.kind == vExternal && name(given.id).basic() {
		return declared.kind == vExternal && declared.id == given.id
	}
	switch {
	case declared.kind == vParam || given.kind == vParam:
		return true
	case declared.kind == vExternal && name(declared.id).basic():
		return false
	case k == nil || k.target != 0 || k.info.Kind == ir.Interface:
		return true
	case up != nil && up.info.Kind == ir.Interface:
		list, whole := g.methodsOf(up)
		return len(list) == 0 || !whole || g.satisfies(k, up)
	case up != nil:
		return up == k || up.target != 0
	case declared.kind == vExternal && g.names.text[declared.id] == "error":
		_, at := g.member(k, g.names.intern("Error"))
		return at >= 0 || k.foreign
	}
	return declared.kind != vGeneric || declared.args == 0 || !builtinForms[g.names.text[declared.id]]
}

// isRoot reports whether every object is of a type.
func isRoot(name string) bool {
	switch name {
	case "Object", "Any", "any", "object":
		return true
	}
	return false
}

// wordOf is the built-in type that a type is, "" for none.
func (g *family) wordOf(i valueInfo) string {
	if i.kind != vExternal {
		return ""
	}
	return literalWords[g.names.text[i.id]]
}

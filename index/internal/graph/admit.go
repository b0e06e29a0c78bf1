package graph

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
		if !g.admitsAny(declared, v) {
			out = 0
			break
		}
	}
	if out == 0 {
		for _, v := range g.elems(s) {
			if g.admitsAny(declared, v) {
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

func (g *Graph) admitsAny(declared set, v value) bool {
	for _, d := range g.elems(declared) {
		if g.admits(d, v) {
			return true
		}
	}
	return false
}

// admits reports whether a value may be an instance of a declared type.
func (g *Graph) admits(d, v value) bool {
	di, vi := g.values.info[d], g.values.info[v]
	up, k := g.classOf(d), g.classOf(v)
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

// isRoot reports whether every object is of a type.
func isRoot(name string) bool {
	switch name {
	case "Object", "Any", "any", "object":
		return true
	}
	return false
}

// wordOf is the built-in type that a type is, "" for none.
func (g *Graph) wordOf(i valueInfo) string {
	if i.kind != vExternal {
		return ""
	}
	return literalWords[g.names.text[i.id]]
}

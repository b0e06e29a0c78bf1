package graph

import (
	"math/rand/v2"
	"testing"
)

// TestSubstitution holds the union of many sets, the marks of type parameters and
// the remembered substitution to what the plain recursions give, over random types
// of types, some of them wide enough to be folded.
func TestSubstitution(t *testing.T) {
	g := &family{values: newValues(func(id uint32, _ bool) uint64 { return uint64(id) })}
	v := g.values
	r := rand.New(rand.NewPCG(1, 2))
	sets := []set{0, v.many}
	pick := func() set { return sets[r.IntN(len(sets))] }
	folded, replaced := 0, 0
	for range 4000 {
		switch r.IntN(4) {
		case 0:
			kind := []valueKind{vParam, vClass, vFunc, vExternal, vObject}[r.IntN(5)]
			sets = append(sets, v.single(v.intern(valueInfo{kind: kind, id: uint32(r.IntN(50))})))
		case 1:
			x := v.typed(valueInfo{kind: vGeneric, id: uint32(r.IntN(9))}, []set{pick(), pick()})
			sets = append(sets, v.single(x))
		default:
			parts := make([]set, 1+r.IntN(40))
			want := set(0)
			for i := range parts {
				parts[i] = pick()
				want = v.union(want, parts[i])
			}
			if got := v.unionOf(parts); got != want {
				t.Fatalf("unionOf gives %v, union one by one %v", v.elems(got), v.elems(want))
			}
			if e := v.elems(want); want == v.many || len(e) > 0 && e[0] == v.folded {
				folded++
			} else {
				sets = append(sets, want)
			}
		}
	}
	for _, s := range sets {
		for limit := range maxDepth + 2 {
			if got, want := g.hasParam(s, limit), plainHasParam(g, s, limit); got != want {
				t.Fatalf("hasParam(%d, %d) = %v", s, limit, got)
			}
		}
	}
	for range 300 {
		to := map[uint32]set{}
		for id := range uint32(50) {
			if r.IntN(2) == 0 {
				to[id] = pick()
			}
		}
		with := func(p valueInfo) (set, bool) { s, ok := to[p.id]; return s, ok }
		s := pick()
		got, want := g.subst(s, with), plainSubst(g, s, with)
		if got != want {
			t.Fatalf("subst gives %v, recursion %v", v.elems(got), v.elems(want))
		}
		if got != s {
			replaced++
		}
	}
	if folded == 0 || replaced == 0 {
		t.Fatalf("%d sets were too large, %d changed: the test tries nothing", folded, replaced)
	}
}

func plainHasParam(g *family, s set, limit int) bool {
	if limit <= 0 {
		return false
	}
	for _, v := range g.elems(s) {
		if g.values.info[v].kind == vParam {
			return true
		}
		for _, a := range g.args(g.values.info[v].args) {
			if plainHasParam(g, a, limit-1) {
				return true
			}
		}
	}
	return false
}

func plainSubst(g *family, s set, with substitution) set {
	if s == 0 || !plainHasParam(g, s, maxDepth+1) {
		return s
	}
	out := set(0)
	for _, v := range g.elems(s) {
		i := g.values.info[v]
		if i.kind == vParam {
			if to, ok := with(i); ok {
				out = g.values.union(out, to)
				continue
			}
		}
		if i.args != 0 {
			var args []set
			changed := false
			for _, a := range g.args(i.args) {
				to := plainSubst(g, a, with)
				args = append(args, to)
				changed = changed || to != a
			}
			if changed {
				i.args = 0
				v = g.values.typed(i, args)
			}
		}
		out = g.values.union(out, g.values.single(v))
	}
	return out
}

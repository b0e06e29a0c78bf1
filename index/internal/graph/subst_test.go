package graph

import (
	"math/rand/v2"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// TestSubstitution holds the union of many sets, the marks of type parameters and
// the remembered substitution to what the plain recursions give, over random types
// of types, some of them wide enough to be folded.
func TestSubstitution(t *testing.T) {
	g := &program.Family{Values: pointsto.NewValues(func(id uint32, _ bool) uint64 { return uint64(id) })}
	v := g.Values
	r := rand.New(rand.NewPCG(1, 2))
	sets := []pointsto.Set{0, v.Many}
	pick := func() pointsto.Set { return sets[r.IntN(len(sets))] }
	folded, replaced := 0, 0
	for range 4000 {
		switch r.IntN(4) {
		case 0:
			kind := []pointsto.Kind{pointsto.Param, pointsto.Class, pointsto.Func, pointsto.External, pointsto.Object}[r.IntN(5)]
			sets = append(sets, v.Single(v.Intern(pointsto.Info{Kind: kind, ID: uint32(r.IntN(50))})))
		case 1:
			x := v.Typed(pointsto.Info{Kind: pointsto.Generic, ID: uint32(r.IntN(9))}, []pointsto.Set{pick(), pick()})
			sets = append(sets, v.Single(x))
		default:
			parts := make([]pointsto.Set, 1+r.IntN(40))
			want := pointsto.Set(0)
			for i := range parts {
				parts[i] = pick()
				want = v.Union(want, parts[i])
			}
			if got := v.UnionOf(parts); got != want {
				t.Fatalf("unionOf gives %v, union one by one %v", v.Elems(got), v.Elems(want))
			}
			if e := v.Elems(want); want == v.Many || len(e) > 0 && e[0] == v.Folded {
				folded++
			} else {
				sets = append(sets, want)
			}
		}
	}
	for _, s := range sets {
		for limit := range pointsto.MaxDepth + 2 {
			if got, want := g.HasParam(s, limit), plainHasParam(g, s, limit); got != want {
				t.Fatalf("hasParam(%d, %d) = %v", s, limit, got)
			}
		}
	}
	for range 300 {
		to := map[uint32]pointsto.Set{}
		for id := range uint32(50) {
			if r.IntN(2) == 0 {
				to[id] = pick()
			}
		}
		with := func(p pointsto.Info) (pointsto.Set, bool) { s, ok := to[p.ID]; return s, ok }
		s := pick()
		got, want := g.Subst(s, with), plainSubst(g, s, with)
		if got != want {
			t.Fatalf("subst gives %v, recursion %v", v.Elems(got), v.Elems(want))
		}
		if got != s {
			replaced++
		}
	}
	if folded == 0 || replaced == 0 {
		t.Fatalf("%d sets were too large, %d changed: the test tries nothing", folded, replaced)
	}
}

func plainHasParam(g *program.Family, s pointsto.Set, limit int) bool {
	if limit <= 0 {
		return false
	}
	for _, v := range g.Elems(s) {
		if g.Values.Info[v].Kind == pointsto.Param {
			return true
		}
		for _, a := range g.Args(g.Values.Info[v].Args) {
			if plainHasParam(g, a, limit-1) {
				return true
			}
		}
	}
	return false
}

func plainSubst(g *program.Family, s pointsto.Set, with program.Substitution) pointsto.Set {
	if s == 0 || !plainHasParam(g, s, pointsto.MaxDepth+1) {
		return s
	}
	out := pointsto.Set(0)
	for _, v := range g.Elems(s) {
		i := g.Values.Info[v]
		if i.Kind == pointsto.Param {
			if to, ok := with(i); ok {
				out = g.Values.Union(out, to)
				continue
			}
		}
		if i.Args != 0 {
			var args []pointsto.Set
			changed := false
			for _, a := range g.Args(i.Args) {
				to := plainSubst(g, a, with)
				args = append(args, to)
				changed = changed || to != a
			}
			if changed {
				i.Args = 0
				v = g.Values.Typed(i, args)
			}
		}
		out = g.Values.Union(out, g.Values.Single(v))
	}
	return out
}

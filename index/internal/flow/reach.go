package flow

import (
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
)

// A Ref is an access: number Access of step Step.
type Ref struct{ Step, Access int }

// A DefUse says that a definition may reach a use.
type DefUse struct{ Def, Use Ref }

// MaxFacts bounds the definitions that are followed through all steps of a function, as bits.
const MaxFacts = 64 << 20

// Reach returns the pairs of a definition and a use that it reaches, by use, and in it by
// definition. known is false where the function is too large for all of them.
func Reach(g *walk.Graph) (pairs []DefUse, known bool) {
	r := &reaching{g: g, byVar: make([][]int, len(g.Vars))}
	for i := range g.Steps {
		for j, a := range g.Steps[i].Access {
			if a.Kind == walk.Def {
				r.byVar[a.Var] = append(r.byVar[a.Var], len(r.defs))
				r.defs = append(r.defs, Ref{i, j})
			}
		}
	}
	if len(g.Steps)*len(r.defs) > MaxFacts*8 {
		return nil, false
	}
	r.solve()
	return r.pairs(), true
}

type reaching struct {
	g     *walk.Graph
	defs  []Ref
	byVar [][]int // the definitions of each variable
	in    []set
}

// A set is a set of numbers.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }

func (r *reaching) access(d Ref) *walk.Access { return &r.g.Steps[d.Step].Access[d.Access] }

// hides reports whether a definition is not seen any more after another one of its variable.
func hides(later, earlier *walk.Access) bool {
	if later.Weak || earlier.Inner {
		return false
	}
	return earlier.Path == later.Path || strings.HasPrefix(earlier.Path, later.Path) && (later.Path == "" || strings.ContainsRune(".[", rune(earlier.Path[len(later.Path)])))
}

// overlaps reports whether two parts of a variable have something in common: one is within
// the other.
func overlaps(a, b string) bool {
	if a == "" || b == "" || a == b {
		return true
	}
	a, b = strings.TrimSuffix(a, ".*"), strings.TrimSuffix(b, ".*")
	return strings.HasPrefix(a, b) && within(a, b) || strings.HasPrefix(b, a) && within(b, a)
}

func within(long, short string) bool {
	return len(long) == len(short) || short == "" || long[len(short)] == '.' || long[len(short)] == '['
}

// through changes a set to what is left of it after a step. use is called for each use with
// what reaches it.
func (r *reaching) through(step int, s set, use func(access int, s set)) {
	for j := range r.g.Steps[step].Access {
		a := &r.g.Steps[step].Access[j]
		if a.Kind == walk.Use {
			if use != nil {
				use(j, s)
			}
			continue
		}
		for _, d := range r.byVar[a.Var] {
			if ref := r.defs[d]; ref == (Ref{step, j}) {
				s.add(d)
			} else if hides(a, r.access(ref)) {
				s.drop(d)
			}
		}
	}
}

func (r *reaching) solve() {
	n := len(r.g.Steps)
	words := (len(r.defs) + 63) / 64
	r.in = make([]set, n)
	all := make(set, n*words)
	for i := range r.in {
		r.in[i] = all[i*words : (i+1)*words]
	}
	order := postorder(n, walk.Entry, func(i int, visit func(int)) {
		for _, e := range r.g.Steps[i].Next {
			visit(e.To)
		}
	})
	slices.Reverse(order)
	out := make(set, words)
	for changed := true; changed; {
		changed = false
		for _, i := range order {
			copy(out, r.in[i])
			before := r.in[i]
			r.through(i, out, nil)
			for _, e := range r.g.Steps[i].Next {
				to := r.in[e.To]
				either := unwritten(r.g.Steps[i].Kind, e.Kind)
				for w := range words {
					v := out[w]
					if either {
						v |= before[w]
					}
					if v&^to[w] != 0 {
						to[w] |= v
						changed = true
					}
				}
			}
		}
	}
}

// unwritten reports whether what a step writes may not have been written on an edge: the error
// comes before, no element is left, the case or the handler does not fit.
func unwritten(step walk.Kind, e walk.EdgeKind) bool {
	return e == walk.Raised || e == walk.False && (step == walk.Loop || step == walk.Case || step == walk.Catch)
}

func (r *reaching) pairs() (pairs []DefUse) {
	later := reachable(r.g)
	for i := range r.g.Steps {
		s := slices.Clone(r.in[i])
		r.through(i, s, func(j int, s set) {
			use := &r.g.Steps[i].Access[j]
			for _, d := range r.byVar[use.Var] {
				ref := r.defs[d]
				a := r.access(ref)
				if !overlaps(a.Path, use.Path) {
					continue
				}
				if s.has(d) || use.Inner && later(i, ref.Step) {
					pairs = append(pairs, DefUse{ref, Ref{i, j}})
				}
			}
		})
	}
	return pairs
}

package flow

import (
	"cmp"
	"math/bits"
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
	r := &reaching{g: g, vars: make([]group, len(g.Vars)), number: map[Ref]int{}}
	for i := range g.Steps {
		for j, a := range g.Steps[i].Access {
			if a.Kind == walk.Def {
				r.defs = append(r.defs, Ref{i, j})
			}
		}
	}
	if len(g.Steps)*len(r.defs) > MaxFacts*8 {
		return nil, false
	}
	slices.SortStableFunc(r.defs, func(a, b Ref) int { return cmp.Compare(r.access(a).Var, r.access(b).Var) })
	for d, ref := range r.defs {
		r.number[ref] = d
		a := r.access(ref)
		v := &r.vars[a.Var]
		if v.to == 0 {
			v.from = d
		}
		v.to = d + 1
		switch {
		case a.Inner:
			v.inner = append(v.inner, d)
		case a.Path != "":
			v.parts = append(v.parts, d)
		}
	}
	r.solve()
	return r.pairs(), true
}

// A reaching has the definitions of a function, those of a variable one after the other.
type reaching struct {
	g      *walk.Graph
	defs   []Ref
	number map[Ref]int // of a definition
	vars   []group
	in     []set
}

// A group is the definitions of a variable.
type group struct {
	from, to int
	inner    []int // by functions inside
	parts    []int // of parts
}

// A set is a set of numbers.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }

// clear drops the numbers from one to before another one.
func (s set) clear(from, to int) {
	for ; from < to && from%64 != 0; from++ {
		s.drop(from)
	}
	for ; from+64 <= to; from += 64 {
		s[from/64] = 0
	}
	for ; from < to; from++ {
		s.drop(from)
	}
}

// each calls f for the numbers from one to before another one.
func (s set) each(from, to int, f func(int)) {
	for at := from; at < to; {
		if w := s[at/64] >> (at % 64); w == 0 {
			at += 64 - at%64
		} else if at += bits.TrailingZeros64(w); at < to {
			f(at)
			at++
		}
	}
}

func (r *reaching) access(d Ref) *walk.Access { return &r.g.Steps[d.Step].Access[d.Access] }

// hides reports whether a definition is not seen any more after another one of its variable.
func hides(later, earlier *walk.Access) bool {
	if later.Weak || earlier.Inner {
		return false
	}
	return earlier.Path == later.Path || strings.HasPrefix(earlier.Path, later.Path) && (later.Path == "" || strings.ContainsRune(".[", rune(earlier.Path[len(later.Path)])))
}

// Apart reports whether two parts, of one name or index each, can not be the same: two of different names, or
// elements whose indices are written. Another element may be any part: x[k] is x.f in languages where k
// may be "f".
func Apart(one, other string) bool {
	return one != other && one != "[]" && other != "[]" && (one[0] == '[') == (other[0] == '[')
}

// overlaps reports whether two parts of a variable have something in common: one is within
// the other.
func overlaps(a, b string) bool {
	for a != "" && b != "" {
		var one, other string
		one, a = head(a)
		other, b = head(b)
		switch {
		case one == ".*" || other == ".*":
			return true
		case Apart(one, other):
			return false
		}
	}
	return true
}

// concerns reports whether what is written to a part of a variable may be seen where it is used.
func concerns(path string, use *walk.Access) bool {
	return overlaps(path, use.Path) && !(use.Found && levels(path) > levels(use.Path))
}

// levels are the parts of a path.
func levels(path string) int { return strings.Count(path, ".") + strings.Count(path, "[") }

// head splits a path after its first part.
func head(path string) (first, rest string) {
	end := strings.IndexAny(path[1:], ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end+1], path[end+1:]
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
		v := &r.vars[a.Var]
		switch {
		case a.Weak:
		case a.Path == "":
			kept := v.inner[:0:0]
			for _, d := range v.inner {
				if s.has(d) {
					kept = append(kept, d)
				}
			}
			s.clear(v.from, v.to)
			for _, d := range kept {
				s.add(d)
			}
		default:
			for _, d := range v.parts {
				if hides(a, r.access(r.defs[d])) {
					s.drop(d)
				}
			}
		}
		s.add(r.number[Ref{step, j}])
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
			add := func(d int) {
				if ref := r.defs[d]; concerns(r.access(ref).Path, use) {
					pairs = append(pairs, DefUse{ref, Ref{i, j}})
				}
			}
			v := &r.vars[use.Var]
			if !use.Inner {
				s.each(v.from, v.to, add)
				return
			}
			for d := v.from; d < v.to; d++ {
				if s.has(d) || later(i, r.defs[d].Step) {
					add(d)
				}
			}
		})
	}
	return pairs
}

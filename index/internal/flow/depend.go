package flow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
)

// A Reason says why one step depends on another.
type Reason uint8

// The reasons.
const (
	Controls Reason = iota // the other one decides whether it runs
	Defines                // the other one writes what it reads
	Feeds                  // the other one is a part of the same statement
	Alters                 // the other one changes an object that it reads by another name
	Jumps                  // without the other one it would run at other times
)

var reasons = [...]string{"control", "data", "part", "alias", "jump"}

func (r Reason) String() string { return reasons[r] }

// A Dependence says that the step From depends on the step On.
type Dependence struct {
	From, On int
	Reason   Reason
	Var      walk.Var // of Defines and Alters
}

// Depend returns what the steps of a function depend on, by From, then by On. known is false where the
// function is too large for its definitions to be followed.
func Depend(g *walk.Graph) (list []Dependence, known bool) {
	pairs, known := Reach(g)
	list = make([]Dependence, 0, len(pairs)+4*len(g.Steps))
	add := func(d Dependence) {
		if d.From != d.On {
			list = append(list, d)
		}
	}
	for _, p := range pairs {
		add(Dependence{p.Use.Step, p.Def.Step, Defines, g.Steps[p.Use.Step].Access[p.Use.Access].Var})
	}
	for i := range g.Steps {
		for _, part := range g.Steps[i].Parts {
			add(Dependence{From: i, On: part, Reason: Feeds})
		}
	}
	for i := range g.Steps {
		for _, jump := range g.Steps[i].After {
			add(Dependence{From: i, On: jump, Reason: Jumps})
		}
	}
	others, all := aliases(g)
	known = known && all
	for _, d := range others {
		add(d)
	}
	for _, d := range control(g) {
		add(d)
	}
	kept := list[:0]
	for _, of := range By(list, len(g.Steps), func(d Dependence) int { return d.From }) {
		slices.SortFunc(of, func(a, b Dependence) int {
			return cmp.Or(cmp.Compare(a.On, b.On), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Var, b.Var))
		})
		kept = append(kept, slices.Compact(of)...)
	}
	return kept, known
}

// By returns the dependences of each of some steps, in the order of the list.
func By(list []Dependence, steps int, of func(Dependence) int) [][]Dependence {
	ends := make([]int, steps+1)
	for _, d := range list {
		ends[of(d)+1]++
	}
	for i := range steps {
		ends[i+1] += ends[i]
	}
	all, at := make([]Dependence, len(list)), slices.Clone(ends)
	for _, d := range list {
		i := of(d)
		all[at[i]] = d
		at[i]++
	}
	by := make([][]Dependence, steps)
	for i := range by {
		by[i] = all[ends[i]:ends[i+1]:ends[i+1]]
	}
	return by
}

// control returns which steps decide whether others run: those after which a way leads past
// these (Ferrante, Ottenstein and Warren, 1987). A jump counts as a step that chooses between
// its target and what would come next without it, so that what depends on it keeps it (Ball
// and Horwitz, "Slicing Programs with Arbitrary Control-flow", 1993).
func control(g *walk.Graph) (list []Dependence) {
	n := len(g.Steps)
	end := n // a step after both exits
	next := make([][]int, n+1)
	for i := range g.Steps {
		for _, e := range g.Steps[i].Next {
			if e.Maybe && e.To == walk.Leave {
				continue // any call may raise: not every step after it depends on that
			}
			if !slices.Contains(next[i], e.To) {
				next[i] = append(next[i], e.To)
			}
		}
		if f := g.Steps[i].Fall; f != 0 && !slices.Contains(next[i], f) {
			next[i] = append(next[i], f)
		}
	}
	next[walk.Exit] = append(next[walk.Exit], end)
	next[walk.Leave] = append(next[walk.Leave], end)
	next[walk.Entry] = append(next[walk.Entry], end) // what always runs depends on the entry
	ends(next, end)
	before := make([][]int, n+1)
	for i := range next {
		for _, to := range next[i] {
			before[to] = append(before[to], i)
		}
	}
	order := postorder(n+1, end, func(i int, visit func(int)) {
		for _, p := range before[i] {
			visit(p)
		}
	})
	post := dominators(n+1, end, order, func(i int) []int { return next[i] })
	for i := range g.Steps {
		if len(next[i]) < 2 || i == walk.Entry {
			continue
		}
		reason := Controls
		if g.Steps[i].Fall != 0 {
			reason = Jumps
		}
		for _, to := range next[i] {
			for at := to; at >= 0 && at != post[i] && at != end; at = post[at] {
				if at != i {
					list = append(list, Dependence{From: at, On: i, Reason: reason})
				}
			}
		}
	}
	return list
}

// ends gives each cycle that nothing leaves a way to the end.
func ends(next [][]int, end int) {
	for {
		reaches := make([]bool, len(next))
		before := make([][]int, len(next))
		for i := range next {
			for _, to := range next[i] {
				before[to] = append(before[to], i)
			}
		}
		stack := []int{end}
		reaches[end] = true
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, p := range before[at] {
				if !reaches[p] {
					reaches[p] = true
					stack = append(stack, p)
				}
			}
		}
		stuck := -1
		for i := range next {
			if !reaches[i] {
				stuck = i // the last one: the end of the innermost loop, most often
			}
		}
		if stuck < 0 {
			return
		}
		next[stuck] = append(next[stuck], end)
	}
}

// aliases returns which steps change an object that others read by another name: where a
// variable was assigned to another one, what changes a part of one changes that part of the
// other. Variables that may hold objects of each other are a component: a change of what is held is seen
// wherever it may be held, too; that of what nothing holds only if it is one of a part of a part, or of one that
// is not known. known is false where there are too many.
func aliases(g *walk.Graph) (list []Dependence, known bool) {
	same, part := newUnion(len(g.Vars)), newUnion(len(g.Vars))
	joined := false
	for i := range g.Steps {
		s := &g.Steps[i]
		for _, p := range s.Same {
			same.join(p)
		}
		for _, list := range [][][2]walk.Var{s.Same, s.Holds, s.Share} {
			for _, p := range list {
				part.join(p)
				joined = true
			}
		}
	}
	if !joined {
		return nil, true
	}
	held := map[walk.Var]bool{} // by variable of same
	for i := range g.Steps {
		for _, p := range g.Steps[i].Holds {
			if a, b := same.find(p[0]), same.find(p[1]); a != b {
				held[b] = true
			}
		}
	}
	type change struct {
		Ref
		path string
	}
	changes := map[walk.Var][]change{} // by component
	for i := range g.Steps {
		for j, a := range g.Steps[i].Access {
			if a.Kind == walk.Def && a.Path != "" {
				c := part.find(a.Var)
				changes[c] = append(changes[c], change{Ref{i, j}, anyIndex(a.Path)})
			}
		}
	}
	later := reachable(g)
	for i := range g.Steps {
		for _, a := range g.Steps[i].Access {
			if a.Kind != walk.Use || a.Found && a.Path == "" {
				continue
			}
			class, path := same.find(a.Var), anyIndex(a.Path)
			for _, c := range changes[part.find(a.Var)] {
				other := &g.Steps[c.Step].Access[c.Access]
				if other.Var == a.Var || c.Step == i {
					continue
				}
				fits := held[same.find(other.Var)] || deep(c.path) && !other.Shallow
				if same.find(other.Var) == class {
					fits = overlaps(c.path, path) && !(a.Found && levels(c.path) > levels(path))
				}
				if fits && later(c.Step, i) {
					list = append(list, Dependence{i, c.Step, Alters, a.Var})
				}
			}
			if len(list) > maxAliases {
				return nil, false
			}
		}
	}
	return list, true
}

// maxAliases bounds the dependences by other names of an object.
const maxAliases = 1 << 20

// A union has classes of variables.
type union []walk.Var

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = walk.Var(i)
	}
	return u
}

func (u union) find(v walk.Var) walk.Var {
	for u[v] != v {
		u[v] = u[u[v]]
		v = u[v]
	}
	return v
}

func (u union) join(p [2]walk.Var) { u[u.find(p[0])] = u.find(p[1]) }

var written = regexp.MustCompile(`\[\d+\]`)

// anyIndex takes the indices out of a path: an object may begin somewhere else by another name.
func anyIndex(path string) string {
	if strings.IndexByte(path, '[') < 0 {
		return path
	}
	return written.ReplaceAllString(path, "[]")
}

// deep reports whether a part is one of a part, or not known.
func deep(path string) bool {
	return strings.HasSuffix(path, "*") || levels(path) > 1
}

// reachable returns whether a step can come after another one.
func reachable(g *walk.Graph) func(from, to int) bool {
	words := (len(g.Steps) + 63) / 64
	known := map[int]set{}
	return func(from, to int) bool {
		seen, ok := known[from]
		if !ok {
			if (len(known)+1)*words > MaxFacts/8 {
				clear(known)
			}
			seen = make(set, words)
			for stack := []int{from}; len(stack) > 0; {
				at := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, e := range g.Steps[at].Next {
					if !seen.has(e.To) {
						seen.add(e.To)
						stack = append(stack, e.To)
					}
				}
			}
			known[from] = seen
		}
		return seen.has(to)
	}
}

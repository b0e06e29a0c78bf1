package walk

import "slices"

// called says of each step that may call a function written inside what that reads and writes of
// the variables here. A function that is only ever called does nothing where it is made.
func (b *Builder) called() {
	holds := make([][]int, len(b.g.Vars)) // the functions that a variable may hold
	for i, g := range b.g.Nested {
		if g.Held != 0 {
			holds[g.Held] = append(holds[g.Held], i)
		}
	}
	b.copied(func(to, from Var) bool {
		before := len(holds[to])
		for _, f := range holds[from] {
			if !slices.Contains(holds[to], f) {
				holds[to] = append(holds[to], f)
			}
		}
		return len(holds[to]) > before
	})
	does := b.effects(holds)
	escapes := make([]bool, len(b.g.Nested))
	for i := range b.g.Steps {
		s := &b.g.Steps[i]
		var list []Access
		for _, a := range s.Access {
			list = append(list, a)
			if a.Kind != Use || len(holds[a.Var]) == 0 {
				continue
			}
			callee := slices.ContainsFunc(s.Calls, func(c Call) bool { return c.At == a.Start })
			copies := slices.ContainsFunc(s.Access, func(d Access) bool { return d.Kind == Def && d.Of == a.Var })
			for _, f := range holds[a.Var] {
				inside := a.Inner && b.g.Nested[f].Start <= a.Start && a.End <= b.g.Nested[f].End
				if !callee && !copies && !a.Inner {
					escapes[f] = true
				}
				if len(s.Calls) > 0 && !inside && !a.Inner {
					list = append(list, does[f]...)
				}
			}
		}
		s.Access = list
	}
	for i, g := range b.g.Nested {
		if g.Held == 0 || escapes[i] || g.Step < 0 || g.Step >= len(b.g.Steps) {
			continue
		}
		s := &b.g.Steps[g.Step]
		s.Access = slices.DeleteFunc(s.Access, func(a Access) bool { return a.Inner && g.Start <= a.Start && a.End <= g.End })
	}
}

// copied follows assignments of one variable to another until nothing changes.
func (b *Builder) copied(follow func(to, from Var) bool) {
	for changed := true; changed; {
		changed = false
		for i := range b.g.Steps {
			for _, a := range b.g.Steps[i].Access {
				if a.Kind == Def && a.Of != 0 && a.Path == "" && follow(a.Var, a.Of) {
					changed = true
				}
			}
		}
	}
}

// effects returns what each function inside reads and writes of the variables here, by itself and
// by the others that it calls.
func (b *Builder) effects(holds [][]int) [][]Access {
	does := make([][]Access, len(b.g.Nested))
	has := func(f int, a Access) bool {
		return slices.ContainsFunc(does[f], func(o Access) bool { return o.Kind == a.Kind && o.Var == a.Var && o.Path == a.Path })
	}
	for f, g := range b.g.Nested {
		for i := range g.Steps {
			for _, a := range g.Steps[i].Access {
				a = Access{Kind: a.Kind, Var: g.Vars[a.Var].Outer, Path: a.Path, Weak: a.Kind == Def, ByCall: true, Start: a.Start, End: a.End}
				if a.Var != 0 && !has(f, a) {
					does[f] = append(does[f], a)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for f := range does {
			for _, a := range does[f] {
				for _, other := range holds[a.Var] {
					for _, o := range does[other] {
						if !has(f, o) {
							does[f], changed = append(does[f], o), true
						}
					}
				}
			}
		}
	}
	return does
}

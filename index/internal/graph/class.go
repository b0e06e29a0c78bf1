package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// class is what the solver knows of a class: its members, those that other places
// add to it included, and where it stands in the hierarchy.
type class struct {
	id      ID
	file    *file
	info    *ir.ClassInfo
	params  ID       // the node whose type parameters the members speak of
	bag     bag      // its own members, those of its parts, and extra
	extra   []entry  // what other places add: methods written outside of it
	own     []baseOf // as the class itself is written
	bases   []baseOf // those of its parts, too
	subs    []ID     // classes that name this one as a base, in order
	foreign bool     // a base is outside the index, or not known
	target  set      // of Alias and Named

	line     []step // the class and what it inherits from, in the order of lookup
	whole    bool   // line does not depend on where it was begun
	below    []ID   // all below it, structural implementations included
	hasBelow bool
}

// baseOf is a base as evaluated.
type baseOf struct {
	kind   ir.BaseKind
	values set
}

// A step is a class in a line of inheritance, with its type arguments in terms of
// the parameters of the class at the front.
type step struct {
	class *class
	as    value
	via   *via // the embedded field of an interface that it is reached through, or nil
}

func (c *class) abstract() bool { return c.info.Kind == ir.Interface || c.info.Kind == ir.Trait }

// self returns the value of an instance of the class as its own members see it.
func (g *family) self(c *class, kind valueKind) value {
	args := make([]set, len(c.info.TypeParams))
	for i := range args {
		args[i] = g.values.single(g.values.intern(valueInfo{kind: vParam, id: uint32(c.id), base: value(i)}))
	}
	return g.values.typed(valueInfo{kind: kind, id: uint32(c.id)}, args)
}

// lineOf returns the order of lookup of a class: C3 (Barrett and others, "A
// Monotonic Superclass Linearization for Dylan", 1996) where the bases allow it, and
// depth first otherwise.
func (g *family) lineOf(c *class) []step {
	if c.line == nil && c.file.lang.promotes {
		c.line = g.lineByDepth(c)
	}
	if c.line == nil {
		c.line, _ = g.linearise(c, map[ID]bool{})
	}
	return c.line
}

// forget drops what was found out by the bases and members of classes, which change.
func (c *class) forget() {
	c.line, c.whole, c.below, c.hasBelow = nil, false, nil, false
}

// maxLine is how many classes a class inherits from at most; further ones are not
// followed. People write some dozens, and lines of a thousand classes, each below the one
// before, would take as much as a million.
const maxLine = 512

// linearise returns the line of a class. It is whole unless it leads back to itself or to
// one of those that are open; then it depends on where it was begun.
func (g *family) linearise(c *class, open map[ID]bool) (line []step, whole bool) {
	if c.whole {
		return c.line, true
	}
	own := step{class: c, as: g.self(c, vDecl)}
	if open[c.id] {
		return []step{own}, false
	}
	whole = true
	open[c.id] = true
	defer delete(open, c.id)
	var before, after []step // the direct bases
	var lines [][]step
	for _, b := range orderedBases(c) {
		for _, v := range g.elems(b.values) {
			base := g.classOf(v)
			if base == nil || b.kind == ir.Meta {
				continue
			}
			above, all := g.linearise(base, open)
			whole = whole && all
			up := make([]step, 0, len(above))
			for _, s := range above {
				s.as = g.substValue(s.as, func(p valueInfo) (set, bool) { return g.argOf(v, base, p) })
				up = append(up, s)
			}
			lines = append(lines, up)
			if b.kind == ir.Prepend {
				before = append(before, up[0])
			} else {
				after = append(after, up[0])
			}
		}
	}
	line = []step{own}
	if len(lines) > 0 {
		line = inherited(own, lines, before, after)
	}
	if whole && !c.file.lang.promotes {
		c.line, c.whole = line, true
	}
	return line, whole
}

// inherited puts a class among what it inherits, by the lines of its bases.
func inherited(own step, lines [][]step, before, after []step) []step {
	merged, ok := lines[0], true
	if len(lines) > 1 {
		merged, ok = merge(append(slices.Clone(lines), append(slices.Clone(before), after...)))
	}
	if !ok {
		merged = nil
		for _, l := range lines {
			for _, s := range l {
				if !hasStep(merged, s.class) {
					merged = append(merged, s)
				}
			}
		}
	}
	merged = slices.DeleteFunc(merged, func(s step) bool { return s.class == own.class })
	merged = merged[:min(len(merged), maxLine)]
	out := make([]step, 0, len(merged)+1)
	n := 0
	for n < len(merged) && hasStep(before, merged[n].class) {
		n++
	}
	out = append(out, merged[:n]...)
	out = append(out, own)
	return append(out, merged[n:]...)
}

// orderedBases puts mixins of later lines first, as Ruby and PHP do, then base
// classes, then interfaces.
func orderedBases(c *class) []baseOf {
	var out []baseOf
	for _, kinds := range [...][]ir.BaseKind{{ir.Prepend}, {ir.Mixin}} {
		for _, b := range slices.Backward(c.bases) {
			if slices.Contains(kinds, b.kind) {
				out = append(out, b)
			}
		}
	}
	for _, kinds := range [...][]ir.BaseKind{{ir.Extend, ir.Embed}, {ir.Implement}} {
		for _, b := range c.bases {
			if slices.Contains(kinds, b.kind) {
				out = append(out, b)
			}
		}
	}
	return out
}

func hasStep(list []step, c *class) bool {
	return slices.ContainsFunc(list, func(s step) bool { return s.class == c })
}

// merge is the merge of C3.
func merge(lines [][]step) (out []step, ok bool) {
	for {
		lines = slices.DeleteFunc(lines, func(l []step) bool { return len(l) == 0 })
		if len(lines) == 0 {
			return out, true
		}
		found := false
		for _, l := range lines {
			head := l[0]
			if slices.ContainsFunc(lines, func(m []step) bool { return hasStep(m[1:], head.class) }) {
				continue
			}
			out = append(out, head)
			for i, m := range lines {
				if m[0].class == head.class {
					lines[i] = m[1:]
				}
			}
			found = true
			break
		}
		if !found {
			return nil, false
		}
	}
}

// classOf returns the class that a value is one of or is itself, aliases followed,
// or nil.
func (g *family) classOf(v value) *class {
	i := &g.values.info[v]
	switch i.kind {
	case vClass, vInst, vDecl:
		return g.entities[i.id].class
	}
	return nil
}

// argOf gives the type argument that a value of the class has for a parameter.
func (g *family) argOf(v value, c *class, p valueInfo) (set, bool) {
	if ID(p.id) != c.id {
		return 0, false
	}
	s := g.values.arg(v, int(p.base))
	return s, s != 0
}

// A substitution gives type parameters their arguments; nil keeps them.
type substitution func(valueInfo) (set, bool)

// subst replaces type parameters in a set.
func (g *family) subst(s set, with func(p valueInfo) (set, bool)) set {
	if s == 0 || !g.hasParam(s, maxDepth+1) {
		return s
	}
	return (&replacing{g: g, with: with}).set(s)
}

// substValue replaces the type parameters among a value's type arguments.
func (g *family) substValue(v value, with func(p valueInfo) (set, bool)) value {
	if g.values.info[v].args == 0 {
		return v
	}
	return (&replacing{g: g, with: with}).value(v)
}

// A replacing is one call of subst. Types of types share their arguments:
// without the memory of what was replaced, a set of sixty types three deep is
// sixty times sixty times sixty of them.
type replacing struct {
	g    *family
	with substitution
	sets map[set]set // made when an argument is met
}

func (r *replacing) set(s set) set {
	g := r.g
	parts := make([]set, 0, 8)
	for _, v := range g.elems(s) {
		if i := g.values.info[v]; i.kind == vParam {
			if to, ok := r.with(i); ok {
				parts = append(parts, to)
				continue
			}
		}
		parts = append(parts, g.values.single(r.value(v)))
	}
	return g.values.unionOf(parts)
}

func (r *replacing) value(v value) value {
	g := r.g
	i := g.values.info[v]
	if i.args == 0 {
		return v
	}
	var args []set
	for n, s := range g.args(i.args) {
		if to := r.arg(s); to != s {
			if args == nil {
				args = slices.Clone(g.args(i.args))
			}
			args[n] = to
		}
	}
	if args == nil {
		return v
	}
	i.args = 0
	return g.values.typed(i, args)
}

// arg is set, remembered.
func (r *replacing) arg(s set) set {
	if s == 0 || !r.g.hasParam(s, maxDepth+1) {
		return s
	}
	if to, ok := r.sets[s]; ok {
		return to
	}
	to := r.set(s)
	if r.sets == nil {
		r.sets = map[set]set{}
	}
	r.sets[s] = to
	return to
}

// hasParam reports whether there is a type parameter in a set or, fewer than limit
// deep, in the arguments of its values; limit is at most maxDepth+1.
func (g *family) hasParam(s set, limit int) bool {
	if s == 0 || limit <= 0 {
		return false
	}
	known := g.values.mark(s)
	shift := 2 * (limit - 1)
	switch *known >> shift & 3 {
	case 1:
		return false
	case 2:
		return true
	}
	has := g.findParam(s, limit)
	bits := uint8(1)
	if has {
		bits = 2
	}
	*g.values.mark(s) |= bits << shift // known may have moved
	return has
}

func (g *family) findParam(s set, limit int) bool {
	for _, v := range g.elems(s) {
		i := &g.values.info[v]
		if i.kind == vParam {
			return true
		}
		for _, a := range g.args(i.args) {
			if g.hasParam(a, limit-1) {
				return true
			}
		}
	}
	return false
}

// declared finds the members of a name that a class has itself, the first of them.
func (g *family) declared(c *class, n name) []entry {
	list := g.find(&c.bag, n)
	return list[:min(len(list), maxSame)]
}

// member finds the entries of a name in a class and what it inherits from. at is
// where in the line they are.
func (g *family) member(c *class, n name) (found []entry, at int) {
	at = -1
	for i, s := range g.lineOf(c) {
		list := g.declared(s.class, n)
		if len(list) == 0 {
			continue
		}
		if !g.demanded(s.class, list) {
			return list, i
		}
		if at < 0 {
			found, at = list, i
		}
	}
	return found, at
}

// demanded reports whether the members of a trait are methods that it only asks for:
// what the class inherits otherwise is meant.
func (g *family) demanded(c *class, list []entry) bool {
	if c.info.Kind != ir.Trait {
		return false
	}
	for _, m := range list {
		if fn := g.fn(m.id); fn == nil || fn.Flags&ir.Abstract == 0 {
			return false
		}
	}
	return true
}

// isAbove reports whether a class is another one or inherits from it, or satisfies
// it by its methods.
func (g *family) isAbove(up, c *class) bool {
	if hasStep(g.lineOf(c), up) {
		return true
	}
	return up.file.lang.structural && up.info.Kind == ir.Interface && g.satisfies(c, up)
}

// maxLevels is how far below a class others are looked for. People write some ten levels;
// of ten thousand, each below the one before, all pairs would be fifty million.
const maxLevels = 128

// belowOf returns all classes below one, in order of path and place: what inherits
// from it, and what has its methods where the language asks no more.
func (g *family) belowOf(c *class) []ID {
	if c.hasBelow {
		return c.below
	}
	c.hasBelow = true
	seen := map[ID]bool{c.id: true}
	var all []ID
	level := []*class{c}
	for n := 0; n < maxLevels && len(level) > 0; n++ {
		var next []*class
		for _, c := range level {
			for _, id := range c.subs {
				if sub := g.classes[id]; sub != nil && !seen[id] {
					seen[id] = true
					all, next = append(all, id), append(next, sub)
				}
			}
		}
		level = next
	}
	if c.file.lang.structural && c.info.Kind == ir.Interface {
		for _, id := range g.implementers(c) {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	slices.SortFunc(all, g.compare)
	c.below = all
	return all
}

// methodsOf returns the names of the methods of an interface, inherited ones
// included, sorted. ok is false when a base of it is not known.
func (g *family) methodsOf(c *class) (list []name, ok bool) {
	ok = true
	for _, s := range g.lineOf(c) {
		ok = ok && !s.class.foreign
		for _, e := range s.class.bag.entries {
			if e.kind == ir.FuncMember {
				list = append(list, e.name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), ok
}

// satisfies reports whether a type has all methods of an interface.
func (g *family) satisfies(c, up *class) bool {
	if c.info.Kind == ir.Interface || c.file.lang.family != up.file.lang.family {
		return false
	}
	list, ok := g.methodsOf(up)
	if !ok || len(list) == 0 {
		return false
	}
	for _, n := range list {
		found, at := g.member(c, n)
		if at < 0 || found[0].kind != ir.FuncMember || !g.fits(found[0].id, up, n) {
			return false
		}
	}
	return true
}

// fits compares the number of parameters of a method with that of the interface.
func (g *family) fits(method ID, up *class, n name) bool {
	want, at := g.member(up, n)
	if at < 0 || want[0].kind != ir.FuncMember {
		return true
	}
	a, b := g.fn(method), g.fn(want[0].id)
	return a == nil || b == nil || len(a.Params) == len(b.Params) && len(a.Results) == len(b.Results)
}

// fn returns the function of a node, or nil.
func (g *family) fn(id ID) *ir.FuncInfo {
	e := &g.entities[id]
	if e.kind != FuncNode || e.file == nil {
		return nil
	}
	return &e.file.ir.Funcs[e.ref]
}

// implementers returns the types that have the methods of an interface. They are
// looked for among those that have its rarest method.
func (g *family) implementers(c *class) []ID {
	list, ok := g.methodsOf(c)
	if !ok || len(list) == 0 {
		return nil
	}
	rarest := list[0]
	for _, n := range list[1:] {
		if len(g.methods[n]) < len(g.methods[rarest]) {
			rarest = n
		}
	}
	var out []ID
	seen := map[ID]bool{}
	var consider func(id ID)
	consider = func(id ID) {
		k := g.classes[id]
		if k == nil || seen[id] {
			return
		}
		seen[id] = true
		if g.satisfies(k, c) {
			out = append(out, id)
		}
		for _, sub := range k.subs { // types that embed it have the method, too
			consider(sub)
		}
	}
	for _, id := range g.methods[rarest] {
		consider(id)
	}
	slices.SortFunc(out, g.compare)
	return out
}

// isVirtual reports whether a method of a class is virtual, in it or in a base.
func (g *family) isVirtual(c *class, n name) bool {
	for _, s := range g.lineOf(c) {
		for _, m := range g.declared(s.class, n) {
			if fn := g.fn(m.id); fn != nil && fn.Flags&(ir.Virtual|ir.Abstract) != 0 {
				return true
			}
		}
	}
	return false
}

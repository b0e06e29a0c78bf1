package graph

import (
	"cmp"
	"slices"
)

// A value is what an expression can evaluate to, interned: equal values have
// equal numbers. 0 is none.
type value uint32

// A valueKind says what a value is.
type valueKind uint8

const (
	vExternal  valueKind = iota + 1 // something outside the index; id is a name
	vFunc                           // a function; id is its node
	vBound                          // a method with its receiver; base is the receiver
	vClass                          // a class itself
	vInst                           // an instance of exactly this class
	vDecl                           // an instance of this class or one below it
	vModule                         // a file, package or namespace
	vObject                         // a literal with fields of its own; id is its node
	vGeneric                        // a built-in or external type with arguments; id is its name
	vParam                          // a type parameter; id is the function or class, base its number
	vSuper                          // base, looked up above the class id
	vMany                           // too many to keep
	vManyFuncs                      // too many functions to keep
)

// valueInfo is what an interned value stands for.
type valueInfo struct {
	kind valueKind
	id   uint32 // an ID or a name
	base value
	args list // type arguments
}

func (i valueInfo) hash() uint64 {
	return mix(uint64(i.kind)<<32|uint64(i.id), uint64(i.base), uint64(i.args))
}

// A set is an interned set of values; 0 is the empty one. Cells hold sets, so
// that a cell costs four bytes and comparing is one comparison. The set of one
// value is its number with the top bit set, and needs no memory.
type set uint32

const one = 1 << 31

// A list is an interned list of sets; 0 is the empty one.
type list uint32

const (
	// maxValues bounds a set. A variable that more values reach than this says
	// nothing useful about a call; its functions become "many functions", and when
	// it is still too large, all of it "many".
	maxValues = 64
	// maxDepth bounds types within types: deeper ones lose their arguments. It is
	// what makes the fixed point finite where a type grows with every call.
	maxDepth = 3
	// maxWritten is maxDepth of types that are written in a declaration, which are
	// as deep as they are written and do not grow.
	maxWritten = 6
)

// values interns values, sets and lists. Numbers depend on the order of work and on
// what there was before, and must never reach an answer: the values of a set are in the
// order of their keys.
type values struct {
	info   []valueInfo
	keys   []uint64 // by value; see key
	stable func(id uint32, named bool) uint64
	byInfo table
	self   []value     // self[v] is v, so that the set of one value is a slice, too
	sets   pool[value] // sorted by keys
	lists  pool[set]
	unions []united // by hash: the last ones
	many   set
	folded value // vManyFuncs; its key is the smallest, so that it is the first of a set
	merge  []value

	// What hasParam found in sets of one value, by the value, and in others, by the
	// set: two bits for each limit.
	paramsOne  []uint8
	paramsMany []uint8
}

// united is a union that was made before.
type united struct{ a, b, both set }

// There are as many unions at hand as there are sets, within these bounds. They only save
// time: of a small graph, maxUnions would be the largest part.
const (
	minUnions = 1 << 8
	maxUnions = 1 << 16
)

// newValues returns an empty one. stable tells nodes and, where named is set, names apart
// by what they are: their numbers depend on the order of work, too.
func newValues(stable func(id uint32, named bool) uint64) *values {
	v := &values{info: make([]valueInfo, 1), keys: make([]uint64, 1), stable: stable, self: make([]value, 1), unions: make([]united, minUnions)}
	v.sets.init()
	v.lists.init()
	v.folded = v.intern(valueInfo{kind: vManyFuncs})
	v.many = v.single(v.intern(valueInfo{kind: vMany}))
	return v
}

func (v *values) intern(i valueInfo) value {
	if n := v.byInfo.find(i.hash(), func(n uint32) bool { return v.info[n] == i }); n != 0 {
		return value(n)
	}
	n := value(len(v.info))
	v.info = append(v.info, i)
	v.byInfo.add(uint32(n), func(n uint32) uint64 { return v.info[n].hash() })
	v.self = append(v.self, n)
	v.keys = append(v.keys, v.key(i))
	return n
}

// key is a hash of what a value is, and the same in whatever order values come: what is
// done with the values of a set one after the other depends on the files alone.
func (v *values) key(i valueInfo) uint64 {
	if i.kind == vManyFuncs {
		return 0
	}
	h := uint64(i.base)
	if i.kind != vParam { // there it is a number, not a value
		h = v.keys[i.base]
	}
	for _, s := range v.args(i.args) {
		h = mix(h, 1, 0)
		for _, x := range v.elems(s) {
			h = mix(h, v.keys[x], 2)
		}
	}
	return uint64(i.kind)<<56 | mix(v.stable(i.id, i.kind == vExternal || i.kind == vGeneric), h, 3)>>8
}

// compare orders two values by their keys.
func (v *values) compare(a, b value) int {
	switch x, y := v.keys[a], v.keys[b]; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return cmp.Compare(a, b)
}

// sort puts values in order, each once, in the place where they are. Most are in order
// already but for a few.
func (v *values) sort(xs []value) []value {
	if len(xs) > 2*maxValues {
		slices.SortFunc(xs, v.compare)
		return slices.Compact(xs)
	}
	n := 0
	for _, x := range xs {
		at, key := n, v.keys[x]
		for at > 0 && (v.keys[xs[at-1]] > key || v.keys[xs[at-1]] == key && xs[at-1] > x) {
			at--
		}
		if at > 0 && xs[at-1] == x {
			continue
		}
		copy(xs[at+1:n+1], xs[at:n])
		xs[at] = x
		n++
	}
	return xs[:n]
}

// single returns the set of one value.
func (v *values) single(x value) set {
	if x == 0 {
		return 0
	}
	return set(x) | one
}

// elems returns the values of a set, in the order of their keys. They must not be changed.
func (v *values) elems(s set) []value {
	if s&one != 0 {
		x := value(s &^ one)
		return v.self[x : x+1 : x+1]
	}
	return v.sets.get(uint32(s))
}

// args returns the sets of a list.
func (v *values) args(l list) []set { return v.lists.get(uint32(l)) }

// sorted returns the set of values that are in order.
func (v *values) sorted(xs []value) set {
	switch {
	case len(xs) == 0:
		return 0
	case len(xs) == 1:
		return v.single(xs[0])
	case len(xs) > maxValues || xs[0] == v.folded:
		return v.fold(xs)
	}
	return set(v.sets.put(xs))
}

// fold takes the functions, the literals and what is external out of a set. xs is
// changed.
func (v *values) fold(xs []value) set {
	xs = slices.DeleteFunc(xs, func(x value) bool {
		switch v.info[x].kind {
		case vFunc, vBound, vObject, vExternal, vManyFuncs:
			return true
		}
		return false
	})
	if len(xs) >= maxValues {
		return v.many
	}
	if len(xs) == 0 {
		return v.single(v.folded)
	}
	return set(v.sets.put(slices.Insert(xs, 0, v.folded)))
}

// orDeclared is what is known of a variable: what reaches it and what it is declared
// as; the latter alone where too much reaches it.
func (g *family) orDeclared(reaches, declared set) set {
	if reaches == g.values.many && declared != 0 {
		return declared
	}
	return g.union(reaches, declared)
}

// union returns the union of two sets.
func (v *values) union(a, b set) set {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a == v.many || b == v.many:
		return v.many
	}
	if a > b {
		a, b = b, a
	}
	at := v.unitedAt(a, b)
	if at.a == a && at.b == b {
		return at.both
	}
	x, y := v.elems(a), v.elems(b)
	out := v.merge[:0]
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			out, x, y = append(out, x[0]), x[1:], y[1:]
		case v.keys[x[0]] < v.keys[y[0]] || v.keys[x[0]] == v.keys[y[0]] && x[0] < y[0]:
			out, x = append(out, x[0]), x[1:]
		default:
			out, y = append(out, y[0]), y[1:]
		}
	}
	out = append(append(out, x...), y...)
	v.merge = out
	s := v.sorted(out)
	if n := len(v.unions); n < maxUnions && len(v.sets.ends) > n {
		v.unions = make([]united, 2*n)
		at = v.unitedAt(a, b)
	}
	*at = united{a, b, s}
	return s
}

// unitedAt is where the union of two sets would be at hand.
func (v *values) unitedAt(a, b set) *united {
	return &v.unions[mix(uint64(a), uint64(b), 0)&uint64(len(v.unions)-1)]
}

// unionOf returns the union of sets: what union gives of one after the other,
// without the sets on the way.
func (v *values) unionOf(parts []set) set {
	if len(parts) == 1 {
		return parts[0]
	}
	out := v.merge[:0]
	for _, s := range parts {
		if s == v.many {
			return s
		}
		out = append(out, v.elems(s)...)
	}
	v.merge = out
	return v.sorted(v.sort(out))
}

// mark returns where hasParam keeps what it knows of a set. The next mark may move it.
func (v *values) mark(s set) *uint8 {
	marks := &v.paramsMany
	n := int(s)
	if s&one != 0 {
		marks, n = &v.paramsOne, int(s&^one)
	}
	if n >= len(*marks) {
		*marks = append(*marks, make([]uint8, n+1-len(*marks))...)
	}
	return &(*marks)[n]
}

// list interns a list of sets. An empty one, or one of empty sets, is 0.
func (v *values) list(sets []set) list {
	if !slices.ContainsFunc(sets, func(s set) bool { return s != 0 }) {
		return 0
	}
	return list(v.lists.put(sets))
}

// arg returns the type argument number i of a value, from the end where i is
// negative, or the empty set.
func (v *values) arg(x value, i int) set {
	args := v.args(v.info[x].args)
	if i < 0 {
		i += len(args)
	}
	if i < 0 || i >= len(args) {
		return 0
	}
	return args[i]
}

// depth returns how deep types lie within a value, at most limit+1.
func (v *values) depth(x value, limit int) int {
	deepest := 0
	if limit <= 0 {
		return 1
	}
	i := v.info[x]
	for _, s := range v.args(i.args) {
		for _, y := range v.elems(s) {
			deepest = max(deepest, v.depth(y, limit-1))
		}
	}
	if i.kind == vBound || i.kind == vSuper {
		deepest = max(deepest, v.depth(i.base, limit-1))
	}
	return deepest + 1
}

// typed returns a value with type arguments, without them where they would lie
// too deep.
func (v *values) typed(i valueInfo, args []set) value { return v.typedWithin(i, args, maxDepth) }

// typedWithin is typed with another bound.
func (v *values) typedWithin(i valueInfo, args []set, limit int) value {
	for _, s := range args {
		for _, y := range v.elems(s) {
			if v.depth(y, limit) >= limit {
				return v.intern(i)
			}
		}
	}
	i.args = v.list(args)
	return v.intern(i)
}

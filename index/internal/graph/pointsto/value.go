// Package pointsto holds points-to sets: which values can reach a variable, field,
// parameter or result. It knows no language, and nothing of what is solved.
package pointsto

import (
	"cmp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/intern"
)

// A Value is what an expression can evaluate to, interned: equal values have
// equal numbers. 0 is none.
type Value uint32

// A Kind says what a value is.
type Kind uint8

// What values are.
const (
	External     Kind = iota + 1 // something outside the index; id is a name
	Func                         // a function; id is its node
	Bound                        // a method with its receiver; base is the receiver
	Class                        // a class itself
	Inst                         // an instance of exactly this class
	Decl                         // an instance of this class or one below it
	Module                       // a file, package or namespace
	Object                       // a literal with fields of its own; id is its node
	Generic                      // a built-in or external type with arguments; id is its name
	Param                        // a type parameter; id is the function or class, base its number
	Super                        // base, looked up above the class id
	Many                         // too many to keep
	ManyFuncs                    // too many functions to keep
	Passed                       // what a call passes to the function id as its parameter number base-1, or, where base is 0, as the receiver
	PassedResult                 // what calling that gives
	WhereAbsent                  // the values in its argument, where a call passes nothing as that
	WhereGiven                   // the values in its argument, where a call passes something as that
)

// Info is what an interned value stands for.
type Info struct {
	Kind Kind
	ID   uint32 // an ID or a name
	Base Value
	Args List // type arguments; of a function literal what the function around it was passed, by Base of Passed
}

func (i Info) hash() uint64 {
	return intern.Mix(uint64(i.Kind)<<32|uint64(i.ID), uint64(i.Base), uint64(i.Args))
}

// A Set is an interned set of values; 0 is the empty one. Cells hold sets, so
// that a cell costs four bytes and comparing is one comparison. The set of one
// value is its number with the top bit set, and needs no memory.
type Set uint32

const one = 1 << 31

// A List is an interned list of sets; 0 is the empty one.
type List uint32

const (
	// MaxValues bounds a set. A variable that more values reach than this says
	// nothing useful about a call; its functions become "many functions", and when
	// it is still too large, all of it "many".
	MaxValues = 64
	// MaxDepth bounds types within types: deeper ones lose their arguments. It is
	// what makes the fixed point finite where a type grows with every call.
	MaxDepth = 3
	// MaxWritten is MaxDepth of types that are written in a declaration, which are
	// as deep as they are written and do not grow.
	MaxWritten = 6
)

// Values interns values, sets and lists. Numbers depend on the order of work and on
// what there was before, and must never reach an answer: the values of a set are in the
// order of their keys.
type Values struct {
	Info   []Info
	keys   []uint64 // by value; see key
	stable func(id uint32, named bool) uint64
	byInfo intern.Table
	self   []Value            // self[v] is v, so that the set of one value is a slice, too
	sets   intern.Pool[Value] // sorted by keys
	lists  intern.Pool[Set]
	unions []united // by hash: the last ones
	Many   Set
	Folded Value // ManyFuncs; its key is the smallest, so that it is the first of a set
	merge  []Value

	// What hasParam found in sets of one value, by the value, and in others, by the
	// set: two bits for each limit.
	paramsOne  []uint8
	paramsMany []uint8
}

// united is a union that was made before.
type united struct{ a, b, both Set }

// There are as many unions at hand as there are sets, within these bounds. They only save
// time: of a small graph, maxUnions would be the largest part.
const (
	minUnions = 1 << 8
	maxUnions = 1 << 16
)

// NewValues returns an empty one. stable tells nodes and, where named is set, names apart
// by what they are: their numbers depend on the order of work, too.
func NewValues(stable func(id uint32, named bool) uint64) *Values {
	v := &Values{Info: make([]Info, 1), keys: make([]uint64, 1), stable: stable, self: make([]Value, 1), unions: make([]united, minUnions)}
	v.sets.Init()
	v.lists.Init()
	v.Folded = v.Intern(Info{Kind: ManyFuncs})
	v.Many = v.Single(v.Intern(Info{Kind: Many}))
	return v
}

// Intern returns the number of a value.
func (v *Values) Intern(i Info) Value {
	if n := v.byInfo.Find(i.hash(), func(n uint32) bool { return v.Info[n] == i }); n != 0 {
		return Value(n)
	}
	n := Value(len(v.Info))
	v.Info = append(v.Info, i)
	v.byInfo.Add(uint32(n), func(n uint32) uint64 { return v.Info[n].hash() })
	v.self = append(v.self, n)
	v.keys = append(v.keys, v.key(i))
	return n
}

// key is a hash of what a value is, and the same in whatever order values come: what is
// done with the values of a set one after the other depends on the files alone.
func (v *Values) key(i Info) uint64 {
	if i.Kind == ManyFuncs {
		return 0
	}
	h := uint64(i.Base)
	if i.Kind != Param && i.Kind < Passed { // there it is a number, not a value
		h = v.keys[i.Base]
	}
	for _, s := range v.Args(i.Args) {
		h = intern.Mix(h, 1, 0)
		for _, x := range v.Elems(s) {
			h = intern.Mix(h, v.keys[x], 2)
		}
	}
	return uint64(i.Kind)<<56 | intern.Mix(v.stable(i.ID, i.Kind == External || i.Kind == Generic), h, 3)>>8
}

// compare orders two values by their keys.
func (v *Values) compare(a, b Value) int {
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
func (v *Values) sort(xs []Value) []Value {
	if len(xs) > 2*MaxValues {
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

// Single returns the set of one value.
func (v *Values) Single(x Value) Set {
	if x == 0 {
		return 0
	}
	return Set(x) | one
}

// Elems returns the values of a set, in the order of their keys. They must not be changed.
func (v *Values) Elems(s Set) []Value {
	if s&one != 0 {
		x := Value(s &^ one)
		return v.self[x : x+1 : x+1]
	}
	return v.sets.Get(uint32(s))
}

// Args returns the sets of a list.
func (v *Values) Args(l List) []Set { return v.lists.Get(uint32(l)) }

// sorted returns the set of values that are in order.
func (v *Values) sorted(xs []Value) Set {
	switch {
	case len(xs) == 0:
		return 0
	case len(xs) == 1:
		return v.Single(xs[0])
	case len(xs) > MaxValues || xs[0] == v.Folded:
		return v.fold(xs)
	}
	return Set(v.sets.Put(xs))
}

// fold takes the functions, the literals and what is external out of a set. xs is
// changed.
func (v *Values) fold(xs []Value) Set {
	xs = slices.DeleteFunc(xs, func(x Value) bool {
		switch v.Info[x].Kind {
		case Func, Bound, Object, External, ManyFuncs:
			return true
		}
		return false
	})
	if len(xs) >= MaxValues {
		return v.Many
	}
	if len(xs) == 0 {
		return v.Single(v.Folded)
	}
	return Set(v.sets.Put(slices.Insert(xs, 0, v.Folded)))
}

// Union returns the union of two sets.
func (v *Values) Union(a, b Set) Set {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a == v.Many || b == v.Many:
		return v.Many
	}
	if a > b {
		a, b = b, a
	}
	at := v.unitedAt(a, b)
	if at.a == a && at.b == b {
		return at.both
	}
	x, y := v.Elems(a), v.Elems(b)
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
	if n := len(v.unions); n < maxUnions && len(v.sets.Ends) > n {
		v.unions = make([]united, 2*n)
		at = v.unitedAt(a, b)
	}
	*at = united{a, b, s}
	return s
}

// unitedAt is where the union of two sets would be at hand.
func (v *Values) unitedAt(a, b Set) *united {
	return &v.unions[intern.Mix(uint64(a), uint64(b), 0)&uint64(len(v.unions)-1)]
}

// UnionOf returns the union of sets: what union gives of one after the other,
// without the sets on the way.
func (v *Values) UnionOf(parts []Set) Set {
	if len(parts) == 1 {
		return parts[0]
	}
	out := v.merge[:0]
	for _, s := range parts {
		if s == v.Many {
			return s
		}
		out = append(out, v.Elems(s)...)
	}
	v.merge = out
	return v.sorted(v.sort(out))
}

// Mark returns where hasParam keeps what it knows of a set. The next mark may move it.
func (v *Values) Mark(s Set) *uint8 {
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

// List interns a list of sets. An empty one, or one of empty sets, is 0.
func (v *Values) List(sets []Set) List {
	if !slices.ContainsFunc(sets, func(s Set) bool { return s != 0 }) {
		return 0
	}
	return List(v.lists.Put(sets))
}

// Arg returns the type argument number i of a value, from the end where i is
// negative, or the empty set.
func (v *Values) Arg(x Value, i int) Set {
	args := v.Args(v.Info[x].Args)
	if i < 0 {
		i += len(args)
	}
	if i < 0 || i >= len(args) {
		return 0
	}
	return args[i]
}

// depth returns how deep types lie within a value, at most limit+1.
func (v *Values) depth(x Value, limit int) int {
	deepest := 0
	if limit <= 0 {
		return 1
	}
	i := v.Info[x]
	for _, s := range v.Args(i.Args) {
		for _, y := range v.Elems(s) {
			deepest = max(deepest, v.depth(y, limit-1))
		}
	}
	if i.Kind == Bound || i.Kind == Super {
		deepest = max(deepest, v.depth(i.Base, limit-1))
	}
	return deepest + 1
}

// Typed returns a value with type arguments, without them where they would lie
// too deep.
func (v *Values) Typed(i Info, args []Set) Value { return v.TypedWithin(i, args, MaxDepth) }

// TypedWithin is typed with another bound.
func (v *Values) TypedWithin(i Info, args []Set, limit int) Value {
	for _, s := range args {
		for _, y := range v.Elems(s) {
			if v.depth(y, limit) >= limit {
				return v.Intern(i)
			}
		}
	}
	i.Args = v.List(args)
	return v.Intern(i)
}

// Bytes is what the values take.
func (v *Values) Bytes() int64 {
	return intern.SizeOf(v.Info) + intern.SizeOf(v.keys) + intern.SizeOf(v.self) + v.byInfo.Bytes() + intern.SizeOf(v.unions) +
		intern.SizeOf(v.paramsOne) + intern.SizeOf(v.paramsMany) + v.sets.Bytes() + v.lists.Bytes()
}

// HasPassed reports whether something of a summary is in a set or in the arguments of its
// values: Passed, PassedResult, WhereAbsent or WhereGiven.
func (v *Values) HasPassed(s Set) bool {
	for _, x := range v.Elems(s) {
		i := &v.Info[x]
		if i.Kind >= Passed {
			return true
		}
		for _, a := range v.Args(i.Args) {
			for _, y := range v.Elems(a) {
				if v.Info[y].Kind >= Passed {
					return true
				}
			}
		}
	}
	return false
}

package graph

import (
	"encoding/binary"
	"slices"
)

// A value is what an expression can evaluate to, interned: equal values have
// equal numbers. 0 is none.
type value uint32

// A valueKind says what a value is.
type valueKind uint8

const (
	vExternal valueKind = iota + 1 // something outside the index; id is a name
	vFunc                          // a function; id is its node
	vBound                         // a method with its receiver; base is the receiver
	vClass                         // a class itself
	vInst                          // an instance of exactly this class
	vDecl                          // an instance of this class or one below it
	vModule                        // a file, package or namespace
	vObject                        // a literal with fields of its own; id is its node
	vGeneric                       // a built-in or external type with arguments; id is its name
	vParam                         // a type parameter; id is the function or class, base its number
	vSuper                         // base, looked up above the class id
	vMany                          // too many to keep
)

// valueInfo is what an interned value stands for.
type valueInfo struct {
	kind valueKind
	id   uint32 // an ID or a name
	base value
	args list // type arguments
}

// A set is an interned set of values; 0 is the empty one. Cells hold sets, so
// that a cell costs four bytes and comparing is one comparison.
type set uint32

// A list is an interned list of sets; 0 is the empty one.
type list uint32

const (
	// maxValues bounds a set. A variable that more values reach than this says
	// nothing useful about a call; it becomes "many".
	maxValues = 64
	// maxDepth bounds types within types: deeper ones lose their arguments. It is
	// what makes the fixed point finite where a type grows with every call.
	maxDepth = 3
)

// values interns values, sets and lists. Numbers depend on the order of work and
// must never reach an answer.
type values struct {
	info    []valueInfo
	byInfo  map[valueInfo]value
	sets    [][]value // sorted
	bySet   map[string]set
	lists   [][]set
	byList  map[string]list
	unions  map[uint64]set
	singles []set // by value
	key     []byte
	many    set
}

func newValues() *values {
	v := &values{
		info: make([]valueInfo, 1), byInfo: map[valueInfo]value{},
		sets: make([][]value, 1), bySet: map[string]set{},
		lists: make([][]set, 1), byList: map[string]list{},
		unions: map[uint64]set{}, singles: make([]set, 1),
	}
	v.many = v.single(v.intern(valueInfo{kind: vMany}))
	return v
}

func (v *values) intern(i valueInfo) value {
	if n, ok := v.byInfo[i]; ok {
		return n
	}
	n := value(len(v.info))
	v.info = append(v.info, i)
	v.byInfo[i] = n
	v.singles = append(v.singles, 0)
	return n
}

// single returns the set of one value.
func (v *values) single(x value) set {
	if x == 0 {
		return 0
	}
	if s := v.singles[x]; s != 0 {
		return s
	}
	s := set(len(v.sets))
	v.sets = append(v.sets, []value{x})
	v.singles[x] = s
	return s
}

// of returns the set of some values, in any order.
func (v *values) of(xs []value) set {
	switch len(xs) {
	case 0:
		return 0
	case 1:
		return v.single(xs[0])
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	if len(xs) > maxValues || v.isMany(xs) {
		return v.many
	}
	if len(xs) == 1 {
		return v.single(xs[0])
	}
	v.key = v.key[:0]
	for _, x := range xs {
		v.key = binary.LittleEndian.AppendUint32(v.key, uint32(x))
	}
	if s, ok := v.bySet[string(v.key)]; ok {
		return s
	}
	s := set(len(v.sets))
	v.sets = append(v.sets, slices.Clone(xs))
	v.bySet[string(v.key)] = s
	return s
}

func (v *values) isMany(xs []value) bool {
	for _, x := range xs {
		if v.info[x].kind == vMany {
			return true
		}
	}
	return false
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
	key := uint64(a)<<32 | uint64(b)
	if s, ok := v.unions[key]; ok {
		return s
	}
	xs := slices.Concat(v.sets[a], v.sets[b])
	s := v.of(xs)
	if len(v.unions) > 1<<18 {
		clear(v.unions)
	}
	v.unions[key] = s
	return s
}

// list interns a list of sets. An empty one, or one of empty sets, is 0.
func (v *values) list(sets []set) list {
	if !slices.ContainsFunc(sets, func(s set) bool { return s != 0 }) {
		return 0
	}
	v.key = v.key[:0]
	for _, s := range sets {
		v.key = binary.LittleEndian.AppendUint32(v.key, uint32(s))
	}
	if l, ok := v.byList[string(v.key)]; ok {
		return l
	}
	l := list(len(v.lists))
	v.lists = append(v.lists, slices.Clone(sets))
	v.byList[string(v.key)] = l
	return l
}

// arg returns the type argument number i of a value, or the empty set.
func (v *values) arg(x value, i int) set {
	args := v.lists[v.info[x].args]
	if i < 0 {
		i += len(args)
	}
	if i < 0 || i >= len(args) {
		return 0
	}
	return args[i]
}

// depth returns how deep types lie within a value, at most maxDepth+1.
func (v *values) depth(x value, limit int) int {
	deepest := 0
	if limit <= 0 {
		return 1
	}
	i := v.info[x]
	for _, s := range v.lists[i.args] {
		for _, y := range v.sets[s] {
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
func (v *values) typed(i valueInfo, args []set) value {
	for _, s := range args {
		for _, y := range v.sets[s] {
			if v.depth(y, maxDepth) >= maxDepth {
				return v.intern(i)
			}
		}
	}
	i.args = v.list(args)
	return v.intern(i)
}

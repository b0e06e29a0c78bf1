package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// functional are the functional interfaces of the Java library by their simple
// name: for each parameter of their method the number of the type argument that is
// its type; a negative number is a primitive.
var functional = map[string][]int{
	"Runnable": {}, "Callable": {}, "Supplier": {},
	"BooleanSupplier": {}, "IntSupplier": {}, "LongSupplier": {}, "DoubleSupplier": {},
	"Consumer": {0}, "Predicate": {0}, "Function": {0}, "UnaryOperator": {0},
	"ToIntFunction": {0}, "ToLongFunction": {0}, "ToDoubleFunction": {0},
	"IntFunction": {-1}, "IntConsumer": {-1}, "IntPredicate": {-1}, "IntUnaryOperator": {-1}, "LongFunction": {-1},
	"BiConsumer": {0, 1}, "BiPredicate": {0, 1}, "BiFunction": {0, 1}, "BinaryOperator": {0, 0}, "Comparator": {0, 0},
	"ToIntBiFunction": {0, 1}, "ObjIntConsumer": {0, -1}, "IntBinaryOperator": {-1, -1},
}

// isFunctionType reports whether a value is of a function type of the language.
func (g *family) isFunctionType(i valueInfo) bool {
	return i.kind == vGeneric && (g.names.text[i.id] == "func" || g.names.text[i.id] == extensionForm)
}

// functionalOf returns the parameters of the functional interface that an external
// type is.
func (g *family) functionalOf(v valueInfo) ([]int, bool) {
	text := g.names.text[v.id]
	params, ok := functional[text[strings.LastIndexByte(text, '.')+1:]]
	return params, ok
}

// suitsFunction says how well a function as an argument suits a declared type.
func (e *eval) suitsFunction(d valueInfo, up *class, id ID) int {
	g := e.g
	fn := g.fn(id)
	if fn == nil {
		return 0
	}
	n := len(fn.Params)
	free := fn.Name != 0 && fn.Class != 0 // C::method may have its receiver as first argument
	if n == 1 && g.entities[id].file.ir.String(fn.Params[0].Name) == "it" {
		free = true // a lambda of Kotlin with no or one parameter
	}
	want := -1
	if up != nil {
		if !up.abstract() {
			return -1
		}
		for _, m := range up.bag.entries {
			if f := g.fn(m.id); f != nil && f.Flags&ir.Abstract != 0 {
				want = len(f.Params)
			}
		}
	} else if params, ok := g.functionalOf(d); ok {
		want = len(params)
	} else {
		switch text := g.names.text[d.id]; {
		case literalWords[text] != "" || text == "list" || text == "map" || text == "Class" || text == "KClass":
			return -1
		case text == "Object" || text == "Any":
			return 0
		}
		return 0
	}
	if want >= 0 && want != n && !free {
		return -1
	}
	return 1
}

// contextualLibrary gives the parameters of functions the types that a functional
// interface of the library has as arguments.
func (e *eval) contextualLibrary(s set, d valueInfo, with func(valueInfo) (set, bool)) {
	g := e.g
	params, ok := g.functionalOf(d)
	if !ok {
		return
	}
	args := g.args(d.args)
	for _, v := range g.elems(s) {
		vi := g.values.info[v]
		if vi.kind != vFunc && vi.kind != vBound {
			continue
		}
		for p, at := range params {
			if at < 0 || at >= len(args) {
				continue
			}
			t := args[at]
			if with != nil {
				t = g.subst(t, with)
			}
			e.pass(ID(vi.id), p, t)
		}
	}
}

package program

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
)

// Functional are the functional interfaces of the Java library by their simple
// name: for each parameter of their method the number of the type argument that is
// its type; a negative number is a primitive.
var Functional = map[string][]int{
	"Runnable": {}, "Callable": {}, "Supplier": {},
	"BooleanSupplier": {}, "IntSupplier": {}, "LongSupplier": {}, "DoubleSupplier": {},
	"Consumer": {0}, "Predicate": {0}, "Function": {0}, "UnaryOperator": {0},
	"ToIntFunction": {0}, "ToLongFunction": {0}, "ToDoubleFunction": {0},
	"IntFunction": {-1}, "IntConsumer": {-1}, "IntPredicate": {-1}, "IntUnaryOperator": {-1}, "LongFunction": {-1},
	"BiConsumer": {0, 1}, "BiPredicate": {0, 1}, "BiFunction": {0, 1}, "BinaryOperator": {0, 0}, "Comparator": {0, 0},
	"ToIntBiFunction": {0, 1}, "ObjIntConsumer": {0, -1}, "IntBinaryOperator": {-1, -1},
}

// IsFunctionType reports whether a value is of a function type of the language.
func (g *Family) IsFunctionType(i pointsto.Info) bool {
	return i.Kind == pointsto.Generic && (g.Names.Text[i.ID] == "func" || g.Names.Text[i.ID] == ExtensionForm)
}

// FunctionalOf returns the parameters of the functional interface that an external
// type is.
func (g *Family) FunctionalOf(v pointsto.Info) ([]int, bool) {
	text := g.Names.Text[v.ID]
	params, ok := Functional[text[strings.LastIndexByte(text, '.')+1:]]
	return params, ok
}

// ExtensionForm is the built-in form of function types with a receiver.
const ExtensionForm = "extfunc"

// ConstructorRef is the name of the value of C::new: a generic form whose argument
// is the class.
const ConstructorRef = "<constructor>"

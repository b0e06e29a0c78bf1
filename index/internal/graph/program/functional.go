package program

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

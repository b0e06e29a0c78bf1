package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// iterates reports whether iterated knows a method.
func iterates(name string) bool {
	switch name {
	case "each", "each_entry", "reverse_each", "each_pair", "select", "filter", "reject", "each_with_index", "sort_by", "partition",
		"group_by", "take_while", "drop_while", "filter_map", "map", "collect", "flat_map", "map!", "collect_concat", "any?", "all?", "none?", "one?",
		"count", "sum", "find", "detect", "find_index", "find_all", "min_by", "max_by", "each_with_object", "to_h", "to_set", "each_value",
		"transform_values", "cycle", "delete_if", "keep_if", "uniq", "index_by", "each_slice", "each_cons", "select!", "reject!",
		"inject", "reduce", "tap", "then", "yield_self", "push", "append", "unshift", "prepend", "add", "insert", "sort", "reverse", "compact",
		"take", "to_a", "lazy", "drop", "values", "shuffle", "entries", "first", "last", "sample", "pop", "shift", "fetch", "min", "max", "dig",
		"delete", "delete_at", "itself", "freeze", "dup", "clone", "to_proc":
		return true
	}
	return false
}

// keeps reports whether iterated uses the arguments of a method.
func keeps(name string) bool {
	switch name {
	case "each_with_object", "inject", "reduce", "push", "append", "unshift", "prepend", "add", "insert":
		return true
	}
	return false
}

// iterated adds what the methods of containers do with their block, and what they
// return. x is the receiver; where it is no container it has no elements, and
// nothing follows.
func (l *lowerer) iterated(name string, call, x ir.Expr, args []ir.Arg, b blockInfo, pos int) ir.Expr {
	if !iterates(name) {
		return call
	}
	elem := func() ir.Expr { return l.Unary(ir.Elem, x, pos) }
	bind := func(i int, value ir.Expr) {
		if i < len(b.params) {
			l.Bind(l.Local(b.params[i], pos), value)
		}
	}
	switch name {
	case "each_with_index":
		bind(0, elem())
	case "each_with_object":
		bind(0, elem())
		if len(args) > 0 {
			bind(1, args[0].X)
		}
	case "inject", "reduce":
		if len(args) > 0 && args[0].Kind == ir.Plain {
			bind(0, args[0].X)
		} else {
			bind(0, elem())
		}
		bind(1, elem())
	case "tap", "then", "yield_self":
		bind(0, x)
	case "push", "append", "unshift", "prepend", "add", "insert":
		for _, a := range args {
			if a.X != 0 && a.Kind == ir.Plain {
				l.Bind(l.Index(x, 0, "", pos), a.X)
			}
		}
	default:
		bind(0, elem())
		bind(1, elem())
	}
	switch name {
	case "map", "collect", "flat_map", "filter_map", "map!":
		if b.value != 0 {
			return l.Union(call, l.Unary(ir.Iter, l.Local(b.value, pos), pos))
		}
	case "then", "yield_self":
		if b.value != 0 {
			return l.Union(call, l.Local(b.value, pos))
		}
	case "tap":
		l.Eval(call)
		return x
	case "each", "select", "filter", "reject", "sort_by", "sort", "reverse", "compact", "uniq", "take", "to_a", "lazy", "find_all",
		"each_with_index", "take_while", "drop_while", "drop", "values", "shuffle", "reverse_each", "push", "append", "each_value", "entries":
		return l.Union(call, l.Unary(ir.Iter, elem(), pos))
	case "first", "last", "find", "detect", "min_by", "max_by", "sample", "pop", "shift", "fetch", "min", "max", "dig", "delete", "delete_at":
		return l.Union(call, elem())
	}
	return call
}

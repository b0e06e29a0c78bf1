package rust

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// What the standard library of Rust does with the values that it is given, as far as
// it decides what a call leads to: what containers hold, what closures are called
// with, and what comes back.

// rustCall is what a call of something outside the index gives. What is not known
// of a container of types of the files gives nothing, rather than what it holds.
func rustCall(e *eval.Evaluator, c *eval.Call, recv pointsto.Value) pointsto.Set {
	g := e.Family
	path := g.Names.Text[c.External]
	name := lastSegment(path)
	if recv != 0 {
		switch i := g.Values.Info[recv]; i.Kind {
		case pointsto.Generic:
			r := rustReceiver{e: e, c: c, v: recv, word: lastSegment(g.Names.Text[i.ID]), args: g.Args(i.Args)}
			if s, ok := r.call(g.Names.Text[c.Name]); ok {
				return s
			}
			for _, a := range r.args {
				if !g.OnlyExternal(a) {
					return 0
				}
			}
		case pointsto.External:
			if s, ok := externalClosure(e, c, name); ok {
				return s
			}
		}
	}
	base := lastSegment(strings.TrimSuffix(strings.TrimSuffix(path, name), "."))
	if s, ok := rustFunction(e, c, base, name); ok || c.External == 0 {
		return s
	}
	return e.External(c.External)
}

// externalClosure is a method of something of which nothing is known but that it
// is given a function, by the names that the standard library uses.
func externalClosure(e *eval.Evaluator, c *eval.Call, name string) (pointsto.Set, bool) {
	switch name {
	case "map", "and_then", "filter_map", "flat_map", "map_while", "find_map", "then":
		made := callClosure(e, c.Arg(0))
		if name != "map" && name != "then" {
			made = e.Elements(made, nil)
		}
		return e.Generic("Result", made), made != 0
	case "map_or", "map_or_else", "unwrap_or_else", "or_else", "unwrap_or", "fold", "get_or_insert_with", "or_insert_with", "get_or_init":
		out := e.External(c.External)
		for i := range c.Args {
			out = e.Family.Union(out, callClosure(e, c.Arg(i)))
		}
		if name == "map_or" || name == "unwrap_or" || name == "fold" {
			out = e.Family.Union(out, c.Arg(0))
		}
		return out, true
	}
	return 0, false
}

// rustType is a generic type of the standard library, or of another package, by
// the last name of its path: pointers stand for what they point to.
func rustType(e *eval.Evaluator, path intern.Name, args []pointsto.Set) pointsto.Set {
	switch word := lastSegment(e.Family.Names.Text[path]); word {
	case "Box", "Rc", "Arc", "Weak", "Cow", "Pin", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard",
		"ManuallyDrop", "LazyLock", "LazyCell", "Lazy", "NonNull", "MaybeUninit":
		return args[0]
	case "Vec", "VecDeque", "LinkedList", "HashSet", "BTreeSet", "BinaryHeap", "IndexSet", "SmallVec", "ArrayVec":
		return e.Generic("list", args[0])
	case "HashMap", "BTreeMap", "IndexMap", "FxHashMap", "AHashMap":
		return e.Generic("map", args[:min(len(args), 2)]...)
	default:
		return e.Generic(word, args...)
	}
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// rustFunction is a function of a type or module.
func rustFunction(e *eval.Evaluator, c *eval.Call, base, name string) (pointsto.Set, bool) {
	switch base {
	case "Box", "Rc", "Arc", "Pin", "Cow", "ManuallyDrop":
		switch name {
		case "new", "pin", "clone", "from", "leak", "new_unchecked", "Borrowed", "Owned":
			return c.Arg(0), true
		case "new_cyclic":
			return callClosure(e, c.Arg(0)), true
		case "try_unwrap", "into_inner", "get_mut":
			return e.Generic("Option", c.Arg(0)), true
		case "downgrade":
			return c.Arg(0), true
		}
	case "RefCell", "Cell", "Mutex", "RwLock", "OnceCell", "OnceLock", "UnsafeCell":
		switch name {
		case "new", "from", "const_new":
			return e.Generic(base, c.Arg(0)), true
		}
	case "LazyLock", "LazyCell", "Lazy":
		if name == "new" {
			return callClosure(e, c.Arg(0)), true
		}
	case "Vec", "VecDeque", "HashSet", "BTreeSet", "LinkedList", "BinaryHeap", "HashMap", "BTreeMap", "list", "map":
		word := "list"
		if base == "HashMap" || base == "BTreeMap" || base == "map" {
			word = "map"
		}
		switch name {
		case "new", "with_capacity", "default":
			return e.Generic(word), true
		case "from", "from_iter":
			return e.Generic(word, e.Elements(c.Arg(0), nil)), true
		}
	case "mem":
		switch name {
		case "take", "replace":
			return e.Family.Union(c.Arg(0), c.Arg(1)), true
		}
	case "iter":
		switch name {
		case "once", "repeat":
			return e.Generic("list", c.Arg(0)), true
		case "from_fn", "repeat_with", "successors":
			return e.Generic("list", callClosure(e, c.Arg(len(c.Args)-1), c.Arg(0))), true
		}
	case "cmp":
		switch name {
		case "max", "min":
			return e.Family.Union(c.Arg(0), c.Arg(1)), true
		}
	case "thread", "task", "tokio", "rayon":
		switch name {
		case "spawn", "spawn_blocking", "spawn_local", "block_on":
			made := callClosure(e, c.Arg(0))
			return e.Generic("JoinHandle", e.Family.Union(made, c.Arg(0))), true
		}
	case "String":
		switch name {
		case "new", "from", "with_capacity":
			return e.External(e.Family.Names.Intern("String")), true
		}
	}
	return 0, false
}

// callClosure calls functions with values of which the caller is outside the index,
// and returns what they return.
func callClosure(e *eval.Evaluator, fns pointsto.Set, params ...pointsto.Set) pointsto.Set {
	g := e.Family
	out := pointsto.Set(0)
	for _, v := range g.Elems(fns) {
		switch i := g.Values.Info[v]; i.Kind {
		case pointsto.Func, pointsto.Bound:
			fn := g.Func(edge.ID(i.ID))
			if fn == nil {
				continue
			}
			self, rest := pointsto.Value(0), params
			if fn.Self != 0 && i.Kind == pointsto.Func && len(rest) > 0 { // Item::name
				for _, r := range g.Elems(rest[0]) {
					self = r
				}
				rest = rest[1:]
			}
			for p, s := range rest {
				e.Pass(edge.ID(i.ID), p, s)
			}
			out = g.Union(out, e.Returned(edge.ID(i.ID), self, nil))
		case pointsto.Generic:
			if g.Names.Text[i.ID] == "func" {
				out = g.Union(out, g.Values.Arg(v, -1))
			}
		case pointsto.Class: // a tuple struct as a function
			out = g.Union(out, g.Values.Single(g.Values.Intern(pointsto.Info{Kind: pointsto.Inst, ID: i.ID})))
		}
	}
	return out
}

// A rustReceiver is a type of the standard library on which a method is called.
type rustReceiver struct {
	e    *eval.Evaluator
	c    *eval.Call
	v    pointsto.Value
	word string
	args []pointsto.Set
}

func (r *rustReceiver) first() pointsto.Set {
	if len(r.args) == 0 {
		return 0
	}
	return r.args[0]
}

func (r *rustReceiver) isMap() bool { return r.word == "map" || strings.HasSuffix(r.word, "Map") }

// elem is what the receiver holds or yields.
func (r *rustReceiver) elem() pointsto.Set {
	if r.isMap() && len(r.args) > 1 {
		return r.e.Generic("tuple", r.args...)
	}
	return r.first()
}

func (r *rustReceiver) value() pointsto.Set {
	if len(r.args) > 1 && r.isMap() {
		return r.args[1]
	}
	return r.first()
}

func (r *rustReceiver) same() pointsto.Set { return r.e.Family.Values.Single(r.v) }

// holding is a container of the receiver's kind with other elements.
func (r *rustReceiver) holding(s pointsto.Set) pointsto.Set {
	switch r.word {
	case "Option", "Result", "Poll":
		return r.e.Generic(r.word, s)
	}
	return r.e.Generic("list", s)
}

// isCell reports whether a type holds one value behind a method.
func (r *rustReceiver) isCell() bool {
	switch r.word {
	case "RefCell", "Cell", "Mutex", "RwLock", "OnceCell", "OnceLock", "Weak", "JoinHandle", "AtomicCell", "UnsafeCell", "ArcSwap":
		return true
	}
	return false
}

// call is a method on the receiver.
func (r *rustReceiver) call(method string) (pointsto.Set, bool) {
	e, g := r.e, r.e.Family
	if r.word == "func" || r.word == "tuple" {
		return 0, false
	}
	if r.isCell() {
		if s, ok := r.cell(method); ok {
			return s, true
		}
	}
	if s, ok := r.withClosure(method); ok {
		return s, true
	}
	switch method {
	case "iter", "iter_mut", "into_iter", "as_ref", "as_mut", "as_deref", "as_deref_mut", "clone", "cloned", "copied", "rev", "skip",
		"step_by", "peekable", "fuse", "by_ref", "cycle", "to_vec", "to_owned", "collect", "as_slice", "as_mut_slice", "drain",
		"split_off", "or", "into_boxed_slice", "take", "par_iter", "into_par_iter", "lines", "as_pin_mut", "into_vec",
		"range", "replace", "into_iter_sorted", "into_sorted_vec", "boxed", "try_collect", "timeout", "context", "with_context", "ok_or":
		if r.isMap() && method != "clone" && method != "to_owned" && method != "as_ref" && method != "as_mut" {
			return e.Generic("list", r.elem()), true
		}
		return r.same(), true
	case "ok":
		return e.Generic("Option", r.first()), true
	case "err", "unwrap_err", "expect_err":
		if len(r.args) > 1 {
			if method == "err" {
				return e.Generic("Option", r.args[1]), true
			}
			return r.args[1], true
		}
		return 0, true
	case "unwrap", "expect", "unwrap_or_default", "unwrap_unchecked", "into_inner", "insert_entry":
		return r.elem(), true
	case "unwrap_or", "get_or_insert":
		return g.Union(r.elem(), r.c.Arg(0)), true
	case "get", "get_mut", "first", "last", "first_mut", "last_mut", "next", "next_back", "pop", "pop_front", "pop_back", "front", "back",
		"front_mut", "back_mut", "peek", "peek_mut", "nth", "max", "min", "get_key_value", "pop_first", "pop_last", "recv", "try_recv", "upgrade",
		"try_next", "poll_next":
		s := r.value()
		if method == "next" || method == "last" || method == "max" || method == "min" || strings.HasPrefix(method, "pop") && r.isMap() {
			s = r.elem()
		}
		return e.Generic("Option", s), true
	case "remove", "swap_remove": // the element itself, of a map maybe one
		return g.Union(r.value(), e.Generic("Option", r.value())), true
	case "keys", "into_keys":
		return e.Generic("list", r.first()), true
	case "values", "values_mut", "into_values":
		return e.Generic("list", r.value()), true
	case "entry":
		return e.Generic("Entry", r.value()), true
	case "or_insert", "or_default":
		return g.Union(r.first(), r.c.Arg(0)), true
	case "enumerate":
		return e.Generic("list", e.Generic("tuple", e.External(g.Names.Intern("usize")), r.elem())), true
	case "zip":
		return e.Generic("list", e.Generic("tuple", r.elem(), e.Elements(r.c.Arg(0), nil))), true
	case "chain":
		return e.Generic("list", g.Union(r.elem(), e.Elements(r.c.Arg(0), nil))), true
	case "windows", "chunks", "chunks_exact", "chunks_mut", "rchunks":
		return e.Generic("list", e.Generic("list", r.first())), true
	case "split_first", "split_last":
		return e.Generic("Option", e.Generic("tuple", r.first(), e.Generic("list", r.first()))), true
	case "split_at", "split_at_mut":
		return e.Generic("tuple", r.same(), r.same()), true
	case "flatten":
		inner := pointsto.Set(0)
		for _, v := range g.Elems(r.elem()) {
			inner = g.Union(inner, e.Elements(g.Values.Single(v), nil))
		}
		return r.holding(inner), true
	case "push", "push_back", "push_front", "insert", "extend", "append", "add", "send", "set", "store":
		r.grow(method)
		if method == "insert" {
			return e.Generic("Option", r.value()), true
		}
		return 0, true
	}
	return 0, false
}

// cell is a method of a cell, lock or handle.
func (r *rustReceiver) cell(method string) (pointsto.Set, bool) {
	switch method {
	case "borrow", "borrow_mut", "get", "load", "load_full", "as_ptr", "take", "replace":
		if strings.HasPrefix(r.word, "Once") {
			return r.e.Generic("Option", r.first()), true
		}
		return r.first(), true
	case "lock", "read", "write", "get_mut", "into_inner", "join", "try_lock", "try_read", "try_write", "blocking_lock":
		// Some libraries give the value at once.
		return r.e.Family.Union(r.first(), r.e.Generic("Result", r.first())), true
	case "get_or_init", "get_or_insert_with", "get_or_try_init":
		return r.e.Family.Union(r.first(), callClosure(r.e, r.c.Arg(0))), true
	case "upgrade":
		return r.e.Generic("Option", r.first()), true
	case "clone":
		return r.same(), true
	}
	return 0, false
}

// grow is a method that puts its arguments into the receiver: a variable that holds
// it holds one with those elements from then on.
func (r *rustReceiver) grow(method string) {
	e := r.e
	fn := &e.File.IR.Exprs[r.c.Node.A]
	var args []pointsto.Set
	for i := range r.c.Args {
		s := r.c.Arg(i)
		if method == "extend" || method == "append" {
			s = e.Elements(s, nil)
		}
		args = append(args, s)
	}
	if method == "insert" && !r.isMap() && len(args) > 1 {
		args = args[1:] // after the index
	}
	if e.UnitNumber != 0 && fn.A != 0 {
		e.Bind(fn.A, e.Generic(r.word, args...))
	}
}

// yields is what a loop over an instance of a type of the files gives, by its
// implementation of Iterator, IntoIterator or Deref.
func rustYields(e *eval.Evaluator, v pointsto.Value, c *program.Class) pointsto.Set {
	g := e.Family
	for _, n := range []string{"next", "into_iter"} {
		list, at := g.Member(c, g.Names.Intern(n))
		if at < 0 || list[0].Kind != ir.FuncMember {
			continue
		}
		e.Implicit(list[0].ID)
		s := e.Returned(list[0].ID, v, nil)
		if n == "next" {
			return e.Await(s)
		}
		return e.Elements(s, nil)
	}
	if s := derefed(e, v, c); s != 0 {
		return e.Elements(s, nil)
	}
	return 0
}

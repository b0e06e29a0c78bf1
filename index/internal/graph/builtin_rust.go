package graph

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// What the standard library of Rust does with the values that it is given, as far as
// it decides what a call leads to: what containers hold, what closures are called
// with, and what comes back.

// rustCall is what a call of something outside the index gives. What is not known
// of a container of types of the files gives nothing, rather than what it holds.
func (e *eval) rustCall(c *calling, recv value) set {
	g := e.g
	path := g.names.text[c.external]
	name := lastSegment(path)
	if recv != 0 {
		switch i := g.values.info[recv]; i.kind {
		case vGeneric:
			r := rustReceiver{e: e, c: c, v: recv, word: lastSegment(g.names.text[i.id]), args: g.args(i.args)}
			if s, ok := r.call(g.names.text[c.name]); ok {
				return s
			}
			for _, a := range r.args {
				if !g.onlyExternal(a) {
					return 0
				}
			}
		case vExternal:
			if s, ok := e.externalClosure(c, name); ok {
				return s
			}
		}
	}
	base := lastSegment(strings.TrimSuffix(strings.TrimSuffix(path, name), "."))
	if s, ok := e.rustFunction(c, base, name); ok || c.external == 0 {
		return s
	}
	return e.external(c.external)
}

// externalClosure is a method of something of which nothing is known but that it
// is given a function, by the names that the standard library uses.
func (e *eval) externalClosure(c *calling, name string) (set, bool) {
	switch name {
	case "map", "and_then", "filter_map", "flat_map", "map_while", "find_map", "then":
		made := e.callClosure(c.arg(0))
		if name != "map" && name != "then" {
			made = e.elements(made, nil)
		}
		return e.generic("Result", made), made != 0
	case "map_or", "map_or_else", "unwrap_or_else", "or_else", "unwrap_or", "fold", "get_or_insert_with", "or_insert_with", "get_or_init":
		out := e.external(c.external)
		for i := range c.args {
			out = e.g.union(out, e.callClosure(c.arg(i)))
		}
		if name == "map_or" || name == "unwrap_or" || name == "fold" {
			out = e.g.union(out, c.arg(0))
		}
		return out, true
	}
	return 0, false
}

// rustType is a generic type of the standard library, or of another package, by
// the last name of its path: pointers stand for what they point to.
func (e *eval) rustType(path name, args []set) set {
	switch word := lastSegment(e.g.names.text[path]); word {
	case "Box", "Rc", "Arc", "Weak", "Cow", "Pin", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard",
		"ManuallyDrop", "LazyLock", "LazyCell", "Lazy", "NonNull", "MaybeUninit":
		return args[0]
	case "Vec", "VecDeque", "LinkedList", "HashSet", "BTreeSet", "BinaryHeap", "IndexSet", "SmallVec", "ArrayVec":
		return e.generic("list", args[0])
	case "HashMap", "BTreeMap", "IndexMap", "FxHashMap", "AHashMap":
		return e.generic("map", args[:min(len(args), 2)]...)
	default:
		return e.generic(word, args...)
	}
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// rustFunction is a function of a type or module.
func (e *eval) rustFunction(c *calling, base, name string) (set, bool) {
	switch base {
	case "Box", "Rc", "Arc", "Pin", "Cow", "ManuallyDrop":
		switch name {
		case "new", "pin", "clone", "from", "leak", "new_unchecked", "Borrowed", "Owned":
			return c.arg(0), true
		case "new_cyclic":
			return e.callClosure(c.arg(0)), true
		case "try_unwrap", "into_inner", "get_mut":
			return e.generic("Option", c.arg(0)), true
		case "downgrade":
			return c.arg(0), true
		}
	case "RefCell", "Cell", "Mutex", "RwLock", "OnceCell", "OnceLock", "UnsafeCell":
		switch name {
		case "new", "from", "const_new":
			return e.generic(base, c.arg(0)), true
		}
	case "LazyLock", "LazyCell", "Lazy":
		if name == "new" {
			return e.callClosure(c.arg(0)), true
		}
	case "Vec", "VecDeque", "HashSet", "BTreeSet", "LinkedList", "BinaryHeap", "HashMap", "BTreeMap", "list", "map":
		word := "list"
		if base == "HashMap" || base == "BTreeMap" || base == "map" {
			word = "map"
		}
		switch name {
		case "new", "with_capacity", "default":
			return e.generic(word), true
		case "from", "from_iter":
			return e.generic(word, e.elements(c.arg(0), nil)), true
		}
	case "mem":
		switch name {
		case "take", "replace":
			return e.g.union(c.arg(0), c.arg(1)), true
		}
	case "iter":
		switch name {
		case "once", "repeat":
			return e.generic("list", c.arg(0)), true
		case "from_fn", "repeat_with", "successors":
			return e.generic("list", e.callClosure(c.arg(len(c.args)-1), c.arg(0))), true
		}
	case "cmp":
		switch name {
		case "max", "min":
			return e.g.union(c.arg(0), c.arg(1)), true
		}
	case "thread", "task", "tokio", "rayon":
		switch name {
		case "spawn", "spawn_blocking", "spawn_local", "block_on":
			made := e.callClosure(c.arg(0))
			return e.generic("JoinHandle", e.g.union(made, c.arg(0))), true
		}
	case "String":
		switch name {
		case "new", "from", "with_capacity":
			return e.external(e.g.names.intern("String")), true
		}
	}
	return 0, false
}

// callClosure calls functions with values of which the caller is outside the index,
// and returns what they return.
func (e *eval) callClosure(fns set, params ...set) set {
	g := e.g
	out := set(0)
	for _, v := range g.elems(fns) {
		switch i := g.values.info[v]; i.kind {
		case vFunc, vBound:
			fn := g.fn(ID(i.id))
			if fn == nil {
				continue
			}
			self, rest := value(0), params
			if fn.Self != 0 && i.kind == vFunc && len(rest) > 0 { // Item::name
				for _, r := range g.elems(rest[0]) {
					self = r
				}
				rest = rest[1:]
			}
			for p, s := range rest {
				e.pass(ID(i.id), p, s)
			}
			out = g.union(out, e.returned(ID(i.id), self, nil))
		case vGeneric:
			if g.names.text[i.id] == "func" {
				out = g.union(out, g.values.arg(v, -1))
			}
		case vClass: // a tuple struct as a function
			out = g.union(out, g.values.single(g.values.intern(valueInfo{kind: vInst, id: i.id})))
		}
	}
	return out
}

// A rustReceiver is a type of the standard library on which a method is called.
type rustReceiver struct {
	e    *eval
	c    *calling
	v    value
	word string
	args []set
}

func (r *rustReceiver) first() set {
	if len(r.args) == 0 {
		return 0
	}
	return r.args[0]
}

func (r *rustReceiver) isMap() bool { return r.word == "map" || strings.HasSuffix(r.word, "Map") }

// elem is what the receiver holds or yields.
func (r *rustReceiver) elem() set {
	if r.isMap() && len(r.args) > 1 {
		return r.e.generic("tuple", r.args...)
	}
	return r.first()
}

func (r *rustReceiver) value() set {
	if len(r.args) > 1 && r.isMap() {
		return r.args[1]
	}
	return r.first()
}

func (r *rustReceiver) same() set { return r.e.g.values.single(r.v) }

// holding is a container of the receiver's kind with other elements.
func (r *rustReceiver) holding(s set) set {
	switch r.word {
	case "Option", "Result", "Poll":
		return r.e.generic(r.word, s)
	}
	return r.e.generic("list", s)
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
func (r *rustReceiver) call(method string) (set, bool) {
	e, g := r.e, r.e.g
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
			return e.generic("list", r.elem()), true
		}
		return r.same(), true
	case "ok":
		return e.generic("Option", r.first()), true
	case "err", "unwrap_err", "expect_err":
		if len(r.args) > 1 {
			if method == "err" {
				return e.generic("Option", r.args[1]), true
			}
			return r.args[1], true
		}
		return 0, true
	case "unwrap", "expect", "unwrap_or_default", "unwrap_unchecked", "into_inner", "insert_entry":
		return r.elem(), true
	case "unwrap_or", "get_or_insert":
		return g.union(r.elem(), r.c.arg(0)), true
	case "get", "get_mut", "first", "last", "first_mut", "last_mut", "next", "next_back", "pop", "pop_front", "pop_back", "front", "back",
		"front_mut", "back_mut", "peek", "peek_mut", "nth", "max", "min", "get_key_value", "pop_first", "pop_last", "recv", "try_recv", "upgrade",
		"try_next", "poll_next":
		s := r.value()
		if method == "next" || method == "last" || method == "max" || method == "min" || strings.HasPrefix(method, "pop") && r.isMap() {
			s = r.elem()
		}
		return e.generic("Option", s), true
	case "remove", "swap_remove": // the element itself, of a map maybe one
		return g.union(r.value(), e.generic("Option", r.value())), true
	case "keys", "into_keys":
		return e.generic("list", r.first()), true
	case "values", "values_mut", "into_values":
		return e.generic("list", r.value()), true
	case "entry":
		return e.generic("Entry", r.value()), true
	case "or_insert", "or_default":
		return g.union(r.first(), r.c.arg(0)), true
	case "enumerate":
		return e.generic("list", e.generic("tuple", e.external(g.names.intern("usize")), r.elem())), true
	case "zip":
		return e.generic("list", e.generic("tuple", r.elem(), e.elements(r.c.arg(0), nil))), true
	case "chain":
		return e.generic("list", g.union(r.elem(), e.elements(r.c.arg(0), nil))), true
	case "windows", "chunks", "chunks_exact", "chunks_mut", "rchunks":
		return e.generic("list", e.generic("list", r.first())), true
	case "split_first", "split_last":
		return e.generic("Option", e.generic("tuple", r.first(), e.generic("list", r.first()))), true
	case "split_at", "split_at_mut":
		return e.generic("tuple", r.same(), r.same()), true
	case "flatten":
		inner := set(0)
		for _, v := range g.elems(r.elem()) {
			inner = g.union(inner, e.elements(g.values.single(v), nil))
		}
		return r.holding(inner), true
	case "push", "push_back", "push_front", "insert", "extend", "append", "add", "send", "set", "store":
		r.grow(method)
		if method == "insert" {
			return e.generic("Option", r.value()), true
		}
		return 0, true
	}
	return 0, false
}

// cell is a method of a cell, lock or handle.
func (r *rustReceiver) cell(method string) (set, bool) {
	switch method {
	case "borrow", "borrow_mut", "get", "load", "load_full", "as_ptr", "take", "replace":
		if strings.HasPrefix(r.word, "Once") {
			return r.e.generic("Option", r.first()), true
		}
		return r.first(), true
	case "lock", "read", "write", "get_mut", "into_inner", "join", "try_lock", "try_read", "try_write", "blocking_lock":
		// Some libraries give the value at once.
		return r.e.g.union(r.first(), r.e.generic("Result", r.first())), true
	case "get_or_init", "get_or_insert_with", "get_or_try_init":
		return r.e.g.union(r.first(), r.e.callClosure(r.c.arg(0))), true
	case "upgrade":
		return r.e.generic("Option", r.first()), true
	case "clone":
		return r.same(), true
	}
	return 0, false
}

// grow is a method that puts its arguments into the receiver: a variable that holds
// it holds one with those elements from then on.
func (r *rustReceiver) grow(method string) {
	e := r.e
	fn := &e.f.ir.Exprs[r.c.node.A]
	var args []set
	for i := range r.c.args {
		s := r.c.arg(i)
		if method == "extend" || method == "append" {
			s = e.elements(s, nil)
		}
		args = append(args, s)
	}
	if method == "insert" && !r.isMap() && len(args) > 1 {
		args = args[1:] // after the index
	}
	if e.n != 0 && fn.A != 0 {
		e.bind(fn.A, e.generic(r.word, args...))
	}
}

// yields is what a loop over an instance of a type of the files gives, by its
// implementation of Iterator, IntoIterator or Deref.
func (e *eval) rustYields(v value, c *class) set {
	g := e.g
	for _, n := range []string{"next", "into_iter"} {
		list, at := g.member(c, g.names.intern(n))
		if at < 0 || list[0].kind != ir.FuncMember {
			continue
		}
		e.implicit(list[0].id)
		s := e.returned(list[0].id, v, nil)
		if n == "next" {
			return e.await(s)
		}
		return e.elements(s, nil)
	}
	if s := e.derefed(v, c); s != 0 {
		return e.elements(s, nil)
	}
	return 0
}

package resolve

import (
	_ "embed" // library.txt
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/eval"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/library"
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
	name := program.LastName(path)
	if recv != 0 {
		switch i := g.Values.Info[recv]; i.Kind {
		case pointsto.Generic:
			r := rustReceiver{e: e, c: c, v: recv, word: program.LastName(g.Names.Text[i.ID]), args: g.Args(i.Args)}
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
	base := program.LastName(strings.TrimSuffix(strings.TrimSuffix(path, name), "."))
	r := rustReceiver{e: e, c: c, word: base}
	if s, ok := models[base].Apply(e, name, &r); ok || c.External == 0 {
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
	switch word := program.LastName(e.Family.Names.Text[path]); word {
	case "Box", "Rc", "Arc", "Weak", "Cow", "Pin", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard",
		"ManuallyDrop", "LazyLock", "LazyCell", "Lazy", "MaybeUninit":
		return args[0]
	case "Vec", "VecDeque", "LinkedList", "HashSet", "BTreeSet", "BinaryHeap", "IndexSet", "SmallVec", "ArrayVec":
		return e.Generic("list", args[0])
	case "HashMap", "BTreeMap", "IndexMap", "FxHashMap", "AHashMap":
		return e.Generic("map", args[:min(len(args), 2)]...)
	default:
		return e.Generic(word, args...)
	}
}

//go:embed library.txt
var libraryText string

// models say what functions and methods do, by the name of the type or module.
var models = library.MustParse(libraryText)

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
	if r.word == "func" || r.word == "tuple" {
		return 0, false
	}
	if r.word == "NonNull" { // its as_ref is never that of what it points to
		if s, ok := models["a pointer"].Apply(r.e, method, r); ok {
			return s, true
		}
	}
	if r.isCell() {
		typ := "a cell"
		if strings.HasPrefix(r.word, "Once") {
			typ = "a cell that is set once"
		}
		if s, ok := models[typ].Apply(r.e, method, r); ok {
			return s, true
		}
	}
	switch method {
	case "retain":
		if r.isMap() {
			for i := range r.c.Args {
				callClosure(r.e, r.c.Arg(i), r.args...)
			}
			return r.same(), true
		}
	case "push", "push_back", "push_front", "insert", "extend", "append", "add", "send", "set", "store":
		r.grow(method)
	}
	return models["a receiver"].Apply(r.e, method, r)
}

// Call calls the closures that a word of a model stands for.
func (r *rustReceiver) Call(word string, params []pointsto.Set) pointsto.Set {
	out := pointsto.Set(0)
	for i := range r.c.Args {
		if word == "args" || word == "last" && i == len(r.c.Args)-1 || word == "arg"+strconv.Itoa(i) {
			out = r.e.Family.Union(out, callClosure(r.e, r.c.Arg(i), params...))
		}
	}
	return out
}

// Word is what a word of a model stands for.
func (r *rustReceiver) Word(word string, args []pointsto.Set) (pointsto.Set, bool) {
	switch word {
	case "arg0":
		return r.c.Arg(0), true
	case "arg1":
		return r.c.Arg(1), true
	case "self":
		return r.same(), true
	case "base":
		return r.e.Generic(r.word, args...), true
	case "elem":
		return r.elem(), true
	case "first":
		return r.first(), true
	case "value":
		return r.value(), true
	case "item":
		if r.word == "Entry" {
			return r.first(), true
		}
		return r.elem(), true
	case "error":
		return r.fault(), true
	case "errorOrElem":
		if len(r.args) > 1 {
			return r.args[1], true
		}
		return r.elem(), true
	case "ifError":
		if len(r.args) > 1 {
			return args[0], true
		}
		return 0, true
	case "sequence":
		if r.isMap() {
			return r.e.Generic("list", r.elem()), true
		}
		return r.same(), true
	case "holding":
		return r.holding(args[0]), true
	case "elements":
		return r.e.Elements(args[0], nil), true
	}
	return 0, false
}

// fault is the error of a Result.
func (r *rustReceiver) fault() pointsto.Set {
	if len(r.args) > 1 {
		return r.args[1]
	}
	return 0
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

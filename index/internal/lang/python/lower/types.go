package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A form is how a type of the typing module is read.
type form uint8

const (
	notForm   form = iota
	nothing        // Any, object: anything
	inside         // Optional[T], Final[T]: T
	union          // Union[A, B]
	list           // list[T], Iterable[T]: a collection of the first argument
	dict           // dict[K, V]
	tuple          // tuple[A, B]
	callable       // Callable[[A], R]
	awaitable      // Awaitable[T]; Coroutine[Y, S, T]: the last argument, awaited
	classOf        // type[C]: the class itself
	selfType       // Self
	other          // Literal[...]: no type of the project
)

// forms are the names of the typing module and of collections.abc.
var forms = map[string]form{
	"Any": nothing, "object": nothing, "NoReturn": nothing, "Never": nothing, "None": nothing, "NoneType": nothing,
	"Optional": inside, "Final": inside, "ClassVar": inside, "Annotated": inside, "Required": inside,
	"NotRequired": inside, "ReadOnly": inside, "InitVar": inside, "Unpack": inside, "TypeGuard": other,
	"Union": union,
	"List":  list, "Sequence": list, "MutableSequence": list, "Iterable": list, "Iterator": list, "Collection": list,
	"Container": list, "Reversible": list, "Set": list, "FrozenSet": list, "AbstractSet": list, "MutableSet": list,
	"Deque": list, "deque": list, "Generator": list, "AsyncIterable": list, "AsyncIterator": list,
	"AsyncGenerator": list, "KeysView": list, "ValuesView": list, "Counter": list,
	"Dict": dict, "Mapping": dict, "MutableMapping": dict, "DefaultDict": dict, "defaultdict": dict,
	"OrderedDict": dict, "ChainMap": dict, "ItemsView": dict,
	"Tuple": tuple, "Callable": callable,
	"Awaitable": awaitable, "Coroutine": awaitable,
	"Type": classOf, "Self": selfType, "Literal": other, "LiteralString": other,
}

// builtins are the forms that are built-in names.
var builtins = map[string]form{
	"list": list, "set": list, "frozenset": list, "dict": dict, "tuple": tuple, "type": classOf,
	"object": nothing,
}

// typ lowers a declared type.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if n == 0 {
		return 0
	}
	if !l.frame.static {
		return l.declaration(func() ir.Expr { return l.typ(n) })
	}
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "type", "parenthesized_expression":
		return l.typ(l.NamedChild(n, 0))
	case "identifier", "attribute":
		return l.namedType(n)
	case "string":
		if text, ok := l.constant(n); ok {
			return l.quoted(text, l.Start(l.ChildOf(n, "string_content")))
		}
		return 0
	case "generic_type", "subscript":
		return l.generic(n)
	case "binary_operator", "union_type":
		parts := l.Exprs(n, l.typ)
		return l.Union(parts...)
	case "member_type":
		id := l.NamedChild(n, 1)
		return l.attr(l.typ(l.NamedChild(n, 0)), l.id(id), l.Start(id))
	case "constrained_type":
		return l.typ(l.NamedChild(n, 0))
	case "none", "ellipsis", "integer":
		return 0
	case "list", "tuple", "expression_list":
		return l.Apply(0, "tuple", ir.Args(l.typesIn(n)...), l.Start(n))
	case "splat_type", "list_splat":
		return l.typ(l.NamedChild(n, 0))
	}
	l.Keep(l.unknown(n))
	return 0
}

// namedType lowers a type without arguments.
func (l *lowerer) namedType(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	if l.Kind(n) == "attribute" {
		if f := l.form(n); f != notForm {
			return l.formed(f, nil, pos)
		}
		return l.expr(n)
	}
	s := l.id(n)
	return l.typeName(s, pos)
}

// typeName is a type by its name alone.
func (l *lowerer) typeName(s ir.Str, pos int) ir.Expr {
	if f := l.formName(s); f != notForm {
		return l.formed(f, nil, pos)
	}
	if l.name(s).typeVar {
		l.addType(s)
	}
	return l.use(s, pos)
}

// form tells which form a type is, by its name and where that comes from.
func (l *lowerer) form(n syntax.Node) form {
	if l.Kind(n) == "attribute" {
		if !l.from(n, "typing", "typing_extensions", "collections", "collections.abc", "t") {
			return notForm
		}
		return forms[string(l.Bytes(l.Child(n, "attribute")))]
	}
	if l.Kind(n) != "identifier" {
		return notForm
	}
	return l.formName(l.id(n))
}

func (l *lowerer) formName(s ir.Str) form {
	text := l.text(s)
	f := forms[text]
	if f == notForm {
		if f = builtins[text]; f != notForm && !l.builtin(s) {
			return notForm
		}
		return f
	}
	i := l.name(s).imports
	if i == 0 {
		if text == "None" || text == "object" {
			return nothing
		}
		return notForm
	}
	switch l.text(l.Raw().Imports[i].Module) {
	case "typing", "typing_extensions", "collections", "collections.abc", "dataclasses", "types":
		return f
	}
	return notForm
}

// generic lowers a type with arguments: list[T], m.Box[T].
func (l *lowerer) generic(n syntax.Node) ir.Expr {
	base := l.NamedChild(n, 0)
	f := l.form(base)
	var args []ir.Expr
	var room [8]syntax.Node
	nodes := room[:0]
	if params := l.ChildOf(n, "type_parameter"); params != 0 {
		for c := range l.NamedChildren(params) {
			nodes = append(nodes, c)
		}
	} else {
		for c := range l.NamedChildren(n) {
			if l.Field(c) == "subscript" {
				nodes = append(nodes, c)
			}
		}
	}
	for i, c := range nodes {
		switch {
		case f == other:
			continue
		case f == inside && i > 0: // Annotated[T, value]
			for l.Kind(c) == "type" {
				c = l.NamedChild(c, 0)
			}
			l.Keep(l.expr(c))
			continue
		case f == callable && i == 0:
			args = append(args, l.parameterTypes(c)...)
		default:
			args = append(args, l.typ(c))
		}
	}
	if f != notForm {
		return l.formed(f, args, l.Start(n))
	}
	return l.Apply(l.namedType(base), "", ir.Args(args...), l.calledAt(base))
}

// parameterTypes lowers the first argument of Callable.
func (l *lowerer) parameterTypes(n syntax.Node) []ir.Expr {
	for l.Kind(n) == "type" {
		n = l.NamedChild(n, 0)
	}
	if l.Kind(n) == "list" {
		return l.typesIn(n)
	}
	return nil
}

func (l *lowerer) typesIn(n syntax.Node) []ir.Expr {
	list := l.Exprs(n, l.typ)
	return list
}

// formed makes the type that a form with arguments is.
func (l *lowerer) formed(f form, args []ir.Expr, pos int) ir.Expr {
	arg := func(i int) ir.Expr {
		if i >= 0 && i < len(args) {
			return args[i]
		}
		return 0
	}
	switch f {
	case inside:
		return arg(0)
	case union:
		return l.Union(args...)
	case list:
		return l.Apply(0, "list", ir.Args(arg(0)), pos)
	case dict:
		return l.Apply(0, "map", ir.Args(arg(0), arg(1)), pos)
	case tuple:
		return l.Apply(0, "tuple", ir.Args(args...), pos)
	case callable:
		return l.Apply(0, "func", ir.Args(args...), pos)
	case awaitable:
		return arg(len(args) - 1)
	case classOf:
		if x := arg(0); x != 0 {
			return l.Unary(ir.TypeOf, x, pos)
		}
	case selfType:
		if l.frame.class != 0 {
			return l.receiverType(pos)
		}
	}
	return 0
}

// receiverType is the class of the receiver, whichever it is.
func (l *lowerer) receiverType(pos int) ir.Expr {
	return l.Unary(ir.TypeOf, l.Unary(ir.This, 0, pos), pos)
}

// typeParams enters the parameters of "class A[T: Bound]" and "def f[T]".
func (l *lowerer) typeParams(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		inner := l.NamedChild(c, 0)
		p := ir.TypeParam{}
		id := inner
		if l.Kind(inner) == "constrained_type" {
			id = l.NamedChild(l.NamedChild(inner, 0), 0)
			p.Bound = l.typ(l.NamedChild(inner, 1))
		}
		if l.Kind(id) == "identifier" {
			p.Name = l.id(id)
			l.types = append(l.types, p)
		}
	}
}

// typeVariable lowers "T = TypeVar("T", bound=B)".
func (l *lowerer) typeVariable(targets []syntax.Node, right syntax.Node) bool {
	if l.frame.inFunc || l.Kind(right) != "call" || len(targets) != 1 || l.Kind(targets[0]) != "identifier" {
		return false
	}
	switch l.lastName(l.Child(right, "function")) {
	case "TypeVar", "ParamSpec", "TypeVarTuple":
	default:
		return false
	}
	s := l.id(targets[0])
	l.name(s).typeVar = true
	for c := range l.NamedChildren(l.Child(right, "arguments")) {
		if l.Kind(c) == "keyword_argument" && l.Text(l.Child(c, "name")) == "bound" {
			if l.bounds == nil {
				l.bounds = map[ir.Str]ir.Expr{}
			}
			l.bounds[s] = l.typ(l.Child(c, "value"))
		}
	}
	l.Bind(l.assign(s, l.Start(targets[0])), l.Call(l.expr(l.Child(right, "function")), nil, l.calledAt(l.Child(right, "function"))))
	return true
}

// addType notes that the signature that is being read uses a type variable.
func (l *lowerer) addType(s ir.Str) {
	for _, p := range l.types {
		if p.Name == s {
			return
		}
	}
	l.types = append(l.types, ir.TypeParam{Name: s, Bound: l.bounds[s]})
}

// takeTypes returns the type variables of a signature but those of the class that
// it stands in.
func (l *lowerer) takeTypes(class ir.Class) []ir.TypeParam {
	var list []ir.TypeParam
next:
	for _, p := range l.types {
		for _, q := range l.ClassInfo(class).TypeParams {
			if p.Name == q.Name {
				continue next
			}
		}
		list = append(list, p)
	}
	l.types = l.types[:0]
	return list
}

package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// expr lowers an expression; 0 where it has no value that matters.
func (l *lowerer) expr(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos, want := l.Start(n), l.want
	l.want = 0
	switch l.Kind(n) {
	case "identifier":
		return l.valueName(n)
	case "self":
		return l.name("self", pos)
	case "scoped_identifier":
		return l.value(l.pathName(l.Child(n, "path"), l.Child(n, "name")), l.text(l.Child(n, "name")), pos)
	case "generic_function":
		return l.expr(l.Child(n, "function"))
	case "call_expression":
		return l.call(n, want)
	case "field_expression":
		return l.fieldAccess(n)
	case "macro_invocation":
		return l.macroCall(n)
	case "struct_expression":
		return l.structLiteral(n)
	case "closure_expression":
		return l.closure(n)
	case "reference_expression", "parenthesized_expression", "unsafe_block", "async_block", "const_block",
		"expression_statement", "else_clause", "gen_block", "try_block":
		return l.exprOf(l.last(n), want)
	case "unary_expression":
		return l.unaryOperation(n)
	case "binary_expression", "compound_assignment_expr":
		return l.binaryOperation(n)
	case "try_expression", "await_expression":
		return l.unary(ir.Await, l.expr(l.NamedChild(n, 0)), pos)
	case "type_cast_expression":
		x, typ := l.expr(l.Child(n, "value")), l.typ(l.Child(n, "type"))
		if typ == 0 {
			return l.Opaque(x)
		}
		return l.Binary(ir.Cast, x, typ, pos)
	case "index_expression":
		return l.index(n)
	case "tuple_expression":
		return l.List("tuple", l.args(n), pos)
	case "array_expression":
		if length := l.Child(n, "length"); length != 0 {
			l.Eval(l.expr(length))
			return l.List("list", ir.Args(l.expr(l.NamedChild(n, 0))), pos)
		}
		return l.List("list", l.args(n), pos)
	case "assignment_expression":
		l.assign(l.Child(n, "left"), l.Child(n, "right"))
		return 0
	case "block", "if_expression", "match_expression", "for_expression", "while_expression", "loop_expression",
		"let_condition", "let_chain", "break_expression", "return_expression", "yield_expression":
		return l.control(n, want)
	case "integer_literal":
		return l.Lit(suffixType(l.text(n), "i32"), pos)
	case "float_literal":
		return l.Lit(suffixType(l.text(n), "f64"), pos)
	case "string_literal", "raw_string_literal", "char_literal":
		return l.letters(n, pos)
	case "boolean_literal":
		return l.Lit("bool", pos)
	case "continue_expression", "unit_expression", "label", "mutable_specifier", "metavariable", "attribute_item",
		"inner_attribute_item", "empty_statement", "string_content", "escape_sequence":
		return 0
	}
	return l.Unknown(n, l.expr)
}

// letters is a text or a letter. With a b before it, it is bytes or a byte, with a c one of C.
func (l *lowerer) letters(n syntax.Node, pos int) ir.Expr {
	char := l.Kind(n) == "char_literal"
	switch src := l.Source(); {
	case src[pos] == 'c':
		return 0
	case src[pos] == 'b' && char:
		return l.Lit("u8", pos)
	case src[pos] == 'b':
		return l.List("list", ir.Args(l.Lit("u8", pos)), pos)
	case char:
		return l.Lit("char", pos)
	}
	return l.Lit("str", pos)
}

// exprOf is expr where a type is wanted.
func (l *lowerer) exprOf(n syntax.Node, want ir.Expr) ir.Expr {
	l.want = want
	x := l.expr(n)
	l.want = 0
	return x
}

// args lowers the children as positional arguments.
func (l *lowerer) args(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "attribute_item" {
			args = append(args, ir.Arg{X: l.expr(c)})
		}
	}
	return args
}

func (l *lowerer) valueName(n syntax.Node) ir.Expr {
	name, pos := l.text(n), l.Start(n)
	if name == "None" && l.Lookup(name) == 0 {
		return l.List("Option", nil, pos)
	}
	return l.value(l.name(name, pos), name, pos)
}

// value is a name that is not called. One of a type is the value of a unit
// struct, or the function that makes a tuple struct.
func (l *lowerer) value(x ir.Expr, name string, pos int) ir.Expr {
	if !isCamel(name) {
		return x
	}
	return l.Union(x, l.Flag(l.New(x, nil, pos), ir.Implicit))
}

// pathName is path::name.
func (l *lowerer) pathName(path, name syntax.Node) ir.Expr {
	text, pos := l.text(name), l.Start(name)
	if l.Kind(name) == "super" || l.Kind(name) == "self" {
		return 0 // use declarations have those, and they are read elsewhere
	}
	if path == 0 { // ::name, of another crate
		return l.Free(text, pos)
	}
	if word := l.headWord(path); word != "" {
		return l.head(word, text, pos)
	}
	return l.Flag(l.Attr(l.pathBase(path), text, pos), ir.Path)
}

// headWord returns what a path from a known module consists of: "crate", "self",
// "super::super"; "" for other paths.
func (l *lowerer) headWord(n syntax.Node) string {
	switch l.Kind(n) {
	case "crate", "self", "super":
		return l.Kind(n)
	case "metavariable":
		if string(l.Bytes(n)) == "$crate" {
			return "crate"
		}
	case "scoped_identifier":
		if l.Kind(l.Child(n, "name")) == "super" {
			return l.pathText(n)
		}
	}
	return ""
}

// pathBase is what stands before "::".
func (l *lowerer) pathBase(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier", "type_identifier":
		return l.typeName(l.text(n), l.Start(n))
	case "scoped_identifier", "scoped_type_identifier":
		return l.pathName(l.Child(n, "path"), l.Child(n, "name"))
	case "bracketed_type":
		if inner := l.NamedChild(n, 0); l.Kind(inner) == "qualified_type" {
			return l.qualifiedBase(inner)
		}
		return l.typ(l.NamedChild(n, 0))
	}
	return l.typ(n)
}

// call lowers a call. A path that is called where a type is wanted is an Apply of it to that
// type, under the name "wanted".
func (l *lowerer) call(n syntax.Node, want ir.Expr) ir.Expr {
	fn, list := l.Child(n, "function"), l.Child(n, "arguments")
	var chosen syntax.Node // the first type argument
	if l.Kind(fn) == "generic_function" {
		chosen = l.NamedChild(l.Child(fn, "type_arguments"), 0)
		fn = l.Child(fn, "function")
	}
	pos := l.Start(fn)
	var callee ir.Expr
	switch l.Kind(fn) {
	case "identifier":
		name := l.text(fn)
		if l.Lookup(name) == 0 {
			switch name {
			case "Some":
				return l.List("Option", l.args(list), pos)
			case "Ok":
				return l.List("Result", l.args(list), pos)
			case "Err":
				return l.Unknown(list, l.expr)
			}
		}
		callee = l.name(name, pos)
	case "scoped_identifier":
		name := l.Child(fn, "name")
		pos = l.Start(name)
		callee = l.pathName(l.Child(fn, "path"), name)
		if want != 0 && callee != 0 && l.NamedChild(list, 0) == 0 {
			callee = l.Apply(callee, "wanted", ir.Args(want), pos)
		}
	case "field_expression":
		pos = l.Start(l.Child(fn, "field"))
		callee = l.fieldAccess(fn)
		method := l.text(l.Child(fn, "field"))
		if method == "collect" && l.ofProject(chosen) {
			return l.Binary(ir.Cast, l.Call(callee, l.args(list), pos), l.typ(chosen), pos)
		}
		if holder := givesChosen[method]; holder != "" {
			if typ := l.typ(chosen); typ != 0 {
				return l.Binary(ir.Cast, l.Call(callee, l.args(list), pos), l.Apply(0, holder, ir.Args(typ), pos), pos)
			}
		}
	default:
		callee = l.expr(fn)
	}
	return l.Call(callee, l.args(list), pos)
}

// givesChosen are methods of the library that give what their type argument says, by what
// they give it in.
var givesChosen = map[string]string{"parse": "Result", "downcast": "Result", "downcast_ref": "Option", "downcast_mut": "Option"}

// ofProject reports whether a type that elements are collected in is none of the library,
// which is a list or a map of them, and no parameter.
func (l *lowerer) ofProject(typ syntax.Node) bool {
	if l.Kind(typ) == "generic_type" {
		typ = l.Child(typ, "type")
	}
	switch name := l.pathEnd(typ); name {
	case "", "_", "Self", "Vec", "VecDeque", "LinkedList", "BinaryHeap", "HashMap", "HashSet", "BTreeMap", "BTreeSet", "String",
		"Option", "Result", "Box", "Rc", "Arc", "Cow", "Pin":
		return false
	default:
		return !l.isGeneric(name) && typ != 0 && (l.Kind(typ) == "type_identifier" || l.Kind(typ) == "scoped_type_identifier")
	}
}

func (l *lowerer) fieldAccess(n syntax.Node) ir.Expr {
	field := l.Child(n, "field")
	x := l.expr(l.Child(n, "value"))
	return l.Attr(x, l.text(field), l.Start(field))
}

// structLiteral is T { a: x, b, ..c }: fields are set, nothing is called.
func (l *lowerer) structLiteral(n syntax.Node) ir.Expr {
	name := l.Child(n, "name")
	pos := l.Start(name)
	if k := l.Kind(name); k == "scoped_type_identifier" {
		pos = l.Start(l.Child(name, "name"))
	}
	class := l.typ(name)
	var args []ir.Arg
	for c := range l.NamedChildren(l.Child(n, "body")) {
		switch l.Kind(c) {
		case "shorthand_field_initializer":
			id := l.last(c)
			args = append(args, ir.Arg{Name: l.Str(l.text(id)), X: l.expr(id)})
		case "field_initializer":
			args = append(args, ir.Arg{Name: l.Str(l.text(l.Child(c, "field"))), X: l.expr(l.Child(c, "value"))})
		case "base_field_initializer":
			args = append(args, ir.Arg{X: l.exprOf(l.last(c), class), Kind: ir.KwSpread})
		}
	}
	return l.Flag(l.New(class, args, pos), ir.Implicit)
}

func (l *lowerer) index(n syntax.Node) ir.Expr {
	value, key := l.NamedChild(n, 0), l.NamedChild(n, 1)
	x, i := l.expr(value), l.expr(key)
	if l.Kind(key) == "range_expression" { // a part of the same kind
		l.Eval(i)
		return x
	}
	constant := ""
	if l.Kind(key) == "integer_literal" {
		constant = l.text(key)
	}
	return l.Index(x, i, constant, l.Start(n))
}

// assign is left = right.
func (l *lowerer) assign(left, right syntax.Node) {
	if left == 0 || l.Kind(left) == "_" {
		l.Eval(l.expr(right))
		return
	}
	value := l.expr(right)
	target := l.target(left)
	if target == 0 {
		l.Eval(value)
		return
	}
	l.Bind(target, value)
}

// target is what is assigned to.
func (l *lowerer) target(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "identifier":
		return l.name(l.text(n), l.Start(n))
	case "self", "field_expression", "index_expression", "scoped_identifier":
		return l.expr(n)
	case "unary_expression", "parenthesized_expression":
		return l.target(l.last(n))
	case "tuple_expression", "array_expression":
		args := ir.Args(l.Exprs(n, l.target)...)
		return l.List("tuple", args, l.Start(n))
	}
	l.Eval(l.expr(n))
	return 0
}

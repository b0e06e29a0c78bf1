package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// stmt lowers a statement or declaration.
func (l *lowerer) stmt(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	if l.done[n] {
		return
	}
	switch l.Kind(n) {
	case "expression_statement":
		l.Each(n, l.effect)
	case "lexical_declaration", "variable_declaration":
		l.variables(n, false)
	case "function_declaration", "generator_function_declaration", "function_signature":
		l.functionDeclaration(n, false)
	case "class_declaration", "abstract_class_declaration":
		l.classDeclaration(n, false)
	case "interface_declaration", "type_alias_declaration", "enum_declaration", "internal_module", "module",
		"import_alias", "ambient_declaration":
		l.declaration(n, false)
	case "import_statement":
		l.importStatement(n)
	case "export_statement":
		l.exportStatement(n)
	case "statement_block":
		l.block(n)
	case "if_statement":
		l.ifStatement(n)
	case "for_statement":
		l.PushScope()
		init := l.Child(n, "initializer")
		l.hoistLexical(init)
		l.stmt(init)
		l.stmt(l.Child(n, "condition"))
		l.effect(l.Child(n, "increment"))
		l.stmt(l.Child(n, "body"))
		l.PopScope()
	case "for_in_statement":
		l.forIn(n)
	case "while_statement":
		l.branch(l.Child(n, "condition"), l.Child(n, "body"))
	case "do_statement":
		l.stmt(l.Child(n, "body"))
		l.Eval(l.expr(l.Child(n, "condition")))
	case "return_statement":
		l.Return(l.expr(l.NamedChild(n, 0)))
	case "throw_statement":
		l.Stmt(ir.Raise, l.expr(l.NamedChild(n, 0)), 0)
	case "switch_statement":
		l.Eval(l.operand(l.Child(n, "value")))
		l.PushScope()
		body := l.Child(n, "body")
		l.Each(body, l.hoistBlock)
		l.Each(body, l.switchCase)
		l.PopScope()
	case "catch_clause":
		l.catch(n)
	case "with_statement":
		l.Eval(l.expr(l.Child(n, "object")))
		l.stmt(l.Child(n, "body"))
	case "try_statement", "finally_clause", "else_clause", "labeled_statement", "ERROR":
		l.Each(n, l.stmt)
	case "break_statement", "continue_statement", "empty_statement", "debugger_statement", "statement_identifier",
		"hash_bang_line":
	default:
		l.effect(n)
	}
}

func (l *lowerer) switchCase(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		if l.Field(c) == "value" {
			l.Eval(l.operand(c))
		} else {
			l.stmt(c)
		}
	}
}

// block lowers statements with a scope of their own.
func (l *lowerer) block(n syntax.Node) {
	l.PushScope()
	paths := len(l.paths)
	l.hoistBlock(n)
	l.Each(n, l.stmt)
	l.paths = l.paths[:paths]
	l.PopScope()
}

// effect lowers an expression that stands for what it does, not for its value.
func (l *lowerer) effect(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "parenthesized_expression", "sequence_expression":
		l.Each(n, l.effect)
	case "assignment_expression":
		l.assign(n)
	case "augmented_assignment_expression":
		l.augmented(n)
	case "unary_expression":
		l.effect(l.Child(n, "argument"))
	case "internal_module": // the grammar takes a namespace for an expression
		l.namespace(n, false)
	case "number", "string":
	default:
		l.Eval(l.expr(n))
	}
}

// variables lowers the declarators of var, let, const and using.
func (l *lowerer) variables(n syntax.Node, exported bool) {
	kind := l.First(n)
	declare := l.Declare
	if l.Kind(n) == "variable_declaration" {
		declare = l.DeclareFunc
	}
	fixed := l.Is(kind, "const")
	for d := range l.OfKind(n, "variable_declarator") {
		l.variable(d, declare, fixed, exported)
	}
}

// variable lowers one declarator. A name that is bound to a function or class
// where it is declared is that function's or class's name.
func (l *lowerer) variable(d syntax.Node, declare func(string, int) ir.Var, fixed, exported bool) {
	at, value := l.Child(d, "name"), l.Child(d, "value")
	pos := l.Start(at)
	if l.Kind(at) != "identifier" {
		if l.requirePattern(at, value, exported) {
			return
		}
		l.destructured(d, at, value, declare, exported)
		return
	}
	name := l.Text(at)
	if l.requireVariable(name, value, exported, pos) {
		return
	}
	inner := l.literal(value)
	switch kind := l.Kind(inner); {
	case isFunction(kind) && l.Child(d, "type") == 0:
		self := &receiver{}
		if l.protos[name] {
			self = &receiver{kind: thisInstance, name: name}
		}
		flags := ir.FuncFlag(0)
		if l.Class() != 0 {
			flags = ir.Static
		}
		if !fixed && l.AtTop() {
			if l.assignable == nil {
				l.assignable = map[string]bool{}
			}
			l.assignable[name] = true
		}
		f := l.function(inner, name, flags, pos, self)
		l.defineIn(ir.FuncMember, name, uint32(f), exported, declare, pos)
		return
	case l.Kind(value) == "object", l.Kind(value) == "satisfies_expression" && kind == "object":
		// What the functions of the object call "this" is the variable.
		v := declare(name, pos)
		if typ := l.typ(l.Child(d, "type")); typ != 0 {
			l.VarInfo(v).Type = typ
		}
		l.markVar(name, exported)
		l.initialize(v, name, l.object(inner, name, name), pos)
		return
	case kind == "class":
		c := l.class(inner, name, pos)
		l.defineIn(ir.ClassMember, name, uint32(c), exported, declare, pos)
		return
	}
	v := declare(name, pos)
	if typ := l.typ(l.Child(d, "type")); typ != 0 {
		l.VarInfo(v).Type = typ
	}
	l.markVar(name, exported)
	if value == 0 {
		return
	}
	l.initialize(v, name, l.valueAt(value, name, at), pos)
}

// initialize gives a variable its first value.
func (l *lowerer) initialize(v ir.Var, name string, x ir.Expr, pos int) {
	if l.Class() != 0 { // of a namespace
		l.VarInfo(v).Init = x
		return
	}
	l.Bind(l.variableRef(v, name, pos), x)
}

// defineIn is define for a name that may be declared in an outer block (var).
func (l *lowerer) defineIn(kind ir.MemberKind, name string, ref uint32, exported bool, declare func(string, int) ir.Var, pos int) {
	if l.AtTop() || l.Class() != 0 {
		l.define(kind, name, ref, exported, l.Class() != 0, pos)
		return
	}
	op := ir.Lambda
	if kind == ir.ClassMember {
		op = ir.ClassX
	}
	v := declare(name, pos)
	l.Bind(l.variableRef(v, name, pos), l.Expr(ir.Node{Op: op, Ref: ref, Pos: l.Pos(pos), Flags: ir.Implicit}))
}

// variableRef is the use of a variable that was just declared.
func (l *lowerer) variableRef(v ir.Var, name string, pos int) ir.Expr {
	if l.VarInfo(v).Func == 0 {
		return l.Free(name, pos)
	}
	return l.Local(v, pos)
}

// markVar marks a variable at the top or in a namespace as exported.
func (l *lowerer) markVar(name string, exported bool) {
	list := l.Raw().Top
	if c := l.Class(); c != 0 {
		list = l.ClassInfo(c).Members
	} else if !exported {
		return
	}
	str := l.Str(name)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == str && list[i].Kind == ir.VarMember {
			list[i].Exported = exported
			list[i].Static = l.Class() != 0
			return
		}
	}
}

// destructured lowers a declarator with a pattern.
func (l *lowerer) destructured(d, at, value syntax.Node, declare func(string, int) ir.Var, exported bool) {
	x := l.expr(value)
	typ := l.typ(l.Child(d, "type"))
	if typ != 0 {
		x = l.Binary(ir.Cast, x, typ, l.Start(at))
	}
	l.declarePattern(at, func(name string, pos int) ir.Var {
		v := declare(name, pos)
		l.markVar(name, exported)
		return v
	})
	if l.Class() != 0 {
		l.Eval(x)
		return
	}
	l.Bind(l.pattern(at), x)
}

func (l *lowerer) forIn(n syntax.Node) {
	right := l.expr(l.Child(n, "right"))
	left := l.Child(n, "left")
	elem := ir.Node{Op: ir.Elem, A: right, Pos: l.Pos(l.Start(left))}
	if l.Is(l.Child(n, "operator"), "in") {
		elem.Name = l.Str("key")
	}
	l.PushScope()
	switch kind := l.Child(n, "kind"); {
	case kind == 0:
	case l.Is(kind, "var"):
		l.declarePattern(left, l.DeclareFunc)
	default:
		l.declarePattern(left, l.Declare)
	}
	l.Bind(l.pattern(left), l.Expr(elem))
	l.stmt(l.Child(n, "body"))
	l.PopScope()
}

func (l *lowerer) catch(n syntax.Node) {
	l.PushScope()
	if p := l.Child(n, "parameter"); p != 0 {
		if l.Kind(p) == "identifier" {
			l.Declare(l.Text(p), l.Start(p))
		} else {
			l.declarePattern(p, l.Declare)
		}
	}
	l.stmt(l.Child(n, "body"))
	l.PopScope()
}

package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// definition lowers a call that defines something, and reports whether it does.
func (l *lowerer) definition(n syntax.Node, word string) bool {
	switch word {
	case "defmodule":
		l.defModule(n, l.argument(n, 0), ir.Namespace, "")
	case "defprotocol":
		l.defModule(n, l.argument(n, 0), ir.Interface, "")
	case "defimpl":
		l.defModule(n, l.option(n, "for"), ir.Namespace, l.Text(l.argument(n, 0)))
	case "def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate":
		l.function(n, l.argument(n, 0), !strings.HasSuffix(word, "p"))
	case "defstruct", "defexception":
		l.named(n, word, ir.Struct, true, l.Start(n))
		for c := range l.NamedChildren(l.ChildOf(n, "arguments")) {
			l.Keep(l.expr(c))
		}
	case "alias", "import", "require", "use", "defoverridable":
		if list := l.ChildOf(n, "arguments"); word == "use" {
			l.Keep(l.Unknown(l.ChildOf(list, "keywords"), l.expr))
		}
	default:
		return false
	}
	return true
}

// defModule lowers a module, a protocol, or the implementation of one.
func (l *lowerer) defModule(n, name syntax.Node, kind ir.ClassKind, protocol string) {
	path := l.Text(name)
	pos := l.Start(name) + strings.LastIndexByte(path, '.') + 1 // its last name
	if path == "" {
		l.Keep(l.block(n))
		return
	}
	if protocol != "" {
		path = protocol + "." + path
	}
	static := l.Class() != 0
	c := l.OpenClass(n, path, kind, pos)
	if protocol != "" {
		l.AddBase(c, l.modulePath(protocol, l.Start(l.argument(n, 0))), ir.Extend)
	}
	whole := path
	if k := len(l.modules); k > 0 {
		whole = l.modules[k-1] + "." + path
	}
	l.modules = append(l.modules, whole)
	l.Keep(l.block(n))
	l.modules = l.modules[:len(l.modules)-1]
	l.EndClass(l.End(n))
	l.DefineClass(c, static, true, pos)
}

// named defines a type, of which nothing is known but its name.
func (l *lowerer) named(n syntax.Node, name string, kind ir.ClassKind, exported bool, pos int) {
	c := l.OpenClass(n, name, kind, pos)
	l.EndClass(l.End(n))
	l.DefineClass(c, l.Class() != 0, exported, pos)
}

// attribute lowers what begins with @ in a module: what is said about it, or a field.
func (l *lowerer) attribute(n syntax.Node) ir.Expr {
	operand := l.Child(n, "operand")
	if l.Kind(operand) == "identifier" {
		return l.Attr(l.module(l.Start(n)), l.Text(operand), l.Start(operand))
	}
	word, value := l.word(operand), l.argument(operand, 0)
	switch word {
	case "behaviour":
		if c := l.Enclosing(); c != 0 && l.Kind(value) == "alias" {
			l.AddBase(c, l.modulePath(l.Text(value), l.Start(value)), ir.Extend)
		}
	case "callback", "macrocallback":
		l.function(operand, l.Child(value, "left"), true)
		l.clause = clause{} // it is no clause of the module's own function
	case "type", "typep", "opaque":
		if name := l.Child(value, "left"); l.Kind(name) == "identifier" || l.word(name) != "" {
			if l.Kind(name) == "call" {
				name = l.Child(name, "target")
			}
			l.named(n, l.Text(name), ir.PlainClass, word != "typep", l.Start(name))
		}
	case "spec", "doc", "moduledoc", "typedoc", "optional_callbacks":
	default:
		x := l.expr(value)
		if at := l.Child(operand, "target"); l.Class() != 0 && word != "impl" {
			l.AddField(word, l.Start(at), 0, x, true, false)
		} else {
			l.Keep(x)
		}
	}
	return 0
}

// function lowers a definition of a function or macro, or a further clause of one.
func (l *lowerer) function(n, head syntax.Node, exported bool) {
	var guard syntax.Node
	if l.Kind(l.Child(head, "operator")) == "when" {
		head, guard = l.Child(head, "left"), l.Child(head, "right")
	}
	var name syntax.Node
	var params []syntax.Node
	switch l.Kind(head) {
	case "identifier":
		name = head
	case "call":
		name = l.Child(head, "target")
		params = l.nodes(l.ChildOf(head, "arguments"))
	case "binary_operator": // a <> b
		name = l.Child(head, "operator")
		params = []syntax.Node{l.Child(head, "left"), l.Child(head, "right")}
	}
	if !l.Enter(name) {
		return
	}
	defer l.Leave()
	this := clause{l.Class(), l.Text(name), len(params), l.clause.fn}
	body := l.option(n, "do")
	if this.fn != 0 && l.clause == this && this.module != 0 {
		l.ResumeFunc(this.fn)
		for i, p := range l.FuncInfo(this.fn).Params {
			l.match(params[i], l.Local(p.Var, l.Start(params[i])))
		}
	} else {
		static := l.Class() != 0 && l.ClassInfo(l.Class()).Kind == ir.Namespace
		abstract := l.Class() != 0 && !static && body == 0 && l.ChildOf(n, "do_block") == 0
		this.fn = l.OpenFunc(n, this.name, l.Start(name), walk.When(static, ir.Static)|walk.When(abstract, ir.Abstract))
		for _, p := range params {
			l.param(p)
		}
		defer l.DefineFunc(this.fn, static, exported, l.Start(name))
	}
	l.Keep(l.expr(guard))
	if to := l.option(n, "to"); to != 0 {
		l.delegate(n, to, name)
	}
	l.Return(l.expr(body))
	l.Return(l.block(n))
	l.EndFunc(l.End(n))
	l.clause = this
}

// nodes are the named children of a node.
func (l *lowerer) nodes(n syntax.Node) []syntax.Node {
	var list []syntax.Node
	l.Each(n, func(c syntax.Node) { list = append(list, c) })
	return list
}

// param declares a parameter, and what its pattern binds.
func (l *lowerer) param(n syntax.Node) {
	var value ir.Expr
	if l.Kind(l.Child(n, "operator")) == `\\` {
		value = l.Or(l.expr(l.Child(n, "right")))
		n = l.Child(n, "left")
	}
	if l.Kind(n) == "identifier" {
		l.Param(l.Text(n), 0, value, ir.Positional, l.Start(n))
		return
	}
	v := l.Param("#"+l.Text(n), 0, value, ir.Positional, l.Start(n)) // a pattern: it names nothing
	l.match(n, l.Local(v, l.Start(n)))
}

// delegate is the body of a function that is another one of another module.
func (l *lowerer) delegate(n, to, name syntax.Node) {
	as := l.Text(name)
	if other := l.option(n, "as"); other != 0 {
		as = strings.TrimPrefix(l.Text(other), ":")
	}
	var args []ir.Arg
	for _, p := range l.FuncInfo(l.Func()).Params {
		args = append(args, ir.Arg{X: l.Local(p.Var, l.Start(name))})
	}
	l.Return(l.Call(l.Attr(l.expr(to), as, l.Start(to)), args, l.Start(to)))
}

package ruby

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call with its arguments and its block.
func (l *lowering) call(n syntax.Node) ir.Expr {
	receiver, at, args := l.t.Child(n, "receiver"), l.t.Child(n, "method"), l.t.Child(n, "arguments")
	block := l.t.Child(n, "block")
	if l.t.Kind(at) == "super" {
		return l.super(n, args, block)
	}
	name, pos := l.t.Text(at), l.t.Start(at)
	if at == 0 { // x.(1)
		name, pos = "call", l.t.Start(n)
	}
	if receiver == 0 || l.t.Kind(receiver) == "self" && l.body != nil {
		if l.classCall(n, name, args) {
			return 0
		}
	}
	if receiver == 0 {
		if x, ok := l.bareCall(n, name, args, block); ok {
			return x
		}
	}
	if (receiver == 0 || l.t.Kind(receiver) == "constant") && block != 0 {
		if l.examples(n, name, args, block) {
			return 0
		}
	}
	if l.t.Kind(receiver) == "super" {
		return l.invoke(n, l.super(receiver, 0, 0), name, pos, args, block)
	}
	if receiver == 0 {
		return l.invoke(n, 0, name, pos, args, block)
	}
	if k := l.t.Kind(at); k == "constant" && args == 0 && block == 0 { // A::B behind a call
		return l.b.Attr(l.expr(receiver), name, pos)
	}
	x := l.expr(receiver)
	if x == 0 && l.t.Kind(receiver) != "self" { // nothing is known of it, but it is a call all the same
		x = l.b.Local(l.b.Temp(pos), pos)
	}
	return l.invoke(n, x, name, pos, args, block)
}

// bareCall lowers the calls without a receiver that mean something of their own.
func (l *lowering) bareCall(n syntax.Node, name string, args, block syntax.Node) (ir.Expr, bool) {
	pos := l.t.Start(n)
	switch name {
	case "require", "require_relative", "load":
		if l.load(name, args) {
			return 0, true
		}
	case "autoload":
		if path := l.t.NamedChild(args, 1); l.symbol(path) != "" {
			l.b.AddImport(ir.ImportInfo{Module: l.b.Str(l.symbol(path)), Name: l.b.Str("*"), Flags: ir.Include}, "", false, pos)
			return 0, true
		}
	case "lambda", "proc":
		if block != 0 {
			b := l.block(block, l.t.Child(block, "parameters"), l.t.Child(block, "body"))
			return l.b.Lambda(b.fn, pos), true
		}
	case "raise", "fail":
		var xs []ir.Expr
		for _, a := range l.args(args) {
			xs = append(xs, a.X)
		}
		if len(xs) > 0 && xs[0] != 0 {
			switch l.b.Raw().Exprs[xs[0]].Op {
			case ir.Name, ir.Attr: // raise C, "text" makes one
				var rest []ir.Arg
				for _, x := range xs[1:] {
					rest = append(rest, ir.Arg{X: x})
				}
				xs = []ir.Expr{l.new(xs[0], rest, pos)}
			}
			l.b.Stmt(ir.Raise, xs[0], 0)
			for _, x := range xs[1:] {
				l.eval(x)
			}
		}
		return 0, true
	case "binding", "block_given?":
		return 0, true
	case "new":
		if x := l.self(pos); x != 0 {
			return l.new(x, l.argsAndBlock(args, block), pos), true
		}
	}
	return 0, false
}

// load lowers require and require_relative of a constant path.
func (l *lowering) load(name string, args syntax.Node) bool {
	path := l.t.NamedChild(args, 0)
	module := l.symbol(path)
	if module == "" || l.t.Kind(path) != "string" {
		return false
	}
	if name == "require_relative" && (module[0] != '.' || len(module) > 1 && module[1] != '.' && module[1] != '/') {
		module = "./" + module
	}
	l.b.AddImport(ir.ImportInfo{Module: l.b.Str(module), Name: l.b.Str("*"), Flags: ir.Include}, "", false, l.t.Start(path))
	return true
}

func (l *lowering) new(class ir.Expr, args []ir.Arg, pos int) ir.Expr {
	x := l.b.New(class, args, pos)
	l.b.Raw().Exprs[x].Name = l.b.Str("new")
	return x
}

// invoke lowers a call of a method of x, or of the receiver where x is 0.
func (l *lowering) invoke(n syntax.Node, x ir.Expr, name string, pos int, args, block syntax.Node) ir.Expr {
	switch name {
	case "new":
		if x != 0 {
			return l.new(x, l.argsAndBlock(args, block), pos)
		}
	case "method", "public_method", "instance_method":
		if m := l.symbol(l.t.NamedChild(args, 0)); m != "" && l.t.NamedChild(args, 1) == 0 {
			if x == 0 {
				x = l.self(pos)
			}
			if x == 0 {
				return l.b.Free(m, pos)
			}
			return l.b.Attr(x, m, l.t.Start(l.t.NamedChild(args, 0)))
		}
	case "send", "public_send", "__send__":
		if m := l.symbol(l.t.NamedChild(args, 0)); m != "" {
			at := l.t.Start(l.t.NamedChild(args, 0))
			callee := l.callable(m, at)
			if x != 0 {
				callee = l.b.Attr(x, m, at)
			}
			list := l.argsAndBlock(args, block)
			if m == "new" && x != 0 {
				return l.new(x, list[1:], at)
			}
			return l.b.Call(callee, list[1:], at)
		}
	case "class":
		if x != 0 && args == 0 {
			return l.b.Unary(ir.TypeOf, x, pos)
		}
	case "itself", "freeze", "dup", "clone", "to_proc":
		if x != 0 && args == 0 && block == 0 {
			x = l.once(x, pos)
			l.b.Eval(l.b.Call(l.b.Attr(x, name, pos), nil, pos))
			return x
		}
	}
	if iterates(name) {
		x = l.once(x, pos)
	}
	callee := l.callable(name, pos)
	if x != 0 {
		callee = l.b.Attr(x, name, pos)
	}
	list := l.args(args)
	if x != 0 && keeps(name) {
		for i := range list {
			list[i].X = l.once(list[i].X, pos)
		}
	}
	var b blockInfo
	if block != 0 {
		b = l.block(block, l.t.Child(block, "parameters"), l.t.Child(block, "body"))
		list = append(list, ir.Arg{X: l.b.Lambda(b.fn, l.t.Start(block)), Kind: ir.Block})
	} else if l.proc.fn != 0 {
		b = l.proc
	}
	l.proc = blockInfo{}
	call := l.b.Call(callee, list, pos)
	if x == 0 {
		return call
	}
	return l.iterated(name, call, x, list, b, pos)
}

// argsAndBlock lowers arguments with the block as the last one.
func (l *lowering) argsAndBlock(args, block syntax.Node) []ir.Arg {
	list := l.args(args)
	if block != 0 {
		b := l.block(block, l.t.Child(block, "parameters"), l.t.Child(block, "body"))
		list = append(list, ir.Arg{X: l.b.Lambda(b.fn, l.t.Start(block)), Kind: ir.Block})
	}
	l.proc = blockInfo{}
	return list
}

// args lowers arguments, or the elements of an array or hash.
func (l *lowering) args(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	var proc blockInfo
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "pair":
			args = append(args, l.pair(c))
		case "splat_argument":
			args = append(args, ir.Arg{X: l.anonymous(c, "*"), Kind: ir.Spread})
		case "hash_splat_argument":
			args = append(args, ir.Arg{X: l.anonymous(c, "**"), Kind: ir.KwSpread})
		case "forward_argument":
			if v := l.lookup("..."); v != 0 {
				args = append(args, ir.Arg{X: l.b.Local(v, l.t.Start(c)), Kind: ir.Spread})
				if b := l.blockParam(); b != 0 {
					args = append(args, ir.Arg{X: l.b.Local(b, l.t.Start(c)), Kind: ir.Block})
				}
			}
		case "block_argument":
			in := l.t.NamedChild(c, 0)
			x := ir.Expr(0)
			switch {
			case in == 0:
				if v := l.blockParam(); v != 0 {
					x = l.b.Local(v, l.t.Start(c))
				}
			case l.symbol(in) != "":
				proc = l.toProc(l.symbol(in), l.t.Start(in))
				x = l.b.Lambda(proc.fn, l.t.Start(in))
			default:
				x = l.expr(in)
			}
			args = append(args, ir.Arg{X: x, Kind: ir.Block})
		default:
			args = append(args, ir.Arg{X: l.expr(c)})
		}
	}
	l.proc = proc
	return args
}

// anonymous is the value of *x and **x; alone they stand for the parameter
// without a name.
func (l *lowering) anonymous(n syntax.Node, name string) ir.Expr {
	if in := l.t.NamedChild(n, 0); in != 0 {
		return l.expr(in)
	}
	if v := l.lookup(name); v != 0 {
		return l.b.Local(v, l.t.Start(n))
	}
	return 0
}

// pair lowers key: value; a key that is no constant is evaluated.
func (l *lowering) pair(n syntax.Node) ir.Arg {
	key, value := l.t.Child(n, "key"), l.t.Child(n, "value")
	name := l.symbol(key)
	if name == "" {
		l.eval(l.expr(key))
		return ir.Arg{X: l.expr(value)}
	}
	if value != 0 {
		return ir.Arg{Name: l.b.Str(name), X: l.expr(value)}
	}
	pos := l.t.Start(key)
	if v := l.lookup(name); v != 0 { // f(x:) is f(x: x)
		return ir.Arg{Name: l.b.Str(name), X: l.b.Local(v, pos)}
	}
	return ir.Arg{Name: l.b.Str(name), X: l.b.Call(l.callable(name, pos), nil, pos)}
}

// super lowers super: without an argument list, it passes on the parameters.
func (l *lowering) super(n, args, block syntax.Node) ir.Expr {
	pos := l.t.Start(n)
	if l.method == nil {
		return l.b.Opaque(l.exprs(args)...)
	}
	callee := l.b.Attr(l.b.Unary(ir.Super, 0, pos), l.method.name, pos)
	var list []ir.Arg
	if args == 0 && block == 0 {
		l.blockParam() // passed on like the rest
	}
	if args != 0 {
		list = l.args(args)
	} else {
		for _, p := range l.b.Raw().Funcs[l.method.fn].Params {
			a := ir.Arg{X: l.b.Local(p.Var, pos)}
			switch p.Kind {
			case ir.Variadic:
				a.Kind = ir.Spread
			case ir.KwVariadic:
				a.Kind = ir.KwSpread
			case ir.KwOnly:
				a.Name = p.Name
			case ir.BlockParam:
				a.Kind = ir.Block
			}
			list = append(list, a)
		}
	}
	if block != 0 {
		b := l.block(block, l.t.Child(block, "parameters"), l.t.Child(block, "body"))
		list = append(list, ir.Arg{X: l.b.Lambda(b.fn, l.t.Start(block)), Kind: ir.Block})
	}
	l.proc = blockInfo{}
	return l.b.Call(callee, list, pos)
}

func (l *lowering) exprs(n syntax.Node) []ir.Expr {
	var xs []ir.Expr
	for _, a := range l.args(n) {
		xs = append(xs, a.X)
	}
	return xs
}

// yield calls the block of the method.
func (l *lowering) yield(n syntax.Node) ir.Expr {
	pos := l.t.Start(n)
	args := l.args(l.t.NamedChild(n, 0))
	v := l.blockParam()
	if v == 0 {
		return 0
	}
	return l.b.Call(l.b.Local(v, pos), args, pos)
}

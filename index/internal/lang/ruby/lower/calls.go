package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// call lowers a call with its arguments and its block.
func (l *lowerer) call(n syntax.Node) ir.Expr {
	receiver, at, args := l.Child(n, "receiver"), l.Child(n, "method"), l.Child(n, "arguments")
	block := l.Child(n, "block")
	if l.Kind(at) == "super" {
		return l.super(n, args, block)
	}
	name, pos := l.Text(at), l.Start(at)
	if at == 0 { // x.(1)
		name, pos = "call", l.Start(n)
	}
	if receiver == 0 || l.Kind(receiver) == "self" && l.body != nil {
		if l.classCall(n, name, args) {
			return 0
		}
	}
	if receiver == 0 {
		if x, ok := l.bareCall(n, name, args, block); ok {
			return x
		}
	}
	if (receiver == 0 || l.Kind(receiver) == "constant") && block != 0 {
		if l.examples(n, name, args, block) {
			return 0
		}
	}
	if l.Kind(receiver) == "super" {
		return l.invoke(n, l.super(receiver, 0, 0), name, pos, args, block)
	}
	if receiver == 0 {
		return l.invoke(n, 0, name, pos, args, block)
	}
	if k := l.Kind(at); k == "constant" && args == 0 && block == 0 { // A::B behind a call
		return l.Attr(l.expr(receiver), name, pos)
	}
	x := l.expr(receiver)
	if x == 0 && l.Kind(receiver) != "self" { // nothing is known of it, but it is a call all the same
		x = l.Local(l.Temp(pos), pos)
	}
	return l.invoke(n, x, name, pos, args, block)
}

// bareCall lowers the calls without a receiver that mean something of their own.
func (l *lowerer) bareCall(n syntax.Node, name string, args, block syntax.Node) (ir.Expr, bool) {
	pos := l.Start(n)
	switch name {
	case "require", "require_relative", "load":
		if l.load(name, args) {
			return 0, true
		}
	case "autoload":
		if path := l.NamedChild(args, 1); l.symbol(path) != "" {
			l.AddImport(ir.ImportInfo{Module: l.Str(l.symbol(path)), Name: l.Str("*"), Flags: ir.Include}, "", false, pos)
			return 0, true
		}
	case "lambda", "proc":
		if block != 0 {
			b := l.block(block, l.Child(block, "parameters"), l.Child(block, "body"))
			return l.Lambda(b.fn, pos), true
		}
	case "raise", "fail":
		var xs []ir.Expr
		for _, a := range l.args(args) {
			xs = append(xs, a.X)
		}
		if len(xs) > 0 && xs[0] != 0 {
			switch l.Raw().Exprs[xs[0]].Op {
			case ir.Name, ir.Attr: // raise C, "text" makes one
				var rest []ir.Arg
				for _, x := range xs[1:] {
					rest = append(rest, ir.Arg{X: x})
				}
				xs = []ir.Expr{l.new(xs[0], rest, pos)}
			}
			l.Stmt(ir.Raise, xs[0], 0)
			for _, x := range xs[1:] {
				l.Keep(x)
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
func (l *lowerer) load(name string, args syntax.Node) bool {
	path := l.NamedChild(args, 0)
	module := l.symbol(path)
	if module == "" || l.Kind(path) != "string" {
		return false
	}
	if name == "require_relative" && (module[0] != '.' || len(module) > 1 && module[1] != '.' && module[1] != '/') {
		module = "./" + module
	}
	l.AddImport(ir.ImportInfo{Module: l.Str(module), Name: l.Str("*"), Flags: ir.Include}, "", false, l.Start(path))
	return true
}

func (l *lowerer) new(class ir.Expr, args []ir.Arg, pos int) ir.Expr {
	x := l.New(class, args, pos)
	l.Raw().Exprs[x].Name = l.Str("new")
	return x
}

// invoke lowers a call of a method of x, or of the receiver where x is 0.
func (l *lowerer) invoke(n syntax.Node, x ir.Expr, name string, pos int, args, block syntax.Node) ir.Expr {
	if found, ok := l.computed(x, name, pos, args, block); ok {
		return found
	}
	switch name {
	case "new":
		if x != 0 {
			return l.new(x, l.argsAndBlock(args, block), pos)
		}
	case "method", "public_method", "instance_method":
		if m := l.symbol(l.NamedChild(args, 0)); m != "" && l.NamedChild(args, 1) == 0 {
			if x == 0 && l.Enclosing() != 0 {
				x = l.self(pos)
			}
			if x == 0 {
				return l.Free(m, pos)
			}
			return l.Attr(x, m, l.Start(l.NamedChild(args, 0)))
		}
	case "send", "public_send", "__send__":
		if m := l.symbol(l.NamedChild(args, 0)); m != "" {
			at := l.Start(l.NamedChild(args, 0))
			callee := l.callable(m, at)
			if x != 0 {
				callee = l.Attr(x, m, at)
			}
			list := l.argsAndBlock(args, block)
			if m == "new" && x != 0 {
				return l.new(x, list[1:], at)
			}
			return l.Call(callee, list[1:], at)
		}
	case "class":
		if x != 0 && args == 0 {
			return l.Unary(ir.TypeOf, x, pos)
		}
	case "itself", "freeze", "dup", "clone", "to_proc":
		if x != 0 && args == 0 && block == 0 {
			x = l.once(x, pos)
			l.Eval(l.Call(l.Attr(x, name, pos), nil, pos))
			return x
		}
	}
	if iterates(name) {
		x = l.once(x, pos)
	}
	callee := l.callable(name, pos)
	if x != 0 {
		callee = l.Attr(x, name, pos)
	}
	list := l.args(args)
	if x != 0 && keeps(name) {
		for i := range list {
			list[i].X = l.once(list[i].X, pos)
		}
	}
	var b blockInfo
	if block != 0 {
		b = l.block(block, l.Child(block, "parameters"), l.Child(block, "body"))
		list = append(list, ir.Arg{X: l.Lambda(b.fn, l.Start(block)), Kind: ir.Block})
	} else if l.proc.fn != 0 {
		b = l.proc
	}
	l.proc = blockInfo{}
	call := l.Call(callee, list, pos)
	if x == 0 {
		return call
	}
	return l.iterated(name, call, x, list, b, pos)
}

// argsAndBlock lowers arguments with the block as the last one.
func (l *lowerer) argsAndBlock(args, block syntax.Node) []ir.Arg {
	list := l.args(args)
	if block != 0 {
		b := l.block(block, l.Child(block, "parameters"), l.Child(block, "body"))
		list = append(list, ir.Arg{X: l.Lambda(b.fn, l.Start(block)), Kind: ir.Block})
	}
	l.proc = blockInfo{}
	return list
}

// args lowers arguments, or the elements of an array or hash.
func (l *lowerer) args(n syntax.Node) []ir.Arg {
	var args []ir.Arg
	var proc blockInfo
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "pair":
			args = append(args, l.pair(c))
		case "splat_argument":
			args = append(args, ir.Arg{X: l.anonymous(c, "*"), Kind: ir.Spread})
		case "hash_splat_argument":
			args = append(args, ir.Arg{X: l.anonymous(c, "**"), Kind: ir.KwSpread})
		case "forward_argument":
			if v := l.lookup("..."); v != 0 {
				args = append(args, ir.Arg{X: l.Local(v, l.Start(c)), Kind: ir.Spread})
				if b := l.blockParam(); b != 0 {
					args = append(args, ir.Arg{X: l.Local(b, l.Start(c)), Kind: ir.Block})
				}
			}
		case "block_argument":
			in := l.NamedChild(c, 0)
			x := ir.Expr(0)
			switch {
			case in == 0:
				if v := l.blockParam(); v != 0 {
					x = l.Local(v, l.Start(c))
				}
			case l.symbol(in) != "":
				proc = l.toProc(l.symbol(in), l.Start(in))
				x = l.Lambda(proc.fn, l.Start(in))
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
func (l *lowerer) anonymous(n syntax.Node, name string) ir.Expr {
	if in := l.NamedChild(n, 0); in != 0 {
		return l.expr(in)
	}
	if v := l.lookup(name); v != 0 {
		return l.Local(v, l.Start(n))
	}
	return 0
}

// pair lowers key: value; a key that is no constant is evaluated.
func (l *lowerer) pair(n syntax.Node) ir.Arg {
	key, value := l.Child(n, "key"), l.Child(n, "value")
	name := l.symbol(key)
	if name == "" {
		l.Keep(l.expr(key))
		return ir.Arg{X: l.expr(value)}
	}
	if value != 0 {
		return ir.Arg{Name: l.Str(name), X: l.expr(value)}
	}
	pos := l.Start(key)
	if v := l.lookup(name); v != 0 { // f(x:) is f(x: x)
		return ir.Arg{Name: l.Str(name), X: l.Local(v, pos)}
	}
	return ir.Arg{Name: l.Str(name), X: l.Call(l.callable(name, pos), nil, pos)}
}

// super lowers super: without an argument list, it passes on the parameters.
func (l *lowerer) super(n, args, block syntax.Node) ir.Expr {
	pos := l.Start(n)
	if l.method == nil {
		return l.Opaque(l.exprs(args)...)
	}
	callee := l.Attr(l.Unary(ir.Super, 0, pos), l.method.name, pos)
	var list []ir.Arg
	if args == 0 && block == 0 {
		l.blockParam() // passed on like the rest
	}
	if args != 0 {
		list = l.args(args)
	} else {
		for _, p := range l.Raw().Funcs[l.method.fn].Params {
			a := ir.Arg{X: l.Local(p.Var, pos)}
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
		b := l.block(block, l.Child(block, "parameters"), l.Child(block, "body"))
		list = append(list, ir.Arg{X: l.Lambda(b.fn, l.Start(block)), Kind: ir.Block})
	}
	l.proc = blockInfo{}
	return l.Call(callee, list, pos)
}

func (l *lowerer) exprs(n syntax.Node) []ir.Expr {
	var xs []ir.Expr
	for _, a := range l.args(n) {
		xs = append(xs, a.X)
	}
	return xs
}

// yield calls the block of the method.
func (l *lowerer) yield(n syntax.Node) ir.Expr {
	pos := l.Start(n)
	args := l.args(l.NamedChild(n, 0))
	v := l.blockParam()
	if v == 0 {
		return 0
	}
	return l.Call(l.Local(v, pos), args, pos)
}

package ir

// Expr enters an expression.
func (b *Builder) Expr(n Node) Expr {
	b.file.Exprs = append(b.file.Exprs, n)
	return Expr(len(b.file.Exprs) - 1)
}

func (b *Builder) with(n Node, args []Arg) Expr {
	n.Lo = uint32(len(b.file.Args))
	b.file.Args = append(b.file.Args, args...)
	n.Hi = uint32(len(b.file.Args))
	return b.Expr(n)
}

// Args makes positional arguments.
func Args(xs ...Expr) []Arg {
	args := make([]Arg, len(xs))
	for i, x := range xs {
		args[i].X = x
	}
	return args
}

// Name is the use of a name: Local when it is one here, else free.
func (b *Builder) Name(name string, pos int) Expr {
	if v := b.Lookup(name); v != 0 {
		return b.Expr(Node{Op: Local, Ref: uint32(v), Name: b.Str(name), Pos: b.Pos(pos)})
	}
	return b.Free(name, pos)
}

// Free is the use of a name that is not local, whatever the scopes say.
func (b *Builder) Free(name string, pos int) Expr {
	return b.Expr(Node{Op: Name, Name: b.Str(name), Pos: b.Pos(pos)})
}

// Local is a variable.
func (b *Builder) Local(v Var, pos int) Expr {
	return b.Expr(Node{Op: Local, Ref: uint32(v), Name: b.file.Vars[v].Name, Pos: b.Pos(pos)})
}

// Attr is x.name, with pos at the name.
func (b *Builder) Attr(x Expr, name string, pos int) Expr {
	return b.Expr(Node{Op: Attr, A: x, Name: b.Str(name), Pos: b.Pos(pos)})
}

// Call is fn(args), with pos at the called name.
func (b *Builder) Call(fn Expr, args []Arg, pos int) Expr {
	return b.with(Node{Op: Call, A: fn, Pos: b.Pos(pos)}, args)
}

// New is new class(args).
func (b *Builder) New(class Expr, args []Arg, pos int) Expr {
	return b.with(Node{Op: New, A: class, Pos: b.Pos(pos)}, args)
}

// Index is x[i]; key is i when it is a constant, else "".
func (b *Builder) Index(x, i Expr, key string, pos int) Expr {
	return b.Expr(Node{Op: Index, A: x, B: i, Name: b.Str(key), Pos: b.Pos(pos)})
}

// Lit is a literal of a built-in type.
func (b *Builder) Lit(typ string, pos int) Expr {
	return b.Expr(Node{Op: Lit, Name: b.Str(typ), Pos: b.Pos(pos)})
}

// List is a list, set or tuple literal; typ is the type's word.
func (b *Builder) List(typ string, args []Arg, pos int) Expr {
	return b.with(Node{Op: List, Name: b.Str(typ), Pos: b.Pos(pos)}, args)
}

// Object is a dictionary or object literal; typ is the type's word.
func (b *Builder) Object(typ string, args []Arg, pos int) Expr {
	return b.with(Node{Op: Object, Name: b.Str(typ), Pos: b.Pos(pos)}, args)
}

// Lambda is a function as a value.
func (b *Builder) Lambda(f Func, pos int) Expr {
	return b.Expr(Node{Op: Lambda, Ref: uint32(f), Pos: b.Pos(pos)})
}

// ClassX is a class as a value.
func (b *Builder) ClassX(c Class, pos int) Expr {
	return b.Expr(Node{Op: ClassX, Ref: uint32(c), Pos: b.Pos(pos)})
}

// Union is any one of xs; None are left out, and one alone is itself.
func (b *Builder) Union(xs ...Expr) Expr {
	var args []Arg
	for _, x := range xs {
		if x != 0 {
			args = append(args, Arg{X: x})
		}
	}
	switch len(args) {
	case 0:
		return 0
	case 1:
		return args[0].X
	}
	return b.with(Node{Op: Union}, args)
}

// Opaque is an expression that is not understood, with what is inside of it.
func (b *Builder) Opaque(xs ...Expr) Expr {
	var args []Arg
	for _, x := range xs {
		if x != 0 {
			args = append(args, Arg{X: x})
		}
	}
	if len(args) == 0 {
		return 0
	}
	return b.with(Node{Op: Opaque}, args)
}

// Unary is an operation on x alone: This and Super (x is 0, or for Super the class whose bases are meant), Elem, Await, Deref,
// TypeOf, Iter.
func (b *Builder) Unary(op Op, x Expr, pos int) Expr {
	return b.Expr(Node{Op: op, A: x, Pos: b.Pos(pos)})
}

// Binary is an operation on x and y: Cast, Assign, Decorate.
func (b *Builder) Binary(op Op, x, y Expr, pos int) Expr {
	return b.Expr(Node{Op: op, A: x, B: y, Pos: b.Pos(pos)})
}

// Query is what a query gives of values: an iterator if source is a sequence, or else own.
func (b *Builder) Query(values, source, own Expr, pos int) Expr {
	return b.with(Node{Op: Iter, A: values, B: source, Pos: b.Pos(pos)}, Args(own))
}

// Result is the result number i, from 0, of a call that has several.
func (b *Builder) Result(call Expr, i int) Expr {
	return b.Expr(Node{Op: Result, A: call, Ref: uint32(i)})
}

// Apply is a generic type with its arguments; with base 0 the built-in form name.
func (b *Builder) Apply(base Expr, name string, args []Arg, pos int) Expr {
	return b.with(Node{Op: Apply, A: base, Name: b.Str(name), Pos: b.Pos(pos)}, args)
}

// Stmt adds a statement to the innermost function.
func (b *Builder) Stmt(op StmtOp, x, y Expr) {
	if x == 0 && y == 0 {
		return
	}
	body := &b.file.Bodies[b.Func()]
	*body = append(*body, Stmt{op, x, y})
}

// Eval adds an expression that is evaluated for what it calls and reads.
func (b *Builder) Eval(x Expr) { b.Stmt(Eval, x, 0) }

// Bind adds target = value.
func (b *Builder) Bind(target, value Expr) { b.Stmt(Bind, target, value) }

// Return adds a return.
func (b *Builder) Return(x Expr) { b.Stmt(Return, x, 0) }

// Export adds a name under which a value leaves the file.
func (b *Builder) Export(name string, x Expr, pos int) {
	b.file.Exports = append(b.file.Exports, Export{Name: b.Str(name), X: x, Pos: b.Pos(pos)})
}

package lower

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A libraryFunc is what a function of the language does with arrays and functions.
// Numbers are those of arguments, from 0; less than 0 is none.
type libraryFunc struct {
	list     int   // the array
	callback int   // the function that is called with elements of it
	elements []int // the parameters of the function that are elements
	result   byte  // what comes out: see below
}

// What a function of the library gives.
const (
	givesItself  = iota + 1 // the array, or one of some of its elements
	givesElement            // an element of it
	givesMapped             // an array of what the function returns
	givesFolded             // what the function returns
	givesAll                // an array of the elements of all arguments
	givesNothing
)

var library = map[string]libraryFunc{
	"array_map":         {1, 0, nil, givesMapped},
	"array_filter":      {0, 1, []int{0}, givesItself},
	"array_walk":        {0, 1, []int{0}, givesNothing},
	"array_reduce":      {0, 1, []int{1}, givesFolded},
	"usort":             {0, 1, []int{0, 1}, givesNothing},
	"uasort":            {0, 1, []int{0, 1}, givesNothing},
	"array_find":        {0, 1, []int{0}, givesElement},
	"array_any":         {0, 1, []int{0}, givesNothing},
	"array_all":         {0, 1, []int{0}, givesNothing},
	"iterator_to_array": {0, -1, nil, givesItself},
	"array_values":      {0, -1, nil, givesItself},
	"array_slice":       {0, -1, nil, givesItself},
	"array_reverse":     {0, -1, nil, givesItself},
	"array_unique":      {0, -1, nil, givesItself},
	"array_merge":       {0, -1, nil, givesAll},
	"array_pop":         {0, -1, nil, givesElement},
	"array_shift":       {0, -1, nil, givesElement},
	"current":           {0, -1, nil, givesElement},
	"reset":             {0, -1, nil, givesElement},
	"end":               {0, -1, nil, givesElement},
	"next":              {0, -1, nil, givesElement},
	"prev":              {0, -1, nil, givesElement},
}

// libraryCall lowers a call of a function of the language whose name is known. What
// such functions do with what they are given is written out: the parameters of a
// function literal are elements of the array, and the value is what comes out. The
// call itself stays an external one; only call_user_func calls a function of ours.
func (l *lowerer) libraryCall(name string, callee ir.Expr, args []ir.Arg, pos int) (ir.Expr, bool) {
	switch name {
	case "call_user_func", "call_user_func_array":
		if len(args) == 0 {
			return 0, false
		}
		l.keep(args, 0, pos)
		l.Eval(l.Call(callee, args, pos))
		passed := args[1:]
		if name == "call_user_func_array" && len(args) > 1 {
			passed = []ir.Arg{{X: args[1].X, Kind: ir.Spread}}
		}
		return l.quiet(l.onlyFunction(args[0].X), passed, pos), true
	}
	f, ok := library[name]
	if !ok || f.list >= len(args) {
		return 0, false
	}
	l.keep(args, f.callback, pos)
	call := l.Call(callee, args, pos)
	list := args[f.list].X
	var returned ir.Expr
	if f.callback >= 0 && f.callback < len(args) {
		returned = l.feed(args, f, pos)
	}
	switch f.result {
	case givesItself:
		l.Eval(call)
		return list, true
	case givesElement:
		l.Eval(call)
		return l.Unary(ir.Elem, list, pos), true
	case givesMapped:
		if returned != 0 {
			l.Eval(call)
			return l.List("array", ir.Args(returned), pos), true
		}
	case givesFolded:
		if returned != 0 {
			l.Eval(call)
			if len(args) > 2 {
				return l.Union(returned, args[2].X), true
			}
			return returned, true
		}
	case givesAll:
		l.Eval(call)
		var all []ir.Arg
		for _, a := range args {
			all = append(all, ir.Arg{X: a.X, Kind: ir.Spread})
		}
		return l.List("array", all, pos), true
	}
	return call, true
}

// keep puts arguments that are calls into variables, so that they are called once.
// The function among them stays what it is.
func (l *lowerer) keep(args []ir.Arg, callback, pos int) {
	for i := range args {
		if i == callback {
			continue
		}
		switch l.Raw().Exprs[args[i].X].Op {
		case ir.None, ir.Local, ir.Name, ir.Attr, ir.This, ir.Lit, ir.Lambda:
			continue
		}
		v := l.Temp(pos)
		l.Bind(l.Local(v, pos), args[i].X)
		args[i].X = l.Local(v, pos)
	}
}

// feed gives the parameters of a function literal the elements of an array, and
// returns what the literal returns, by a variable.
func (l *lowerer) feed(args []ir.Arg, f libraryFunc, pos int) ir.Expr {
	n := l.Raw().Exprs[args[f.callback].X]
	if n.Op != ir.Lambda {
		return 0
	}
	fn := ir.Func(n.Ref)
	for i, p := range l.Raw().Funcs[fn].Params {
		list := f.list
		switch {
		case f.result == givesMapped: // a parameter for each of the arrays
			list += i
		case !slices.Contains(f.elements, i):
			continue
		}
		if list < len(args) {
			l.Bind(l.Local(p.Var, pos), l.Unary(ir.Elem, args[list].X, pos))
		}
	}
	v := l.Temp(pos)
	l.Raw().Vars[v].Func = fn
	var kept []ir.Stmt
	for _, s := range l.Raw().Body(fn) {
		if s.Op == ir.Return {
			kept = append(kept, ir.Stmt{Op: ir.Bind, A: l.Local(v, pos), B: s.A})
			s.A = l.Local(v, pos)
		}
		kept = append(kept, s)
	}
	l.Raw().Bodies[fn] = kept
	if params := l.Raw().Funcs[fn].Params; f.result == givesFolded && len(params) > 0 {
		l.Bind(l.Local(params[0].Var, pos), l.Local(v, pos))
		if len(args) > 2 {
			l.Bind(l.Local(params[0].Var, pos), args[2].X)
		}
	}
	return l.Local(v, pos)
}

// onlyFunction leaves of a callback in a string or pair what names a function.
func (l *lowerer) onlyFunction(x ir.Expr) ir.Expr {
	if n := l.Raw().Exprs[x]; n.Op == ir.Union && n.Hi > n.Lo {
		return l.Raw().Args[n.Hi-1].X
	}
	return x
}

// quiet is a call that is not in the text.
func (l *lowerer) quiet(fn ir.Expr, args []ir.Arg, pos int) ir.Expr {
	x := l.Call(fn, args, pos)
	l.Flag(x, ir.Implicit)
	return x
}

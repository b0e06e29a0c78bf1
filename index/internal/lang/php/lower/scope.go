package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A contextKind says which variables a function sees.
type contextKind uint8

const (
	topLevel contextKind = iota
	function             // its own ones alone; closures declare those they take along
	arrow                // its own parameters, and all of the function around it
)

// A context is a function that is being written, with its variables. PHP has
// neither blocks nor declarations, so the Builder's scopes are not used.
type context struct {
	fn   ir.Func
	kind contextKind
	vars map[string]ir.Var // 0: declared "global"
	// narrowed are the variables whose class is known in the branch being written,
	// innermost last; those with v 0 have been assigned to since.
	narrowed []narrowing
	self     bool // it returns $this
	other    bool // it returns something else
}

type narrowing struct {
	name string
	v    ir.Var
}

// A classContext is a class that is being written.
type classContext struct {
	class  ir.Class
	parent ir.Expr // nothing, where it extends none
	trait  bool
	test   bool // its test methods are run by PHPUnit
}

func (l *lowerer) push(fn ir.Func, kind contextKind) {
	l.contexts = append(l.contexts, context{fn: fn, kind: kind, vars: map[string]ir.Var{}})
}

func (l *lowerer) pop() { l.contexts = l.contexts[:len(l.contexts)-1] }

func (l *lowerer) context() *context { return &l.contexts[len(l.contexts)-1] }

// find returns the variable that a name means here, which is made on its first
// use, or 0 for one of the top of the file.
func (l *lowerer) find(name string, pos int) ir.Var {
	for i := len(l.contexts) - 1; ; i-- {
		c := &l.contexts[i]
		if c.kind == topLevel {
			return 0
		}
		if v, ok := c.vars[name]; ok {
			return v
		}
		if c.kind == arrow && i > 0 {
			continue
		}
		v := l.Temp(pos)
		id := l.Str(name)
		info := l.VarInfo(v)
		info.Name, info.Func = id, c.fn
		c.vars[name] = v
		return v
	}
}

// read lowers the use of a variable.
func (l *lowerer) read(n syntax.Node) ir.Expr {
	name, pos := l.Text(n), l.Start(n)
	if name == "$this" {
		return l.Unary(ir.This, 0, pos)
	}
	if v := l.narrow(name); v != 0 {
		return l.Local(v, pos)
	}
	return l.variable(name, pos)
}

func (l *lowerer) variable(name string, pos int) ir.Expr {
	if v := l.find(name, pos); v != 0 {
		return l.Local(v, pos)
	}
	return l.Free(name, pos)
}

// write lowers a variable that is assigned to.
func (l *lowerer) write(n syntax.Node) ir.Expr {
	name, pos := l.Text(n), l.Start(n)
	if name == "$this" {
		return l.Unary(ir.This, 0, pos)
	}
	c := l.context()
	if len(c.narrowed) > 0 {
		c.narrowed = append(c.narrowed, narrowing{name, 0})
	}
	if v := l.find(name, pos); v != 0 {
		return l.Local(v, pos)
	}
	if l.context().kind == topLevel && l.top[name] == 0 {
		l.declareTop(name, pos)
	}
	return l.Free(name, pos)
}

// declareTop makes a variable of the top of the file, even inside of a namespace.
func (l *lowerer) declareTop(name string, pos int) {
	v := l.Temp(pos)
	id := l.Str(name)
	info := l.VarInfo(v)
	info.Name, info.Func = id, 0
	l.top[name] = v
	f := l.Raw()
	f.Top = append(f.Top, ir.Member{Name: id, Kind: ir.VarMember, Ref: uint32(v)})
}

// narrow returns the variable that stands for name where its class is known, or 0.
func (l *lowerer) narrow(name string) ir.Var {
	for i := len(l.contexts) - 1; i >= 0; i-- {
		c := &l.contexts[i]
		for j := len(c.narrowed) - 1; j >= 0; j-- {
			if c.narrowed[j].name == name {
				return c.narrowed[j].v
			}
		}
		if _, own := c.vars[name]; own || c.kind != arrow {
			return 0
		}
	}
	return 0
}

// mark returns the state of the narrowing, to be given to restore at the end of a
// branch.
func (l *lowerer) mark() int { return len(l.context().narrowed) }

func (l *lowerer) restore(mark int) {
	c := l.context()
	c.narrowed = c.narrowed[:min(mark, len(c.narrowed))]
}

// A test is "$name instanceof Class" in a condition.
type test struct {
	name  string
	class syntax.Node
	pos   int
}

// tests collects what a condition says of the classes of variables when it is
// true, or, with negated, when it is false.
func (l *lowerer) tests(n syntax.Node, negated bool, out []test) []test {
	for i := 0; n != 0 && i < walk.MaxDepth; i++ {
		switch l.Kind(n) {
		case "parenthesized_expression":
			n = l.NamedChild(n, 0)
		case "unary_op_expression":
			if l.Kind(l.Child(n, "operator")) != "!" {
				return out
			}
			n, negated = l.Child(n, "argument"), !negated
		case "binary_expression":
			left, right := l.Child(n, "left"), l.Child(n, "right")
			switch l.Kind(l.Child(n, "operator")) {
			case "instanceof":
				if !negated && l.Kind(left) == "variable_name" && !l.Is(left, "$this") {
					switch l.Kind(right) {
					case "name", "qualified_name":
						out = append(out, test{l.Text(left), right, l.Start(left)})
					}
				}
				// "!$x instanceof C" is parsed as (!$x) instanceof C by the grammar, and
				// means the negation of the whole.
				if l.Kind(left) == "unary_op_expression" && negated {
					if v := l.Child(left, "argument"); l.Kind(v) == "variable_name" && (l.Kind(right) == "name" || l.Kind(right) == "qualified_name") {
						out = append(out, test{l.Text(v), right, l.Start(v)})
					}
				}
				return out
			case "&&", "and":
				if negated {
					return out
				}
			case "||", "or":
				if !negated {
					return out
				}
			default:
				return out
			}
			out = l.tests(right, negated, out)
			n = left
		default:
			return out
		}
	}
	return out
}

// apply narrows the variables of tests, each to the value as its class.
func (l *lowerer) apply(tests []test) {
	for i := len(tests) - 1; i >= 0; i-- {
		c := tests[i]
		old := l.narrow(c.name)
		value := ir.Expr(0)
		if old != 0 {
			value = l.Local(old, c.pos)
		} else {
			value = l.variable(c.name, c.pos)
		}
		v := l.Temp(c.pos)
		id := l.Str(c.name)
		info := l.VarInfo(v)
		info.Name, info.Func = id, l.context().fn
		l.Bind(l.Local(v, c.pos), l.Binary(ir.Cast, value, l.class(c.class), c.pos))
		l.context().narrowed = append(l.context().narrowed, narrowing{c.name, v})
	}
}

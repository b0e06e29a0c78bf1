// Package defuse tells where the variables of a lowered file get their values: from what a
// function is passed, from one assignment, or from several (definition-use chains, without
// the order of statements).
package defuse

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

const (
	// maxSteps bounds how many variables and calls lead from a result to a parameter.
	maxSteps = 8
	// maxNodes bounds the expressions that the questions about one function look at.
	maxNodes = 1 << 12
)

// A Variable is how a variable gets its values.
type Variable struct {
	Func  ir.Func // of a parameter or receiver: whose; else 0
	Param int     // 0: the receiver; n+1: the parameter n
	From  ir.Expr // what it is assigned, once
	times int     // how often it is assigned
}

// Passed reports whether a variable of a function or its receiver is never assigned.
func (v Variable) Passed() bool { return v.Func != 0 && v.times == 0 }

// Chains are the variables of one file.
type Chains struct {
	f    *ir.File
	vars []Variable // by ir.Var
	left int        // expressions that may still be looked at
}

// Of finds out how the variables of a file, whose bodies are at hand, get their values.
// into is reused, and may be nil.
func Of(f *ir.File, into *Chains) *Chains {
	if into == nil {
		into = &Chains{}
	}
	c := into
	c.Begin()
	c.f, c.vars = f, append(c.vars[:0], make([]Variable, len(f.Vars))...)
	for fn := 1; fn < len(f.Funcs); fn++ {
		info := &f.Funcs[fn]
		if info.Self != 0 {
			c.vars[info.Self].Func = ir.Func(fn)
		}
		for i, p := range info.Params {
			c.vars[p.Var] = Variable{Func: ir.Func(fn), Param: i + 1}
			if p.Kind != ir.Positional {
				c.vars[p.Var].times = 2 // a list of what is passed
			}
		}
		for _, s := range f.Body(ir.Func(fn)) {
			if s.Op == ir.Bind {
				c.assign(s.A, s.B)
			}
		}
	}
	for x := range f.Exprs {
		if f.Exprs[x].Op == ir.Assign {
			c.assign(f.Exprs[x].A, 0)
		}
	}
	return c
}

// assign counts the assignments to the variables in a target.
func (c *Chains) assign(target, from ir.Expr) {
	n := &c.f.Exprs[target]
	switch n.Op {
	case ir.Local:
		v := &c.vars[n.Ref]
		if v.times++; from == 0 {
			v.times++
		}
		v.From = from
	case ir.Attr, ir.Index, ir.Name, ir.Call:
	default:
		for _, a := range c.f.Args[n.Lo:n.Hi] {
			c.assign(a.X, 0)
		}
		if n.A != 0 {
			c.assign(n.A, 0)
		}
	}
}

// Var returns how a variable gets its values.
func (c *Chains) Var(v ir.Var) Variable { return c.vars[v] }

// Begin lets the questions that follow, all about what one function gives back, look at as
// many expressions as any may. Variables that are made of each other, several times each,
// would else be looked at once for each way that leads to them.
func (c *Chains) Begin() { c.left = maxNodes }

// Passes reports which parameters of the functions around may be in what an expression
// gives, by its form alone: a bit for the Param of each, the last one for all beyond. open
// says of which parameters the values are those that are passed. Beyond what Begin allows
// it reports none.
func (c *Chains) Passes(x ir.Expr, open func(ir.Var) bool) uint64 {
	return c.passes(x, open, 0)
}

func (c *Chains) passes(x ir.Expr, open func(ir.Var) bool, depth int) uint64 {
	if c.left--; x == 0 || depth > maxSteps || c.left < 0 {
		return 0
	}
	n := &c.f.Exprs[x]
	out := uint64(0)
	switch n.Op {
	case ir.Local:
		v := c.vars[n.Ref]
		switch {
		case v.Passed():
			if c.f.Funcs[v.Func].Flags&(ir.TestFunc|ir.Entry) == 0 && open(ir.Var(n.Ref)) {
				out = 1 << min(v.Param, 63)
			}
		case v.Func == 0 && v.times == 1:
			out = c.passes(v.From, open, depth+1)
		}
	case ir.Lambda:
		out = c.captures(ir.Func(n.Ref), open, depth+1)
	case ir.Assign, ir.Decorate:
		out = c.passes(n.B, open, depth+1)
	case ir.Cast:
		out = c.passes(n.A, open, depth+1)
	case ir.Union, ir.Call:
		if n.Op == ir.Call && c.f.Exprs[n.A].Op == ir.Local {
			out = c.passes(n.A, open, depth+1)
		}
		for _, a := range c.f.Args[n.Lo:n.Hi] {
			if a.Kind == ir.Plain {
				out |= c.passes(a.X, open, depth+1)
			}
		}
	}
	return out
}

// Captures is Passes of what a function literal returns.
func (c *Chains) Captures(fn ir.Func, open func(ir.Var) bool) uint64 {
	return c.captures(fn, open, 0)
}

func (c *Chains) captures(fn ir.Func, open func(ir.Var) bool, depth int) uint64 {
	out := uint64(0)
	if c.f.Funcs[fn].Flags&ir.Generator != 0 {
		return 0
	}
	for _, s := range c.f.Body(fn) {
		if s.Op == ir.Return {
			out |= c.passes(s.A, open, depth+1)
		}
	}
	return out
}

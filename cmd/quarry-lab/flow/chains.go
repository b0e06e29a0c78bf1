package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/cfg"
)

// A touch is one place that reads or writes a variable.
type touch struct {
	object types.Object
	at     int
	def    bool
}

// local returns the variable of this function that an identifier names, nil for others.
func (f *goFunction) local(id *ast.Ident) types.Object {
	o := f.info.Uses[id]
	if o == nil {
		o = f.info.Defs[id]
	}
	if v, ok := o.(*types.Var); ok && !v.IsField() && f.node.Pos() <= v.Pos() && v.Pos() < f.node.End() {
		return v
	}
	return nil
}

// touches returns what a node of the graph reads and writes, in order.
func (f *goFunction) touches(n ast.Node) (list []touch) {
	use := func(n ast.Node) {
		if n == nil {
			return
		}
		ast.Inspect(n, func(n ast.Node) bool {
			if _, inner := n.(*ast.FuncLit); inner {
				return false
			}
			if id, ok := n.(*ast.Ident); ok && f.info.Uses[id] != nil {
				if o := f.local(id); o != nil {
					list = append(list, touch{o, f.at(id.Pos()), false})
				}
			}
			return true
		})
	}
	def := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			if o := f.local(id); o != nil {
				list = append(list, touch{o, f.at(id.Pos()), true})
			}
		}
	}
	target := func(e ast.Expr) {
		if _, ok := e.(*ast.Ident); !ok {
			use(e)
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			use(n.Lhs[0])
		}
		for _, e := range n.Rhs {
			use(e)
		}
		for _, e := range n.Lhs {
			if n.Tok == token.ASSIGN || n.Tok == token.DEFINE {
				target(e)
			}
			def(e)
		}
	case *ast.IncDecStmt:
		use(n.X)
		def(n.X)
	case *ast.ValueSpec:
		for _, e := range n.Values {
			use(e)
		}
		for _, e := range n.Names {
			def(e)
		}
	default:
		use(n)
	}
	return list
}

// chains returns the pairs of a definition and a use that it reaches, and the places of the
// variables that count: those that no function inside has.
func (f *goFunction) chains(c *cfg.CFG) (pairs map[pair]bool, own map[int]bool) {
	captured := map[types.Object]bool{}
	own = map[int]bool{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			ast.Inspect(lit, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && f.local(id) != nil {
					captured[f.local(id)] = true
				}
				return true
			})
			return false
		}
		return true
	})
	symbols := map[ast.Node]*ast.Ident{} // by clause of a type switch: the variable's name
	var defaults []ast.Node              // the clauses without types: they have no block of their own
	blocks := make([][]touch, len(c.Blocks))
	waits := map[ast.Node]bool{}
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok {
				for _, clause := range n.Body.List {
					symbols[clause] = a.Lhs[0].(*ast.Ident)
					if clause.(*ast.CaseClause).List == nil {
						defaults = append(defaults, clause)
					}
				}
			}
		case *ast.RangeStmt:
			waits[n.Key], waits[n.Value] = true, true
		}
		return true
	})
	delete(waits, nil)
	for _, b := range c.Blocks {
		var list []touch
		if b.Kind == cfg.KindSwitchCaseBody && symbols[b.Stmt] != nil {
			if o := f.info.Implicits[b.Stmt]; o != nil {
				list = append(list, touch{o, f.at(symbols[b.Stmt].Pos()), true})
			}
		}
		skip := ast.Node(nil)
		switch s := b.Stmt.(type) {
		case *ast.RangeStmt:
			if b.Kind == cfg.KindRangeBody {
				for _, e := range []ast.Expr{s.Key, s.Value} {
					if id, ok := e.(*ast.Ident); ok {
						if o := f.local(id); o != nil {
							list = append(list, touch{o, f.at(id.Pos()), true})
						}
					} else if e != nil {
						list = append(list, f.touches(e)...)
					}
				}
			}
		case *ast.CommClause:
			if b.Kind == cfg.KindSelectCaseBody && s.Comm != nil {
				list = append(list, f.touches(s.Comm)...)
				if a, ok := s.Comm.(*ast.AssignStmt); ok {
					skip = a.Lhs[0]
				}
			}
		}
		for i, n := range b.Nodes {
			if waits[n] || f.comm[n] || i == 0 && n == skip {
				continue
			}
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && len(a.Rhs) == 1 {
				if t, ok := a.Rhs[0].(*ast.TypeAssertExpr); ok && t.Type == nil { // of a type switch
					n = t.X
				}
			}
			for _, clause := range defaults {
				within := func(n ast.Node) bool { return clause.Pos() <= n.Pos() && n.End() <= clause.End() }
				if within(n) && (i == 0 || !within(b.Nodes[i-1])) {
					if o := f.info.Implicits[clause]; o != nil {
						list = append(list, touch{o, f.at(symbols[clause].Pos()), true})
					}
				}
			}
			list = append(list, f.touches(n)...)
		}
		blocks[b.Index] = list
	}
	type definition struct {
		object types.Object
		at     int
	}
	in := make([]map[definition]bool, len(c.Blocks))
	for i := range in {
		in[i] = map[definition]bool{}
	}
	for _, list := range []*ast.FieldList{f.recv, f.typ.Params, f.typ.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				if o := f.local(id); o != nil {
					in[0][definition{o, f.at(id.Pos())}] = true
				}
			}
		}
	}
	pairs = map[pair]bool{}
	through := func(b int, note bool) map[definition]bool {
		now := maps.Clone(in[b])
		for _, t := range blocks[b] {
			if note && !captured[t.object] {
				own[t.at] = true
			}
			if !t.def {
				for d := range now {
					if note && d.object == t.object && !captured[t.object] {
						pairs[pair{d.at, t.at}] = true
					}
				}
				continue
			}
			maps.DeleteFunc(now, func(d definition, _ bool) bool { return d.object == t.object })
			now[definition{t.object, t.at}] = true
		}
		return now
	}
	for changed := true; changed; {
		changed = false
		for _, b := range c.Blocks {
			if !b.Live {
				continue
			}
			out := through(int(b.Index), false)
			for _, s := range b.Succs {
				for d := range out {
					if !in[s.Index][d] {
						in[s.Index][d], changed = true, true
					}
				}
			}
		}
	}
	for _, b := range c.Blocks {
		if b.Live {
			through(int(b.Index), true)
		}
	}
	for id, o := range f.info.Uses { // what is not this function's, or is known to one inside
		if at := id.Pos(); f.node.Pos() <= at && at < f.node.End() {
			switch o.(type) {
			case *types.Var, *types.Const:
				if f.local(id) == nil || captured[o] {
					own[f.at(at)] = false
				}
			}
		}
	}
	return pairs, own
}

// ourChains returns our pairs without those of definitions that may not happen, of parts, and of
// variables that are not compared.
func (f *goFunction) ourChains(g *graph, own map[int]bool) map[pair]bool {
	pairs := map[pair]bool{}
	for _, p := range g.Pairs {
		def, use := g.Steps[p[0]].Access[p[1]], g.Steps[p[2]].Access[p[3]]
		if def.Path != "" || def.Weak || def.ByCall || def.Inner || use.Inner || p[2] <= 1 || p[2] == 2 || g.Free[use.Var] {
			continue
		}
		if counts, known := own[use.Start]; known && !counts {
			continue
		}
		pairs[pair{def.Start, use.Start}] = true
	}
	return pairs
}

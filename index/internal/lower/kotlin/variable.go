package kotlin

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// destructure gives the variables of a declaration like (a, b) the parts of x: what
// component1 of it gives, or its first item.
func (l *lowerer) destructure(n syntax.Node, x ir.Expr) {
	pos := l.Start(n)
	tmp := l.b.Temp(pos)
	if x != 0 {
		l.b.Bind(l.b.Local(tmp, pos), x)
	}
	i := 0
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "variable_declaration" {
			continue
		}
		nameNode := l.NamedChild(c, 0)
		typ := l.typeIn(c)
		i++
		if name := l.ident(nameNode); name != "_" && x != 0 {
			v := l.shadow(nameNode, typ)
			from := l.b.Local(tmp, pos)
			part := l.b.Expr(ir.Node{Op: ir.Attr, A: from, Name: l.b.Str("component" + strconv.Itoa(i)), Pos: l.b.Pos(l.Start(nameNode)), Flags: ir.Implicit})
			item := l.b.Index(from, 0, strconv.Itoa(i-1), l.Start(nameNode))
			l.b.Bind(l.b.Local(v, l.Start(nameNode)), l.b.Union(part, item))
		}
	}
}

// shadow declares a variable that hides another one of its name.
func (l *lowerer) shadow(nameNode syntax.Node, typ ir.Expr) ir.Var {
	v := l.b.Shadow(l.ident(nameNode), l.Start(nameNode))
	l.b.VarInfo(v).Type = typ
	return v
}

// markPlain notes that a variable cannot be called, so that a call of its name is
// one of a function.
func (l *lowerer) markPlain(v ir.Var, typ, value ir.Expr) {
	f := l.b.Raw()
	plain := false
	switch n := f.Exprs[typ]; n.Op {
	case ir.Name:
		plain = isPlain(f.String(n.Name))
	case ir.None:
		plain = f.Exprs[value].Op == ir.Lit
	}
	if plain {
		if l.plain == nil {
			l.plain = map[ir.Var]bool{}
		}
		l.plain[v] = true
	}
}

func isPlain(typ string) bool {
	switch typ {
	case "String", "CharSequence", "Int", "Long", "Short", "Byte", "Double", "Float", "Boolean", "Char", "UInt", "ULong",
		"ByteArray", "IntArray", "File", "Path":
		return true
	}
	return false
}

package lower

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// destructure gives the variables of a declaration like (a, b) the parts of x: what
// component1 of it gives, or its first item.
func (l *lowerer) destructure(n syntax.Node, x ir.Expr) {
	pos := l.Start(n)
	tmp := l.Temp(pos)
	if x != 0 {
		l.Bind(l.Local(tmp, pos), x)
	}
	i := 0
	for c := range l.OfKind(n, "variable_declaration") {
		nameNode := l.NamedChild(c, 0)
		typ := l.typeIn(c)
		i++
		if name := l.ident(nameNode); name != "_" && x != 0 {
			v := l.shadow(nameNode, typ)
			from := l.Local(tmp, pos)
			part := l.Expr(ir.Node{Op: ir.Attr, A: from, Name: l.Str("component" + strconv.Itoa(i)), Pos: l.Pos(l.Start(nameNode)), Flags: ir.Implicit})
			item := l.Index(from, 0, strconv.Itoa(i-1), l.Start(nameNode))
			l.Bind(l.Local(v, l.Start(nameNode)), l.Union(part, item))
		}
	}
}

// shadow declares a variable that hides another one of its name.
func (l *lowerer) shadow(nameNode syntax.Node, typ ir.Expr) ir.Var {
	v := l.Shadow(l.ident(nameNode), l.Start(nameNode))
	l.VarInfo(v).Type = typ
	return v
}

// markPlain notes that a variable cannot be called, so that a call of its name is
// one of a function.
func (l *lowerer) markPlain(v ir.Var, typ, value ir.Expr) {
	f := l.Raw()
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

package python

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// matchStmt lowers a "match" statement. In a case the subject is an instance of
// the class of its pattern.
func (l *lowerer) matchStmt(n syntax.Node) {
	t := l.t
	subject := t.Child(n, "subject")
	pos := t.Start(subject)
	x := l.expr(subject)
	_, x = l.twice(x, pos)
	body := t.Child(n, "body")
	if body == 0 {
		body = n
	}
	for c := range t.NamedChildren(body) {
		if t.Kind(c) != "case_clause" {
			continue
		}
		l.block(func() {
			for p := range t.NamedChildren(c) {
				switch t.Kind(p) {
				case "case_pattern":
					typ := l.pattern(p, x)
					if t.Kind(subject) == "identifier" && typ != 0 {
						l.narrow(l.id(subject), typ, pos)
					}
				case "if_clause":
					is, _ := l.cond(t.NamedChild(p, 0))
					l.narrowAll(is)
				case "block":
					l.stmts(p)
				}
			}
		})
	}
}

// pattern binds what a pattern of a case captures of x, and returns the type that
// x has where it matches.
func (l *lowerer) pattern(n syntax.Node, x ir.Expr) (typ ir.Expr) {
	defer func() { l.depth-- }()
	if l.tooDeep() {
		return 0
	}
	t := l.t
	pos := t.Start(n)
	if id := capture(t, n); id != 0 && t.Kind(n) == "case_pattern" {
		l.b.Bind(l.assign(l.id(id), pos), x)
		return 0
	}
	switch t.Kind(n) {
	case "case_pattern":
		return l.pattern(t.NamedChild(n, 0), x)
	case "as_pattern":
		typ = l.pattern(t.NamedChild(n, 0), x)
		if typ != 0 {
			x = l.b.Binary(ir.Cast, x, typ, pos)
		}
		if id := t.NamedChild(n, 1); t.Kind(id) == "identifier" {
			l.b.Bind(l.assign(l.id(id), t.Start(id)), x)
		}
		return typ
	case "class_pattern":
		return l.classPattern(n, x)
	case "list_pattern", "tuple_pattern":
		for c := range t.NamedChildren(n) {
			elem := l.b.Unary(ir.Elem, x, pos)
			if inner := t.NamedChild(c, 0); t.Kind(inner) == "splat_pattern" {
				elem = l.b.List("list", []ir.Arg{{X: x, Kind: ir.Spread}}, pos)
				c = inner
			}
			if id := capture(t, c); t.Kind(c) == "splat_pattern" && id != 0 {
				l.b.Bind(l.assign(l.id(id), t.Start(id)), elem)
				continue
			}
			l.pattern(c, elem)
		}
	case "dict_pattern":
		l.dictPattern(n, x)
	case "union_pattern":
		var parts []ir.Expr
		for c := range t.NamedChildren(n) {
			p := l.pattern(c, x)
			if p == 0 {
				return 0
			}
			parts = append(parts, p)
		}
		return l.b.Union(parts...)
	case "dotted_name", "attribute":
		l.keep(l.path(n))
	}
	return 0
}

func (l *lowerer) classPattern(n syntax.Node, x ir.Expr) ir.Expr {
	t := l.t
	first := t.NamedChild(n, 0)
	typ := l.path(first)
	if typ == 0 {
		return 0
	}
	pos := t.Start(n)
	v := l.b.Temp(pos)
	l.b.Bind(l.b.Local(v, pos), l.b.Binary(ir.Cast, x, typ, pos))
	for c := range t.NamedChildren(n) {
		if c == first {
			continue
		}
		inner := t.NamedChild(c, 0)
		if t.Kind(inner) != "keyword_pattern" {
			l.pattern(c, 0)
			continue
		}
		key, value := t.NamedChild(inner, 0), t.NamedChild(inner, 1)
		field := l.attr(l.b.Local(v, pos), l.id(key), t.Start(key))
		if id := capture(t, inner); id != 0 {
			l.b.Bind(l.assign(l.id(id), t.Start(id)), field)
			continue
		}
		l.pattern(value, field)
	}
	return l.path(first)
}

func (l *lowerer) dictPattern(n syntax.Node, x ir.Expr) {
	t := l.t
	key := ""
	for c := range t.NamedChildren(n) {
		switch {
		case t.Field(c) == "key":
			key = l.key(c)
		case t.Kind(c) == "splat_pattern":
			if id := capture(t, c); id != 0 {
				l.b.Bind(l.assign(l.id(id), t.Start(id)), x)
			}
		default:
			l.pattern(c, l.b.Index(x, 0, key, t.Start(c)))
		}
	}
}

// path lowers a dotted name.
func (l *lowerer) path(n syntax.Node) ir.Expr {
	t := l.t
	if t.Kind(n) != "dotted_name" {
		return l.expr(n)
	}
	var x ir.Expr
	for c := range t.NamedChildren(n) {
		if x == 0 {
			x = l.use(l.id(c), t.Start(c))
		} else {
			x = l.attr(x, l.id(c), t.Start(c))
		}
	}
	return x
}

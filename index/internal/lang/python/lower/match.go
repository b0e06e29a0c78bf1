package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// matchStmt lowers a "match" statement. In a case the subject is an instance of
// the class of its pattern.
func (l *lowerer) matchStmt(n syntax.Node) {
	subject := l.Child(n, "subject")
	pos := l.Start(subject)
	x := l.expr(subject)
	_, x = l.twice(x, pos)
	body := l.Child(n, "body")
	if body == 0 {
		body = n
	}
	for c := range l.OfKind(body, "case_clause") {
		l.block(func() {
			for p := range l.NamedChildren(c) {
				switch l.Kind(p) {
				case "case_pattern":
					typ := l.pattern(p, x)
					if l.Kind(subject) == "identifier" && typ != 0 {
						l.narrow(l.id(subject), typ, pos)
					}
				case "if_clause":
					is, _ := l.cond(l.NamedChild(p, 0))
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
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	pos := l.Start(n)
	if id := l.capture(n); id != 0 && l.Kind(n) == "case_pattern" {
		l.Bind(l.assign(l.id(id), pos), x)
		return 0
	}
	switch l.Kind(n) {
	case "case_pattern":
		return l.pattern(l.NamedChild(n, 0), x)
	case "as_pattern":
		typ = l.pattern(l.NamedChild(n, 0), x)
		if typ != 0 {
			x = l.Binary(ir.Cast, x, typ, pos)
		}
		if id := l.NamedChild(n, 1); l.Kind(id) == "identifier" {
			l.Bind(l.assign(l.id(id), l.Start(id)), x)
		}
		return typ
	case "class_pattern":
		return l.classPattern(n, x)
	case "list_pattern", "tuple_pattern":
		for c := range l.NamedChildren(n) {
			elem := l.Unary(ir.Elem, x, pos)
			if inner := l.NamedChild(c, 0); l.Kind(inner) == "splat_pattern" {
				elem = l.List("list", []ir.Arg{{X: x, Kind: ir.Spread}}, pos)
				c = inner
			}
			if id := l.capture(c); l.Kind(c) == "splat_pattern" && id != 0 {
				l.Bind(l.assign(l.id(id), l.Start(id)), elem)
				continue
			}
			l.pattern(c, elem)
		}
	case "dict_pattern":
		l.dictPattern(n, x)
	case "union_pattern":
		var parts []ir.Expr
		for c := range l.NamedChildren(n) {
			p := l.pattern(c, x)
			if p == 0 {
				return 0
			}
			parts = append(parts, p)
		}
		return l.Union(parts...)
	case "dotted_name", "attribute":
		l.Keep(l.path(n))
	}
	return 0
}

func (l *lowerer) classPattern(n syntax.Node, x ir.Expr) ir.Expr {
	first := l.NamedChild(n, 0)
	typ := l.path(first)
	if typ == 0 {
		return 0
	}
	pos := l.Start(n)
	v := l.Temp(pos)
	l.Bind(l.Local(v, pos), l.Binary(ir.Cast, x, typ, pos))
	for c := range l.NamedChildren(n) {
		if c == first {
			continue
		}
		inner := l.NamedChild(c, 0)
		if l.Kind(inner) != "keyword_pattern" {
			l.pattern(c, 0)
			continue
		}
		key, value := l.NamedChild(inner, 0), l.NamedChild(inner, 1)
		field := l.attr(l.Local(v, pos), l.id(key), l.Start(key))
		if id := l.capture(inner); id != 0 {
			l.Bind(l.assign(l.id(id), l.Start(id)), field)
			continue
		}
		l.pattern(value, field)
	}
	return l.path(first)
}

func (l *lowerer) dictPattern(n syntax.Node, x ir.Expr) {
	key := ""
	for c := range l.NamedChildren(n) {
		switch {
		case l.Field(c) == "key":
			key = l.key(c)
		case l.Kind(c) == "splat_pattern":
			if id := l.capture(c); id != 0 {
				l.Bind(l.assign(l.id(id), l.Start(id)), x)
			}
		default:
			l.pattern(c, l.Index(x, 0, key, l.Start(c)))
		}
	}
}

// path lowers a dotted name.
func (l *lowerer) path(n syntax.Node) ir.Expr {
	if l.Kind(n) != "dotted_name" {
		return l.expr(n)
	}
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		if x == 0 {
			x = l.use(l.id(c), l.Start(c))
		} else {
			x = l.attr(x, l.id(c), l.Start(c))
		}
	}
	return x
}

package lower

import (
	"strconv"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// aggregate lowers an initializer list of C: a Bind for each member that it sets
// to anything but a plain number or text.
func (l *lowerer) aggregate(v ir.Var, list syntax.Node, typ ir.Expr, dec declarator) {
	a := aggregate{l: l, class: l.className(typ)}
	a.fill(func() ir.Expr { return l.Local(v, l.Start(list)) }, list, dec.array, a.class)
}

// className returns the name of a type, or "".
func (l *lowerer) className(typ ir.Expr) string {
	if typ == 0 {
		return ""
	}
	f := l.Raw()
	switch n := f.Exprs[typ]; n.Op {
	case ir.Name, ir.Local:
		return f.String(n.Name)
	case ir.ClassX:
		return "#" + strconv.Itoa(int(n.Ref))
	}
	return ""
}

type aggregate struct {
	l     *lowerer
	class string
}

// field returns the name of the i-th member of a struct: "#i" where the struct
// is not known.
func (a *aggregate) field(class string, i int) string {
	if c := a.l.known[class]; c != nil && i < len(c.order) {
		return c.order[i]
	}
	if len(class) > 1 && class[0] == '#' {
		if id, err := strconv.Atoi(class[1:]); err == nil {
			n := 0
			f := a.l.Raw()
			for _, m := range f.Classes[id].Members {
				if m.Kind == ir.VarMember {
					if n == i {
						return f.String(m.Name)
					}
					n++
				}
			}
		}
	}
	return "#" + strconv.Itoa(i)
}

// fill binds the elements of a list to what target makes. array says that they
// are elements of an array of class, not members.
func (a *aggregate) fill(target func() ir.Expr, list syntax.Node, array bool, class string) {
	l := a.l
	if !l.Enter(list) {
		return
	}
	defer l.Leave()
	i := 0
	for c := range l.NamedChildren(list) {
		at := i
		i++
		switch {
		case l.Kind(c) == "initializer_pair":
			a.pair(target, c, class)
		case l.Kind(c) == "initializer_list" && array:
			a.fill(target, c, false, class)
		case l.Kind(c) == "initializer_list":
			a.fill(func() ir.Expr { return l.Attr(target(), a.field(class, at), l.Start(c)) }, c, false, "")
		default:
			x := l.expr(c)
			if l.Inert(x) {
				continue
			}
			if array {
				l.Bind(target(), x)
				continue
			}
			if class == "" { // an array or a struct that is not known
				l.Bind(target(), x)
			}
			l.Bind(l.Attr(target(), a.field(class, at), l.Start(c)), x)
		}
	}
}

// pair binds ".name = value" or "[i] = value".
func (a *aggregate) pair(target func() ir.Expr, n syntax.Node, class string) {
	l := a.l
	inner, whole := target, true
	for d := range l.NamedChildren(n) {
		if l.Field(d) != "designator" || l.Kind(d) != "field_designator" {
			continue
		}
		name := l.NamedChild(d, 0)
		outer := inner
		inner, whole = func() ir.Expr { return l.Attr(outer(), l.Text(name), l.Start(name)) }, false
	}
	if !whole {
		class = ""
	}
	value := l.Child(n, "value")
	if l.Kind(value) == "initializer_list" {
		a.fill(inner, value, false, class)
		return
	}
	if x := l.expr(value); !l.Inert(x) {
		l.Bind(inner(), x)
	}
}

package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// typ is a written type, or 0 for "var", "void" and what is none.
func (l *lowerer) typ(n syntax.Node) ir.Expr {
	if !l.Enter(n) {
		return 0
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "type_identifier", "identifier":
		name := l.Text(n)
		if name == "var" {
			return 0
		}
		return l.TypeName(name, l.Start(n))
	case "integral_type", "floating_point_type", "boolean_type":
		return l.Free(l.Text(n), l.Start(n))
	case "scoped_type_identifier":
		return l.scopedType(n)
	case "generic_type":
		return l.genericType(n)
	case "array_type":
		x := l.typ(l.Child(n, "element"))
		return l.arrays(x, l.Child(n, "dimensions"), l.Start(n))
	case "annotated_type", "type_pattern", "catch_type":
		for c := range l.NamedChildren(n) {
			if k := l.Kind(c); k != "marker_annotation" && k != "annotation" {
				return l.typ(c)
			}
		}
	case "wildcard":
		for c := range l.NamedChildren(n) {
			if k := l.Kind(c); k != "marker_annotation" && k != "annotation" && k != "super" {
				return l.typ(c)
			}
		}
	case "scoped_identifier":
		return l.path(n)
	}
	return 0
}

// scopedType is a type written as a path, of a package or of the class around it.
func (l *lowerer) scopedType(n syntax.Node) ir.Expr {
	var x ir.Expr
	for c := range l.NamedChildren(n) {
		switch k := l.Kind(c); {
		case k == "marker_annotation" || k == "annotation":
		case x != 0 && k == "type_identifier":
			x = l.Attr(x, l.Text(c), l.Start(c))
		case x == 0:
			x = l.typ(c)
		}
	}
	return x
}

func (l *lowerer) genericType(n syntax.Node) ir.Expr {
	base := l.typ(l.NamedChild(n, 0))
	if base == 0 {
		return 0
	}
	args := l.Collect(l.ChildOf(n, "type_arguments"), func(c syntax.Node) ir.Expr {
		if x := l.typ(c); x != 0 {
			return x
		}
		return l.Free("Object", l.Start(c))
	})
	if len(args) == 0 {
		return base // the diamond
	}
	return l.Apply(base, "", args, l.Start(n))
}

// arrays is an array of x for each pair of brackets in dimensions.
func (l *lowerer) arrays(x ir.Expr, dimensions syntax.Node, pos int) ir.Expr {
	if x == 0 || dimensions == 0 {
		return x
	}
	for c := range l.Children(dimensions) {
		if l.Kind(c) == "[" {
			x = l.Apply(0, "list", []ir.Arg{{X: x}}, pos)
		}
	}
	return x
}

// caught is the type of a catch clause's variable: one of those listed.
func (l *lowerer) caught(n syntax.Node) ir.Expr {
	return l.Union(l.Exprs(n, l.typ)...)
}

// typeParams are the generic parameters in a list.
func (l *lowerer) typeParams(list syntax.Node) []ir.TypeParam {
	var out []ir.TypeParam
	for p := range l.OfKind(list, "type_parameter") {
		name := l.ChildOf(p, "type_identifier", "identifier")
		bounds := l.Exprs(l.ChildOf(p, "type_bound"), l.typ)
		out = append(out, ir.TypeParam{Name: l.Str(l.Text(name)), Bound: l.Union(bounds...)})
	}
	return out
}

package control

import (
	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// ahead declares what is known in all of a block: local functions and the variables that they
// may use, and the fields and the properties of a class.
func ahead(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		switch b.Kind(c) {
		case "local_function_statement", "property_declaration":
			here(b, b.Child(c, "name"))
		case "field_declaration", "local_declaration_statement":
			for d := range b.NamedChildren(b.ChildOf(c, "variable_declaration")) {
				here(b, b.Child(d, "name"))
				for name := range b.NamedChildren(b.ChildOf(d, "tuple_pattern")) {
					if b.Field(name) == "name" {
						here(b, name)
					}
				}
			}
		}
	}
}

func here(b *walk.Builder, name syntax.Node) {
	if name != 0 {
		b.DeclareHere(b.Text(name), b.Start(name))
	}
}

// params writes the parameters of a function, and what a constructor gives to another one.
func params(b *walk.Builder, n syntax.Node) {
	list := b.Child(n, "parameters")
	if b.Kind(list) == "implicit_parameter" {
		b.Param(list)
	} else {
		listed(b, list)
	}
	b.Expr(b.ChildOf(n, "constructor_initializer"))
}

// listed writes a list of parameters; the last one, with "params", has its name in the list.
func listed(b *walk.Builder, list syntax.Node) {
	for p := range b.NamedChildren(list) {
		switch {
		case b.Field(p) == "name":
			b.Param(p)
		case b.Kind(p) == "parameter":
			b.Typed(p, func() { b.Param(b.Child(p, "name")) })
			if b.Child(p, "=#0") != 0 {
				b.Maybe(func() { b.Expr(b.Child(p, "#-1")) })
			}
		}
	}
}

// primary writes the parameters of a class.
func primary(b *walk.Builder, n syntax.Node) { listed(b, b.ChildOf(n, "parameter_list")) }

// accessor writes the parameters of one: those of an indexer, and what it is given.
func accessor(b *walk.Builder, n syntax.Node) {
	listed(b, b.Child(b.Parent(b.Parent(n)), "parameters"))
	if b.ChildOf(n, "get") == 0 {
		b.ParamNamed("value", n)
	}
}

// members writes what stands in a namespace of the whole file.
func members(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Field(c) != "name" {
			b.Stmt(c)
		}
	}
}

// variables writes those of a declaration.
func variables(b *walk.Builder, n syntax.Node) {
	first := true
	for d := range b.NamedChildren(n) {
		if b.Kind(d) != "variable_declarator" {
			continue
		}
		if first {
			b.Head(n)
			first = false
		}
		b.Step(walk.Plain, d, func() {
			name := b.Child(d, "name")
			if name == 0 {
				name = b.ChildOf(d, "tuple_pattern")
			}
			declare := func(name syntax.Node) { b.Typed(n, func() { b.Declare(name) }) }
			if b.Child(d, "=#0") != 0 {
				b.Give(name, b.Child(d, "#-1"), declare)
			} else { // it has no value yet
				b.Known(func() { declare(name) })
			}
		})
	}
}

func assignment(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	switch b.Text(b.Child(n, "operator")) {
	case "=":
		b.Give(left, right, b.Assign)
	case "??=":
		b.Expr(left)
		b.Decide(func() { b.Give(left, right, b.Assign) })
	default:
		b.Update(left, right)
	}
}

// updated is ++ and --, before or after, and the other operators of one operand.
func updated(b *walk.Builder, n syntax.Node) {
	if b.Child(n, "++|--#0") != 0 {
		b.Update(b.Child(n, "#0"), 0)
		return
	}
	b.Children(n)
}

// notNull returns the operand of !.
func notNull(b *walk.Builder, n syntax.Node) syntax.Node {
	if b.Child(n, "!#0") != 0 {
		return b.Child(n, "#0")
	}
	return 0
}

// pointed writes *p = x: what p points at is changed.
func pointed(b *walk.Builder, n syntax.Node) {
	b.Children(n)
	b.Change(b.Child(n, "#0"))
}

// argument writes one: what is given with "out" is written, what is given with "ref" may be.
func argument(b *walk.Builder, n syntax.Node) {
	in := b.Child(n, "#-1")
	if in == b.Child(n, "name") {
		in = 0
	}
	switch {
	case in == 0:
		b.Expr(b.ChildOf(n, "this"))
	case b.Child(n, "out#0") != 0:
		b.Assign(in)
	case b.Child(n, "ref#0") != 0:
		b.Expr(in)
		b.Maybe(func() { b.Assign(in) })
	default:
		b.Expr(in)
	}
}

// initializer writes the members and elements of a new object: the names on the left are its own.
func initializer(b *walk.Builder, n syntax.Node) {
	for c := range b.NamedChildren(n) {
		if b.Kind(c) != "assignment_expression" {
			b.Expr(c)
			continue
		}
		if left := b.Child(c, "left"); b.Kind(left) != "identifier" {
			b.Children(left)
		}
		b.Expr(b.Child(c, "right"))
	}
}

// named writes values; the names before = are members of a new object.
func named(b *walk.Builder, n syntax.Node) {
	var last syntax.Node
	for c := range b.Tree.Children(n) {
		switch {
		case b.Kind(c) == "=":
			last = 0
		case b.Named(c) && !b.Comment(c):
			b.Expr(last)
			last = c
		}
	}
	b.Expr(last)
}

// query writes the clauses of a query in their order: some of them bind names.
func query(b *walk.Builder, n syntax.Node) {
	b.Scoped(func() {
		for c := range b.NamedChildren(n) {
			switch b.Kind(c) {
			case "from_clause":
				b.Expr(b.Child(c, "#-1"))
				b.Declare(b.Child(c, "name"))
			case "let_clause":
				b.Expr(b.Child(c, "#-1"))
				b.Declare(b.NamedChild(c, 0))
			case "join_clause":
				joined(b, c)
			case "identifier": // into
				b.Declare(c)
			default:
				b.Children(c)
			}
		}
	})
}

// joined writes a join: its name comes after "join", its source after "in".
func joined(b *walk.Builder, n syntax.Node) {
	var name, source syntax.Node
	var rest []syntax.Node
	word := ""
	for c := range b.Tree.Children(n) {
		switch {
		case !b.Named(c):
			word = b.Kind(c)
		case word == "in":
			source = c
		case word == "join" || word == "into":
			name = c
			if word == "into" {
				rest = append(rest, c)
			}
		default:
			rest = append(rest, c)
		}
		if word == "in" && source != 0 {
			b.Expr(source)
			b.Declare(name)
			source, word = 0, ""
		}
	}
	for _, c := range rest {
		if c == name {
			b.Declare(c)
		} else {
			b.Expr(c)
		}
	}
}

package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// imports lowers an "import" or "from" statement.
func (l *lowerer) imports(n syntax.Node) {
	switch l.Kind(n) {
	case "future_import_statement":
		return
	case "import_from_statement":
		l.importFrom(n)
		return
	}
	for c := range l.NamedChildren(n) {
		path := c
		if l.Kind(c) == "aliased_import" {
			path = l.Child(c, "name")
		}
		if l.Kind(path) != "dotted_name" {
			continue
		}
		info := ir.ImportInfo{Module: l.Str(l.dotted(path))}
		bound := l.NamedChild(path, 0) // "import a.b" binds a
		if path != c {
			bound = l.Child(c, "alias")
			info.Alias = l.id(bound)
		}
		l.bring(info, bound)
	}
}

func (l *lowerer) importFrom(n syntax.Node) {
	module := l.dotted(l.Child(n, "module_name"))
	if l.ChildOf(n, "wildcard_import") != 0 {
		info := ir.ImportInfo{Module: l.Str(module), Name: l.Str("*")}
		l.AddImport(l.flags(info), "", false, l.Start(l.Child(n, "module_name")))
		return
	}
	for c := range l.NamedChildren(n) {
		if l.Field(c) != "name" {
			continue
		}
		path, bound := c, syntax.Node(0)
		info := ir.ImportInfo{Module: l.Str(module)}
		if l.Kind(c) == "aliased_import" {
			path, bound = l.Child(c, "name"), l.Child(c, "alias")
			info.Alias = l.id(bound)
		} else {
			bound = l.NamedChild(c, 0)
		}
		info.Name = l.Str(l.dotted(path))
		l.bring(info, bound)
	}
}

func (l *lowerer) flags(info ir.ImportInfo) ir.ImportInfo {
	info.Flags |= walk.When(l.frame.typing, ir.TypeOnly)
	return info
}

// bring enters an import and binds its name here: in a function it is a variable,
// in a class a member, else a name of the file.
func (l *lowerer) bring(info ir.ImportInfo, bound syntax.Node) {
	if bound == 0 {
		return
	}
	info = l.flags(info)
	s, pos := l.id(bound), l.Start(bound)
	value := func(i ir.Import) ir.Expr {
		return l.Flag(l.Expr(ir.Node{Op: ir.Imported, Ref: uint32(i), Pos: l.Pos(pos)}), ir.Implicit)
	}
	switch {
	case l.frame.class != 0:
		l.name(s).class = l.frame.class
		l.AddImport(info, l.text(s), l.exported(s), pos)
	case l.frame.inFunc:
		i := l.AddImport(info, "", false, pos)
		if l.name(s).global && l.slot(s).v == 0 {
			l.top(s, pos)
		}
		target, x := l.assign(s, pos), value(i)
		l.stands(target, x)
		l.Bind(target, x)
	default:
		i := l.AddImport(info, l.text(s), l.exported(s), pos)
		l.name(s).imports = i
		if at := *l.slot(s); at.module && at.many {
			l.Bind(l.version(s, pos), value(i))
		}
	}
}

// dotted returns the text of a dotted or relative name without the space that may
// stand in it.
func (l *lowerer) dotted(n syntax.Node) string {
	text := l.Text(n)
	if strings.ContainsAny(text, " \t\r\n\\") {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n\\", r) {
				return -1
			}
			return r
		}, text)
	}
	return text
}

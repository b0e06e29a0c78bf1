package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// importStatement lowers every form of import.
func (l *lowerer) importStatement(n syntax.Node) {
	if c := l.ChildOf(n, "import_require_clause"); c != 0 { // import x = require("m")
		at, source := l.NamedChild(c, 0), l.Child(c, "source")
		l.imports(source, "=", l.Text(at), 0, l.Start(at))
		return
	}
	source := l.Child(n, "source")
	if source == 0 {
		return
	}
	flags := ir.ImportFlag(0)
	if l.has(n, "type", "source") || l.has(n, "typeof", "source") {
		flags = ir.TypeOnly
	}
	clause := l.ChildOf(n, "import_clause")
	if clause == 0 {
		l.AddImport(ir.ImportInfo{Module: l.Str(l.stringText(source))}, "", false, l.Start(source))
		return
	}
	for c := range l.NamedChildren(clause) {
		switch l.Kind(c) {
		case "identifier":
			l.imports(source, "default", l.Text(c), flags, l.Start(c))
		case "namespace_import":
			at := l.NamedChild(c, 0)
			l.imports(source, "", l.Text(at), flags, l.Start(at))
		case "named_imports":
			for s := range l.NamedChildren(c) {
				l.importSpecifier(source, s, flags)
			}
		}
	}
}

func (l *lowerer) importSpecifier(source, s syntax.Node, flags ir.ImportFlag) {
	if l.Kind(s) != "import_specifier" {
		return
	}
	at, alias := l.Child(s, "name"), l.Child(s, "alias")
	if l.has(s, "type", "name") {
		flags = ir.TypeOnly
	}
	local := at
	if alias != 0 {
		local = alias
	}
	l.imports(source, l.specifierName(at), l.Text(local), flags, l.Start(local))
}

// specifierName is a name in braces, which may be written as a string.
func (l *lowerer) specifierName(n syntax.Node) string {
	if l.Kind(n) == "string" {
		return l.stringText(n)
	}
	return l.Text(n)
}

// imports binds one imported name.
func (l *lowerer) imports(source syntax.Node, name, local string, flags ir.ImportFlag, pos int) {
	info := ir.ImportInfo{Module: l.Str(l.stringText(source)), Name: l.Str(name), Flags: flags}
	if local != name {
		info.Alias = l.Str(local)
	}
	l.AddImport(info, local, false, pos)
}

// imported is an import as a value.
func (l *lowerer) imported(info ir.ImportInfo, pos int) ir.Expr {
	i := l.AddImport(info, "", false, pos)
	return l.Expr(ir.Node{Op: ir.Imported, Ref: uint32(i), Pos: l.Pos(pos)})
}

// dynamicImport lowers import("m"), a promise of the module.
func (l *lowerer) dynamicImport(n, arguments syntax.Node) ir.Expr {
	at := l.NamedChild(arguments, 0)
	if l.Kind(at) != "string" {
		return l.Opaque(l.operand(at))
	}
	return l.imported(ir.ImportInfo{Module: l.Str(l.stringText(at))}, l.Start(n))
}

// exportStatement lowers every form of export.
func (l *lowerer) exportStatement(n syntax.Node) {
	var decorators []syntax.Node
	def := false
	for c := range l.Children(n) {
		switch l.Kind(c) {
		case "decorator":
			decorators = append(decorators, c)
		case "default":
			def = true
		case "=": // export = x
			l.exportValue("=", l.NamedChild(n, 0))
			return
		}
	}
	for _, d := range decorators {
		l.Eval(l.expr(l.NamedChild(d, 0)))
	}
	if source := l.Child(n, "source"); source != 0 {
		l.reexport(n, source)
		return
	}
	if d := l.Child(n, "declaration"); d != 0 {
		if !def {
			l.declaration(d, true)
			return
		}
		l.declaration(d, false)
		at := l.Child(d, "name")
		if at == 0 {
			l.Export("default", l.Free("default", l.Start(d)), l.Start(d))
			return
		}
		l.Export("default", l.Free(l.Text(at), l.Start(at)), l.Start(at))
		return
	}
	if value := l.Child(n, "value"); value != 0 {
		l.exportValue("default", value)
		return
	}
	clause := l.ChildOf(n, "export_clause")
	for s := range l.OfKind(clause, "export_specifier") {
		at := l.Child(s, "name")
		name := at
		if alias := l.Child(s, "alias"); alias != 0 {
			name = alias
		}
		l.Export(l.specifierName(name), l.Free(l.Text(at), l.Start(at)), l.Start(at))
	}
	if clause == 0 && len(decorators) == 0 && l.ChildOf(n, "ERROR") != 0 {
		l.Each(n, l.stmt)
	}
}

// exportValue lowers export default x and export = x. A function or class that
// has no name there is called "default".
func (l *lowerer) exportValue(name string, value syntax.Node) {
	inner, pos := l.literal(value), l.Start(value)
	kind := l.Kind(inner)
	if name != "default" || !isFunction(kind) && kind != "class" {
		l.Export(name, l.expr(value), pos)
		return
	}
	bound := name
	if at := l.Child(inner, "name"); at != 0 {
		bound, pos = l.Text(at), l.Start(at)
	}
	if kind == "class" {
		l.define(ir.ClassMember, bound, uint32(l.class(inner, bound, pos)), false, false, pos)
	} else {
		f := l.function(inner, bound, 0, pos, &receiver{})
		l.define(ir.FuncMember, bound, uint32(f), false, false, pos)
	}
	l.Export(name, l.Free(bound, pos), pos)
}

// reexport lowers export ... from.
func (l *lowerer) reexport(n, source syntax.Node) {
	module := l.Str(l.stringText(source))
	flags := ir.Reexport
	flags |= walk.When(l.has(n, "type", "source"), ir.TypeOnly)
	if clause := l.ChildOf(n, "export_clause"); clause != 0 {
		for s := range l.OfKind(clause, "export_specifier") {
			at := l.Child(s, "name")
			info := ir.ImportInfo{Module: module, Name: l.Str(l.specifierName(at)), Flags: flags}
			if alias := l.Child(s, "alias"); alias != 0 {
				info.Alias = l.Str(l.specifierName(alias))
			}
			l.AddImport(info, "", true, l.Start(at))
		}
		return
	}
	if ns := l.ChildOf(n, "namespace_export"); ns != 0 {
		at := l.NamedChild(ns, 0)
		info := ir.ImportInfo{Module: module, Alias: l.Str(l.specifierName(at)), Flags: flags}
		l.AddImport(info, "", true, l.Start(at))
		return
	}
	l.AddImport(ir.ImportInfo{Module: module, Name: l.Str("*"), Flags: flags}, "", true, l.Start(source))
}

package javascript

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// importStatement lowers every form of import.
func (l *lowerer) importStatement(n syntax.Node) {
	if c := l.t.ChildOf(n, "import_require_clause"); c != 0 { // import x = require("m")
		at, source := l.t.NamedChild(c, 0), l.t.Child(c, "source")
		l.imports(source, "=", l.text(at), 0, l.t.Start(at))
		return
	}
	source := l.t.Child(n, "source")
	if source == 0 {
		return
	}
	flags := ir.ImportFlag(0)
	if l.has(n, "type", "source") || l.has(n, "typeof", "source") {
		flags = ir.TypeOnly
	}
	clause := l.t.ChildOf(n, "import_clause")
	if clause == 0 {
		l.b.AddImport(ir.ImportInfo{Module: l.b.Str(l.stringText(source))}, "", false, l.t.Start(source))
		return
	}
	for c := range l.t.NamedChildren(clause) {
		switch l.t.Kind(c) {
		case "identifier":
			l.imports(source, "default", l.text(c), flags, l.t.Start(c))
		case "namespace_import":
			at := l.t.NamedChild(c, 0)
			l.imports(source, "", l.text(at), flags, l.t.Start(at))
		case "named_imports":
			for s := range l.t.NamedChildren(c) {
				l.importSpecifier(source, s, flags)
			}
		}
	}
}

func (l *lowerer) importSpecifier(source, s syntax.Node, flags ir.ImportFlag) {
	if l.t.Kind(s) != "import_specifier" {
		return
	}
	at, alias := l.t.Child(s, "name"), l.t.Child(s, "alias")
	if l.has(s, "type", "name") {
		flags = ir.TypeOnly
	}
	local := at
	if alias != 0 {
		local = alias
	}
	l.imports(source, l.specifierName(at), l.text(local), flags, l.t.Start(local))
}

// specifierName is a name in braces, which may be written as a string.
func (l *lowerer) specifierName(n syntax.Node) string {
	if l.t.Kind(n) == "string" {
		return l.stringText(n)
	}
	return l.text(n)
}

// imports binds one imported name.
func (l *lowerer) imports(source syntax.Node, name, local string, flags ir.ImportFlag, pos int) {
	info := ir.ImportInfo{Module: l.b.Str(l.stringText(source)), Name: l.b.Str(name), Flags: flags}
	if local != name {
		info.Alias = l.b.Str(local)
	}
	l.b.AddImport(info, local, false, pos)
}

// imported is an import as a value.
func (l *lowerer) imported(info ir.ImportInfo, pos int) ir.Expr {
	i := l.b.AddImport(info, "", false, pos)
	return l.b.Expr(ir.Node{Op: ir.Imported, Ref: uint32(i), Pos: l.b.Pos(pos)})
}

// dynamicImport lowers import("m"), a promise of the module.
func (l *lowerer) dynamicImport(n, arguments syntax.Node) ir.Expr {
	at := l.t.NamedChild(arguments, 0)
	if l.t.Kind(at) != "string" {
		return l.b.Opaque(l.operand(at))
	}
	return l.imported(ir.ImportInfo{Module: l.b.Str(l.stringText(at))}, l.t.Start(n))
}

// exportStatement lowers every form of export.
func (l *lowerer) exportStatement(n syntax.Node) {
	var decorators []syntax.Node
	def := false
	for c := range l.t.Children(n) {
		switch l.t.Kind(c) {
		case "decorator":
			decorators = append(decorators, c)
		case "default":
			def = true
		case "=": // export = x
			l.exportValue("=", l.t.NamedChild(n, 0))
			return
		}
	}
	for _, d := range decorators {
		l.b.Eval(l.expr(l.t.NamedChild(d, 0)))
	}
	if source := l.t.Child(n, "source"); source != 0 {
		l.reexport(n, source)
		return
	}
	if d := l.t.Child(n, "declaration"); d != 0 {
		if !def {
			l.declaration(d, true)
			return
		}
		l.declaration(d, false)
		at := l.t.Child(d, "name")
		if at == 0 {
			l.b.Export("default", l.b.Free("default", l.t.Start(d)), l.t.Start(d))
			return
		}
		l.b.Export("default", l.b.Free(l.text(at), l.t.Start(at)), l.t.Start(at))
		return
	}
	if value := l.t.Child(n, "value"); value != 0 {
		l.exportValue("default", value)
		return
	}
	clause := l.t.ChildOf(n, "export_clause")
	for s := range l.t.NamedChildren(clause) {
		if l.t.Kind(s) != "export_specifier" {
			continue
		}
		at := l.t.Child(s, "name")
		name := at
		if alias := l.t.Child(s, "alias"); alias != 0 {
			name = alias
		}
		l.b.Export(l.specifierName(name), l.b.Free(l.text(at), l.t.Start(at)), l.t.Start(at))
	}
	if clause == 0 && len(decorators) == 0 && l.t.ChildOf(n, "ERROR") != 0 {
		for c := range l.t.NamedChildren(n) {
			l.stmt(c)
		}
	}
}

// exportValue lowers export default x and export = x. A function or class that
// has no name there is called "default".
func (l *lowerer) exportValue(name string, value syntax.Node) {
	inner, pos := l.literal(value), l.t.Start(value)
	kind := l.t.Kind(inner)
	if name != "default" || !isFunction(kind) && kind != "class" {
		l.b.Export(name, l.expr(value), pos)
		return
	}
	bound := name
	if at := l.t.Child(inner, "name"); at != 0 {
		bound, pos = l.text(at), l.t.Start(at)
	}
	if kind == "class" {
		l.define(ir.ClassMember, bound, uint32(l.class(inner, bound, pos)), false, false, pos)
	} else {
		f := l.function(inner, bound, 0, pos, &receiver{})
		l.define(ir.FuncMember, bound, uint32(f), false, false, pos)
	}
	l.b.Export(name, l.b.Free(bound, pos), pos)
}

// reexport lowers export ... from.
func (l *lowerer) reexport(n, source syntax.Node) {
	module := l.b.Str(l.stringText(source))
	flags := ir.Reexport
	if l.has(n, "type", "source") {
		flags |= ir.TypeOnly
	}
	if clause := l.t.ChildOf(n, "export_clause"); clause != 0 {
		for s := range l.t.NamedChildren(clause) {
			if l.t.Kind(s) != "export_specifier" {
				continue
			}
			at := l.t.Child(s, "name")
			info := ir.ImportInfo{Module: module, Name: l.b.Str(l.specifierName(at)), Flags: flags}
			if alias := l.t.Child(s, "alias"); alias != 0 {
				info.Alias = l.b.Str(l.specifierName(alias))
			}
			l.b.AddImport(info, "", true, l.t.Start(at))
		}
		return
	}
	if ns := l.t.ChildOf(n, "namespace_export"); ns != 0 {
		at := l.t.NamedChild(ns, 0)
		info := ir.ImportInfo{Module: module, Alias: l.b.Str(l.specifierName(at)), Flags: flags}
		l.b.AddImport(info, "", true, l.t.Start(at))
		return
	}
	l.b.AddImport(ir.ImportInfo{Module: module, Name: l.b.Str("*"), Flags: flags}, "", true, l.t.Start(source))
}

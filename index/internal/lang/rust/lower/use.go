package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// useTree enters the names of a use declaration below a path.
func (l *lowerer) useTree(n syntax.Node, path string, public bool) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "use_list":
		for c := range l.NamedChildren(n) {
			l.useTree(c, path, public)
		}
	case "scoped_use_list":
		l.useTree(l.Child(n, "list"), join(path, l.pathText(l.Child(n, "path"))), public)
	case "use_wildcard":
		l.use(join(path, l.pathText(l.NamedChild(n, 0))), "*", "", public, l.Start(n))
	case "use_as_clause":
		p := l.Child(n, "path")
		l.useName(p, path, l.text(l.Child(n, "alias")), public)
	case "identifier", "scoped_identifier", "self", "crate", "super":
		l.useName(n, path, "", public)
	}
}

// useName enters one name: the last of the path n below the path before it.
func (l *lowerer) useName(n syntax.Node, path, alias string, public bool) {
	full := join(path, l.pathText(n))
	if l.Kind(n) == "self" && path != "" {
		full = path // use a::b::{self}
	}
	module, name := "", full
	if i := strings.LastIndex(full, "::"); i >= 0 {
		module, name = full[:i], full[i+2:]
	}
	pos := l.Start(n)
	if l.Kind(n) == "scoped_identifier" {
		pos = l.Start(l.Child(n, "name"))
	}
	l.use(module, name, alias, public, pos)
}

func (l *lowerer) use(module, name, alias string, public bool, pos int) {
	info := ir.ImportInfo{Module: l.module(module), Name: l.Str(name), Alias: l.Str(alias)}
	info.Flags |= walk.When(public, ir.Reexport) | walk.When(l.conditional, ir.Conditional)
	local := name
	switch {
	case alias == "_":
		local = "" // a trait, for its methods only
	case alias != "":
		local = alias
	case name == "*" && l.Class() == 0:
		local = ""
	}
	if local == "" {
		l.AddImport(info, "", public, pos)
		return
	}
	l.AddImport(info, local, public, pos)
	if l.Class() == 0 && !l.AtTop() {
		if v := l.Lookup(local); v != 0 {
			l.items[v] = 0
		}
	}
}

// module enters a path of modules, and its names one by one: what the file
// mentions, as the graph sees it, are its strings.
func (l *lowerer) module(path string) ir.Str {
	path = l.relative(path)
	for rest := path; rest != ""; {
		var segment string
		segment, rest, _ = strings.Cut(rest, "::")
		l.Str(segment)
	}
	return l.Str(path)
}

func (l *lowerer) externCrate(n syntax.Node) {
	name, alias := l.Child(n, "name"), l.Child(n, "alias")
	if name == 0 {
		return
	}
	l.use("", l.text(name), l.text(alias), l.visible(n), l.Start(name))
}

// relative makes a path that begins with self or super relative to the file's
// module: in "mod a { use super::b; }" super is the file.
func (l *lowerer) relative(path string) string {
	if len(l.modules) == 0 {
		return path
	}
	first, rest, _ := strings.Cut(path, "::")
	switch first {
	case "self":
		return join(join("self", strings.Join(l.modules, "::")), rest)
	case "super":
		up := 1
		for up <= len(l.modules) {
			next, after, _ := strings.Cut(rest, "::")
			if next != "super" {
				break
			}
			up, rest = up+1, after
		}
		if up > len(l.modules) {
			return join("super", rest)
		}
		return join(join("self", strings.Join(l.modules[:len(l.modules)-up], "::")), rest)
	}
	return path
}

func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "::" + b
}

// pathText returns a path as text, without type arguments and white space.
func (l *lowerer) pathText(n syntax.Node) string {
	if !l.Enter(n) {
		return ""
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "scoped_identifier", "scoped_type_identifier":
		return join(l.pathText(l.Child(n, "path")), l.text(l.Child(n, "name")))
	case "identifier", "type_identifier", "self", "super", "crate", "metavariable":
		return l.text(n)
	}
	return ""
}

// head is what a path begins with, as a value: its first name, and of a path
// from crate, self or super the name after that, as an import.
func (l *lowerer) head(word, name string, pos int) ir.Expr {
	key := join(l.relative(word), name)
	i, ok := l.heads[key]
	if !ok {
		i = ir.Import(len(l.Raw().Imports))
		l.AddImport(ir.ImportInfo{Module: l.module(word), Name: l.Str(name)}, "", false, pos)
		l.heads[key] = i
	}
	return l.Expr(ir.Node{Op: ir.Imported, Ref: uint32(i), Pos: l.Pos(pos)})
}

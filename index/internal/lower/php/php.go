// Package php lowers PHP source.
//
// What the language says in a way of its own is told to the graph like this:
//
//   - Variables and properties keep their "$": $this->run and $this->run() are two
//     names, as in the language. Parameters are named without it, as in calls.
//   - A file in one namespace has it as its Package; of several, each is a
//     Namespace class. The path \A\b begins with the free name "\", and
//     namespace\b with the free name "namespace".
//   - self:: is the class as a value, static:: the class of the receiver, parent::
//     the receiver from its bases on. In a trait self is static.
//   - A trait is a Mixin. "A::m insteadof B" and "A::m as n" are fields of the name
//     whose value is that method.
//   - "instanceof" gives a variable in its branch, and after a branch that leaves,
//     the type; assignments in the branch are to the outer variable.
//   - Doc comments tell a type where none is declared.
package php

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxDepth bounds the recursion over trees that nest without end.
const maxDepth = 1000

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Builder: ir.NewBuilder(language, t.Source()),
		t:       t,
		words:   map[string]string{},
		top:     map[string]ir.Var{},
	}
	l.contexts = []context{{fn: 1, kind: topLevel}}
	l.file(t.Root())
	return l.File()
}

type lowerer struct {
	*ir.Builder
	t        *syntax.Tree
	words    map[string]string // names as strings, each made once
	top      map[string]ir.Var // the variables at the top of the file
	contexts []context         // the functions around what is being written
	classes  []classContext    // as above
	depth    int
}

// text returns the text of a node.
func (l *lowerer) text(n syntax.Node) string {
	b := l.t.Bytes(n)
	if s, ok := l.words[string(b)]; ok {
		return s
	}
	s := string(b)
	l.words[s] = s
	return s
}

// is reports whether the text of a node is s.
func (l *lowerer) is(n syntax.Node, s string) bool { return string(l.t.Bytes(n)) == s }

// enter counts a level of nesting, and reports whether there may be one more. The
// caller calls leave in either case.
func (l *lowerer) enter() bool {
	l.depth++
	return l.depth < maxDepth
}

func (l *lowerer) leave() { l.depth-- }

// file lowers a file: with one namespace for all of it, or part by part.
func (l *lowerer) file(root syntax.Node) {
	t := l.t
	var spaces []syntax.Node
	for c := range t.NamedChildren(root) {
		if t.Kind(c) == "namespace_definition" {
			spaces = append(spaces, c)
		}
	}
	if len(spaces) == 1 {
		l.Raw().Package = l.Str(l.dotted(t.Child(spaces[0], "name")))
		if body := t.Child(spaces[0], "body"); body != 0 {
			l.statements(body)
			return
		}
	}
	if len(spaces) < 2 {
		l.statements(root)
		return
	}
	open := ir.Class(0)
	var doc syntax.Node
	for c := range t.Children(root) {
		switch {
		case t.Kind(c) == "comment":
			doc = c
			continue
		case t.Kind(c) == "namespace_definition":
			if open != 0 {
				l.endNamespace(open, t.Start(c))
			}
			open = l.beginNamespace(c)
			if body := t.Child(c, "body"); body != 0 {
				l.statements(body)
				l.endNamespace(open, t.End(c))
				open = 0
			}
		case t.Named(c):
			l.documented(c, doc)
		}
		doc = 0
	}
	if open != 0 {
		l.endNamespace(open, t.End(root))
	}
}

func (l *lowerer) beginNamespace(n syntax.Node) ir.Class {
	name := l.t.Child(n, "name")
	pos := l.t.Start(name)
	if name == 0 { // the global namespace, in braces
		pos = l.t.Start(n)
	}
	return l.BeginClass(l.dotted(name), ir.Namespace, pos)
}

func (l *lowerer) endNamespace(c ir.Class, end int) {
	l.EndClass(end)
	info := l.ClassInfo(c)
	l.Define(ir.Member{Name: info.Name, Kind: ir.ClassMember, Ref: uint32(c), Static: true, Exported: true}, int(info.Start))
}

// dotted returns a namespace's name with dots: a\b is a.b.
func (l *lowerer) dotted(n syntax.Node) string {
	return strings.ReplaceAll(strings.Trim(l.text(n), `\`), `\`, ".")
}

// use lowers an import.
func (l *lowerer) use(n syntax.Node) {
	t := l.t
	flags, prefix := ir.ImportFlag(0), ""
	for c := range t.Children(n) {
		switch k := t.Kind(c); k {
		case "function":
			flags = ir.FuncName
		case "namespace_name":
			prefix = l.dotted(c)
		case "namespace_use_clause":
			l.useClause(c, t.NamedChild(c, 0), "", flags)
		case "namespace_use_group":
			for g := range t.NamedChildren(c) {
				own := flags
				if t.ChildOf(g, "function") != 0 {
					own = ir.FuncName
				}
				l.useClause(g, t.ChildOf(g, "namespace_name"), prefix, own)
			}
		}
	}
}

func (l *lowerer) useClause(n, path syntax.Node, prefix string, flags ir.ImportFlag) {
	t := l.t
	if path == 0 {
		return
	}
	whole := l.dotted(path)
	if prefix != "" {
		whole = prefix + "." + whole
	}
	module, name := "", whole
	if i := strings.LastIndexByte(whole, '.'); i >= 0 {
		module, name = whole[:i], whole[i+1:]
	}
	info := ir.ImportInfo{Module: l.Str(module), Name: l.Str(name), Flags: flags}
	local, pos := name, t.Start(path)
	if alias := t.ChildOf(n, "namespace_aliasing_clause"); alias != 0 {
		if a := t.ChildOf(alias, "name"); a != 0 {
			local, pos = l.text(a), t.Start(a)
			info.Alias = l.Str(local)
		}
	}
	l.AddImport(info, local, false, pos)
}

// include lowers include, require and their kin: of a constant path it is an
// import, relative to the file.
func (l *lowerer) include(n syntax.Node) ir.Expr {
	t := l.t
	arg := t.NamedChild(n, 0)
	if path, ok := l.path(arg); ok && path != "" {
		switch {
		case strings.HasPrefix(path, "/"):
			path = "." + path
		case !strings.HasPrefix(path, "."):
			path = "./" + path
		}
		info := ir.ImportInfo{Module: l.Str(path), Name: l.Str("*"), Flags: ir.Include}
		l.AddImport(info, "", false, t.Start(arg))
		return 0
	}
	return l.Opaque(l.expr(arg))
}

// path evaluates the path of an include: a string after the folder of the file,
// which is "". It reports whether the path is a constant.
func (l *lowerer) path(n syntax.Node) (string, bool) {
	if n == 0 || !l.enter() {
		if n != 0 {
			l.leave()
		}
		return "", false
	}
	defer l.leave()
	t := l.t
	switch t.Kind(n) {
	case "string", "encapsed_string":
		return l.constant(n)
	case "name":
		return "", l.is(n, "__DIR__")
	case "parenthesized_expression":
		return l.path(t.NamedChild(n, 0))
	case "binary_expression":
		if t.Kind(t.Child(n, "operator")) != "." {
			return "", false
		}
		left, ok := l.path(t.Child(n, "left"))
		if !ok {
			return "", false
		}
		right, ok := l.path(t.Child(n, "right"))
		return left + right, ok
	case "function_call_expression":
		if !l.is(t.Child(n, "function"), "dirname") {
			return "", false
		}
		args := t.Child(n, "arguments")
		arg := t.NamedChild(t.NamedChild(args, 0), 0)
		if l.is(arg, "__FILE__") {
			return "", true
		}
		dir, ok := l.path(arg)
		levels := 1
		if second := t.NamedChild(args, 1); second != 0 {
			if b := t.Bytes(second); len(b) == 1 && b[0] > '0' && b[0] <= '9' {
				levels = int(b[0] - '0')
			}
		}
		if dir == "" {
			dir = "."
		}
		return dir + strings.Repeat("/..", levels), ok
	}
	return "", false
}

// constant returns the value of a string without variables and escapes.
func (l *lowerer) constant(n syntax.Node) (string, bool) {
	t := l.t
	switch t.Kind(n) {
	case "string", "encapsed_string":
	default:
		return "", false
	}
	content := syntax.Node(0)
	for c := range t.NamedChildren(n) {
		if t.Kind(c) != "string_content" || content != 0 {
			return "", false
		}
		content = c
	}
	return l.text(content), content != 0
}

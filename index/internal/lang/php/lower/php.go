// Package lower lowers PHP source.
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
package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Walker: walk.New(language, t),
		top:    map[string]ir.Var{},
	}
	l.contexts = []context{{fn: 1, kind: topLevel}}
	l.file(l.Root())
	return l.File()
}

type lowerer struct {
	walk.Walker
	top      map[string]ir.Var // the variables at the top of the file
	contexts []context         // the functions around what is being written
	classes  []classContext    // as above
}

// file lowers a file: with one namespace for all of it, or part by part.
func (l *lowerer) file(root syntax.Node) {
	var spaces []syntax.Node
	for c := range l.OfKind(root, "namespace_definition") {
		spaces = append(spaces, c)
	}
	if len(spaces) == 1 {
		l.Raw().Package = l.Str(l.dotted(l.Child(spaces[0], "name")))
		if body := l.Child(spaces[0], "body"); body != 0 {
			l.stmts(body)
			return
		}
	}
	if len(spaces) < 2 {
		l.stmts(root)
		return
	}
	open := ir.Class(0)
	var doc syntax.Node
	for c := range l.Children(root) {
		switch {
		case l.Kind(c) == "comment":
			doc = c
			continue
		case l.Kind(c) == "namespace_definition":
			if open != 0 {
				l.endNamespace(open, l.Start(c))
			}
			open = l.beginNamespace(c)
			if body := l.Child(c, "body"); body != 0 {
				l.stmts(body)
				l.endNamespace(open, l.End(c))
				open = 0
			}
		case l.Named(c):
			l.documented(c, doc)
		}
		doc = 0
	}
	if open != 0 {
		l.endNamespace(open, l.End(root))
	}
}

func (l *lowerer) beginNamespace(n syntax.Node) ir.Class {
	name := l.Child(n, "name")
	pos := l.Start(name)
	if name == 0 { // the global namespace, in braces
		pos = l.Start(n)
	}
	return l.BeginClass(l.dotted(name), ir.Namespace, pos)
}

func (l *lowerer) endNamespace(c ir.Class, end int) {
	l.EndClass(end)
	info := l.ClassInfo(c)
	l.DefineClass(c, true, true, int(info.Start))
}

// dotted returns a namespace's name with dots: a\b is a.b.
func (l *lowerer) dotted(n syntax.Node) string {
	return strings.ReplaceAll(strings.Trim(l.Text(n), `\`), `\`, ".")
}

// use lowers an import.
func (l *lowerer) use(n syntax.Node) {
	flags, prefix := ir.ImportFlag(0), ""
	for c := range l.Children(n) {
		switch k := l.Kind(c); k {
		case "function":
			flags = ir.FuncName
		case "namespace_name":
			prefix = l.dotted(c)
		case "namespace_use_clause":
			l.useClause(c, l.NamedChild(c, 0), "", flags)
		case "namespace_use_group":
			for g := range l.NamedChildren(c) {
				own := flags
				if l.ChildOf(g, "function") != 0 {
					own = ir.FuncName
				}
				l.useClause(g, l.ChildOf(g, "namespace_name"), prefix, own)
			}
		}
	}
}

func (l *lowerer) useClause(n, path syntax.Node, prefix string, flags ir.ImportFlag) {
	if path == 0 {
		return
	}
	whole := l.dotted(path)
	if prefix != "" {
		whole = prefix + "." + whole
	}
	module, name := walk.SplitLast(whole)
	info := ir.ImportInfo{Module: l.Str(module), Name: l.Str(name), Flags: flags}
	local, pos := name, l.Start(path)
	if alias := l.ChildOf(n, "namespace_aliasing_clause"); alias != 0 {
		if a := l.ChildOf(alias, "name"); a != 0 {
			local, pos = l.Text(a), l.Start(a)
			info.Alias = l.Str(local)
		}
	}
	l.AddImport(info, local, false, pos)
}

// include lowers include, require and their kin: of a constant path it is an
// import, relative to the file.
func (l *lowerer) include(n syntax.Node) ir.Expr {
	arg := l.NamedChild(n, 0)
	if path, ok := l.path(arg); ok && path != "" {
		switch {
		case strings.HasPrefix(path, "/"):
			path = "." + path
		case !strings.HasPrefix(path, "."):
			path = "./" + path
		}
		info := ir.ImportInfo{Module: l.Str(path), Name: l.Str("*"), Flags: ir.Include}
		l.AddImport(info, "", false, l.Start(arg))
		return 0
	}
	return l.Opaque(l.expr(arg))
}

// path evaluates the path of an include: a string after the folder of the file,
// which is "". It reports whether the path is a constant.
func (l *lowerer) path(n syntax.Node) (string, bool) {
	if !l.Enter(n) {
		return "", false
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "string", "encapsed_string":
		return l.constant(n)
	case "name":
		return "", l.Is(n, "__DIR__")
	case "parenthesized_expression":
		return l.path(l.NamedChild(n, 0))
	case "binary_expression":
		if l.Kind(l.Child(n, "operator")) != "." {
			return "", false
		}
		left, ok := l.path(l.Child(n, "left"))
		if !ok {
			return "", false
		}
		right, ok := l.path(l.Child(n, "right"))
		return left + right, ok
	case "function_call_expression":
		if !l.Is(l.Child(n, "function"), "dirname") {
			return "", false
		}
		args := l.Child(n, "arguments")
		arg := l.NamedChild(l.NamedChild(args, 0), 0)
		if l.Is(arg, "__FILE__") {
			return "", true
		}
		dir, ok := l.path(arg)
		levels := 1
		if second := l.NamedChild(args, 1); second != 0 {
			if b := l.Bytes(second); len(b) == 1 && b[0] > '0' && b[0] <= '9' {
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
	switch l.Kind(n) {
	case "string", "encapsed_string":
	default:
		return "", false
	}
	content := syntax.Node(0)
	for c := range l.NamedChildren(n) {
		if l.Kind(c) != "string_content" || content != 0 {
			return "", false
		}
		content = c
	}
	return l.Text(content), content != 0
}

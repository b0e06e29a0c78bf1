// Package golang lowers Go.
//
// What the language does without a trace in a call graph is dropped here:
// pointers (x, &x and *x are one value), labels, the order of statements. new,
// make and append are values, not calls; other builtins are calls of free names,
// because a package may define a function of the same name in another file.
// A composite literal of a struct is a New with the flag Implicit, one of a slice
// or map a List or Object that is cast to its type.
package golang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxDepth bounds the recursion: deeper expressions and blocks are left out.
const maxDepth = 1000

// A lowerer lowers one file.
type lowerer struct {
	b     *ir.Builder
	t     *syntax.Tree
	depth int
	args  []ir.Arg // a stack of the arguments that are being collected

	top        map[string]topDecl       // what this file declares at its top
	localTypes map[ir.Var]syntax.Node   // types declared in functions: what they stand for
	typeParams []string                 // of the function that is being written
	results    []ir.Var                 // the named results of the innermost function
	bare       bool                     // whether it has a return without values
	literals   map[string]ir.Expr       // one literal of each type serves the file
	builtin    map[string]ir.Expr       // and one use of each predeclared type
	elems      map[syntax.Node]ir.Expr  // the types of elements that literals leave out
	fields     map[syntax.Node][]ir.Str // the fields of struct types, in order
	unnamed    map[syntax.Node]ir.Expr  // the classes of struct and interface types without a name
}

// A topDecl is a declaration at the top of the file.
type topDecl struct {
	kind declKind
	typ  syntax.Node // what a type stands for
}

type declKind uint8

const (
	funcDecl declKind = iota + 1
	typeDecl
	valueDecl
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		b: ir.NewBuilder(language, t.Source()), t: t,
		top:        map[string]topDecl{},
		localTypes: map[ir.Var]syntax.Node{},
		literals:   map[string]ir.Expr{},
		builtin:    map[string]ir.Expr{},
		elems:      map[syntax.Node]ir.Expr{},
		fields:     map[syntax.Node][]ir.Str{},
		unnamed:    map[syntax.Node]ir.Expr{},
	}
	root := t.Root()
	l.collect(root)
	for c := range t.NamedChildren(root) {
		l.stmt(c)
	}
	return l.b.File()
}

// collect notes the names at the top of the file, which may be used before they
// are declared.
func (l *lowerer) collect(root syntax.Node) {
	for c := range l.t.NamedChildren(root) {
		switch l.t.Kind(c) {
		case "function_declaration":
			l.top[l.t.Text(l.t.Child(c, "name"))] = topDecl{kind: funcDecl}
		case "type_declaration":
			for spec := range l.t.NamedChildren(c) {
				l.top[l.t.Text(l.t.Child(spec, "name"))] = topDecl{typeDecl, l.t.Child(spec, "type")}
			}
		case "var_declaration", "const_declaration":
			l.eachSpec(c, func(spec syntax.Node) {
				for name := range l.t.NamedChildren(spec) {
					if l.t.Kind(name) != "identifier" {
						break
					}
					l.top[l.t.Text(name)] = topDecl{kind: valueDecl}
				}
			})
		}
	}
}

// eachSpec calls f for the specs of a declaration of variables or constants,
// with or without parentheses.
func (l *lowerer) eachSpec(n syntax.Node, f func(spec syntax.Node)) {
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "var_spec", "const_spec":
			f(c)
		case "var_spec_list":
			l.eachSpec(c, f)
		}
	}
}

// imports lowers an import declaration.
func (l *lowerer) imports(n syntax.Node) {
	for c := range l.t.NamedChildren(n) {
		switch l.t.Kind(c) {
		case "import_spec_list":
			l.imports(c)
		case "import_spec":
			l.importSpec(c)
		}
	}
}

func (l *lowerer) importSpec(n syntax.Node) {
	path := l.t.Child(n, "path")
	module := strings.Trim(l.t.Text(path), "\"`")
	if module == "" {
		return
	}
	info := ir.ImportInfo{Module: l.b.Str(module)}
	name := ""
	// The grammar gives the dot no field. Without a name it is the package's own,
	// which only its source knows.
	switch as := l.t.ChildOf(n, "package_identifier", "blank_identifier", "dot", "."); l.t.Kind(as) {
	case "package_identifier", "blank_identifier":
		name = l.t.Text(as)
		info.Alias = l.b.Str(name)
	case "dot", ".":
		info.Name = l.b.Str("*")
	}
	if name == "_" {
		name = ""
	}
	l.b.AddImport(info, name, false, l.t.Start(path))
}

// exported reports whether a name is visible in other packages.
func exported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

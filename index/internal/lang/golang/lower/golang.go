// Package lower lowers Go.
//
// What the language does without a trace in a call graph is dropped here:
// pointers (x, &x and *x are one value), labels, the order of statements. new,
// make and append are values, not calls; other builtins are calls of free names,
// because a package may define a function of the same name in another file.
// A composite literal of a struct is a New with the flag Implicit, one of a slice
// or map a List or Object that is cast to its type.
package lower

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker

	top        map[string]topDecl       // what this file declares at its top
	localTypes map[ir.Var]syntax.Node   // types declared in functions: what they stand for
	generics   []string                 // of the function that is being written
	results    []ir.Var                 // the named results of the innermost function
	bare       bool                     // whether it has a return without values
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
		Walker:     walk.New(language, t),
		top:        map[string]topDecl{},
		localTypes: map[ir.Var]syntax.Node{},
		builtin:    map[string]ir.Expr{},
		elems:      map[syntax.Node]ir.Expr{},
		fields:     map[syntax.Node][]ir.Str{},
		unnamed:    map[syntax.Node]ir.Expr{},
	}
	root := t.Root()
	l.collect(root)
	l.Each(root, l.stmt)
	return l.File()
}

// collect notes the names at the top of the file, which may be used before they
// are declared.
func (l *lowerer) collect(root syntax.Node) {
	for c := range l.NamedChildren(root) {
		switch l.Kind(c) {
		case "function_declaration":
			l.top[l.Text(l.Child(c, "name"))] = topDecl{kind: funcDecl}
		case "type_declaration":
			for spec := range l.NamedChildren(c) {
				l.top[l.Text(l.Child(spec, "name"))] = topDecl{typeDecl, l.Child(spec, "type")}
			}
		case "var_declaration", "const_declaration":
			l.eachSpec(c, func(spec syntax.Node) {
				for name := range l.NamedChildren(spec) {
					if l.Kind(name) != "identifier" {
						break
					}
					l.top[l.Text(name)] = topDecl{kind: valueDecl}
				}
			})
		}
	}
}

// eachSpec calls f for the specs of a declaration of variables or constants,
// with or without parentheses.
func (l *lowerer) eachSpec(n syntax.Node, f func(spec syntax.Node)) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "var_spec", "const_spec":
			f(c)
		case "var_spec_list":
			l.eachSpec(c, f)
		}
	}
}

// imports lowers an import declaration.
func (l *lowerer) imports(n syntax.Node) {
	for c := range l.NamedChildren(n) {
		switch l.Kind(c) {
		case "import_spec_list":
			l.imports(c)
		case "import_spec":
			l.importSpec(c)
		}
	}
}

func (l *lowerer) importSpec(n syntax.Node) {
	path := l.Child(n, "path")
	module := strings.Trim(l.Text(path), "\"`")
	if module == "" {
		return
	}
	info := ir.ImportInfo{Module: l.Str(module)}
	name := ""
	// The grammar gives the dot no field. Without a name it is the package's own,
	// which only its source knows.
	switch as := l.ChildOf(n, "package_identifier", "blank_identifier", "dot", "."); l.Kind(as) {
	case "package_identifier", "blank_identifier":
		name = l.Text(as)
		info.Alias = l.Str(name)
	case "dot", ".":
		info.Name = l.Str("*")
	}
	if name == "_" {
		name = ""
	}
	l.AddImport(info, name, false, l.Start(path))
}

// exported reports whether a name is visible in other packages.
func exported(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}

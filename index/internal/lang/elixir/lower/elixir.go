// Package lower lowers Elixir.
//
// In Elixir everything is a call, and what defines or controls something is a macro of
// the library. What it means is told to the graph like this:
//
//   - A module is a Namespace by its path, a protocol an Interface. An implementation
//     of a protocol for a type is a Namespace that extends it, as a module extends its
//     behaviours.
//   - Clauses of a function that follow each other are one function; others of its name
//     have other numbers of parameters. Its result is the value of its last expression.
//   - A variable is another one after each match. A pattern binds its variables to the
//     parts of what it is matched with: tuples, lists and maps by their place or key.
//   - x |> f(y) is f(x, y). &f/1 is the function, &(&1 + 1) a Lambda.
//   - A module attribute is a field of the module: @repo.get(1) calls what it names.
//   - The blocks of if, case, with and all other macros run where they are written.
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
	l := &lowerer{Walker: walk.New(language, t)}
	l.imports()
	l.Keep(l.body(t.Root()))
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker
	modules  []string // the paths of the modules around, innermost last
	clause   clause   // the last function, of which another clause may follow
	captured []ir.Var // the parameters of the &(...) around: &1 and so on; nil outside of one
}

// A clause says which function it is one of.
type clause struct {
	module ir.Class
	name   string
	params int
	fn     ir.Func
}

// word is what a call without a receiver calls: "def", "if" or a function's name.
func (l *lowerer) word(n syntax.Node) string {
	if target := l.Child(n, "target"); l.Kind(n) == "call" && l.Kind(target) == "identifier" {
		return l.Text(target)
	}
	return ""
}

// argument returns the i-th argument of a call.
func (l *lowerer) argument(n syntax.Node, i int) syntax.Node {
	return l.NamedChild(l.ChildOf(n, "arguments"), i)
}

// option returns the value that a call has for a keyword, as in "for: T".
func (l *lowerer) option(n syntax.Node, name string) syntax.Node {
	for list := range l.OfKind(l.ChildOf(n, "arguments"), "keywords") {
		for pair := range l.OfKind(list, "pair") {
			if l.key(pair) == name {
				return l.Child(pair, "value")
			}
		}
	}
	return 0
}

// key returns the key of a pair in a list of keywords or in a map.
func (l *lowerer) key(pair syntax.Node) string {
	return strings.Trim(l.Text(l.Child(pair, "key")), ": \t\r\n\"")
}

// imports enters the imports of all modules in the file.
func (l *lowerer) imports() {
	for n := syntax.Node(1); int(n) <= l.Len(); n++ {
		switch word := l.word(n); word {
		case "alias", "require", "import", "use":
			l.eachModule(l.argument(n, 0), func(at syntax.Node, path string) {
				l.bring(word, at, path, l.option(n, "as"))
			})
		}
	}
}

// eachModule calls f for the modules that an import names: A, or A.{B, C}.
func (l *lowerer) eachModule(n syntax.Node, f func(at syntax.Node, path string)) {
	switch group := l.Child(n, "right"); {
	case l.Kind(n) == "alias":
		f(n, l.Text(n))
	case l.Kind(n) == "dot" && l.Kind(group) == "tuple":
		for c := range l.OfKind(group, "alias") {
			f(c, l.Text(l.Child(n, "left"))+"."+l.Text(c))
		}
	}
}

// bring enters one import: an alias binds the last name of a module, and the others
// bring its functions.
func (l *lowerer) bring(word string, at syntax.Node, path string, as syntax.Node) {
	if word == "import" || word == "use" {
		l.AddImport(ir.ImportInfo{Module: l.Str(path), Name: l.Str("*")}, "", false, l.Start(at))
		return
	}
	module, name := walk.SplitLast(path)
	if module == "" && as == 0 {
		return // a name that is known by itself
	}
	info := ir.ImportInfo{Module: l.Str(module), Name: l.Str(name)}
	if as != 0 {
		name = l.Text(as)
		info.Alias = l.Str(name)
	}
	l.AddImport(info, name, false, l.Start(at))
}

// modulePath is a module by its dotted name.
func (l *lowerer) modulePath(path string, pos int) ir.Expr {
	var x ir.Expr
	for i := 0; ; {
		name, rest, more := strings.Cut(path[i:], ".")
		if x == 0 {
			x = l.Free(name, pos)
		} else {
			x = l.Attr(x, name, pos+i)
		}
		if !more {
			return x
		}
		i = len(path) - len(rest)
	}
}

// module is the module around, as a value.
func (l *lowerer) module(pos int) ir.Expr {
	if n := len(l.modules); n > 0 {
		return l.Path(l.modules[n-1], pos, 0)
	}
	return 0
}

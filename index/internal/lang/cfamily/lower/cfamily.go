// Package lower lowers C and C++.
//
// What the two languages make hard, and what becomes of it:
//
//   - Pointers, references and arrays of T are T. In C an element x[i] is x, too,
//     so a table of functions is a variable with several values. In C++ x[i] is an
//     Index, for the containers.
//   - A prototype is a function with the Prototype flag; a variable that is only
//     declared extern is left out, and its name stays free.
//   - Both branches of #if are kept. A function-like macro is a function that calls
//     what its text calls, read token by token. A macro that stands for one name is a
//     variable with its value.
//   - An initializer list of C is a Bind for each member that it sets; where the
//     struct is written in another file, the i-th is called "#i".
//   - A constructor that runs without being named (Foo x; Foo x(1); a base or member
//     that a constructor initializes) is a New with the Implicit flag.
//   - Destructors and conversions that run without being named are not calls.
//   - An anonymous namespace is the one around it, with private members. The members
//     of an inline namespace are those of the one around it, too.
package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// Lower turns a syntax tree into its intermediate representation. The result
// refers to nothing of the tree.
func Lower(language string, t *syntax.Tree) *ir.File {
	l := &lowerer{
		Walker: walk.New(language, t),
		cpp:    language != "c",
		shared: map[string]ir.Expr{},
		known:  map[string]*class{},
	}
	l.items(l.Root())
	return l.File()
}

// A lowerer lowers one file.
type lowerer struct {
	walk.Walker
	cpp bool

	shared map[string]ir.Expr // one expression for each literal and primitive type
	known  map[string]*class  // the classes written so far

	private  bool              // in an anonymous namespace
	macroEnd int               // where the text of the last macro ends
	template []ir.TypeParam    // of the template declaration around the next definition
	types    map[string]ir.Var // classes written in functions
	hoist    []hoisted         // found in a class, but members of what is around it
}

// A hoisted is a definition inside of a class that belongs outside.
type hoisted struct {
	member ir.Member
	pos    int
}

// items lowers what stands at the top of a file or namespace.
func (l *lowerer) items(n syntax.Node) {
	l.Each(n, l.item)
}

func (l *lowerer) item(n syntax.Node) {
	if l.End(n) <= l.macroEnd || !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.Kind(n) {
	case "function_definition":
		l.function(n)
	case "declaration":
		l.declaration(n)
	case "type_definition":
		l.typedef(n)
	case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
		l.typ(n)
	case "preproc_include":
		l.include(n)
	case "preproc_function_def":
		l.macro(n)
	case "preproc_def":
		l.constant(n)
	case "preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else", "declaration_list", "ERROR":
		for c := range l.NamedChildren(n) {
			if f := l.Field(c); f != "name" && f != "condition" {
				l.item(c)
			}
		}
	case "linkage_specification":
		l.item(l.Child(n, "body"))
	case "namespace_definition":
		l.namespace(n)
	case "namespace_alias_definition":
		l.namespaceAlias(n)
	case "using_declaration":
		l.using(n)
	case "alias_declaration":
		l.alias(n)
	case "template_declaration":
		l.templated(n, l.item)
	case "preproc_call", "preproc_directive", "identifier", "type_identifier", "primitive_type", "static_assert_declaration",
		"template_instantiation", "concept_definition", "friend_declaration":
	default:
		l.stmt(n)
	}
}

// include lowers #include.
func (l *lowerer) include(n syntax.Node) {
	path := l.Child(n, "path")
	text, flags := l.Text(path), ir.Include
	switch l.Kind(path) {
	case "system_lib_string":
		flags |= ir.System
	case "string_literal":
	default: // a macro: not known
		return
	}
	if len(text) < 3 {
		return
	}
	l.AddImport(ir.ImportInfo{Module: l.Str(text[1 : len(text)-1]), Name: l.Str("*"), Flags: flags}, "", false, l.Start(path))
}

// constant lowers a macro without parameters where it stands for one name.
func (l *lowerer) constant(n syntax.Node) {
	name, value := l.Child(n, "name"), l.Child(n, "value")
	if value == 0 || !l.AtTop() {
		return
	}
	text := l.Bytes(value)
	if !isWord(text) || string(text) == l.Text(name) || keyword(string(text)) {
		return
	}
	v := l.Declare(l.Text(name), l.Start(name))
	l.Bind(l.Local(v, l.Start(name)), l.Free(string(text), l.Start(value)))
}

// isWord reports whether text is one identifier.
func isWord(text []byte) bool {
	for i, c := range text {
		if !isLetter(c) && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(text) > 0
}

// keyword reports whether a word that macros often stand for is none of a
// definition.
func keyword(word string) bool {
	switch word {
	case "int", "char", "long", "short", "unsigned", "signed", "float", "double", "void", "bool", "_Bool", "const", "volatile",
		"static", "extern", "inline", "__inline", "__inline__", "register", "restrict", "__restrict", "struct", "union", "enum",
		"true", "false", "NULL", "nullptr", "noexcept", "override", "final", "constexpr", "return", "if", "else", "while", "for",
		"class", "typename", "namespace", "virtual", "explicit", "thread_local", "alignas", "auto", "this", "default", "delete":
		return true
	}
	return false
}

// use is the use of a variable or function by its name.
func (l *lowerer) use(n syntax.Node) ir.Expr { return l.Name(l.Text(n), l.Start(n)) }

// define binds the name at the node to a definition.
func (l *lowerer) define(kind ir.MemberKind, ref uint32, name syntax.Node) {
	l.defineAs(kind, ref, l.Text(name), l.Start(name))
}

func (l *lowerer) defineAs(kind ir.MemberKind, ref uint32, name string, pos int) {
	l.Define(ir.Member{Name: l.Str(name), Kind: kind, Ref: ref, Exported: !l.private}, pos)
}

// begin begins a function whose definition is n.
func (l *lowerer) begin(name string, at, n syntax.Node) ir.Func {
	f := l.OpenFunc(n, name, l.Start(at), 0)
	return f
}

package syntax

import "slices"

// A Kind is what a symbol is. Its values are the field's usual words, lower case.
type Kind string

// The kinds.
const (
	Function    Kind = "function"
	Method      Kind = "method"
	Constructor Kind = "constructor"
	Class       Kind = "class"
	Struct      Kind = "struct"
	Interface   Kind = "interface"
	Trait       Kind = "trait"
	Enum        Kind = "enum"
	Type        Kind = "type" // alias, typedef, union, any other named type
	Module      Kind = "module"
	Namespace   Kind = "namespace"
	Constant    Kind = "constant"
	Variable    Kind = "variable"
	Field       Kind = "field" // also enum members and properties
	Macro       Kind = "macro"
	Heading     Kind = "heading" // Markdown
	Rule        Kind = "rule"    // a CSS rule, a Dockerfile stage, a build target
	Key         Kind = "key"     // a key of YAML or TOML, a block of HCL
)

// kinds are all of them, by their numbers.
var kinds = [...]Kind{
	Function, Method, Constructor, Class, Struct, Interface, Trait, Enum, Type, Module, Namespace, Constant, Variable,
	Field, Macro, Heading, Rule, Key,
}

// A KindNumber stands for a Kind in a sixteenth of the memory.
type KindNumber uint8

// Number returns the number of a kind, and false if there is no such kind.
func (k Kind) Number() (n KindNumber, ok bool) {
	i := slices.Index(kinds[:], k)
	return KindNumber(max(i, 0)), i >= 0
}

// Kind returns what a number stands for.
func (n KindNumber) Kind() Kind { return kinds[n] }

// A Symbol is one definition.
type Symbol struct {
	Name      string
	Kind      Kind
	Parent    string // the containers' names joined by ".": "Outer.Inner"; a Go method's receiver type
	Signature string // one line, no body, white space collapsed, at most 300 bytes; never empty
	Doc       string // the doc comment as prose, comment markers removed, at most 2,000 bytes
	Start     int    // byte offset of the definition, decorators and `export` included, doc comment not
	End       int    // byte offset just past it
	DocStart  int    // byte offset of the doc comment before it, or Start
	DocAt     int    // byte offset of the text that Doc is made of, before it or inside; see Prose
	DocTo     int    // byte offset just past that text; DocAt without a Doc
	Line      int    // 1-based line of Start
	EndLine   int    // 1-based line of the last byte
	NameLine  int    // 1-based line of the name (differs from Line below decorators)
	Exported  bool   // visible outside its file or package, by the language's rules
}

// A RefKind is how a name is used.
type RefKind string

// The kinds of reference.
const (
	Call    RefKind = "call"
	New     RefKind = "new"     // a constructor call with its own syntax
	TypeUse RefKind = "type"    // a type in a signature, field or local declaration
	Inherit RefKind = "inherit" // a base class, an implemented interface, an embedded type
	Export  RefKind = "export"  // a re-export: `export { a } from "./b"`
)

// A Ref is one use of a name.
type Ref struct {
	Name     string
	Receiver string // the text before the dot, as written, at most 80 bytes: "s.conn", "fmt", "self"
	Kind     RefKind
	Line     int // 1-based
	Offset   int // byte offset of Name
}

// An Import is one imported path or name.
type Import struct {
	Path  string // as written, quotes removed: "./b", "net/http", "os.path", "stdio.h"
	Name  string // the imported name, where one is picked out: from a import Name
	Alias string // the local name, where it differs
	Line  int    // 1-based
}

// A File is what the syntax of one file tells. Nothing in it refers to the
// source text or to memory of the parser.
type File struct {
	Language string
	Symbols  []Symbol // by Start, containers before what they contain
	Refs     []Ref    // by Offset
	Imports  []Import // by Line
	Grammar  bool     // false: found by patterns, which know nothing of the language's syntax
	Errors   bool     // the text has syntax errors, or the parser gave up; what was found is kept
	Fault    Fault    // why the parser gave up: there is no tree, and the patterns found what is here
	HeadEnd  int      // byte offset where licence, package clause and imports end and code begins
}

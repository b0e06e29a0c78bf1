package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// An ID is a node of the graph: a function, class, variable, file or namespace.
// It stays the same while the thing exists under the same path and name. 0 is none.
type ID uint32

// A Kind is what a node is.
type Kind uint8

// The kinds of node.
const (
	FileNode Kind = iota + 1 // a file; also stands for its top-level code
	FuncNode
	ClassNode
	VarNode
	NamespaceNode // a package or namespace of several files; it has no place
	objectNode    // a literal
)

// A Node is one node as others see it.
type Node struct {
	ID         ID
	Kind       Kind
	Path       string // of the file
	Name       string // with its containers: "Server.Serve"; "" for a file
	Language   string
	Flags      ir.FuncFlag
	ClassKind  ir.ClassKind
	Pos        ir.Pos // of the name
	Start, End uint32 // byte offsets of the definition
	Outer      ID     // the named container, or the file
}

// An EdgeKind is how one node depends on another.
type EdgeKind uint8

// The kinds of edge.
const (
	Calls EdgeKind = iota
	References
	Imports
	Inherits
	Implements
)

var edgeKinds = [...]string{"calls", "references", "imports", "inherits", "implements"}

// String returns the kind's name in answers.
func (k EdgeKind) String() string { return edgeKinds[k] }

// A Confidence is how sure an edge is.
type Confidence uint8

// The confidences, the surest first.
const (
	// Exact: one definition through scope, import or type.
	Exact Confidence = iota
	// Scoped: narrowed to few by module, receiver, values or arity.
	Scoped
	// Possible: one of several that the hierarchy or the overloads allow, none of
	// them certain. Such edges are the ambiguous set.
	Possible
	// ByName: the call's receiver is unknown and only the name fits. Such edges
	// are not kept; a query makes them of open sites.
	ByName
)

var confidences = [...]string{"exact", "scoped", "scoped", "name"}

// String returns the confidence's name in answers.
func (c Confidence) String() string { return confidences[c] }

// A Rule is what made an edge.
type Rule uint8

// The rules.
const (
	ByScope       Rule = iota + 1 // a name in scope: the same file or package
	ByImport                      // a name that an import brings
	ByType                        // a member of a receiver whose type is declared or inferred
	ByFlow                        // a value that reaches the call through variables, fields or arguments
	BySelf                        // a member of the enclosing class
	ByHierarchy                   // an implementation or override of what is called
	ByConstructor                 // the making of an instance
	ByOverload                    // one of several overloads
	ByValue                       // a function or class used as a value
	ByDecl                        // a type or base in a declaration
	ByMacro                       // an invocation of a macro
	ByProperty                    // a read or write that runs an accessor
)

var rules = [...]string{"", "scope", "import", "type", "flow", "self", "hierarchy", "constructor", "overload",
	"value", "declaration", "macro", "property"}

// String returns the rule's name in answers.
func (r Rule) String() string { return rules[r] }

// An Edge says that From depends on To at a place in From's file.
type Edge struct {
	From, To   ID
	Kind       EdgeKind
	Confidence Confidence
	Rule       Rule
	Pos        ir.Pos

	via uint32 // the number of a dispatch: of a call of many overrides, until a query asks for them
}

// A Reason says why a call site has no edge.
type Reason uint8

// The reasons.
const (
	UnknownReceiver Reason = iota // the receiver's type is not known
	UnknownMember                 // the receiver's type has no such member that is known
	FunctionValue                 // a function value that nothing known reaches
	TooMany                       // more values reach it than are kept
	External                      // what is called is not in the index
	NoName                        // what is called is an expression
)

var reasons = [...]string{"unknown receiver", "unknown member", "function value", "too many values", "external", "expression"}

// String returns the reason's text in answers.
func (r Reason) String() string { return reasons[r] }

// ofValue reports whether what is called is a value that is not known.
func (r Reason) ofValue() bool { return r == FunctionValue || r == TooMany || r == NoName }

// A Site is a call that leads to no definition of the index.
type Site struct {
	From   ID
	Name   string // the called name; of external calls the whole path where it is known
	Reason Reason
	Pos    ir.Pos
}

// A site is a Site as a family holds it: there are millions, which the collector need not
// look into.
type site struct {
	from   ID
	name   name
	pos    ir.Pos
	reason Reason
}

// A file is one lowered file in the graph.
type file struct {
	id      ID
	path    string
	dir     string
	lang    *lang
	ir      *ir.File
	names   []name // by ir.Str
	known   *names // that these are of
	funcs   []ID   // by ir.Func
	classes []ID   // by ir.Class
	vars    []ID   // by ir.Var; 0 for locals
	units   []*unit
	shared  []bool                 // by ir.Func: other units use its variables, too
	unitOf  []uint32               // by ir.Func: index in units
	next    []ir.Func              // by ir.Func: the next one of the same unit, 0: none
	targets []target               // by ir.Import
	imports map[name]ir.Import     // the names of imports that the language finds out, see Language.ImportName
	facts   any                    // what its language has found out about it
	within  []ir.Func              // by ir.Class: the function that it is written in, directly or in a class there
	inner   map[ir.Func][]ir.Class // the classes that are written in functions
	pkg     ID                     // the package or namespace its top level belongs to, or 0

	pointers map[ir.Var]bool // fields that hold no object themselves
	varTypes []set           // declared types, by ir.Var
	recv     map[ir.Func]set // the types of the receivers of methods written outside of them
	results  resultTypes     // declared results
	attached []attachment
	outer    []name // by ir.Func: the type before the name of a method that is written outside of it; nil: there are none
	extends  []name // by ir.Class: what an extension extends

	fluent map[ir.Func]bool // the functions that are declared to return their receiver

	order uint32 // the place of the file in a round; see replay
	again bool   // its units are being evaluated again

	slim        bool // the expressions and bodies are not at hand
	exprs, args int  // how many there are

	said     hashes // what the text says of each name that others can use
	declared hashes // what that means
	before   hashes // what it meant in the version before, until it is declared
}

// Package edge has what a call graph consists of: nodes, edges and call sites without one.
package edge

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
	ObjectNode    // a literal
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

// EdgeKinds are the names of the kinds.
var EdgeKinds = [...]string{"calls", "references", "imports", "inherits", "implements"}

// String returns the kind's name in answers.
func (k EdgeKind) String() string { return EdgeKinds[k] }

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

// Confidences are the names of the confidences.
var Confidences = [...]string{"exact", "scoped", "scoped", "name"}

// String returns the confidence's name in answers.
func (c Confidence) String() string { return Confidences[c] }

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
	BySCIP                        // what a SCIP index says; no graph has it but one with facts
)

// Rules are the names of the rules.
var Rules = [...]string{"", "scope", "import", "type", "flow", "self", "hierarchy", "constructor", "overload",
	"value", "declaration", "macro", "property", "scip"}

// String returns the rule's name in answers.
func (r Rule) String() string { return Rules[r] }

// An Edge says that From depends on To at a place in From's file.
type Edge struct {
	From, To   ID
	Kind       EdgeKind
	Confidence Confidence
	Rule       Rule
	Pos        ir.Pos

	Via uint32 // the number of a dispatch: of a call of many overrides, until a query asks for them
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

// Reasons are the texts of the reasons.
var Reasons = [...]string{"unknown receiver", "unknown member", "function value", "too many values", "external", "expression"}

// String returns the reason's text in answers.
func (r Reason) String() string { return Reasons[r] }

// OfValue reports whether what is called is a value that is not known.
func (r Reason) OfValue() bool { return r == FunctionValue || r == TooMany || r == NoName }

// A Site is a call that leads to no definition of the index.
type Site struct {
	From   ID
	Name   string // the called name; of external calls the whole path where it is known
	Reason Reason
	Pos    ir.Pos
}

// EdgeKey is what makes an edge the same one; without To it is a site.
type EdgeKey struct {
	From, to ID
	via      uint32
	Kind     EdgeKind
	Pos      ir.Pos
}

// Hands reports whether an edge says that an instance of a class is handed to something outside
// of the index, and not what is named at its place.
func (x *Edge) Hands() bool { return x.Kind == References && x.Rule == ByFlow }

// Key returns what makes the edge the same one: of uses that are no calls the place does not
// count, but where an instance is handed on, and where a call goes by way of a method without a body.
func (x *Edge) Key() EdgeKey {
	key := EdgeKey{x.From, x.To, x.Via, x.Kind, x.Pos}
	if x.Kind != Calls && !x.Hands() && (x.Kind != References || x.Rule != ByHierarchy) {
		key.Pos = 0
	}
	return key
}

// How many families and nodes there may be.
const (
	MaxFamilies = 1 << numberBits
	MaxNodes    = 1 << (32 - numberBits)
)

// Stats counts what the graph holds.
type Stats struct {
	Files, Nodes, Edges, Sites, External int

	Values map[string]int // sites where a function value is called that is not known, by language
}

// numberBits is how many bits of an ID are the number of its family: there are fewer
// families than 32, and no tree has the 134 million nodes that are left to each.
const numberBits = 5

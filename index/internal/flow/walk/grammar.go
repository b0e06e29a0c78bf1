package walk

import (
	"maps"
	"slices"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A Grammar says what the nodes of a language's trees do. Whatever it does not name is an
// expression of which the named children are evaluated in their order.
type Grammar struct {
	Functions   map[string]Function // functions and what else has a body that runs later
	Statements  map[string]Rule     // what steps and edges are made for
	Expressions map[string]Rule     // what is not evaluated child by child
	Names       map[string]bool     // kinds of names of variables
	Members     map[string]Member   // x.f
	Elements    map[string]Member   // x[i]
	Calls       map[string]CallForm // f(x)
	Skip        map[string]bool     // kinds that have no values: types, labels, names of members

	Logic Logic // and, or, not

	// Paths are the kinds of nodes around a name that is called, with the field that has it;
	// "": the last child.
	Paths map[string]string
	// Ternary are the kinds of conditional expressions, with their condition and the two values.
	Ternary map[string][3]string

	// Operand has the kinds of Statements that may stand within an expression and do not
	// make steps of their own there: assignments.
	Operand map[string]bool
	// Values is set where statements are expressions: they are written before the step that
	// takes their values.
	Values bool
	// Raises is set where any step that reads something may raise an error, not only calls.
	Raises bool
	// Flat is set where a variable lives in the whole function, whatever block it is first
	// assigned in, and an assignment to a name that is not known declares it.
	Flat bool
	// Shares is set where an assignment within a function that sees the variables around it
	// writes the one that is there.
	Shares bool
	// Global reports whether a name is one of no function: an assignment does not declare it.
	Global func(name string) bool
	// Closed is set where functions do not see the variables around them (but for those that
	// Functions say do).
	Closed bool
	// Self are the words for the receiver; where SelfName is set, the kinds of nodes for it.
	Self     map[string]bool
	SelfName string
	// Blank names no variable: "_" of Go.
	Blank string
	// Fixed are conditions, as they are written, that are always true, or always false.
	Fixed map[string]bool
	// Scalars are the kinds of expressions whose values have no parts: numbers, arithmetic.
	Scalars map[string]bool
	// Address reports whether an expression gives the address of a variable: a call may write
	// what it is given the address of.
	Address func(b *Builder, n syntax.Node) bool
	// Reference is set where a call may write a variable that is its argument, whatever it holds.
	Reference bool
	// Scalar tells more of them, where it is not nil: a value has no parts if the variables that
	// it returns have none.
	Scalar func(b *Builder, n syntax.Node) (ok bool, ifs []Var)
	// Objects returns the parts of an expression that is no call whose objects its value may be, or have
	// in it; nil: none.
	Objects func(b *Builder, n syntax.Node) []syntax.Node
	// Pure are functions, as they are called, that change nothing they are given.
	Pure map[string]bool
	// Computes reports whether a function of the same file, by its name, changes nothing that it is given, and
	// gives a value without parts; nil: none.
	Computes func(t *syntax.Tree, name string) bool
	// Copies are functions and methods whose value is a new object, which has the parts of what they are given
	// or called of.
	Copies map[string]bool
	// Extends is set where x += y may put what y has into x.
	Extends bool
	// Indexed is set where x[0] always is the same element of an object.
	Indexed bool
	// PureModules are modules whose functions change nothing they are given.
	PureModules map[string]bool
	// ScalarTypes are types, as they are written, whose values have no parts.
	ScalarTypes map[string]bool
	// Modules returns the names that imports of a file bring, of modules and packages: a call
	// of a function of one changes no object. nil: none.
	Modules func(t *syntax.Tree) map[string]bool
	// Readers are the names of methods that change nothing, Fillers of those that change what
	// they are called of, but not what they are given.
	Readers, Fillers map[string]bool
	// Alone is set where a function at the top of a file means the same without what is written
	// around it, but for the beginning of the file.
	Alone bool
	// Awaits are the kinds of expressions after which a function is resumed; Defers are those of
	// statements whose calls run when the function is left.
	Awaits, Defers map[string]bool
	// Clauses are, by kind of statement, those that it cannot do without: a handler for a "try",
	// or, where there is none, what runs in the end.
	Clauses map[string][]string
	// Lists are the kinds of lists of targets and of values, which are assigned one by one.
	Lists map[string]bool
	// Holds are the kinds of literals that hold the objects they are made of.
	Holds map[string]bool
	// Loops has the kinds of statements that a label belongs to: loops, and what a break leaves.
	Loops map[string]bool
	// Gotos is set where a label is there for gotos alone: one that none leads to is a gap.
	Gotos bool
	// NoSwitchBreak is set where a break does not leave a "switch".
	NoSwitchBreak bool
	// SwitchContinue is set where a continue in a "switch" leaves it.
	SwitchContinue bool
	// Casts are the kinds of nodes around an expression that mean the same object: they return
	// that, or none.
	Casts map[string]func(b *Builder, n syntax.Node) syntax.Node
	// Chains are the kinds of nodes that are an object and suffixes after it.
	Chains map[string]Chain
	// Ahead declares the names that are known in the whole of a block before it runs. A
	// declaration of such a name means the one that the block has (Builder.Block).
	Ahead Rule
	// Hoists declares what is known in the whole of a function before it runs; nil: what Flat says.
	Hoists func(b *Builder, n, body syntax.Node)
	// Value reports whether the type of a parameter, or of a declaration, says that its values
	// have no parts to be changed.
	Value func(b *Builder, n syntax.Node) bool
	// IsType reports whether a name that no variable has is one of a type.
	IsType func(name string) bool
	// Ignore reports whether a name is not one of a variable: a constant, a type.
	Ignore func(name string) bool
	// Flows is the text of a table of sources, sinks and sanitizers, which package taint reads.
	Flows string
}

// A Rule writes what a node does.
type Rule func(b *Builder, n syntax.Node)

// Logic says which nodes choose whether an operand is evaluated. Their operands are in the
// fields left and right, or in the parts named here.
type Logic struct {
	Left, Right string
	Binary      map[string]bool   // the kinds of nodes of two operands
	Unary       map[string]string // those of one, with its field; "": the first child
	Parens      map[string]bool   // those around one
	And         map[string]bool   // operators
	Or          map[string]bool
	Not         map[string]bool
	Lazy        map[string]bool // operators whose right side is not always evaluated, for another reason than truth
	Chain       map[string]bool // those of any number, which all must hold
	Clause      map[string]bool // those of a condition in the field value, after a statement in initializer
}

// A Function says where the parts of a function are.
type Function struct {
	Name   string                                          // the field of its name
	NameOf func(t *syntax.Tree, n syntax.Node) syntax.Node // finds its name where that is not a child with a field
	Params string                                          // the field of its list of parameters, or of the only one
	Recv   string                                          // the field of its receiver
	Result string                                          // the field of its results, where these may have names
	Body   string                                          // the field of its body; ".": it is one; "": a child of the kind BodyKind, or the last one
	// BodyKind is the kind of the child that is the body, where that has no field.
	BodyKind string
	Open     bool // it sees the variables around it in a language that is Closed
	Returns  bool // a return in it leaves the function around it
	Class    bool // it runs where it is written: the body of a class
	Member   bool // its name is not a variable: a method, a type
	Inside   bool // its name is known only within it
	Through  bool // a return without a label leaves the function around it, too
	SameSelf bool // its receiver is that of the function around it
	// Heads are the kinds of children that are evaluated where it is made: superclasses,
	// decorators.
	Heads map[string]bool
	Bases string // of a class: the field of the values that it is made from
	Early bool   // the defaults of its parameters are evaluated where it is made
	// Bind writes its parameters; nil: each child of the list is a target, or has one in a
	// field name, pattern or left, and its default in a field value or right.
	Bind Rule
}

// A Member says which fields of a node are the object and the part of it; an Object without a
// field is the first child.
type Member struct {
	Object, Part string
	Optional     string // the field or kind of the mark that nothing happens where there is no object
}

// A Chain says which children of a node are suffixes of the first one: those for a member, with
// its part, and those for an element.
type Chain struct{ Member, Part, Element string }

func (b *Builder) object(n syntax.Node, m Member) syntax.Node { return b.childOrFirst(n, m.Object) }

// childOrFirst returns the child of a field, or the first one where the field has no name.
func (b *Builder) childOrFirst(n syntax.Node, field string) syntax.Node {
	if field == "" {
		return b.NamedChild(n, 0)
	}
	return b.Child(n, field)
}

// A CallForm says where the parts of a call are.
type CallForm struct {
	Callee   string // the field of what is called; "": the first child
	Receiver string // the field of the object of a method; "": it is the object of the Callee
	Args     string // the field of the arguments; "": a child of the kind ArgsKind
	ArgsKind string
	Known    bool   // a name that is called is a variable only where one of that name is known
	Optional string // the field or kind of the mark that nothing happens where there is no object
}

// BodyOf returns the node of the body of a function, which may be that of the function.
func (f Function) BodyOf(t *syntax.Tree, n syntax.Node) syntax.Node {
	switch {
	case f.Body == ".":
		return n
	case f.Body != "":
		return Part(t, n, f.Body)
	case f.BodyKind != "":
		return t.ChildOf(n, f.BodyKind)
	}
	var last syntax.Node
	for c := range t.NamedChildren(n) {
		last = c
	}
	return last
}

// NameNode returns the node of the name of a function, none where it has none.
func (f Function) NameNode(t *syntax.Tree, n syntax.Node) syntax.Node {
	switch {
	case f.NameOf != nil:
		return f.NameOf(t, n)
	case f.Name != "":
		return Part(t, n, f.Name)
	}
	return 0
}

// isValue reports whether the body of a function is an expression that it returns.
func (b *Builder) isValue(body syntax.Node) bool {
	_, statement := b.rules.Statements[b.Kind(body)]
	return body != 0 && !statement
}

// params writes the parameters of a function, in its entry.
func (b *Builder) params(n syntax.Node, f Function) {
	words := slices.Sorted(maps.Keys(b.rules.Self))
	if b.rules.SelfName != "" {
		words = []string{b.rules.SelfName}
	}
	for _, word := range words {
		if !f.SameSelf {
			b.declareParam(word, b.Start(n), b.Start(n), Receives)
		}
	}
	if name := b.Child(n, f.Name); f.Inside && name != 0 {
		b.Declare(name)
	}
	if f.Bind != nil {
		f.Bind(b, n)
		return
	}
	b.early = f.Early
	for _, field := range []string{f.Recv, f.Params} {
		if field == "" {
			continue
		}
		if field == f.Recv {
			b.slot = Receives
		} else {
			b.slot = 0
		}
		list := b.Child(n, field)
		if b.rules.Names[b.Kind(list)] {
			b.Param(list)
			continue
		}
		for c := range b.NamedChildren(list) {
			b.Param(c)
		}
	}
	if f.Result != "" {
		for c := range b.NamedChildren(b.Child(n, f.Result)) {
			before := len(b.g.Params)
			for name := range b.NamedChildren(c) {
				if b.Field(name) == "name" && b.rules.Names[b.Kind(name)] {
					b.Param(name)
				}
			}
			b.g.Results = append(b.g.Results, b.g.Params[before:]...)
			b.g.Params, b.g.Slots = b.g.Params[:before], b.g.Slots[:before]
		}
	}
}

// ParamNamed writes a parameter that is not written as one.
func (b *Builder) ParamNamed(name string, n syntax.Node) {
	b.declareParam(name, b.Start(n), b.Start(n), b.slot)
	b.slot++
}

// made evaluates what is needed when a function or class is made.
func (b *Builder) made(n syntax.Node, f Function) {
	if f.Bases != "" {
		b.Expr(b.Child(n, f.Bases))
	}
	if !f.Early || f.Params == "" {
		return
	}
	for c := range b.NamedChildren(b.Child(n, f.Params)) {
		b.Expr(b.Child(c, "value"))
	}
}

func (b *Builder) declareParam(name string, start, end, slot int) {
	v := b.declare(name, start)
	b.g.Params, b.g.Slots = append(b.g.Params, v), append(b.g.Slots, slot)
	b.access(Access{Kind: Def, Var: v, Start: start, End: end})
}

// Param writes a parameter: a target, or a node that has targets with the fields name,
// pattern or left, and a default value.
func (b *Builder) Param(n syntax.Node) {
	if b.rules.Skip[b.Kind(n)] {
		return
	}
	before := len(b.g.Steps[Entry].Access)
	b.Typed(n, func() { b.param(n) })
	typ := b.Child(n, "type")
	names := 0 // a, b int: each is a parameter
	for c := range b.NamedChildren(n) {
		if b.Field(c) == "name" {
			names++
		}
	}
	if names > 1 {
		b.slot--
	}
	for i := before; i < len(b.g.Steps[Entry].Access); i++ {
		if a := &b.g.Steps[Entry].Access[i]; a.Kind == Def && a.Path == "" {
			if names > 1 {
				b.slot++
			}
			b.g.Params, b.g.Slots = append(b.g.Params, a.Var), append(b.g.Slots, b.slot)
			a.Scalar = typ != 0 && b.rules.ScalarTypes[b.Text(typ)]
		}
	}
	b.slot++
}

func (b *Builder) param(n syntax.Node) {
	found := false
	for c := range b.NamedChildren(n) {
		switch b.Field(c) {
		case "name", "pattern", "left":
			found = true
			b.Declare(c)
		case "value", "right", "default_value", "default":
			if !b.early {
				b.Maybe(func() { b.Expr(c) })
			}
		}
	}
	if !found {
		b.Declare(n)
	}
}

// Kinds makes a set of kinds of nodes, or of words.
func Kinds(kinds ...string) map[string]bool {
	set := make(map[string]bool, len(kinds))
	for _, k := range kinds {
		set[k] = true
	}
	return set
}

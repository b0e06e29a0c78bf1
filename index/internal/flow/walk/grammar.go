package walk

import "github.com/quarry-search/quarry/index/internal/syntax"

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
	// Closed is set where functions do not see the variables around them (but for those that
	// Functions say do).
	Closed bool
	// Self are the words for the receiver.
	Self map[string]bool
	// Blank names no variable: "_" of Go.
	Blank string
	// Fixed are conditions, as they are written, that are always true, or always false.
	Fixed map[string]bool
	// Scalars are the kinds of expressions whose values have no parts: numbers, arithmetic.
	Scalars map[string]bool
	// Scalar tells more of them, where it is not nil: a value has no parts if the variables that
	// it returns have none.
	Scalar func(b *Builder, n syntax.Node) (ok bool, ifs []Var)
	// Shares returns the parts of an expression whose objects its value may be, or have in it:
	// what a method is called of; nil: none.
	Shares func(b *Builder, n syntax.Node) []syntax.Node
	// ScalarTypes are declared types, as they are written, whose values have no parts.
	ScalarTypes map[string]bool
	// Pure are functions, as they are called, that change nothing they are given.
	Pure map[string]bool
	// Readers are the names of methods that change nothing, Fillers of those that change what
	// they are called of, but not what they are given.
	Readers, Fillers map[string]bool
	// Imports are the kinds of statements of which the names are those of modules: calls of
	// their functions do not change them.
	Imports map[string]bool
	// Lists are the kinds of lists of targets and of values, which are assigned one by one.
	Lists map[string]bool
	// Holds are the kinds of literals that hold the objects they are made of.
	Holds map[string]bool
	// Loops has the kinds of statements that a label belongs to: loops, and what a break leaves.
	Loops map[string]bool
	// NoSwitchBreak is set where a break does not leave a "switch".
	NoSwitchBreak bool
	// Hoists declares what is known in the whole of a function before it runs; nil: what Flat says.
	Hoists func(b *Builder, n, body syntax.Node)
	// Ignore reports whether a name is not one of a variable: a constant, a type.
	Ignore func(name string) bool
}

// A Rule writes what a node does.
type Rule func(b *Builder, n syntax.Node)

// Logic says which nodes choose whether an operand is evaluated. Their operands are in the
// fields left and right.
type Logic struct {
	Binary map[string]bool   // the kinds of nodes of two operands
	Unary  map[string]string // those of one, with its field
	Parens map[string]bool   // those around one
	And    map[string]bool   // operators
	Or     map[string]bool
	Not    map[string]bool
}

// A Function says where the parts of a function are.
type Function struct {
	Name   string // the field of its name
	Params string // the field of its list of parameters, or of the only one
	Recv   string // the field of its receiver
	Result string // the field of its results, where these may have names
	Body   string // the field of its body; "": a child of the kind BodyKind, or the last one
	// BodyKind is the kind of the child that is the body, where that has no field.
	BodyKind string
	Open     bool   // it sees the variables around it in a language that is Closed
	Class    bool   // it runs where it is written: the body of a class
	Bases    string // of a class: the field of the values that it is made from
	Early    bool   // the defaults of its parameters are evaluated where it is made
	// Bind writes its parameters; nil: each child of the list is a target, or has one in a
	// field name, pattern or left, and its default in a field value or right.
	Bind Rule
}

// A Member says which fields of a node are the object and the part of it.
type Member struct{ Object, Part string }

// A CallForm says where the parts of a call are.
type CallForm struct {
	Callee   string // the field of what is called
	Receiver string // the field of the object of a method; "": it is the object of the Callee
	Args     string // the field of the arguments; "": a child of the kind ArgsKind
	ArgsKind string
}

func (f Function) body(b *Builder, n syntax.Node) syntax.Node {
	switch {
	case f.Body != "":
		return b.Child(n, f.Body)
	case f.BodyKind != "":
		return b.ChildOf(n, f.BodyKind)
	}
	var last syntax.Node
	for c := range b.NamedChildren(n) {
		last = c
	}
	return last
}

// nameOf returns the name of a function, "" where it has none.
func (b *Builder) nameOf(n syntax.Node, f Function) string {
	if f.Name == "" {
		return ""
	}
	return b.Text(b.Child(n, f.Name))
}

// isValue reports whether the body of a function is an expression that it returns.
func (b *Builder) isValue(body syntax.Node) bool {
	_, statement := b.rules.Statements[b.Kind(body)]
	return body != 0 && !statement
}

// params writes the parameters of a function, in its entry.
func (b *Builder) params(n syntax.Node, f Function) {
	for word := range b.rules.Self {
		b.declareParam(word, b.Start(n), b.Start(n))
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
			b.g.Params = b.g.Params[:before]
		}
	}
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

func (b *Builder) declareParam(name string, start, end int) {
	v := b.declare(name, start)
	b.g.Params = append(b.g.Params, v)
	b.access(Access{Kind: Def, Var: v, Start: start, End: end})
}

// Param writes a parameter: a target, or a node that has targets with the fields name,
// pattern or left, and a default value.
func (b *Builder) Param(n syntax.Node) {
	if b.rules.Skip[b.Kind(n)] {
		return
	}
	before := len(b.g.Steps[Entry].Access)
	b.param(n)
	scalar := b.rules.ScalarTypes[b.Text(b.Child(n, "type"))]
	for i := range b.g.Steps[Entry].Access[before:] {
		if a := &b.g.Steps[Entry].Access[before+i]; a.Kind == Def && a.Path == "" {
			a.Scalar = scalar
			b.g.Params = append(b.g.Params, a.Var)
		}
	}
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
				b.maybe(func() { b.Expr(c) })
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

package eval

import (
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/frame"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/pointsto"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Language is what the solver asks about a language while it works: everything that
// cannot be said by a trait. An implementation embeds plain.Default, and has its own answer
// Where the language differs. One value serves all files of a family, so that it may keep
// what it finds out about them until Forget is called.
type Language interface {
	program.ModuleRules
	ScopeRules
	MemberRules
	TypeRules
	ValueRules
	CallRules
	CalleeRules
	ContextRules
}

// ScopeRules are what a name without a receiver means.
type ScopeRules interface {
	// Special gives the values of names that the language itself defines, as heads of
	// paths. ok says that the name is one of them.
	Special(e *Evaluator, text string) (s pointsto.Set, ok bool)
	// PathHead gives what the first name of a path means, where that is another thing
	// than the name alone.
	PathHead(e *Evaluator, n intern.Name) (s pointsto.Set, ok bool)
	// Top finds a name outside of all classes. ok is false where the common rules do.
	Top(e *Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool)
	// Beyond finds a name that neither the file, its package nor its imports have.
	Beyond(e *Evaluator, f *program.File, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule, ok bool)
	// InModule finds a name at the top of a module, with ClosedModules.
	InModule(e *Evaluator, module edge.ID, n intern.Name) (s pointsto.Set, found bool, rule edge.Rule)
	// Within finds a name in a file, package or namespace from outside. ok is false
	// where the common rules do.
	Within(e *Evaluator, in edge.ID, n intern.Name, chain int) (s pointsto.Set, found, ok bool)
	// Unknown is what a name is taken for that was not found; s is what the common rules
	// say.
	Unknown(e *Evaluator, s pointsto.Set, n intern.Name) pointsto.Set
	// Linked leaves of the definitions of a name in all files those that the file sees.
	Linked(e *Evaluator, list []program.Entry) []program.Entry
	// NearestClasses leaves of several classes of one name in one package those that are
	// meant.
	NearestClasses(e *Evaluator, list []program.Entry) []program.Entry
	// AliasedSpace is the namespace that an alias stands for; 0: none.
	AliasedSpace(g *program.Family, f *program.File, c ir.Class, chain int) pointsto.Set
	// LambdaReceiver finds the receiver of a function literal around that has a member of
	// the name. pending says that it is not known yet: nothing further out is meant.
	LambdaReceiver(e *Evaluator, n intern.Name) (recv pointsto.Set, pending bool)
	// BoundReceiver is the receiver of the function around, where that is of a type
	// parameter whose bound has a function of the name; 0: none.
	BoundReceiver(e *Evaluator, n intern.Name, args []Argument) pointsto.Set
	// ReceiverParam is the type parameter that the receiver of a function names; 0: none.
	ReceiverParam(e *Evaluator, fn ir.Func, n intern.Name) pointsto.Set
	// Read is a name that is read. ok is false where the common rules do.
	Read(e *Evaluator, n *ir.Node) (s pointsto.Set, rule edge.Rule, ok bool)
}

// MemberRules are what a name after a receiver means.
type MemberRules interface {
	// Own reports whether a generic type of the library has a method of its own that a call means:
	// what the index adds to the type comes after it.
	Own(e *Evaluator, c *Call, recv pointsto.Info) bool
	// Property is a property that is read, before the members of the value.
	Property(e *Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, ok bool)
	// MissingProperty is one that is read where the value has no member.
	MissingProperty(e *Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, ok bool)
	// Member is a member of a literal, or of a type from outside the index.
	Member(e *Evaluator, v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, found, ok bool)
	// MissingMember is a member that no class of an instance has; from is the place in
	// its MRO from which on it was looked for.
	MissingMember(e *Evaluator, recv pointsto.Value, c *program.Class, from int, n intern.Name, pos ir.Pos) (s pointsto.Set, ok bool)
	// ClassMember is a member of a class itself that every class has.
	ClassMember(e *Evaluator, v pointsto.Value, c *program.Class, n intern.Name) (s pointsto.Set, ok bool)
	// ClassMethodsOf are methods that a class gives those that inherit from it, as their
	// own.
	ClassMethodsOf(e *Evaluator, c *program.Class, v pointsto.Value, n intern.Name, pos ir.Pos) (s pointsto.Set, ok bool)
	// Field is the name of the field that a name in an initializer means; text is the name.
	Field(c *program.Class, n intern.Name, text string) intern.Name
	// Extensions are the methods that the index adds to a value from outside of it.
	Extensions(e *Evaluator, i pointsto.Info, n intern.Name) []program.Entry
	// InSight leaves of members those that the file sees.
	InSight(e *Evaluator, list []program.Entry) []program.Entry
	// Delegated are the values to which an instance passes on what its class does not
	// answer itself.
	Delegated(e *Evaluator, k *program.Class, recv pointsto.Value) pointsto.Set
	// Universal names a member that a class has without a declaration. typed is what it
	// gives, where that is known.
	Universal(e *Evaluator, k *program.Class, v pointsto.Value, n intern.Name) (path string, typed pointsto.Set, ok bool)
}

// TypeRules are what types mean.
type TypeRules interface {
	// LibraryType is a type from outside the index with type arguments.
	LibraryType(e *Evaluator, path intern.Name, args []pointsto.Set) pointsto.Set
	// MadeBase is the type of a base class that a call makes.
	MadeBase(e *Evaluator, n *ir.Node) pointsto.Set
	// AsSelf puts the receiver in the place of the class itself in what one of its methods
	// returned.
	AsSelf(e *Evaluator, s pointsto.Set, c *program.Class, recv pointsto.Value) pointsto.Set
}

// ValueRules are what expressions give that are no calls.
type ValueRules interface {
	// Literal is a literal with elements.
	Literal(e *Evaluator, n *ir.Node) (s pointsto.Set, ok bool)
	// Index is x[i] where x is no container.
	Index(e *Evaluator, recv pointsto.Set, index ir.Expr) (s pointsto.Set, ok bool)
	// Item is what lies under a key in a container of the library.
	Item(e *Evaluator, v pointsto.Value, key string) (s pointsto.Set, ok bool)
	// Elements is what a loop over a value gives; n is the loop, or nil.
	Elements(e *Evaluator, v pointsto.Value, n *ir.Node) (s pointsto.Set, ok bool)
	// Await is what awaiting a value gives.
	Await(e *Evaluator, v pointsto.Value) (s pointsto.Set, ok bool)
	// Deref is what pointers point to.
	Deref(e *Evaluator, s pointsto.Set) pointsto.Set
	// Injected is what something outside the index passes to a test or entry point.
	Injected(e *Evaluator, fn ir.Func, p ir.Param) pointsto.Set
}

// CallRules are what a call leads to. c collects it.
type CallRules interface {
	// Call resolves a whole call; fn is what is called, recv the receiver.
	Call(e *Evaluator, c *Call, fn *ir.Node, recv pointsto.Set) (s pointsto.Set, ok bool)
	// CallOn calls a member of a value, before the common rules; all are the values of
	// the receiver.
	CallOn(e *Evaluator, c *Call, v pointsto.Value, all pointsto.Set) (s pointsto.Set, ok bool)
	// CallMissing calls a method that the class of a receiver does not declare, before its
	// fields are looked at.
	CallMissing(e *Evaluator, c *Call, k *program.Class, recv pointsto.Value, from int, rule edge.Rule) (s pointsto.Set, ok bool)
	// CallAbsent calls a method of a value that has no such member; s is what the common
	// rules found.
	CallAbsent(e *Evaluator, c *Call, v pointsto.Value, s pointsto.Set, rule edge.Rule) (out pointsto.Set, ok bool)
	// CallUndeclared calls a member of an instance or class that has none of the name.
	CallUndeclared(e *Evaluator, c *Call, k *program.Class, v pointsto.Value, from int) (s pointsto.Set, ok bool)
	// CallLibrary calls what the library has for a value.
	CallLibrary(e *Evaluator, c *Call, v pointsto.Value) (s pointsto.Set, ok bool)
	// CallExternal calls something outside the index by its path.
	CallExternal(e *Evaluator, c *Call, path string) (s pointsto.Set, ok bool)
	// Outside is what a call of something outside the index gives; recv may be 0.
	Outside(e *Evaluator, c *Call, recv pointsto.Value) (s pointsto.Set, ok bool)
	// FreeCall is a call of a name that nothing in the index has.
	FreeCall(e *Evaluator, c *Call) (s pointsto.Set, ok bool)
	// LateBound adds what a call of a member of x may run besides.
	LateBound(e *Evaluator, c *Call, x *ir.Node, recv pointsto.Set)
	// CallHeld calls what objects are known to hold for the called member of a class, in
	// addition to others, which is a number.
	CallHeld(e *Evaluator, c *Call, k *program.Class, others int) pointsto.Set
	// KnownObject reports whether an object that has a member is among some values.
	KnownObject(e *Evaluator, s pointsto.Set, n intern.Name) bool
	// Construct makes an instance; it reports false where the common rules do.
	Construct(e *Evaluator, c *Call, k *program.Class, made pointsto.Value) bool
	// Copies reports whether an instance is made from another one of its class, by a
	// constructor that nobody wrote.
	Copies(e *Evaluator, list []program.Entry, args []Argument, made pointsto.Value) bool
	// Initialized is the class whose constructor runs in the list of another one.
	Initialized(e *Evaluator, n intern.Name, s pointsto.Set) pointsto.Set
	// Unresolved is called for a call that leads nowhere.
	Unresolved(e *Evaluator, c *Call)
}

// CalleeRules are which of several functions of one name a call means.
type CalleeRules interface {
	// Applies reports whether a call in the scope of a class can mean its function.
	Applies(e *Evaluator, m program.Entry, args []Argument) bool
	// Applicable leaves out the functions among values that a call cannot mean.
	Applicable(e *Evaluator, s pointsto.Set, args []Argument) pointsto.Set
	// Candidates are the members of one name that a call can mean.
	Candidates(e *Evaluator, list []program.Entry, args []Argument) []program.Entry
	// ForTypes leaves of overloads those that take the type arguments of a call.
	ForTypes(e *Evaluator, list []program.Entry, explicit []pointsto.Set) []program.Entry
	// Narrow leaves of members of one name those that come first. overloaded says that
	// they are told apart by their parameters.
	Narrow(g *program.Family, list []program.Entry) (rest []program.Entry, overloaded bool)
	// Suits says how well a value suits a declared type, a number as call.Choice has
	// it. up is the class
	// of the declared one.
	Suits(e *Evaluator, declared, given pointsto.Info, up *program.Class) (n int, ok bool)
	// Invokes reports whether a call can mean a function.
	Invokes(c *Call, fn *ir.FuncInfo) bool
	// CallAmong calls values of which some are overloads.
	CallAmong(e *Evaluator, c *Call, values []pointsto.Value, rule edge.Rule) (s pointsto.Set, ok bool)
	// CallMembers is CallAmong of the members of an instance.
	CallMembers(e *Evaluator, c *Call, list []program.Entry, on Receiver, rule edge.Rule) (s pointsto.Set, ok bool)
}

// ContextRules give functions that are written where a type is expected the types of their
// parameters.
type ContextRules interface {
	frame.Rules
	// ExpectInit is for an initial value of a declared type.
	ExpectInit(e *Evaluator, x ir.Expr, declared pointsto.Set)
	// ExpectAssigned is for what is assigned to a target.
	ExpectAssigned(e *Evaluator, target, x ir.Expr)
	// ExpectReturned is for what a function returns.
	ExpectReturned(e *Evaluator, x ir.Expr)
	// ExpectArgument is for an argument of a parameter.
	ExpectArgument(e *Evaluator, c *Call, id edge.ID, recv pointsto.Value, x ir.Expr, p int)
	// ContextOf is for functions that are passed where a type of the library is declared.
	ContextOf(e *Evaluator, s pointsto.Set, declared pointsto.Info, with program.Substitution)
}

package graph

import (
	"github.com/quarry-search/quarry/index/internal/ir"
)

// A Language is what the solver asks about a language while it works: everything that
// cannot be said by a trait. An implementation embeds Default, and has its own answer
// where the language differs. One value serves all files of a family, so that it may keep
// what it finds out about them until Forget is called.
type Language interface {
	ModuleRules
	ScopeRules
	MemberRules
	TypeRules
	ValueRules
	CallRules
	CalleeRules
	ContextRules
}

// ModuleRules are what imports lead to, and what an edit of a file changes for others.
type ModuleRules interface {
	// Resolve finds what an import leads to.
	Resolve(g *family, f *file, i *ir.ImportInfo) target
	// ImportName is the name that an import binds which names none; "": none.
	ImportName(g *family, f *file, i *ir.ImportInfo, t target) string
	// Submodule returns the module of a name inside a file or folder, or 0.
	Submodule(g *family, in ID, n name) ID
	// StarBrings reports whether an import of all names of a file may bring one.
	StarBrings(g *family, in ID, n name) bool
	// GlobalImports are the namespaces that other files bring into every file.
	GlobalImports(g *family) []ID
	// Reaches adds to files what comes into sight or goes out of it with them.
	Reaches(g *family, list []ID) []ID

	// Entered and Left are called when a file is entered, or taken out.
	Entered(g *family, f *file)
	Left(g *family, f *file)
	// Forget is called when files have changed.
	Forget()
	// Restarts reports whether a version of a file changes what names mean in files that
	// mention none of those that it changes. Either version may be nil.
	Restarts(old *file, now *ir.File) bool
	// Dirty are names that have another meaning now, besides those of the file.
	Dirty(old *file, now *ir.File) []string
	// AlsoSaid adds to the hashes of a file's names those of other names for the same.
	AlsoSaid(g *family, f *file, hashes map[name]uint64)
}

// ScopeRules are what a name without a receiver means.
type ScopeRules interface {
	// Special gives the values of names that the language itself defines, as heads of
	// paths. ok says that the name is one of them.
	Special(e *eval, text string) (s set, ok bool)
	// PathHead gives what the first name of a path means, where that is another thing
	// than the name alone.
	PathHead(e *eval, n name) (s set, ok bool)
	// Top finds a name outside of all classes. ok is false where the common rules do.
	Top(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool)
	// Beyond finds a name that neither the file, its package nor its imports have.
	Beyond(e *eval, f *file, n name) (s set, found bool, rule Rule, ok bool)
	// InModule finds a name at the top of a module, with closedModules.
	InModule(e *eval, module ID, n name) (s set, found bool, rule Rule)
	// Within finds a name in a file, package or namespace from outside. ok is false
	// where the common rules do.
	Within(e *eval, in ID, n name, chain int) (s set, found, ok bool)
	// Unknown is what a name is taken for that was not found; s is what the common rules
	// say.
	Unknown(e *eval, s set, n name) set
	// Linked leaves of the definitions of a name in all files those that the file sees.
	Linked(e *eval, list []entry) []entry
	// NearestClasses leaves of several classes of one name in one package those that are
	// meant.
	NearestClasses(e *eval, list []entry) []entry
	// AliasedSpace is the namespace that an alias stands for; 0: none.
	AliasedSpace(g *family, f *file, c ir.Class, chain int) set
	// LambdaReceiver finds the receiver of a function literal around that has a member of
	// the name. pending says that it is not known yet: nothing further out is meant.
	LambdaReceiver(e *eval, n name) (recv set, pending bool)
	// BoundReceiver is the receiver of the function around, where that is of a type
	// parameter whose bound has a function of the name; 0: none.
	BoundReceiver(e *eval, n name, args []argument) set
	// ReceiverParam is the type parameter that the receiver of a function names; 0: none.
	ReceiverParam(e *eval, fn ir.Func, n name) set
	// Read is a name that is read. ok is false where the common rules do.
	Read(e *eval, n *ir.Node) (s set, rule Rule, ok bool)
}

// MemberRules are what a name after a receiver means.
type MemberRules interface {
	// Property is a property that is read, before the members of the value.
	Property(e *eval, v value, n name, pos ir.Pos) (s set, ok bool)
	// MissingProperty is one that is read where the value has no member.
	MissingProperty(e *eval, v value, n name, pos ir.Pos) (s set, ok bool)
	// Member is a member of a literal, or of a type from outside the index.
	Member(e *eval, v value, n name, pos ir.Pos) (s set, found, ok bool)
	// MissingMember is a member that no class of an instance has; from is the step of its
	// MRO from which on it was looked for.
	MissingMember(e *eval, recv value, c *class, from int, n name, pos ir.Pos) (s set, ok bool)
	// ClassMember is a member of a class itself that every class has.
	ClassMember(e *eval, v value, c *class, n name) (s set, ok bool)
	// ClassMethodsOf are methods that a class gives those that inherit from it, as their
	// own.
	ClassMethodsOf(e *eval, c *class, v value, n name, pos ir.Pos) (s set, ok bool)
	// Field is the name of the field that a name in an initializer means; text is the name.
	Field(c *class, n name, text string) name
	// Extensions are the methods that the index adds to a value from outside of it.
	Extensions(e *eval, i valueInfo, n name) []entry
	// InSight leaves of members those that the file sees.
	InSight(e *eval, list []entry) []entry
	// Delegated are the values to which an instance passes on what its class does not
	// answer itself.
	Delegated(e *eval, k *class, recv value) set
	// Universal names a member that a class has without a declaration. typed is what it
	// gives, where that is known.
	Universal(e *eval, k *class, v value, n name) (path string, typed set, ok bool)
}

// TypeRules are what types mean.
type TypeRules interface {
	// LibraryType is a type from outside the index with type arguments.
	LibraryType(e *eval, path name, args []set) set
	// MadeBase is the type of a base class that a call makes.
	MadeBase(e *eval, n *ir.Node) set
	// AsSelf puts the receiver in the place of the class itself in what one of its methods
	// returned.
	AsSelf(e *eval, s set, c *class, recv value) set
}

// ValueRules are what expressions give that are no calls.
type ValueRules interface {
	// Literal is a literal with elements.
	Literal(e *eval, n *ir.Node) (s set, ok bool)
	// Index is x[i] where x is no container.
	Index(e *eval, recv set, index ir.Expr) (s set, ok bool)
	// Item is what lies under a key in a container of the library.
	Item(e *eval, v value, key string) (s set, ok bool)
	// Elements is what a loop over a value gives; n is the loop, or nil.
	Elements(e *eval, v value, n *ir.Node) (s set, ok bool)
	// Await is what awaiting a value gives.
	Await(e *eval, v value) (s set, ok bool)
	// Deref is what pointers point to.
	Deref(e *eval, s set) set
	// Injected is what something outside the index passes to a test or entry point.
	Injected(e *eval, fn ir.Func, p ir.Param) set
}

// CallRules are what a call leads to. c collects it.
type CallRules interface {
	// Call resolves a whole call; fn is what is called, recv the receiver.
	Call(e *eval, c *calling, fn *ir.Node, recv set) (s set, ok bool)
	// CallOn calls a member of a value, before the common rules; all are the values of
	// the receiver.
	CallOn(e *eval, c *calling, v value, all set) (s set, ok bool)
	// CallMissing calls a method that the class of a receiver does not declare, before its
	// fields are looked at.
	CallMissing(e *eval, c *calling, k *class, recv value, from int, rule Rule) (s set, ok bool)
	// CallAbsent calls a method of a value that has no such member; s is what the common
	// rules found.
	CallAbsent(e *eval, c *calling, v value, s set, rule Rule) (out set, ok bool)
	// CallUndeclared calls a member of an instance or class that has none of the name.
	CallUndeclared(e *eval, c *calling, k *class, v value, from int) (s set, ok bool)
	// CallLibrary calls what the library has for a value.
	CallLibrary(e *eval, c *calling, v value) (s set, ok bool)
	// CallExternal calls something outside the index by its path.
	CallExternal(e *eval, c *calling, path string) (s set, ok bool)
	// Outside is what a call of something outside the index gives; recv may be 0.
	Outside(e *eval, c *calling, recv value) (s set, ok bool)
	// FreeCall is a call of a name that nothing in the index has.
	FreeCall(e *eval, c *calling) (s set, ok bool)
	// LateBound adds what a call of a member of x may run besides.
	LateBound(e *eval, c *calling, x *ir.Node, recv set)
	// CallHeld calls what objects are known to hold for the called member of a class, in
	// addition to others, which is a number.
	CallHeld(e *eval, c *calling, k *class, others int) set
	// KnownObject reports whether an object that has a member is among some values.
	KnownObject(e *eval, s set, n name) bool
	// Construct makes an instance; it reports false where the common rules do.
	Construct(e *eval, c *calling, k *class, made value) bool
	// Copies reports whether an instance is made from another one of its class, by a
	// constructor that nobody wrote.
	Copies(e *eval, list []entry, args []argument, made value) bool
	// Initialized is the class whose constructor runs in the list of another one.
	Initialized(e *eval, n name, s set) set
	// Unresolved is called for a call that leads nowhere.
	Unresolved(e *eval, c *calling)
}

// CalleeRules are which of several functions of one name a call means.
type CalleeRules interface {
	// Applies reports whether a call in the scope of a class can mean its function.
	Applies(e *eval, m entry, args []argument) bool
	// Applicable leaves out the functions among values that a call cannot mean.
	Applicable(e *eval, s set, args []argument) set
	// Candidates are the members of one name that a call can mean.
	Candidates(e *eval, list []entry, args []argument) []entry
	// ForTypes leaves of overloads those that take the type arguments of a call.
	ForTypes(e *eval, list []entry, explicit []set) []entry
	// Narrow leaves of members of one name those that come first. overloaded says that
	// they are told apart by their parameters.
	Narrow(g *family, list []entry) (rest []entry, overloaded bool)
	// Suits says how well a value suits a declared type, see eval.suits. up is the class
	// of the declared one.
	Suits(e *eval, declared, given valueInfo, up *class) (n int, ok bool)
	// Invokes reports whether a call can mean a function.
	Invokes(c *calling, fn *ir.FuncInfo) bool
	// CallAmong calls values of which some are overloads.
	CallAmong(e *eval, c *calling, values []value, rule Rule) (s set, ok bool)
	// CallMembers is CallAmong of the members of an instance.
	CallMembers(e *eval, c *calling, list []entry, on receiver, rule Rule) (s set, ok bool)
}

// ContextRules give functions that are written where a type is expected the types of their
// parameters.
type ContextRules interface {
	// ExpectInit is for an initial value of a declared type.
	ExpectInit(e *eval, x ir.Expr, declared set)
	// ExpectAssigned is for what is assigned to a target.
	ExpectAssigned(e *eval, target, x ir.Expr)
	// ExpectReturned is for what a function returns.
	ExpectReturned(e *eval, x ir.Expr)
	// ExpectArgument is for an argument of a parameter.
	ExpectArgument(e *eval, c *calling, id ID, recv value, x ir.Expr, p int)
	// ContextOf is for functions that are passed where a type of the library is declared.
	ContextOf(e *eval, s set, declared valueInfo, with substitution)
	// HasReceiver reports whether a function literal has a receiver.
	HasReceiver(g *family, f *file, fn ir.Func) bool
}

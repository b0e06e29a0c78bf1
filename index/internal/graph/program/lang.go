package program

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph/intern"
)

// A packaging is what the top level of a file belongs to.
type packaging uint8

// What the top level belongs to.
const (
	byFile   packaging = iota // each file is a module of its own
	ByFolder                  // the files of a folder with the same package clause are one
	ByName                    // files that declare the same package or namespace are one
	Global                    // all files share one scope
)

// A Lang is what the solver knows of a language. Everything else about it is in its
// lowering.
type Lang struct {
	Name   string
	Family string // languages of one family see each other's definitions
	Traits
	ModuleRules // a Language, too
	// newName: what constructors are called in their class, so that the name that
	// they are written with is not found there. 0: as they are written.
	newName intern.Name
}

// Traits are what can be said of a language by a word.
type Traits struct {
	nameTraits
	classTraits
	valueTraits
	callTraits
}

// nameTraits say what names mean.
type nameTraits struct {
	Pack packaging
	// FlatPackages: packages are not within each other.
	FlatPackages bool
	// NestedSpaces: a namespace sees what is in the one that its name begins with.
	NestedSpaces bool
	// ClosedModules: names of an outer module are out of sight in an inner one.
	ClosedModules bool
	// ImplicitThis: a free name in a method may be a member of the class.
	ImplicitThis bool
	// SpacesAroundReceiver: a method that is written outside of its class sees what is
	// around that.
	SpacesAroundReceiver bool
	// Extends: functions with a receiver are extensions, which library types may have, too.
	Extends bool
	// SpaceReceivers: what is before the name of a function that is written outside may be
	// a namespace, and is part of the name: void a::f() {}.
	SpaceReceivers bool
	// TagNames: a type and something else may have one name.
	TagNames bool
	// Separate: functions and variables have name spaces of their own.
	Separate bool
	// NewType: what "new" names is a type, also where something else has the name.
	NewType bool
	// ByArity: types of one name are told apart by how many type parameters they have.
	ByArity bool
	// FieldReads: a member that is read and not called is no method.
	FieldReads bool
	// AliasVars: a variable at the top is another name for what it is set to.
	AliasVars bool
	// TopProperties: a name at the top may run an accessor.
	TopProperties bool
	// DefaultExports: a module as a whole is its export "default".
	DefaultExports bool
	// HidesUnexported: what a file does not export is out of sight in others.
	HidesUnexported bool
	// StarsReexport: all names that a file imports can be imported from it.
	StarsReexport bool
	// UnknownFree: a free name that is not found may be anything, and is not known to
	// be external.
	UnknownFree bool
	// Builtin are the names that the language itself defines, where that is known: any
	// other free name that is not found is unknown.
	Builtin map[string]bool
	// Predeclared are the names that need no declaration.
	Predeclared map[string]bool
}

// An Arity is how many parameters and results a method has.
type Arity struct{ Params, Results int }

// classTraits say what classes are, and what they inherit.
type classTraits struct {
	// ClassCode: what stands in a class outside of its methods is the class's code, not
	// the file's.
	ClassCode bool
	// Structural: a type implements an interface by having its methods.
	Structural bool
	// Interfaces are those of the language's library, with their methods.
	Interfaces map[string]map[string]Arity
	// Merges: definitions of one name in one container are parts of one class.
	Merges bool
	// MergesInFile: the same within a file.
	MergesInFile bool
	// ClassesPerFile: files do not share their classes.
	ClassesPerFile bool
	// PathClasses: a class may be written by its path: class A::B.
	PathClasses bool
	// Exact: a declared class has no subclasses.
	Exact bool
	// ExactClasses: a class as a value is exactly the one that is named.
	ExactClasses bool
	// Promotes: members of bases are found by depth, and those of an embedded interface
	// are members of the field that holds it.
	Promotes bool
	// DefinedTypes: a type may be made of another one, whose fields but not whose methods
	// it has.
	DefinedTypes bool
	// Companions: an object may have the name of a class next to it.
	Companions bool
	// ClassMethodsApart: methods of instances are none of the class, and a class that
	// lacks one has that of the next in its MRO.
	ClassMethodsApart bool
	// SplitsStatic: a class and its instances may have members of one name.
	SplitsStatic bool
	// ClassField: a field that every class has; "": none.
	ClassField string
	// Fluent: a function may be declared to return its receiver.
	Fluent bool
	// PointerFields: a field may hold a pointer and no object.
	PointerFields bool
	// Root: the class that all inherit from which name no base; "": none.
	Root string

	Constructors         []string // names of constructor members; "" stands for the class's own name
	InheritsConstructors bool
	NamedConstructors    bool // constructors are found by their names in their class
	// AnyCount: a method overrides whatever its number of parameters.
	AnyCount bool
	// OverridesByType: of several methods of one name one overrides by its parameters' types.
	OverridesByType bool
	// VirtualOnly: only methods that are declared so are overridden.
	VirtualOnly bool
}

// valueTraits say what values are.
type valueTraits struct {
	// Dynamic: variables have no types; literals are tracked field by field.
	Dynamic bool
	// Typed: what a place is declared to hold, it holds: other values do not flow there.
	Typed bool
	// Assignable: with typed, values have the declared type itself, if it is no interface.
	Assignable bool
	// Null: the literal that is no value; "": none.
	Null string
	// LiteralsMake: T{} makes a T, and calls nothing.
	LiteralsMake bool
	// LiteralsByPlace: literals are told apart by where they are written.
	LiteralsByPlace bool
	// RestIsList: what is left of a sequence in a pattern is a list.
	RestIsList bool
	// SharedStores: what is stored into a container may come out of any of its type.
	SharedStores bool
	// PointerIndex: what is indexed and has no operator is a pointer.
	PointerIndex bool
	// Names of members that the language runs for x[i], x[i] = v, and a loop: to begin
	// it, and for each element.
	GetItem, SetItem, Iterate, Advance []string
}

// callTraits say what calls lead to.
type callTraits struct {
	// CallMakes: calling a class makes an instance.
	CallMakes bool
	// Converts: calling a type converts to it and runs no code.
	Converts bool
	// Aggregates: making an instance may fill its fields by their order.
	Aggregates bool
	// FunctionsMake: a function may be called to make an object.
	FunctionsMake bool
	// Variants: several functions of one name are for different builds, and one of
	// them is there.
	Variants bool
	// Overloads: functions of one name are told apart by their parameters.
	Overloads bool
	// PassesOver: a method that does not take the arguments of a call does not hide one
	// of a base, and extensions come last.
	PassesOver bool
	// InheritsOverloads: a method does not hide those of a base that differ in their
	// parameters.
	InheritsOverloads bool
	// Decorates: the code around a function or class applies its decorators, and what they
	// return has its name.
	Decorates bool
	// CallsForEffect: calls as statements are frequent, and run for nothing else than what
	// was called.
	CallsForEffect bool
	// Functional: a function may be an instance of an interface.
	Functional bool
	// MethodRefs: a method of a class as a value takes the receiver as first argument.
	MethodRefs bool
	// FuncFields: functions are objects with fields.
	FuncFields bool
	// FuncTypes: a function that becomes a value of a type outside the index is called by
	// the methods of that.
	FuncTypes bool
	// OperatorFuncs: an operator may be a method; FreeOperators: or a function.
	OperatorFuncs, FreeOperators bool
	// SplitsFuncs: functions within others may be units of their own.
	SplitsFuncs bool
	Callable    []string // names of members that run when an instance is called
}

// LanguageOf returns the rules of a language.
func (g *Family) LanguageOf(language string) *Lang {
	l, ok := g.Langs[language]
	if !ok {
		own := *g.Langs[""]
		own.Name, own.Family = language, language
		l = &own
		g.Langs[language] = l
	}
	return l
}

// finish fills in what follows from the rest.
func (l *Lang) finish(g *Family) {
	if slices.Contains(l.Constructors, "<new>") {
		l.newName = g.Names.Intern("<new>")
	}
	for _, words := range []struct {
		of   *[]string
		word string
	}{{&l.GetItem, "get"}, {&l.Iterate, "iterator"}, {&l.Advance, "next"}} {
		if *words.of == nil {
			*words.of = []string{words.word}
		}
	}
}

// Languages are languages that see each other's definitions.
type Languages struct {
	Name   string
	Names  map[string]string       // of its languages: which of those that make makes each is
	Config func(base string) bool  // whether a file of the name decides what imports lead to; nil: none
	Make   func() map[string]*Lang // the languages, for the files of one root
}

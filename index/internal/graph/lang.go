package graph

import (
	"slices"
	"strings"
)

// A packaging is what the top level of a file belongs to.
type packaging uint8

const (
	byFile   packaging = iota // each file is a module of its own
	byFolder                  // the files of a folder with the same package clause are one
	byName                    // files that declare the same package or namespace are one
	global                    // all files share one scope
)

// A lang is what the solver knows of a language. Everything else about it is in its
// lowering.
type lang struct {
	name   string
	family string // languages of one family see each other's definitions
	traits
	Language
	// newName: what constructors are called in their class, so that the name that
	// they are written with is not found there. 0: as they are written.
	newName name
}

// traits are what can be said of a language by a word.
type traits struct {
	nameTraits
	classTraits
	valueTraits
	callTraits
}

// nameTraits say what names mean.
type nameTraits struct {
	pack packaging
	// flatPackages: packages are not within each other.
	flatPackages bool
	// nestedSpaces: a namespace sees what is in the one that its name begins with.
	nestedSpaces bool
	// closedModules: names of an outer module are out of sight in an inner one.
	closedModules bool
	// implicitThis: a free name in a method may be a member of the class.
	implicitThis bool
	// spacesAroundReceiver: a method that is written outside of its class sees what is
	// around that.
	spacesAroundReceiver bool
	// spaceReceivers: what is before the name of a function that is written outside may be
	// a namespace, and is part of the name: void a::f() {}.
	spaceReceivers bool
	// tagNames: a type and something else may have one name.
	tagNames bool
	// separate: functions and variables have name spaces of their own.
	separate bool
	// aliasVars: a variable at the top is another name for what it is set to.
	aliasVars bool
	// topProperties: a name at the top may run an accessor.
	topProperties bool
	// defaultExports: a module as a whole is its export "default".
	defaultExports bool
	// hidesUnexported: what a file does not export is out of sight in others.
	hidesUnexported bool
	// starsReexport: all names that a file imports can be imported from it.
	starsReexport bool
	// unknownFree: a free name that is not found may be anything, and is not known to
	// be external.
	unknownFree bool
	// builtin are the names that the language itself defines, where that is known: any
	// other free name that is not found is unknown.
	builtin map[string]bool
	// predeclared are the names that need no declaration.
	predeclared map[string]bool
}

// classTraits say what classes are, and what they inherit.
type classTraits struct {
	// classCode: what stands in a class outside of its methods is the class's code, not
	// the file's.
	classCode bool
	// structural: a type implements an interface by having its methods.
	structural bool
	// merges: definitions of one name in one container are parts of one class.
	merges bool
	// mergesInFile: the same within a file.
	mergesInFile bool
	// classesPerFile: files do not share their classes.
	classesPerFile bool
	// pathClasses: a class may be written by its path: class A::B.
	pathClasses bool
	// exact: a declared class has no subclasses.
	exact bool
	// exactClasses: a class as a value is exactly the one that is named.
	exactClasses bool
	// promotes: members of bases are found by depth, and those of an embedded interface
	// are members of the field that holds it.
	promotes bool
	// definedTypes: a type may be made of another one, whose fields but not whose methods
	// it has.
	definedTypes bool
	// companions: an object may have the name of a class next to it.
	companions bool
	// classMethodsApart: methods of instances are none of the class, and a class that
	// lacks one has that of the next in its MRO.
	classMethodsApart bool
	// splitsStatic: a class and its instances may have members of one name.
	splitsStatic bool
	// classField: a field that every class has; "": none.
	classField string
	// fluent: a function may be declared to return its receiver.
	fluent bool
	// pointerFields: a field may hold a pointer and no object.
	pointerFields bool
	// root: the class that all inherit from which name no base; "": none.
	root string

	constructors         []string // names of constructor members; "" stands for the class's own name
	inheritsConstructors bool
	namedConstructors    bool // constructors are found by their names in their class
	// anyCount: a method overrides whatever its number of parameters.
	anyCount bool
	// overridesByType: of several methods of one name one overrides by its parameters' types.
	overridesByType bool
	// virtualOnly: only methods that are declared so are overridden.
	virtualOnly bool
}

// valueTraits say what values are.
type valueTraits struct {
	// dynamic: variables have no types; literals are tracked field by field.
	dynamic bool
	// typed: what a place is declared to hold, it holds: other values do not flow there.
	typed bool
	// assignable: with typed, values have the declared type itself, if it is no interface.
	assignable bool
	// null: the literal that is no value; "": none.
	null string
	// literalsMake: T{} makes a T, and calls nothing.
	literalsMake bool
	// literalsByPlace: literals are told apart by where they are written.
	literalsByPlace bool
	// restIsList: what is left of a sequence in a pattern is a list.
	restIsList bool
	// sharedStores: what is stored into a container may come out of any of its type.
	sharedStores bool
	// pointerIndex: what is indexed and has no operator is a pointer.
	pointerIndex bool
	// Names of members that the language runs for x[i], x[i] = v, and a loop: to begin
	// it, and for each element.
	getItem, setItem, iterate, advance []string
}

// callTraits say what calls lead to.
type callTraits struct {
	// callMakes: calling a class makes an instance.
	callMakes bool
	// converts: calling a type converts to it and runs no code.
	converts bool
	// aggregates: making an instance may fill its fields by their order.
	aggregates bool
	// functionsMake: a function may be called to make an object.
	functionsMake bool
	// variants: several functions of one name are for different builds, and one of
	// them is there.
	variants bool
	// overloads: functions of one name are told apart by their parameters.
	overloads bool
	// passesOver: a method that does not take the arguments of a call does not hide one
	// of a base, and extensions come last.
	passesOver bool
	// decorates: the code around a function or class applies its decorators, and what they
	// return has its name.
	decorates bool
	// callsForEffect: calls as statements are frequent, and run for nothing else than what
	// was called.
	callsForEffect bool
	// functional: a function may be an instance of an interface.
	functional bool
	// methodRefs: a method of a class as a value takes the receiver as first argument.
	methodRefs bool
	// funcFields: functions are objects with fields.
	funcFields bool
	// funcTypes: a function that becomes a value of a type outside the index is called by
	// the methods of that.
	funcTypes bool
	// operatorFuncs: an operator may be a method; freeOperators: or a function.
	operatorFuncs, freeOperators bool
	// splitsFuncs: functions within others may be units of their own.
	splitsFuncs bool
	callable    []string // names of members that run when an instance is called
}

// A target is what an import leads to.
type target struct {
	in       []ID // files, packages and namespaces, in order of preference
	external name // the path of something outside the index, when in is empty
	whole    bool // the import brings what is in, not a name of it
	loads    []ID // files that the import runs besides
}

// A receiver is what a member is called on.
type receiver struct {
	value value
	class *class
	at    *step // of the class's MRO, where the member is
	all   set   // all values that the receiver may be
	super bool  // the members of the class itself are passed over
}

// A langFamily are languages that see each other's definitions.
type langFamily struct {
	name   string
	names  map[string]string       // of its languages: which of those that make makes each is
	config func(base string) bool  // whether a file of the name decides what imports lead to; nil: none
	make   func() map[string]*lang // the languages, for the files of one root
}

// langFamilies are the families of the languages that are listed. Languages that are not
// are resolved by scope and name.
var langFamilies = []langFamily{
	bashFamily, cFamily, csharpFamily, elixirFamily, goFamily, groovyFamily, javaScriptFamily, jvmFamily, phpFamily, pythonFamily,
	rubyFamily, rustFamily, scalaFamily, swiftFamily,
}

// languagesOf returns the languages of a family, for the files of one root.
func languagesOf(family string) map[string]*lang {
	for _, f := range langFamilies {
		if f.name == family {
			made, all := f.make(), map[string]*lang{}
			for name, of := range f.names {
				own := *made[of]
				own.name, own.family = name, family
				all[name] = &own
			}
			return all
		}
	}
	return map[string]*lang{}
}

// familyOf returns the family of a language that is listed, or "".
func familyOf(language string) string {
	for _, f := range langFamilies {
		if _, ok := f.names[language]; ok {
			return f.name
		}
	}
	return ""
}

// traitsOf returns the traits of a language that is listed.
func traitsOf(language string) (t traits) {
	if l := languagesOf(familyOf(language))[language]; l != nil {
		return l.traits
	}
	return t
}

// languageOf returns the rules of a language.
func (g *family) languageOf(language string) *lang {
	l, ok := g.langs[language]
	if !ok {
		l = &lang{name: language, family: language, Language: Default{}}
		l.pack, l.implicitThis, l.callMakes, l.dynamic = global, true, true, true
		l.finish(g)
		g.langs[language] = l
	}
	return l
}

// finish fills in what follows from the rest.
func (l *lang) finish(g *family) {
	if slices.Contains(l.constructors, "<new>") {
		l.newName = g.names.intern("<new>")
	}
	for _, words := range []struct {
		of   *[]string
		word string
	}{{&l.getItem, "get"}, {&l.iterate, "iterator"}, {&l.advance, "next"}} {
		if *words.of == nil {
			*words.of = []string{words.word}
		}
	}
}

// words is the set of the words of a text.
func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

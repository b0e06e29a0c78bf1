package graph

import (
	"slices"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A packaging is what the top level of a file belongs to.
type packaging uint8

const (
	byFile   packaging = iota // each file is a module of its own
	byFolder                  // the files of a folder with the same package clause are one
	byName                    // files that declare the same package or namespace are one
	global                    // all files share one scope
)

// A lang is what the solver must know of a language. Everything else about it is
// in its lowering.
type lang struct {
	name   string
	family string // languages of one family see each other's definitions
	pack   packaging
	// implicitThis: a free name in a method may be a member of the class.
	implicitThis bool
	// classCode: what stands in a class outside of its methods is the class's code, not
	// the file's.
	classCode bool
	// dynamic: variables have no types; literals are tracked field by field.
	dynamic bool
	// callMakes: calling a class makes an instance (Python, Kotlin, C++, Swift).
	callMakes bool
	// converts: calling a type converts to it and runs no code (Go).
	converts bool
	// structural: a type implements an interface by having its methods.
	structural bool
	// merges: definitions of one name in one container are parts of one class.
	merges bool
	// exact: a declared class has no subclasses (Go structs).
	exact bool
	// embeds: members of bases are found by depth, and those of an embedded interface
	// are members of the field that holds it (Go).
	embeds bool
	// variants: several functions of one name are for different builds, and one of
	// them is there (Go).
	variants bool
	// passesOver: a method that does not take the arguments of a call does not hide one
	// of a base, and extensions come last (C#).
	passesOver bool
	// companions: an object may have the name of a class next to it (Scala).
	companions bool
	// unknownFree: a free name that is not found may be anything, and is not known to
	// be external (Ruby's bare calls).
	unknownFree bool
	// builtin are the names that the language itself defines, where that is known: any
	// other free name that is not found is unknown.
	builtin map[string]bool
	// newName: what constructors are called in their class, so that the name that
	// they are written with is not found there. 0: as they are written.
	newName name
	// typed: what a place is declared to hold, it holds: other values do not flow there.
	typed bool
	// separate: functions and variables have name spaces of their own.
	separate     bool
	constructors []string // names of constructor members; "" stands for the class's own name
	callable     []string // names of members that run when an instance is called
	// Names of members that the language runs for x[i], x[i] = v, and a loop: to begin
	// it, and for each element.
	getItem, setItem, iterate, advance []string
	// resolve finds what an import leads to.
	resolve func(g *family, f *file, i *ir.ImportInfo) target
	// importName is the name that an import binds which names none; nil: none.
	importName func(g *family, f *file, i *ir.ImportInfo, t target) string
	// predeclared are the names that need no declaration.
	predeclared map[string]bool
	// special gives the values of names that the language itself defines, as heads
	// of paths: crate, self, super. ok says that the name is one of them.
	special func(e *eval, n string) (s set, ok bool)
}

// A target is what an import leads to.
type target struct {
	in       []ID // files, packages and namespaces, in order of preference
	external name // the path of something outside the index, when in is empty
	whole    bool // the import brings what is in, not a name of it
	loads    []ID // files that the import runs besides
}

// langs are the languages. One that is not listed is resolved by scope and name.
var langs = map[string]*lang{
	"go": {family: "go", pack: byFolder, converts: true, structural: true, exact: true, embeds: true, variants: true, typed: true,
		unknownFree: true, predeclared: goPredeclared, resolve: (*family).resolveGo, importName: (*family).goImportName},
	"python": {family: "python", dynamic: true, callMakes: true, constructors: []string{"__init__", "__new__"},
		callable: []string{"__call__"}, getItem: []string{"__getitem__"}, setItem: []string{"__setitem__"},
		iterate: []string{"__iter__"}, advance: []string{"__next__"}, builtin: pythonBuiltins, resolve: (*family).resolvePython},
	"javascript": {family: "javascript", dynamic: true, constructors: []string{"constructor"}, resolve: (*family).resolveJavaScript},
	"java": {family: "jvm", pack: byName, implicitThis: true, classCode: true, separate: true, typed: true,
		constructors: []string{"<new>"}, resolve: (*family).resolveNamed},
	"kotlin": {family: "jvm", pack: byName, implicitThis: true, classCode: true, typed: true, callMakes: true, constructors: []string{"<new>"},
		callable: []string{"invoke"}, resolve: (*family).resolveNamed},
	"csharp": {family: "csharp", pack: byName, implicitThis: true, merges: true, classCode: true, passesOver: true,
		constructors: []string{"<new>"}, getItem: []string{"this"}, setItem: []string{"this"}, iterate: []string{"GetEnumerator"}, resolve: (*family).resolveNamed},
	"php": {family: "php", pack: byName, dynamic: true, classCode: true, constructors: []string{"__construct"},
		callable: []string{"__invoke"}, getItem: []string{"offsetGet"}, setItem: []string{"offsetSet"},
		iterate: []string{"getIterator"}, advance: []string{"current"}, resolve: (*family).resolvePHP, special: specialPHP},
	"ruby": {family: "ruby", pack: global, implicitThis: true, dynamic: true, merges: true, unknownFree: true,
		constructors: []string{"initialize"}, callable: []string{"call"}, getItem: []string{"[]"}, resolve: (*family).resolveRuby},
	"rust": {family: "rust", callMakes: true, resolve: (*family).resolveRust, special: specialRust},
	"cpp": {family: "c", pack: global, implicitThis: true, callMakes: true, merges: true, constructors: []string{""},
		callable: []string{"operator()"}, getItem: []string{"operator[]"}, resolve: (*family).resolveInclude},
	"c":     {family: "c", pack: global, merges: true, resolve: (*family).resolveInclude},
	"swift": {family: "swift", pack: global, implicitThis: true, callMakes: true, constructors: []string{"init"}},
	"scala": {family: "scala", pack: byName, implicitThis: true, callMakes: true, companions: true, callable: []string{"apply"},
		resolve: (*family).resolveNamed},
	"groovy": {family: "groovy", pack: byName, implicitThis: true, callMakes: true, resolve: (*family).resolveNamed},
	"elixir": {family: "elixir", pack: global, resolve: (*family).resolveNamed},
	"bash":   {family: "bash", resolve: (*family).resolveShell},
}

// listed returns the rules of a language that is listed, nil of another.
func listed(language string) *lang {
	switch language {
	case "typescript", "tsx", "vue", "svelte":
		language = "javascript"
	}
	return langs[language]
}

// languageOf returns the rules of a language.
func (g *family) languageOf(language string) *lang {
	if l, ok := g.langs[language]; ok {
		return l
	}
	l := &lang{family: language, pack: global, implicitThis: true, callMakes: true, dynamic: true}
	if known := listed(language); known != nil {
		copied := *known
		l = &copied
	}
	l.name = language
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
	if l.resolve == nil {
		l.resolve = (*family).resolveByName
	}
	g.langs[language] = l
	return l
}

package convention

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// Finder returns what finds a symbol by its name and its place alone, or "".
func Finder(one *Symbol, text []byte) string {
	lang, file, name := one.Record.Lang, one.Record.Path, one.Sym().Name
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	by := func(what string) string { return fmt.Sprintf("%s, which finds it by its name", what) }
	if one.Test && one.Kind == Class {
		if strings.HasPrefix(name, "Test") || strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "Tests") || strings.HasSuffix(name, "TestCase") || strings.HasSuffix(name, "Spec") {
			return by("a runner of tests")
		}
	}
	switch lang {
	case "go":
		if one.Public && one.Kind != Method && mage.Match(text[:min(len(text), 4000)]) {
			return by("mage")
		}
		if strings.HasPrefix(name, "Fuzz") && one.Kind == Function && fuzzes.Match(Head(text, one.Sym())) {
			return by("go-fuzz")
		}
	case "rust":
		if name == "write_fmt" {
			return "write!"
		}
		if one.Kind == Class && one.Sym().Parent != "" && bytes.HasPrefix(Head(text, one.Sym()), []byte("type ")) {
			return "the trait that has it among its types"
		}
	case "python":
		switch {
		case strings.HasPrefix(name, "pytest_"), one.Test && slices.Contains([]string{"setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule", "tearDownModule", "setup_method", "teardown_method", "setup_class", "teardown_class"}, name):
			return by("pytest")
		case (name == "upgrade" || name == "downgrade") && strings.Contains(file, "versions/"), name == "Migration" && strings.Contains(file, "migrations/"):
			return by("a tool for migrations")
		case name == "Command" && strings.Contains(file, "management/commands/"):
			return by("Django")
		case name == "lambda_handler", stem == "conf" && name == "setup":
			return by("what loads its module")
		}
	case "typescript", "tsx":
		if by := within(text, int(one.Sym().Start), declares); by != "" {
			return by
		}
	case "csharp":
		if strings.HasPrefix(one.Sym().Parent, "System.") {
			return by("the compiler")
		}
		switch {
		case name == "Program", name == "Startup", strings.HasPrefix(name, "Configure") && one.Kind == Method && path.Ext("."+one.Sym().Parent) == ".Startup",
			(name == "Invoke" || name == "InvokeAsync") && one.Kind == Method:
			return by("the runtime")
		case one.Kind == Method && name == "Add":
			return by("an initializer of a collection")
		case one.Kind == Method && partial.Match(Head(text, one.Sym())):
			return "what another part of its type, which may be generated, declares"
		}
	case "java", "kotlin":
		if lang == "kotlin" && actual.Match(Head(text, one.Sym())) {
			return "what expects it on another platform"
		}
		if strings.HasPrefix(name, "Java_") || name == "premain" || name == "agentmain" {
			return by("the virtual machine")
		}
	}
	return ""
}

// Reflected returns what may find a method by the form of its name, or "".
func Reflected(one *Symbol, text []byte) string {
	family := Family(one.Record.Lang)
	if s := one.Sym(); family == "jvm" && native.Match(one.Record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+300))) {
		return "native code may name it"
	}
	name := one.Sym().Name
	if family == "jvm" || family == "csharp" {
		for _, word := range []string{"get", "set", "is", "with"} {
			if rest, ok := strings.CutPrefix(name, word); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
				return "what reads and writes properties may call it"
			}
		}
	}
	if family == "csharp" && (strings.HasPrefix(name, "ShouldSerialize") || strings.HasPrefix(name, "Reset") || strings.HasPrefix(name, "On") && (strings.HasSuffix(name, "Changed") || strings.HasSuffix(name, "Changing"))) {
		return "what shows or weaves properties may find it by its name"
	}
	if family == "csharp" && slices.Contains(called, name) {
		return "a library of command lines or a weaver may find it by its name"
	}
	if family == "csharp" && attached.Match(Head(text, one.Sym())) {
		return "markup may have the property that it gives or takes"
	}
	if one.Flags&ir.Private == 0 && slices.Contains(ofText, name) && (family == "jvm" || family == "csharp") {
		return "what makes values of texts may find it by its name"
	}
	return ""
}

// attached finds methods of C# that give or take a property that markup may have at elements of any type.
var attached = regexp.MustCompile(`\b[GS]et\w+\(\s*(?:this\s+)?\w*(?:Object|Element|Control|Visual)\b`)

// called are methods of C# that libraries of command lines, and weavers of what disposes of resources, call.
var called = []string{"OnExecute", "OnExecuteAsync", "OnValidationError", "DisposeManaged", "DisposeUnmanaged"}

// ofText are methods by which libraries make values of texts.
var ofText = []string{"valueOf", "fromString", "fromValue", "fromText", "Parse", "TryParse", "BindAsync"}

// Empty reports whether a type has nothing in it but comments.
func Empty(one *Symbol) bool {
	s := one.Sym()
	return empty.Match(one.Record.Text.Slice(int(s.Start), int(s.End)))
}

var empty = regexp.MustCompile(`\{\s*(?://.*\s*|/\*(?s:.*?)\*/\s*)*\}\s*$`)

// RunByItself reports whether a file is in a folder whose code is run by itself, or read by people, or is there for its
// types to be checked, or for other projects to begin with.
func RunByItself(file string) bool { return bench.MatchString(file) || typed.MatchString(file) }

var typed = regexp.MustCompile(`(?i)(^|/)(types?-?tests?|dtslint|[a-z-]+_tests?)/|\.(typetest|tst)\.[cm]?tsx?$`)

var bench = regexp.MustCompile(`(?i)(^|/)(micro)?(benche?s|benchmarks?|fixtures?|docs?|documentation|user[-_]?guides?[\w-]*|guides?|jmh|website|preview|perf[\w-]*|fuzz|scripts?|assets|static|public|exercises?|katas?|koans|templates?|skeletons?|scaffold(?:s|ing)?|boilerplates?|archetypes?|archetype-resources|stubs|snippets|sandbox|test[-_]?(?:workspaces?|projects?|apps?|inputs?|assets?|programs?))/`)

// ForTests reports whether the name of a folder that a file is in has a word that says that it is about tests, or there
// to be read: by people, or by programs as their input.
func ForTests(file string) bool { return tests.MatchString(path.Dir(file) + "/") }

// tests finds such words, also in names that are put together.
var tests = regexp.MustCompile(`(?:^|[/._-])(?i:tests?|testing|testcases?|testdata|testutils?|test[-_]?fixtures?|specs?|fixtures?|mocks?|e2e|it|inputs?|cases|corpus|suites?|conformance|regress(?:ion)?s?|golden|expected|baselines?|examples?|samples?|demos?|tutorials?|resources|experiments?|experimental)(?:[/._-]|[A-Z])|(?:Tests?|Testing|TestCases?|Specs?|Fixtures?|Mocks?|Examples?|Samples?|Demos?)(?:[/._-]|[A-Z])`)

// Assembly reports whether a file is in assembly language.
func Assembly(file string) bool {
	switch path.Ext(file) {
	case ".s", ".S", ".asm":
		return true
	}
	return false
}

// Template reports whether a file is one that code of Go is made of, or that such code fills in.
func Template(file string) bool {
	switch path.Ext(file) {
	case ".html", ".tmpl", ".gohtml", ".tpl", ".gotmpl", ".templ", ".ego", ".qtpl", ".jet", ".plush", ".mustache", ".hbs", ".y", ".peg", ".rl", ".nex":
		return true
	}
	return false
}

var (
	fuzzes   = regexp.MustCompile(`\(\w+ \[\](?:byte|uint8)\) \(?(?:\w+ )?int\b`)
	declares = regexp.MustCompile(`^(declare (?:global|module|namespace)\b.*)\{$`)
	actual   = regexp.MustCompile(`\bactual\b`)
	partial  = regexp.MustCompile(`\bpartial\b`)
	mage     = regexp.MustCompile(`(?m)^//(?:go:build|[ \t]*\+build)[ \t]+mage\b`)
	native   = regexp.MustCompile(`\b(?:native|external)\b`)
)

package dead

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
)

// hooks are annotations and attributes that have a runner of tests run what they are written at.
var hooks = strings.Fields("Test ParameterizedTest RepeatedTest TestFactory TestTemplate BeforeEach AfterEach BeforeAll AfterAll " +
	"Before After BeforeClass AfterClass BeforeMethod AfterMethod DataProvider Parameters Fact Theory TestMethod DataTestMethod TestCase " +
	"SetUp TearDown OneTimeSetUp OneTimeTearDown TestInitialize TestCleanup ClassInitialize ClassCleanup AssemblyInitialize " +
	"test bench fixture BeforeTest AfterTest")

// hooked returns the hook of a runner of tests that a definition has, or "".
func hooked(lines []byte) string {
	for line := range bytes.Lines(lines) {
		text := bytes.TrimLeft(line, " \t#!")
		if len(text) == 0 || text[0] != '@' && text[0] != '[' {
			continue
		}
		for _, word := range bytes.FieldsFunc(text, func(r rune) bool { return r > 0x7f || !inWord(byte(r)) }) {
			if slices.Contains(hooks, string(word)) {
				return string(word)
			}
		}
	}
	return ""
}

// decoration returns a decorator or an annotation that may have an item run.
func decoration(one *item, src []byte) string {
	s := one.sym()
	if by := calls.Decorated(one.record, src, one.symbol); by != "" {
		return "@" + by
	}
	switch familyOf(one.record.Lang) {
	case "jvm", "csharp", "rust", "php":
		if by := hooked(protocol.AttributeLines(src, int(s.Start), int(s.NameLine-s.Line))); by != "" {
			return "@" + by
		}
	}
	if one.record.Lang == "rust" {
		if by := invocation(src, int(s.Start)); by != "" {
			return by
		}
		lines := protocol.AttributeLines(src, int(s.Start), int(s.NameLine-s.Line))
		for _, mark := range []string{"no_mangle", "export_name", "wasm_bindgen", "pyfunction", "panic_handler", "global_allocator", "link_section", "#[used"} {
			if bytes.Contains(lines, []byte(mark)) {
				return "#[" + mark + "]"
			}
		}
	}
	if one.record.Lang == "csharp" || one.record.Lang == "c" || one.record.Lang == "cpp" {
		head := src[s.Start:min(int(s.End), int(s.Start)+200)]
		for _, mark := range []string{"JNIEXPORT", "__declspec(dllexport)", "EMSCRIPTEN_KEEPALIVE", "UnmanagedCallersOnly"} {
			if bytes.Contains(head, []byte(mark)) {
				return mark
			}
		}
	}
	return ""
}

// marked reports whether a decorator or an annotation may have an item run.
func (p *program) marked(i int32) bool {
	return strings.HasPrefix(p.keepers.of(i), "@")
}

// convention returns what finds an item by its name alone.
func convention(lang, file, name string, text []byte, one *item) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	by := func(what string) string { return fmt.Sprintf("%s, which finds it by its name", what) }
	if one.test && one.kind == class {
		if strings.HasPrefix(name, "Test") || strings.HasSuffix(name, "Test") || strings.HasSuffix(name, "Tests") || strings.HasSuffix(name, "TestCase") || strings.HasSuffix(name, "Spec") {
			return by("a runner of tests")
		}
	}
	switch lang {
	case "go":
		if one.public && one.kind != method && mage.Match(text[:min(len(text), 4000)]) {
			return by("mage")
		}
		if strings.HasPrefix(name, "Fuzz") && one.kind == function && fuzzes.Match(headOf(text, one.sym())) {
			return by("go-fuzz")
		}
	case "rust":
		if name == "write_fmt" {
			return "write!"
		}
		if one.kind == class && one.sym().Parent != "" && bytes.HasPrefix(headOf(text, one.sym()), []byte("type ")) {
			return "the trait that has it among its types"
		}
	case "python":
		switch {
		case strings.HasPrefix(name, "pytest_"), one.test && slices.Contains([]string{"setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule", "tearDownModule", "setup_method", "teardown_method", "setup_class", "teardown_class"}, name):
			return by("pytest")
		case (name == "upgrade" || name == "downgrade") && strings.Contains(file, "versions/"), name == "Migration" && strings.Contains(file, "migrations/"):
			return by("a tool for migrations")
		case name == "Command" && strings.Contains(file, "management/commands/"):
			return by("Django")
		case name == "lambda_handler", stem == "conf" && name == "setup":
			return by("what loads its module")
		}
	case "typescript", "tsx":
		if by := within(text, int(one.sym().Start), declares); by != "" {
			return by
		}
	case "csharp":
		if strings.HasPrefix(one.sym().Parent, "System.") {
			return by("the compiler")
		}
		switch {
		case name == "Program", name == "Startup", strings.HasPrefix(name, "Configure") && one.kind == method && path.Ext("."+one.sym().Parent) == ".Startup",
			(name == "Invoke" || name == "InvokeAsync") && one.kind == method:
			return by("the runtime")
		case one.kind == method && name == "Add":
			return by("an initializer of a collection")
		case one.kind == method && partial.Match(headOf(text, one.sym())):
			return "what another part of its type, which may be generated, declares"
		}
	case "java", "kotlin":
		if lang == "kotlin" && actual.Match(headOf(text, one.sym())) {
			return "what expects it on another platform"
		}
		if strings.HasPrefix(name, "Java_") || name == "premain" || name == "agentmain" {
			return by("the virtual machine")
		}
	}
	return ""
}

// overrides reports whether a method says that it is one of a type above, of which the index has
// none with a method of this name, or belongs to an object whose type has no name.
func (p *program) overrides(i int32) bool {
	one := &p.items[i]
	if one.up < 0 || one.kind != method {
		return false
	}
	r, s := one.record, one.sym()
	switch r.Lang {
	case "java", "kotlin":
		if p.items[one.up].code() {
			return true
		}
	case "csharp", "cpp", "typescript", "tsx", "php":
	default:
		return false
	}
	head, _, _ := bytes.Cut(r.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+1000)), []byte("{"))
	return protocol.Overrides(string(head)) && !p.declaredAbove(i)
}

// declaredAbove reports whether a type above that of a method has one of its name.
func (p *program) declaredAbove(i int32) bool {
	for up := range p.typesAbove(p.items[i].up) {
		if slices.ContainsFunc(p.members[up], func(m int32) bool { return p.items[m].name == p.items[i].name }) {
			return true
		}
	}
	return false
}

// invocation returns the macro of Rust that a definition is written in, or "": a line above with
// less before it that opens one.
func invocation(src []byte, start int) string {
	if by := within(src, start, macroOpens); by != "" {
		return by + "!"
	}
	return ""
}

// within returns what opens the block that a definition is in, where it is of a form, or "".
func within(src []byte, start int, form *regexp.Regexp) string {
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	at := bytes.LastIndexByte(src[:start], '\n') + 1
	own := start - at
	for at > 0 && own > 0 {
		up := bytes.LastIndexByte(src[:at-1], '\n') + 1
		line := src[up : at-1]
		if text := bytes.TrimSpace(line); len(text) > 0 && indent(line) < own {
			if m := form.FindSubmatch(text); m != nil {
				return string(m[1])
			}
			own = indent(line)
		}
		at = up
	}
	return ""
}

// headOf is the text of a symbol as far as it can be its head.
func headOf(src []byte, s *store.Symbol) []byte {
	head, _, _ := bytes.Cut(src[s.Start:min(s.End, s.Start+1000)], []byte("{"))
	return head
}

var (
	fuzzes   = regexp.MustCompile(`\(\w+ \[\](?:byte|uint8)\) \(?(?:\w+ )?int\b`)
	declares = regexp.MustCompile(`^(declare (?:global|module|namespace)\b.*)\{$`)
	actual   = regexp.MustCompile(`\bactual\b`)
	partial  = regexp.MustCompile(`\bpartial\b`)
	mage     = regexp.MustCompile(`(?m)^//(?:go:build|[ \t]*\+build)[ \t]+mage\b`)
	native   = regexp.MustCompile(`\b(?:native|external)\b`)
	opens    = regexp.MustCompile(`\bpublic\b`)
	internal = regexp.MustCompile(`\binternal\b`)
	shielded = regexp.MustCompile(`\bprotected\b`)
)

var macroOpens = regexp.MustCompile(`^([\w:]+)!\s*[{(]$`)

var (
	// reflects finds code that looks at the members of a type while the program runs, and typeOf the types that it may do it with.
	reflects = map[string]*regexp.Regexp{
		"csharp": regexp.MustCompile(`\.Get(?:Runtime)?(?:Methods?|Members?|Fields?|Propert(?:y|ies)|NestedTypes?)\(`),
		"jvm":    regexp.MustCompile(`\.get(?:Declared)?(?:Methods?|Fields?|Classes)\(|\.(?:declared)?[mM]ember(?:s|Functions|Properties)\b|\.declared(?:Functions|Methods|Fields)\b|\.find(?:Static|Virtual|Getter|Setter)\(`),
		"php":    regexp.MustCompile(`\bget_class_methods\b|\bnew \\?Reflection|\bgetMethods\(|\bgetConstants\(`),
	}
	typeOf   = regexp.MustCompile(`\btypeof\(\s*(?:[\w.]+\.)?(\w+)(?:<[^()]*>)?\s*\)|\b(\w+)(?:\.|::)class\b`)
	typeOfGo = regexp.MustCompile(`^func \(\w+ \*?(\w+)|\breflect\.(?:TypeOf|ValueOf)\([&(*]*(?:\w+\.)?(\w+)\b|\breflect\.TypeFor\[\*?(?:\w+\.)?(\w+)`)
)

// looks notes the types that a file names where it looks at the members of types.
func (s *scanner) looks(f *file) {
	note := func(types *regexp.Regexp, text []byte) {
		for _, m := range types.FindAllSubmatch(text, -1) {
			if id, ok := s.p.byName.get(string(bytes.Join(m[1:], nil))); ok {
				s.looked[id] = true
			}
		}
	}
	if f.family == "go" {
		if !bytes.Contains(s.src, []byte(".NumMethod()")) && !bytes.Contains(s.src, []byte(".Methods()")) {
			return
		}
		for line := range bytes.Lines(s.src) {
			if bytes.HasPrefix(line, []byte("func (")) || bytes.Contains(line, []byte("reflect.Type")) || bytes.Contains(line, []byte("reflect.Value")) {
				note(typeOfGo, line)
			}
		}
	} else if form := reflects[f.family]; form != nil && form.Match(s.src) {
		note(typeOf, s.src)
	}
}

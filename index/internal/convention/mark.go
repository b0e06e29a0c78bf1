package convention

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/protocol"
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
		for _, name := range word.FindAll(text, -1) {
			if slices.Contains(hooks, string(name)) {
				return string(name)
			}
		}
	}
	return ""
}

// word finds names in what marks a definition.
var word = regexp.MustCompile(`[\w$]+`)

// Mark returns the annotation, attribute or macro that may have a symbol run, or "". What registers it
// by a decorator is not among them.
func Mark(one *Symbol, src []byte) string {
	s := one.Sym()
	switch Family(one.Record.Lang) {
	case "jvm", "csharp", "rust", "php":
		if s.Name == "serialVersionUID" {
			return "what reads objects from bytes"
		}
		if by := hooked(protocol.AttributeLines(src, int(s.Start), int(s.NameLine-s.Line))); by != "" {
			return "@" + by
		}
	}
	if one.Record.Lang == "rust" {
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
	if one.Record.Lang == "csharp" || one.Record.Lang == "c" || one.Record.Lang == "cpp" {
		head := src[s.Start:min(int(s.End), int(s.Start)+200)]
		for _, mark := range []string{"JNIEXPORT", "__declspec(dllexport)", "EMSCRIPTEN_KEEPALIVE", "UnmanagedCallersOnly"} {
			if bytes.Contains(head, []byte(mark)) {
				return mark
			}
		}
	}
	return ""
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

var macroOpens = regexp.MustCompile(`^([\w:]+)!\s*[{(]$`)

var (
	// meant finds what tells a tool or a compiler to say nothing of what is unused.
	meant = regexp.MustCompile(`(?i)\b(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b|\bSuppress(?:Warnings)?\([^)]*\b(?:unused|all)\b|\bnoqa\b|pylint:\s*disable|\bnolint\b|lint:ignore|noinspection|NOPMD|eslint-disable|@ts-ignore|biome-ignore|\bmaybe_unused\b|\(\((?:__)?unused(?:__)?\)\)`)
	// meantHints are parts of which all that meant finds have one, in small letters: most definitions have none.
	meantHints = []string{"unused", "dead_code", "suppress", "noqa", "lint", "noinspection", "nopmd", "-ignore"}
	// meantAll finds that for all of a file, meantWithin that of Rust for a block.
	meantAll    = regexp.MustCompile(`(?m)^(?:#!\[(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b|/\*\s*eslint-disable(?:\s*(?:--[^*]*)?\*/|\s[^*]*\bno-unused)|@file:Suppress\([^)]*"unused"|#\s*pylint:\s*disable=.*\bunused\b)`)
	meantWithin = regexp.MustCompile(`(?m)^([ \t]*)#\[(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b[^\]]*\]\s+(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:impl|mod)\b[^;{]*\{\n`)
)

// Meant reports whether a mark at a symbol says that somebody knows that it is unused.
func Meant(one *Symbol, src []byte) bool {
	about := marks(src, one)
	return hinted(about) && meant.Match(about)
}

// MeantAround reports whether a mark for all of a file, or of Rust for a block around a symbol, says so.
func MeantAround(one *Symbol, src []byte) bool {
	if meantAll.Match(src[:min(len(src), 4000)]) {
		return true
	}
	if one.Record.Lang != "rust" {
		return false
	}
	for _, m := range meantWithin.FindAllSubmatchIndex(src[:one.Sym().Start], -1) {
		if end := bytes.Index(src[m[1]:], []byte("\n"+string(src[m[2]:m[3]])+"}")); end < 0 || m[1]+end > int(one.Sym().Start) {
			return true
		}
	}
	return false
}

// Counting returns where the groups of constants of a text of Go are that count by iota: the place of each gives those
// after it their values.
func Counting(src []byte) (groups [][2]int) {
	for at := 0; ; {
		from := bytes.Index(src[at:], []byte("\nconst ("))
		if from < 0 {
			return groups
		}
		from += at
		end := bytes.Index(src[from:], []byte("\n)"))
		if end < 0 {
			return groups
		}
		if at = from + end; counts.Match(src[from:at]) {
			groups = append(groups, [2]int{from, at})
		}
	}
}

var counts = regexp.MustCompile(`\biota\b`)

// Document returns the language of a text that a value of JavaScript is made of, and that tools take out of the sources
// by themselves, or "".
func Document(one *Symbol, src []byte) string {
	s := one.Sym()
	if Family(one.Record.Lang) == "javascript" && document.Match(src[s.Start:min(int(s.End), int(s.Start)+maxHead)]) {
		return "GraphQL"
	}
	return ""
}

var document = regexp.MustCompile(`=\s*(?:/\*\s*GraphQL\s*\*/|(?:\w+\.)?(?:gql|graphql)\s*(?:<[^>\n]*>\s*)?[(` + "`])")

// Spared returns the word of a comment at the head of a definition, or at its beginning, that says that it is there
// for code elsewhere, or "".
func Spared(one *Symbol, src []byte) string {
	s := one.Sym()
	for _, text := range [][]byte{marks(src, one), src[s.Start:min(int(s.End), int(s.Start)+maxHead)], heading(src, one)} {
		if m := spared.FindSubmatch(text); m != nil {
			return string(bytes.Join(bytes.Fields(m[1]), []byte(" ")))
		}
	}
	return ""
}

// heading are the comments that begin the lines without an empty one between them in which a definition without
// anything around it is: they say something of all that follows.
func heading(src []byte, one *Symbol) []byte {
	from := bytes.LastIndexByte(src[:one.Sym().Start], '\n') + 1
	if from != int(one.Sym().Start) {
		return nil
	}
	for range maxHeading {
		up := bytes.LastIndexByte(src[:max(from-1, 0)], '\n') + 1
		if from == 0 || len(bytes.TrimSpace(src[up:from])) == 0 {
			break
		}
		from = up
	}
	to := from
	for to < int(one.Sym().Start) && (src[to] == '#' || src[to] == '/' || src[to] == '*') {
		next := bytes.IndexByte(src[to:], '\n')
		if next < 0 {
			break
		}
		to += next + 1
	}
	return src[from:to]
}

// maxHeading bounds the lines above a definition that may belong to it.
const maxHeading = 60

// maxHead bounds the text at the beginning of a definition in which a comment is looked for.
const maxHead = 600

// spared finds such words in lines that begin as comments do.
var spared = regexp.MustCompile(`(?im)^[ \t]*(?:#|//|/?\*|\*|"""|'''|@).*?\b(compat|compatib(?:le|ility)|backwards?|legacy|deprecated|reflection|reflectively|JNI|(?:called|used|invoked) (?:by|from|via)|plugins?)\b`)

func hinted(text []byte) bool {
	text = bytes.ToLower(text)
	return slices.ContainsFunc(meantHints, func(part string) bool { return bytes.Contains(text, []byte(part)) })
}

// marks are the lines of a symbol up to its name, with comments and attributes right above.
func marks(src []byte, one *Symbol) []byte {
	s := one.Sym()
	from, to := int(s.Start), int(s.Start)
	for range s.NameLine - s.Line + 1 {
		if i := bytes.IndexByte(src[to:], '\n'); i >= 0 {
			to += i + 1
		}
	}
	from = bytes.LastIndexByte(src[:from], '\n') + 1
	for range maxMarks {
		if from == 0 {
			break
		}
		up := bytes.LastIndexByte(src[:from-1], '\n') + 1
		if line := bytes.TrimSpace(src[up:from]); len(line) == 0 || bytes.IndexByte([]byte("@#[/*-"), line[0]) < 0 {
			break
		}
		from = up
	}
	return src[from:max(from, to)]
}

// maxMarks bounds the lines above a symbol in which marks are looked for.
const maxMarks = 8

// Effect returns what a value may be there for that nothing reads, or "": naming an object of Kotlin makes it, and
// what JavaScript requires is loaded.
func Effect(one *Symbol, src []byte) string {
	s := one.Sym()
	text := src[s.Start:s.End]
	switch {
	case one.Kind != Variable && one.Kind != Constant || len(text) > maxHead:
	case one.Record.Lang == "kotlin" && object.Match(text):
		return "naming the object that it is may be what it is for"
	case Family(one.Record.Lang) == "javascript" && loads.Match(text):
		return "loading the module may be what it is for"
	}
	return ""
}

var (
	object = regexp.MustCompile(`=\s*(?:[\w.]+\.)?[A-Z]\w*\s*$`)
	loads  = regexp.MustCompile(`=\s*require\(\s*["'\x60][^"'\x60]+["'\x60]\s*\)\s*;?\s*$`)
)

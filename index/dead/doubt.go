package dead

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/protocol"
)

// A doubt says what may use an item that nothing names.
type doubt struct {
	from stage
	why  string // "": there is none
}

// bench finds folders whose code is run by itself, or read by people.
var bench = regexp.MustCompile(`(?i)(^|/)(micro)?(benche?s|benchmarks?|fixtures?|docs?|documentation|jmh|website|preview|perf[\w-]*|fuzz|scripts?|assets|static|public)/`)

// doubted returns the doubt that there is of an item by its kind, its name or its place.
func (p *program) doubted(i int32) doubt {
	one := &p.items[i]
	s, lang := one.sym(), one.record.Lang
	family := familyOf(lang)
	if !static(family) {
		known := func(of map[string]string) func(string) bool {
			return func(word string) bool { return of[family+" "+word] != "" }
		}
		if word := protocol.Made(s.Name, known(p.begun), known(p.ended)); word != "" {
			return doubt{doubtful, fmt.Sprintf("a name may be put together of %s in %s", word, cmp.Or(p.begun[family+" "+word], p.ended[family+" "+word]))}
		}
	}
	if strings.ContainsFunc(s.Name, func(r rune) bool { return r < 0x80 && !inWord(byte(r)) && r != '#' }) {
		return doubt{doubtful, "its name is not one word, and is not looked for"}
	}
	if (lang == "rust" || family == "javascript") && strings.HasPrefix(s.Name, "_") {
		return doubt{doubtful, "its name says that it is meant to be unused"}
	}
	if one.shown {
		return doubt{doubtful, "it is an example of a documentation, which is compiled and not run"}
	}
	if one.record.Traits.Example {
		return doubt{doubtful, "it is an example"}
	}
	if one.up >= 0 && p.looked[p.items[one.up].name] && (family != "go" || token.IsExported(s.Name)) {
		return doubt{doubtful, "code that looks at the members of types names its type"}
	}
	if one.kind == method || one.assigned {
		if why := p.reflected(one, family); why != "" {
			return doubt{doubtful, why}
		}
	}
	if family != "go" {
		if p.testCode(i) {
			return doubt{anyName, "what runs tests may find it"}
		}
		if bench.MatchString(one.record.Path) {
			return doubt{anyName, "what runs the code of its folder may find it"}
		}
		if one.kind == method && one.up >= 0 && p.declaredAbove(i) {
			return doubt{anyName, "a type above its own demands it"}
		}
	}
	if family == "go" && p.testCode(i) && (!strings.HasSuffix(one.record.Path, "_test.go") || strings.Contains("/"+one.record.Path, "/testdata/")) {
		return doubt{anyName, "it may be there for tests to look at, or for those of other modules"}
	}
	if family == "go" && p.testCode(i) && len(p.joined[p.dirs[path.Dir(one.record.Path)]]) > 0 {
		return doubt{anyName, "its folder has files of another by symbolic links, which may use it"}
	}
	if family == "go" && one.public && p.packages.library(one.record.Path, family) {
		if by := p.givenOut(one); by != "" {
			return doubt{anyName, fmt.Sprintf("what uses %s may call it", by)}
		}
	}
	if p.meant(one) {
		return doubt{anyName, "a mark says that it is known to be unused"}
	}
	if one.record.Errors {
		return doubt{anyName, "its file has syntax errors, and what else is there may not be seen"}
	}
	likely := func(why string) doubt { return doubt{anyName, why} }
	switch family {
	case "ruby":
		return likely("Ruby can call what it makes the name of")
	case "php":
		if one.flags&ir.Private == 0 {
			return likely("PHP can call what it makes the name of")
		}
	case "c":
		if !one.hidden {
			return likely("what it is linked or compiled with may use it")
		}
		if p.pastes != "" && one.kind != method {
			return likely("a macro makes names of parts in " + p.pastes)
		}
	case "python":
		if (one.kind == variable || one.kind == constant) && !strings.HasPrefix(s.Name, "_") {
			return likely("what loads its module may read it")
		}
		if one.code() && bytes.Contains(p.textOf(one.record)[s.Start:min(s.End, s.Start+maxWarning)], []byte("DeprecationWarning")) {
			return likely("it warns that it is deprecated, and is kept for code outside of the index")
		}
		if one.up < 0 && one.public && !bytes.Contains(p.textOf(one.record), []byte("__main__")) {
			return likely("its module is not run itself, and what loads it may use it")
		}
		if one.up >= 0 && strings.HasPrefix(s.Name, "__") {
			return likely("outside of its class it has another name")
		}
		if one.kind == method && !strings.HasPrefix(s.Name, "_") {
			return likely("code outside of the index may ask any object for it")
		}
	case "javascript":
		switch {
		case one.public && one.up < 0:
			return likely("it is exported, and what loads its module may use it")
		case one.kind == method && lang == "javascript":
			return likely("JavaScript can call what it makes the name of")
		}
	}
	if family == "python" && one.kind == method && one.up >= 0 && p.items[one.up].kind == class {
		if base := p.foreignBase(&p.items[one.up]); base != "" {
			return likely(fmt.Sprintf("it may be a method of %s, which is not in the index", base))
		}
	}
	if one.kind == class {
		if base := p.foreignBase(one); base != "" {
			return likely(fmt.Sprintf("it is a kind of %s, which is not in the index and may find it", base))
		}
		if i, ok := p.itemOf(one.record, one.symbol); ok && !static(family) && len(p.above[i]) > 0 {
			return likely("what asks for all types below another may find it")
		}
		if (family == "jvm" || family == "csharp") && empty.Match(one.record.Text.Slice(int(s.Start), int(s.End))) {
			return likely("it has nothing in it, and may be there to be there")
		}
	}
	return doubt{}
}

// empty finds types with nothing in them but comments.
var empty = regexp.MustCompile(`\{\s*(?://.*\s*|/\*(?s:.*?)\*/\s*)*\}\s*$`)

// reflected returns what may find a method by the form of its name, or by what its type is.
func (p *program) reflected(one *item, family string) string {
	if s := one.sym(); family == "jvm" && native.Match(one.record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+300))) {
		return "native code may name it"
	}
	name := one.sym().Name
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
	if family == "csharp" && attached.Match(headOf(p.textOf(one.record), one.sym())) {
		return "markup may have the property that it gives or takes"
	}
	if one.flags&ir.Private == 0 && ofText[name] && (family == "jvm" || family == "csharp") {
		return "what makes values of texts may find it by its name"
	}
	if one.assigned {
		return "it is assigned to a property, and what has the object may call it"
	}
	if family == "javascript" && (one.up < 0 || p.items[one.up].kind != class) {
		return "a member of an object may be called by a computed name"
	}
	if one.flags&ir.Private == 0 && one.up >= 0 && p.items[one.up].kind == class && family != "go" && family != "c" && family != "rust" {
		up := &p.items[one.up]
		if by := decoration(up, p.textOf(up.record)); by != "" {
			return fmt.Sprintf("its type is marked by %s, which may find it", by)
		}
	}
	return ""
}

// attached finds methods of C# that give or take a property that markup may have at elements of any type.
var attached = regexp.MustCompile(`\b[GS]et\w+\(\s*(?:this\s+)?\w*(?:Object|Element|Control|Visual)\b`)

// ofText are methods by which libraries make values of texts.
var ofText = words("valueOf fromString fromValue fromText Parse TryParse BindAsync")

// foreignBase returns a type above a type that is not in the index and may know what is below it.
func (p *program) foreignBase(one *item) string {
	s, lang := one.sym(), one.record.Lang
	i, ok := p.itemOf(one.record, one.symbol)
	if !ok || !protocol.Watched(lang) {
		return ""
	}
	head := one.record.Text.Slice(int(s.Start), min(int(s.End), int(s.Start)+2000))
	for _, b := range protocol.Bases(lang, s.Name, head) {
		if !protocol.Harmless(lang, b.Name) && !slices.ContainsFunc(p.above[i], func(up int32) bool { return p.items[up].sym().Name == b.Name }) {
			return b.Name
		}
	}
	return ""
}

var (
	// meant finds what tells a tool or a compiler to say nothing of what is unused.
	meant = regexp.MustCompile(`(?i)\b(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b|\bSuppress(?:Warnings)?\([^)]*\b(?:unused|all)\b|\bnoqa\b|pylint:\s*disable|\bnolint\b|lint:ignore|noinspection|NOPMD|eslint-disable|@ts-ignore|biome-ignore|\bmaybe_unused\b|\(\((?:__)?unused(?:__)?\)\)`)
	// meantHints are parts of which all that meant finds have one, in small letters: most definitions have none.
	meantHints = []string{"unused", "dead_code", "suppress", "noqa", "lint", "noinspection", "nopmd", "-ignore"}
	// meantAll finds that of Rust for all of a file, or of a block.
	meantAll    = regexp.MustCompile(`(?m)^#!\[(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b`)
	meantWithin = regexp.MustCompile(`(?m)^([ \t]*)#\[(?:allow|expect)\([^)]*\b(?:dead_code|unused)\b[^\]]*\]\s+(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:impl|mod)\b[^;{]*\{\n`)
)

// meant reports whether a mark at an item, or at one around it, says that somebody knows that it is unused.
func (p *program) meant(one *item) bool {
	src := p.textOf(one.record)
	if one.record.Lang == "rust" {
		if meantAll.Match(src[:min(len(src), 4000)]) {
			return true
		}
		for _, m := range meantWithin.FindAllSubmatchIndex(src[:one.sym().Start], -1) {
			if end := bytes.Index(src[m[1]:], []byte("\n"+string(src[m[2]:m[3]])+"}")); end < 0 || m[1]+end > int(one.sym().Start) {
				return true
			}
		}
	}
	for {
		if about := marks(src, one); hinted(about) && meant.Match(about) {
			return true
		}
		if one.in < 0 {
			return false
		}
		one = &p.items[one.in]
	}
}

func hinted(text []byte) bool {
	text = bytes.ToLower(text)
	return slices.ContainsFunc(meantHints, func(part string) bool { return bytes.Contains(text, []byte(part)) })
}

// marks are the lines of an item up to its name, with comments and attributes right above.
func marks(src []byte, one *item) []byte {
	s := one.sym()
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

// maxWarning bounds the text at the beginning of a function in which it may warn of itself.
const maxWarning = 600

// maxMarks bounds the lines above an item in which marks are looked for.
const maxMarks = 8

package protocol

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// attribute finds the names of decorators and annotations at the beginning of lines.
var attribute = regexp.MustCompile(`(?m)^[ \t]*(?:@|#?!?\[)([\pL_][\pL\pN_.:]*)`)

// idle are decorators and annotations that neither have what they are written at called nor
// put something else in its place. Those that have it run as a test, or around one, are among
// them: whoever runs tests is no caller in the index, as in languages that know tests by name.
var idle = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(`
		staticmethod classmethod abstractmethod overload override final wraps cache lru_cache contextmanager
		asynccontextmanager deprecated property setter getter deleter runtime_checkable dataclass total_ordering no_type_check
		Override Deprecated SuppressWarnings SafeVarargs FunctionalInterface Nullable NonNull Nonnull NotNull
		VisibleForTesting CheckReturnValue CanIgnoreReturnValue JvmStatic JvmOverloads JvmField Suppress Throws interface
		Obsolete MethodImpl Pure NotNullWhen ReturnTypeWillChange Serializable Flags DebuggerStepThrough
		ExcludeFromCodeCoverage EditorBrowsable
		inline must_use allow warn deny expect cfg cfg_attr doc test derive cold track_caller target_feature instrument
		non_exhaustive repr automatically_derived stable unstable rustc_const_stable rustc_const_unstable async_trait bench
		Test ParameterizedTest RepeatedTest TestFactory TestTemplate BeforeEach AfterEach BeforeAll AfterAll BeforeClass
		AfterClass Disabled Ignore DisplayName Nested Tag Tags Timeout Order ValueSource CsvSource CsvFileSource EnumSource
		NullSource EmptySource NullAndEmptySource MethodSource ArgumentsSource DisabledOnOs EnabledOnOs DisabledOnJre EnabledOnJre
		TestCase Fact Theory TestMethod DataTestMethod SetUp TearDown OneTimeSetUp OneTimeTearDown TestInitialize TestCleanup
		InlineData MemberData DataRow DataProvider parametrize skip skipif xfail usefixtures
		discardableResult available inlinable usableFromInline MainActor escaping objc frozen nonisolated`) {
		all[name] = true
	}
	return all
}()

// Attribute returns the name of a decorator or an annotation in some lines that may have what
// they are written at called, or put something else in its place; "" for none.
func Attribute(lines []byte) string {
	for _, m := range attribute.FindAllSubmatch(lines, -1) {
		name := string(m[1])
		if last := name[strings.LastIndexAny(name, ".:")+1:]; !idle[last] {
			return name
		}
	}
	return ""
}

// called finds an attribute of C and C++ that has a function called without its name, or by
// another one.
var called = regexp.MustCompile(`\b(?:__)?(constructor|destructor|interrupt|signal|ifunc|section|used|naked)(?:__)?\b`)

// given finds attributes of C and C++.
var given = regexp.MustCompile(`__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\]`)

// AttributeLines are the lines that attributes of a definition may be on: those from where it
// starts to its name, which are so many below, and those above that begin as one does.
func AttributeLines(src []byte, start, below int) []byte {
	from := bytes.LastIndexByte(src[:start], '\n') + 1
	to := from
	for range below {
		end := bytes.IndexByte(src[to:], '\n')
		if end < 0 {
			break
		}
		to += end + 1
	}
	if end := bytes.IndexByte(src[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(src)
	}
	for from > 0 { // those that the symbol does not count as its own
		up := bytes.LastIndexByte(src[:from-1], '\n') + 1
		if line := bytes.TrimSpace(src[up : from-1]); !bytes.HasPrefix(line, []byte("@")) && !bytes.HasPrefix(line, []byte("#[")) || bytes.HasSuffix(line, []byte("}")) {
			break
		}
		from = up
	}
	return src[from:to]
}

// CalledBy returns the attribute in the head of a function of C or C++ that has it called; ""
// for none.
func CalledBy(head string) string {
	for _, text := range given.FindAllString(Head(head), -1) {
		if m := called.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}

// implicit finds the words of Scala that say that a function is called for its type alone.
var implicit = regexp.MustCompile(`\b(?:implicit\s+(?:def|class|val|lazy)|given)\b`)

// Converts returns what calls a function that its head says to be called for its types; "" for
// others.
func Converts(language, head string) string {
	if language == "scala" && implicit.MatchString(head) {
		return conversion
	}
	return ""
}

// Component reports whether the head of a type says that a pattern which takes it apart calls
// its member of a name.
func Component(language, head, name string) bool {
	if language != "java" {
		return false
	}
	_, list, ok := strings.Cut(head, "record ")
	if i := strings.IndexByte(list, ')'); i >= 0 {
		list = list[:i]
	}
	return ok && regexp.MustCompile(`[\s\]]`+regexp.QuoteMeta(name)+`\s*(?:,|$)`).MatchString(list)
}

// literals finds the constructors of Swift that a literal calls.
var literals = regexp.MustCompile(`\binit\s*[?!]?\s*(?:<[^>]*>)?\(\s*(?:\w+Literal|stringInterpolation|unicodeScalarLiteral|projectedValue|wrappedValue|from|rawValue|coder)\b`)

// Makes returns what calls a constructor without naming its class, by its head: "" where
// nothing does. In C++ that is any: a copy, a conversion, a field, an element of a container.
func Makes(language, head string) string {
	switch {
	case language == "cpp":
		return "a copy, a conversion, a field or a container"
	case language == "swift" && literals.MatchString(head):
		return literal
	}
	return ""
}

// empty finds a list of parameters that no argument must be given for.
var empty = regexp.MustCompile(`\(\s*\)|\.\.\.|\bparams\b|=`)

// MakesBase reports whether a constructor may be run by those of a class below its own that do
// not say so, by its head.
func MakesBase(language, head string) bool {
	switch language {
	case "java", "csharp":
		return empty.MatchString(head)
	case "swift":
		return true // its initializers are inherited
	}
	return false
}

// NamesFunctions reports whether a file of a kind that is no code names functions that are
// run: entry points of packages, and descriptions of what is on a screen.
func NamesFunctions(file string) bool {
	switch path.Base(file) {
	case "pyproject.toml", "setup.cfg", "entry_points.txt", "serverless.yml", "serverless.yaml", "template.yml", "template.yaml":
		return true
	}
	switch path.Ext(file) {
	case ".xml", ".xaml", ".axaml", ".fxml", ".storyboard", ".xib", ".qml", ".ui", ".glade":
		return true
	}
	return false
}

// exportsOfLinker are the lists of names that a linker lets out of a library, as it reads them under Unix
// and under Windows; @words@ stand for what is put there before.
var exportsOfLinker = regexp.MustCompile(`^(\s*(@\w+@)?\s*[\w.]*\s*\{((\s|@\w+@)*((global|local)\s*:|[\w*?.]+\s*;))*\s*\}\s*[\w.]*\s*;)+\s*$|` +
	`^((\s*(NAME|LIBRARY|DESCRIPTION|VERSION)\b[^\n]*\n)*\s*EXPORTS[ \t]*\n((\s|@\w+@)*\w+([ \t]*=[ \t]*\w+)?([ \t]+(@\d+|NONAME|DATA|PRIVATE))*[ \t]*(\r?\n|$))*)\s*$`)

// commentsOfLinker are left out of such a list first.
var commentsOfLinker = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:[#;][ \t][^\n]*$|^[ \t]*[#;][^\n]*$)`)

// ListsExports reports whether a text is nothing but a list of the names that a linker lets out of a library,
// which has nothing called.
func ListsExports(text []byte) bool {
	return mayListExports(text) && exportsOfLinker.Match(commentsOfLinker.ReplaceAll(text, nil))
}

// mayListExports reports whether a text has nothing that such a list cannot have. Most texts have something of
// that kind in their first lines, and the expressions are slow.
func mayListExports(text []byte) bool {
	if bytes.Contains(text, []byte("EXPORTS")) {
		return true // under Windows
	}
	begins := true // a line, with nothing but blanks before
	for len(text) > 0 {
		c := text[0]
		text = text[1:]
		blank := len(text) > 0 && (text[0] == ' ' || text[0] == '\t')
		switch {
		case (c == '#' || c == ';') && (begins || blank):
			_, text, _ = bytes.Cut(text, []byte("\n"))
			begins = true
		case c == '/' && bytes.HasPrefix(text, []byte("*")) && bytes.Contains(text[1:], []byte("*/")):
			_, text, _ = bytes.Cut(text[1:], []byte("*/"))
			begins = false
		case c == ' ' || c == '\t':
		case !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || bytes.IndexByte([]byte("_@.{};:*?\r\f\n"), c) >= 0):
			return false
		default:
			begins = c == '\n'
		}
	}
	return true
}

package protocol

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/jdk"
)

// harmless are the languages whose classes are looked at, with the bases outside of the index
// that call no method which has not one of their own names, or one that Member knows.
var harmless = map[string]string{
	"python":     "object ABC Protocol Generic Enum IntEnum StrEnum Flag NamedTuple TypedDict BaseException dict list tuple set str int float type",
	"java":       "Serializable Cloneable Enum Record Annotation",
	"kotlin":     "Serializable Any",
	"csharp":     "",
	"javascript": "Error Object",
	"php":        "",
	"ruby":       "Struct StandardError Object BasicObject",
	"cpp":        "enable_shared_from_this noncopyable true_type false_type integral_constant",
	"scala":      "Serializable Product AnyVal AnyRef",
	"swift": "Error Codable Encodable Decodable Sendable Equatable Hashable Comparable Identifiable CaseIterable AnyObject NSObject RawRepresentable " +
		"CustomStringConvertible CustomDebugStringConvertible ObservableObject View String Int UInt Int32 UInt8 Double Character",
}

// Watched reports whether the bases of the classes of a language are looked at.
func Watched(language string) bool {
	_, ok := harmless[plain(language)]
	return ok
}

// plain is the language whose rules another one has.
func plain(language string) string {
	switch language {
	case "typescript", "tsx", "jsx", "vue", "svelte":
		return "javascript"
	}
	return language
}

// Harmless reports whether a base outside of the index calls no method of the classes below
// it by itself.
func Harmless(language, base string) bool {
	if language == "python" && (strings.HasSuffix(base, "Error") || strings.HasSuffix(base, "Exception") || strings.HasSuffix(base, "Warning")) {
		return true
	}
	return slices.Contains(strings.Fields(harmless[plain(language)]), base)
}

// The members of the classes of Node.js that programs derive from: whatever these call of an object is one.
const (
	emitting = "addListener emit eventNames getMaxListeners listenerCount listeners off on once prependListener prependOnceListener " +
		"rawListeners removeAllListeners removeListener setMaxListeners "
	streaming = emitting + "_construct _destroy _final _flush _read _transform _undestroy _write _writev close compose cork destroy drop end every " +
		"filter find flatMap forEach isPaused iterator map pause pipe push read reduce resume setDefaultEncoding setEncoding some take toArray " +
		"uncork unpipe unshift wrap write closed destroyed errored readable writable "
)

// ofNode are those classes with their members.
var ofNode = map[string]string{
	"EventEmitter": emitting, "Readable": streaming, "Writable": streaming, "Duplex": streaming, "Transform": streaming, "PassThrough": streaming,
}

// ofTypeScript are the interfaces of TypeScript's library that classes implement, with their members that
// have names. There is nothing of them when the program runs.
var ofTypeScript = map[string]string{
	"PromiseLike": "then", "Iterable": "", "AsyncIterable": "", "Disposable": "", "AsyncDisposable": "",
	"Iterator": "next return throw", "IterableIterator": "next return throw", "AsyncIterator": "next return throw",
	"AsyncIterableIterator": "next return throw", "EventListenerObject": "handleEvent",
}

// imported finds the import of a name in a file of JavaScript's languages.
func imported(name string) *regexp.Regexp {
	return regexp.MustCompile(`import\b[^;'"]*\b` + regexp.QuoteMeta(name) + `\b[^;'"]*\bfrom\b`)
}

// importsNode finds the loading of the modules that have them.
var importsNode = regexp.MustCompile(`['"](?:node:)?(?:events|stream|readable-stream)['"]`)

// Knows reports whether a base outside of the index, by its name in a file, may call a method of a name by
// that name.
func Knows(language, base, method string, file []byte) bool {
	if language == "java" {
		t := jdk.Find(base, file)
		return t == nil || t.Calls(method)
	}
	if members, ok := ofTypeScript[base]; ok && plain(language) == "javascript" && !bytes.Contains(file, []byte("class "+base)) && !imported(base).Match(file) {
		return slices.Contains(strings.Fields(members), method)
	}
	members, ok := ofNode[base]
	return plain(language) != "javascript" || !ok || slices.Contains(strings.Fields(members), method) || !importsNode.Match(file)
}

// Head is what a definition has before its body: up to the first brace that stands in no parentheses,
// as those of @SuppressWarnings({"a", "b"}) and of a parameter's default do.
func Head[T string | []byte](text T) T {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		case '{':
			if depth <= 0 {
				return text[:i]
			}
		}
	}
	return text
}

// overriding finds the words that say that a method is one of a base.
var overriding = regexp.MustCompile(`@Override\b|\boverride\b`)

// Overrides reports whether the head of a method says that it is one of a base.
func Overrides(head string) bool { return overriding.MatchString(head) }

// private finds the words that keep a method from code outside of its class, or from being
// called on an instance.
var private = regexp.MustCompile(`\b(?:private|fileprivate)\b`)

// Hidden reports whether no code outside of its class can call a method, by its head.
func Hidden(language, name, head string) bool {
	return language != "cpp" && private.MatchString(head) || strings.HasPrefix(name, "#") || language == "python" && strings.HasPrefix(name, "_")
}

// MayOverride reports whether a method may be one of a base outside of the index, by its head:
// in Kotlin and C# it says so, or is public where the base is an interface; in Java it need
// not say so, but must be visible there.
func MayOverride(language, head string, b Base) bool {
	switch language {
	case "kotlin", "csharp":
		return Overrides(head) || b.Implemented && strings.Contains(head, "public") || explicit.MatchString(head)
	case "java":
		return Overrides(head) || (strings.Contains(head, "public") || strings.Contains(head, "protected")) && !strings.Contains(head, "static ")
	}
	return true
}

// explicit finds a method of C# that is named as one of an interface.
var explicit = regexp.MustCompile(`\bI[A-Z]\w*(?:<[^()]*>)?\.\w+\s*(?:<|\(|$)`)

// A Base is a base as the head of a class names it.
type Base struct {
	Name        string
	Implemented bool // it is an interface
}

// Bases reads the bases of a class from its text, which begins with its head.
func Bases(language, name string, head []byte) (out []Base) {
	at := bytes.Index(head, []byte(name))
	if at < 0 {
		return nil
	}
	text := string(head[at+len(name):])
	implemented := false
	switch language {
	case "python":
		open, rest, ok := strings.Cut(text, "(")
		if !ok || strings.TrimSpace(open) != "" {
			return nil
		}
		text = "(" + rest
		if end := closing(text); end > 0 {
			text = text[1:end]
		}
		text = withoutNested(text)
	case "ruby":
		text, _, _ = strings.Cut(text, "\n")
		_, text, _ = strings.Cut(text, "<")
		text = withoutNested(text)
	default:
		text = withoutNested(Head(text))
		if at := constrained.FindStringIndex(text); at != nil && (language == "csharp" || language == "kotlin") {
			text = text[:at[0]]
		}
		i := inherits.FindStringIndex(text)
		if i == nil {
			return nil
		}
		text = text[i[0]:]
	}
	for _, part := range strings.FieldsFunc(inherits.ReplaceAllStringFunc(text, func(word string) string {
		if strings.TrimSpace(word) == "implements" {
			return ",implements ,"
		}
		return ","
	}), func(c rune) bool { return c == ',' }) {
		part = strings.TrimSpace(part)
		if part == "implements" {
			implemented = true
			continue
		}
		if language == "python" && strings.Contains(part, "=") {
			continue
		}
		fields := strings.FieldsFunc(part, func(c rune) bool { return strings.ContainsRune(" \t\r\n.\\:", c) })
		if len(fields) == 0 || !isName(fields[len(fields)-1]) {
			continue
		}
		b := fields[len(fields)-1]
		out = append(out, Base{b, implemented || language == "csharp" && len(b) > 1 && b[0] == 'I' && b[1] >= 'A' && b[1] <= 'Z'})
	}
	return slices.Compact(out)
}

// constrained finds what says of the parameters of a type what they may be.
var constrained = regexp.MustCompile(`\bwhere\b`)

// inherits finds what stands before the bases of a class.
var inherits = regexp.MustCompile(`\bextends\b|\bimplements\b|\bwith\b|(?:^|[^:]):(?:[^:]|$)`)

func isName(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// closing returns the place of the parenthesis that closes the one which a text begins
// with, or -1.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// withoutNested leaves out what is in brackets.
func withoutNested(text string) string {
	var b strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

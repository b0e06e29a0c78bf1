package mention

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Way is how a place may have what it names called though it does not look like a call.
type Way uint8

// The ways.
const (
	NoWay   Way = iota
	Quoted      // a string or a symbol is the name, a path that ends in it, or a call of it
	Linked      // a directive to the compiler names it
	Taken       // it is read as a member of something, or out of it by a pattern
	Class       // a class is handed on as a value, or as an argument for a type
	Implied     // an instance is made of the type that is wanted there
	Braced      // it is an element of a list in braces
	Part        // a name is put together of it and something else
	Token       // a macro is given it, and may call it
)

// Ways are those of the words of a text.
type Ways struct {
	Language string
	Src      []byte

	asked, reflects bool // of Go
}

// findsMethods reports whether the text is one of Go that finds methods by strings.
func (w *Ways) findsMethods() bool {
	if !w.asked {
		w.asked, w.reflects = true, bytes.Contains(w.Src, []byte("MethodByName"))
	}
	return w.reflects
}

// At returns how a word may have what it names called, by the text around it. It does not
// tell strings from what looks like them in comments.
func (w *Ways) At(at, end int) Way {
	language, src := w.Language, w.Src
	begin, _ := lineBegin(src, at)
	head := src[begin:at]
	switch {
	case part(language, src, at, end):
		if language != "go" || w.findsMethods() {
			return Part
		}
	case quoted(language, src, begin, at, end):
		if language == "rust" && !given(src, at) {
			return NoWay
		}
		if language != "go" || head[len(head)-1] == '.' || w.findsMethods() {
			return Quoted
		}
	}
	switch language {
	case "go":
		if bytes.HasPrefix(head, []byte("//go:linkname ")) || bytes.HasPrefix(head, []byte("//export ")) {
			return Linked
		}
	case "c", "cpp":
		if bytes.HasSuffix(head, []byte("cleanup(")) || bytes.Contains(head, []byte("_Generic")) {
			return Linked
		}
		if braced(src, at, end) {
			return Braced
		}
	case "rust":
		if token(src, at, end) {
			return Token
		}
	case "swift":
		if bytes.HasSuffix(head, []byte(".")) && string(src[at:end]) == "init" && (len(head) < 2 || !inWord(head[len(head)-2]) && bytes.IndexByte([]byte(")]}>?!"), head[len(head)-2]) < 0) {
			return Implied
		}
	case "python":
		if at > 0 && src[at-1] == '.' && !assigned(src[end:]) && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("import ")) && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("from ")) {
			return Taken
		}
	case "javascript", "typescript", "tsx", "jsx", "vue", "svelte":
		if at > 0 && src[at-1] == '.' && !assigned(src[end:]) && (at < 2 || src[at-2] != '.') || destructured(src, at, end) {
			return Taken
		}
	case "java", "kotlin", "scala":
		if rest := src[end:]; bytes.HasPrefix(rest, []byte(".class")) || bytes.HasPrefix(rest, []byte("::class")) || bytes.HasSuffix(head, []byte("classOf[")) {
			return Class
		}
	case "csharp":
		if bytes.HasSuffix(head, []byte("nameof(")) || bytes.HasSuffix(head, []byte(".")) && bytes.Contains(head, []byte("nameof(")) {
			return Quoted
		}
		if bytes.HasSuffix(head, []byte("typeof(")) || inArguments(src[end:]) {
			return Class
		}
	}
	return NoWay
}

// MayBePart reports whether a word may be a Part: it is quick, and right where it says no.
func MayBePart(language string, src []byte, at, end int) bool { return part(language, src, at, end) }

// part reports whether a word is the beginning or the end of a string that goes on with a
// value, or of a name that a macro puts together.
func part(language string, src []byte, at, end int) bool {
	before, after := src[max(0, at-most):at], src[end:min(len(src), end+most)]
	blanks := " \t"
	switch language {
	case "c", "cpp":
		return bytes.HasPrefix(bytes.TrimLeft(after, blanks), []byte("##")) || bytes.HasSuffix(bytes.TrimRight(before, blanks), []byte("##"))
	case "bash":
		return len(after) > 0 && after[0] == '{' && src[end-1] == '_'
	case "rust":
		return bytes.HasSuffix(bytes.TrimRight(before, blanks), []byte("[<"))
	}
	if len(before) == 0 || len(after) == 0 {
		return false
	}
	opens, closes := quote(before[len(before)-1]), quote(after[0])
	switch {
	case opens && closes:
		after, before = bytes.TrimLeft(after[1:], blanks), bytes.TrimRight(before[:len(before)-1], blanks)
		return hasAnyPrefix(after, "+", ".", "<>", "&") && !hasAnyPrefix(after, ".format(", ".join(") || hasAnySuffix(before, " +", "(+", " .", " ..", "<>", " &")
	case opens:
		return hasAnyPrefix(after, "{", "${", "#{", "%s", "%v", "\\(")
	}
	return closes && hasAnySuffix(before, "}", "%s", "%v")
}

func quote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func hasAnyPrefix(text []byte, all ...string) bool {
	return slices.ContainsFunc(all, func(p string) bool { return bytes.HasPrefix(text, []byte(p)) })
}

func hasAnySuffix(text []byte, all ...string) bool {
	return slices.ContainsFunc(all, func(p string) bool { return bytes.HasSuffix(text, []byte(p)) })
}

// Parts returns the beginnings and ends of the name of a function or a method, by its
// underscores and its capitals, that code in a language may put it together of. They have three
// bytes at least. In languages with declared types only methods can be called so, in Go those
// that are exported.
func Parts(language, name string, method bool) (all []string) {
	switch language {
	case "go":
		if r, _ := utf8.DecodeRuneInString(name); !method || !unicode.IsUpper(r) {
			return nil
		}
	case "java", "kotlin", "csharp", "scala", "swift":
		if !method {
			return nil
		}
	}
	add := func(part string) {
		if len(part) > 2 && part != name && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	for i := 1; i < len(name)-1; i++ {
		switch {
		case name[i] == '_' && name[i-1] != '_':
			add(name[:i+1])
			add(name[i:])
		case 'A' <= name[i] && name[i] <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' && language != "c" && language != "rust":
			add(name[:i])
			add(name[i:])
		}
	}
	return all
}

// InPath reports whether a word follows another one and a dot.
func InPath(src []byte, at int) bool { return at > 1 && src[at-1] == '.' && inWord(src[at-2]) }

// quoted reports whether a word is a string or a symbol by itself, the end of a path that is
// one, or the name in a string that is a call.
func quoted(language string, src []byte, begin, at, end int) bool {
	rest := src[end:min(len(src), end+most)]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	head := src[begin:at]
	switch language {
	case "ruby", "elixir":
		n := len(head)
		if language == "ruby" && defines(head) {
			return false
		}
		if n > 0 && head[n-1] == ':' && (n < 2 || head[n-2] != ':' && !inWord(head[n-2])) {
			return true
		}
		if i := bytes.LastIndexByte(head, '%'); i >= 0 && i+2 < n && bytes.IndexByte([]byte("iIwW"), head[i+1]) >= 0 && bytes.IndexByte([]byte("[({<"), head[i+2]) >= 0 && !bytes.ContainsAny(head[i+3:], "])}>") {
			return true
		}
	case "go":
		if r, _ := utf8.DecodeRune(src[at:]); !unicode.IsUpper(r) {
			return false // nothing outside of its package can name it
		}
		if inTemplate(head, "{{", "}}") {
			return true
		}
	case "python":
		if inTemplate(head, "{{", "}}") || inTemplate(head, "{%", "%}") {
			return true
		}
	}
	if i := bytes.IndexByte(rest, '('); i == 0 { // a call
		for _, mark := range []string{`)"`, `)'`, ");\"", ");'"} {
			if j := bytes.Index(rest, []byte(mark)); j > 0 {
				rest = rest[j+len(mark)-1:]
				break
			}
		}
	}
	if language == "yaml" && len(bytes.TrimSpace(rest)) == 0 && bytes.HasSuffix(head, []byte(".")) {
		return true // the end of a path
	}
	if bytes.HasPrefix(rest, []byte(`:"`)) {
		rest = rest[1:] // a selector
	}
	switch {
	case len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' && rest[0] != '`':
		return false
	case language == "python" && (rest[0] == '`' || exported(src[max(0, at-mostExported):at])):
		return false
	}
	i := len(head)
	if i > 1 && head[i-1] == ':' && inWord(head[i-2]) && language != "ruby" && language != "elixir" {
		return true // an entry point
	}
	for i > 0 && (inWord(head[i-1]) || bytes.IndexByte([]byte(`.:#@/\-`), head[i-1]) >= 0) {
		i--
	}
	if i == 0 || head[i-1] != rest[0] {
		return false
	}
	path := head[i:]
	return len(path) == 0 || !inWord(path[len(path)-1]) && path[len(path)-1] != '-' && path[len(path)-1] != '/'
}

// inTemplate reports whether a word after head is a member of something in the marks of a template.
func inTemplate(head []byte, open, shut string) bool {
	i := bytes.LastIndex(head, []byte(open))
	return i >= 0 && head[len(head)-1] == '.' && !bytes.Contains(head[i:], []byte(shut))
}

// mostExported bounds how far before a string a list of what a module exports may begin, in
// bytes.
const mostExported = 8000

// exported reports whether a text of Python ends in the list of what a module exports.
func exported(before []byte) bool {
	i := bytes.LastIndex(before, []byte("__all__"))
	return i >= 0 && !bytes.ContainsAny(before[i:], "])")
}

// defines reports whether a line of Ruby begins with a word that defines, renames or hides the
// methods whose names follow.
func defines(head []byte) bool {
	word, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t"), []byte(" "))
	word, _, _ = bytes.Cut(word, []byte("("))
	switch string(word) {
	case "define_method", "alias_method", "alias", "undef_method", "remove_method", "attr_reader", "attr_writer", "attr_accessor",
		"private", "protected", "public", "module_function", "private_class_method", "public_class_method", "private_constant", "ruby2_keywords":
		return true
	}
	return false
}

// assigned reports whether what follows a place assigns to it.
func assigned(rest []byte) bool {
	rest = bytes.TrimLeft(rest[:min(len(rest), most)], " \t")
	return len(rest) > 1 && rest[0] == '=' && rest[1] != '='
}

// destructured reports whether a word is a key of a pattern that takes an object apart.
func destructured(src []byte, at, end int) bool {
	before := bytes.TrimRight(src[max(0, at-most):at], " \t\r\n")
	if len(before) == 0 || before[len(before)-1] != '{' && before[len(before)-1] != ',' {
		return false
	}
	depth := 0
	rest := src[end:min(len(src), end+most)]
	for i, c := range rest {
		switch c {
		case '{', '(', '[':
			depth++
		case ';':
			return false
		case '}', ')', ']':
			if depth--; depth < 0 {
				if c != '}' {
					return false
				}
				rest = bytes.TrimLeft(rest[i+1:], " \t\r\n")
				for _, mark := range []string{"of ", "in ", ") =>", ") {", "}) =>", "}) {"} {
					if bytes.HasPrefix(rest, []byte(mark)) {
						return true
					}
				}
				return assigned(rest) && !bytes.HasPrefix(rest, []byte("=>"))
			}
		}
	}
	return false
}

// braced reports whether a word is an element of a list in braces that is no block.
func braced(src []byte, at, end int) bool {
	rest := bytes.TrimLeft(src[end:min(len(src), end+most)], " \t\r\n")
	before := bytes.TrimRight(src[max(0, at-most):at], " \t\r\n&")
	if len(rest) == 0 || rest[0] != ',' && rest[0] != '}' || len(before) == 0 || before[len(before)-1] != ',' && before[len(before)-1] != '{' {
		return false
	}
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')', ']', '}':
			depth++
		case ';':
			return false
		case '(', '[':
			if depth--; depth < 0 {
				return false
			}
		case '{':
			if depth--; depth < 0 {
				head := bytes.TrimRight(before[:i], " \t\r\n")
				return len(head) > 0 && bytes.IndexByte([]byte("={,("), head[len(head)-1]) >= 0
			}
		}
	}
	return false
}

// Plain is the text of a file with marks that are letters elsewhere made to be none: the dot
// before the names in Go's assembly, and the dollar that a value in a string begins with.
func Plain(language, path string, src []byte) []byte {
	switch language {
	case "bash", "kotlin", "php", "scala":
		var own []byte
		for i := 1; i < len(src); i++ {
			if src[i] == '$' && inWord(src[i-1]) && src[i-1] != '$' {
				if own == nil {
					own = slices.Clone(src)
				}
				own[i] = '{'
			}
		}
		if own != nil {
			return own
		}
	}
	if strings.HasSuffix(path, ".s") {
		return bytes.ReplaceAll(src, []byte("·"), []byte(" ."))
	}
	return src
}

// inArguments reports whether what follows a word closes a list of type arguments of a call.
func inArguments(rest []byte) bool {
	for i, c := range rest[:min(len(rest), most)] {
		switch {
		case c == '>':
			return i+1 < len(rest) && (rest[i+1] == '(' || rest[i+1] == '>')
		case !inWord(c) && c != ',' && c != ' ' && c != '.' && c != '?':
			return false
		}
	}
	return false
}

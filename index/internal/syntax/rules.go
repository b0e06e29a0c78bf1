package syntax

import "strings"

// Rules are what one language decides beyond its query. Every field may be
// nil; the comment says what then holds. Functions are called with text that is
// only valid during the call and must not change or keep it.
type Rules struct {
	// Mask returns src, or a copy of the same length in which what the grammar
	// cannot read is blanked. Only the parser sees it. Nil: the parser sees src.
	Mask func(src []byte) []byte

	// Exported says whether a definition is visible outside its file or
	// package. Nil: what is wrapped in @export, and members of what is exported.
	Exported func(d Decl) bool

	// Kind corrects the kind that the query gives; "" drops the definition. Nil: a function directly in
	// a type is a method.
	Kind func(d Decl) Kind

	// Name splits the text of @name into a parent, "" for none, and the name:
	// "A::B::f" is "A.B" and "f". Nil: the text is the name.
	Name func(text string) (parent, name string)

	// Receiver turns the text of @receiver in a definition into the name of the
	// type: "(s *List[T])" is "List". Nil: the text is the name.
	Receiver func(text string) string

	// Imports turns the text of @path into imports; the lines are filled in
	// afterwards. Nil: one import, of the path without its quotes.
	Imports func(text string) []Import

	// Keywords gives the kind of a definition by the text of @keyword in its
	// match, "" for the query's kind; a definition or an exported name with a
	// keyword that is not listed is dropped.
	Keywords map[string]Kind

	// ImportWords are the words that import where importing looks like a call;
	// an import with a @keyword that is not listed is dropped.
	ImportWords map[string]bool

	// RefWords are the words that make a reference of what they are given
	// ("include" in Ruby), with its kind; a reference with a @keyword that is
	// not listed with the kind of its pattern is dropped.
	RefWords map[string]RefKind

	// NoCalls are names whose calls are no references: what the language itself
	// writes as a call.
	NoCalls map[string]bool

	// Attributes say by the text of @keyword what an @attribute is; else it is nothing.
	Attributes map[string]Attribute

	// Prose turns the text of a doc comment into prose. Nil: it is prose.
	Prose func(text string) string

	// Conditions says that between a doc comment and its definition #if may stand, with
	// what the definition is declared as in either case.
	Conditions bool

	// Annotation is the mark before annotations, which signatures leave out:
	// "" for "@", "[" or "#[" for what is in brackets, "-" for none.
	Annotation string

	// Dotted says that the name of a call may hold dots that take nothing apart.
	Dotted bool

	// Builtins are type names of the language itself; uses are not references.
	Builtins map[string]bool
}

// A Decl is a definition as the rules see it.
type Decl struct {
	Name           string
	Kind           Kind   // as the query says
	Head           []byte // the source from the definition's start to its name
	Text           []byte // the source of the whole definition
	Parent         string // the path of the containers, "" at the top
	ParentKind     Kind   // of the innermost container, "" at the top; Type in a named @scope
	ParentExported bool   // true at the top
	Section        string // the text of the last @section before it in its container
	Wrapped        bool   // lies in @export or is named by @export.name
	Public         bool   // lies directly in @scope.public
	Private        bool   // lies in @scope.private
}

// masked is what the parser sees of src.
func (r *Rules) masked(src []byte) []byte {
	if r.Mask == nil {
		return src
	}
	return r.Mask(src)
}

// An Attribute is what an @attribute is.
type Attribute uint8

// The attributes.
const (
	CommentAttribute Attribute = iota + 1
	DocstringAttribute
	DecoratorAttribute
)

// HasWord reports whether text holds word with no letter, digit or underscore
// next to it.
func HasWord(text []byte, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if string(text[i:i+len(word)]) == word &&
			(i == 0 || !IsWordByte(text[i-1])) &&
			(i+len(word) == len(text) || !IsWordByte(text[i+len(word)])) {
			return true
		}
	}
	return false
}

// IsWordByte reports whether a byte is a letter, a digit, an underscore or of a character
// beyond ASCII.
func IsWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Words makes a set.
func Words(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

// Always is a rule for languages where everything is visible.
func Always(Decl) bool { return true }

// Unless returns a rule for languages where all is visible but what says not.
func Unless(hidden ...string) func(Decl) bool {
	return func(d Decl) bool {
		for _, word := range hidden {
			if HasWord(d.Head, word) {
				return false
			}
		}
		return d.ParentExported
	}
}

// SplitLast returns a rule that takes a name apart at its last separator; the
// parent's separators become dots.
func SplitLast(separator string) func(string) (string, string) {
	return func(text string) (parent, name string) {
		text = strings.Trim(text, "\"'`[]")
		i := strings.LastIndex(text, separator)
		if i <= 0 || i+len(separator) == len(text) {
			return "", text
		}
		parent = strings.ReplaceAll(text[:i], separator, ".")
		return strings.Trim(parent, "\"'`[]."), strings.Trim(text[i+len(separator):], "\"'`[]")
	}
}

// OneLine is the name of what has no identifier but a text.
func OneLine(text string) (string, string) {
	return "", string(cut(collapse(nil, []byte(text), maxTitle), maxTitle))
}

// maxTitle bounds a name that is free text, in bytes.
const maxTitle = 120

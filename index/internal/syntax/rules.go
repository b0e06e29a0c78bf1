package syntax

// A rules is what one language decides beyond its query. Every field may be
// nil; the comment says what then holds. Functions are called with text that is
// only valid during the call and must not change or keep it.
type rules struct {
	// mask returns src, or a copy of the same length in which what the grammar
	// cannot read is blanked. Only the parser sees it. Nil: the parser sees src.
	mask func(src []byte) []byte

	// exported says whether a definition is visible outside its file or
	// package. Nil: what is wrapped in @export, and members of what is exported.
	exported func(d decl) bool

	// kind corrects the kind that the query gives; "" drops the definition. Nil: a function directly in
	// a type is a method.
	kind func(d decl) Kind

	// name splits the text of @name into a parent, "" for none, and the name:
	// "A::B::f" is "A.B" and "f". Nil: the text is the name.
	name func(text string) (parent, name string)

	// receiver turns the text of @receiver in a definition into the name of the
	// type: "(s *List[T])" is "List". Nil: the text is the name.
	receiver func(text string) string

	// imports turns the text of @path into imports; the lines are filled in
	// afterwards. Nil: one import, of the path without its quotes.
	imports func(text string) []Import

	// keywords gives the kind of a definition by the text of @keyword in its
	// match, "" for the query's kind; a definition or an exported name with a
	// keyword that is not listed is dropped.
	keywords map[string]Kind

	// importWords are the words that import where importing looks like a call;
	// an import with a @keyword that is not listed is dropped.
	importWords map[string]bool

	// refWords are the words that make a reference of what they are given
	// ("include" in Ruby), with its kind; a reference with a @keyword that is
	// not listed with the kind of its pattern is dropped.
	refWords map[string]RefKind

	// noCalls are names whose calls are no references: what the language itself
	// writes as a call.
	noCalls map[string]bool

	// attributes say by the text of @keyword what an @attribute is: isComment,
	// isDocstring, isDecorator, or nothing.
	attributes map[string]role

	// prose turns the text of a doc comment into prose. Nil: it is prose.
	prose func(text string) string

	// annotation is the mark before annotations, which signatures leave out:
	// "" for "@", "[" or "#[" for what is in brackets, "-" for none.
	annotation string

	// dotted says that the name of a call may hold dots that take nothing apart.
	dotted bool

	// builtins are type names of the language itself; uses are not references.
	builtins map[string]bool
}

// A decl is a definition as the rules see it.
type decl struct {
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
func (r *rules) masked(src []byte) []byte {
	if r.mask == nil {
		return src
	}
	return r.mask(src)
}

// hasWord reports whether text holds word with no letter, digit or underscore
// next to it.
func hasWord(text []byte, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if string(text[i:i+len(word)]) == word &&
			(i == 0 || !isWordByte(text[i-1])) &&
			(i+len(word) == len(text) || !isWordByte(text[i+len(word)])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// words makes a set.
func words(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, w := range list {
		m[w] = true
	}
	return m
}

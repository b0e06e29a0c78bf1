package code

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a piece of source text as far as a summary reads it: comments are left out,
// and names are taken with what they are called on.
type token struct {
	kind byte   // 'n': a name, 's': a string, '0': a number, or the character itself
	text string // of a name and a string, without quotes
}

// maxText bounds how much of a definition is read, in bytes: what comes later says little.
const maxText = 6 << 10

// lex cuts source text into tokens, without its grammar: comments and strings look alike
// in most languages. What is odd in one of them costs a detail of a summary.
func lex(lang, text string) (tokens []token, remarks []string) {
	if len(text) > maxText {
		text = text[:maxText]
	}
	line, open, shut := commentMarks(lang)
	for i := 0; i < len(text); {
		rest := text[i:]
		c := text[i]
		switch {
		case line != "" && strings.HasPrefix(rest, line) || lang == "php" && c == '#':
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			remarks = append(remarks, strings.TrimSpace(strings.TrimLeft(rest[:end], "/#-!;*")))
			i += end
		case open != "" && strings.HasPrefix(rest, open):
			end := strings.Index(rest[len(open):], shut)
			if end < 0 {
				return tokens, remarks
			}
			remarks = append(remarks, strings.TrimSpace(strings.Trim(rest[len(open):len(open)+end], "*! \n")))
			i += len(open) + end + len(shut)
		case c == '"' || c == '`' || c == '\'':
			body, n := quoted(rest, lang)
			if n == 0 {
				i++
				break
			}
			tokens = append(tokens, token{'s', body})
			i += n
		case c == '\n':
			tokens = append(tokens, token{'\n', ""})
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c >= '0' && c <= '9':
			n := 1
			for n < len(rest) && (isNameByte(rest[n]) || rest[n] == '.') {
				n++
			}
			tokens = append(tokens, token{'0', rest[:n]})
			i += n
		default:
			if n := nameLength(rest); n > 0 {
				tokens = append(tokens, token{'n', dotted(rest[:n])})
				i += n
				break
			}
			_, n := utf8.DecodeRuneInString(rest)
			tokens = append(tokens, token{c, ""})
			i += n
		}
	}
	return tokens, remarks
}

// dots are the ways to write what a name is called on.
var dots = strings.NewReplacer("::", ".", "->", ".", "?.", ".")

// dotted writes a name with dots.
func dotted(name string) string {
	if strings.ContainsAny(name, ":>?") {
		return dots.Replace(name)
	}
	return name
}

// commentMarks returns how a language's comments begin and end.
func commentMarks(lang string) (line, open, shut string) {
	switch lang {
	case "python", "ruby", "bash", "elixir", "yaml", "toml", "r", "perl", "julia", "nim", "make", "dockerfile", "crystal", "fish", "powershell", "cmake", "nix":
		return "#", "", ""
	case "lua":
		return "--", "--[[", "]]"
	case "haskell", "elm", "purescript":
		return "--", "{-", "-}"
	case "sql", "ada", "vhdl":
		return "--", "/*", "*/"
	case "clojure", "lisp", "scheme", "elisp", "racket", "commonlisp":
		return ";", "", ""
	case "ocaml", "fsharp":
		return "//", "(*", "*)"
	case "erlang", "latex", "matlab", "prolog":
		return "%", "", ""
	}
	return "//", "/*", "*/"
}

// quoted returns what a string at the start of a text says, and its length in bytes; 0:
// it is none.
func quoted(text, lang string) (string, int) {
	mark := text[:1]
	if strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, `'''`) {
		mark = text[:3]
		if end := strings.Index(text[3:], mark); end >= 0 {
			return text[3 : 3+end], end + 6
		}
		return "", 0
	}
	single := mark == "'"
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && mark != "`":
			i++
		case c == mark[0]:
			return text[1:i], i + 1
		case c == '\n' && mark != "`":
			return "", 0
		case single && i > 4 && (lang == "rust" || lang == "haskell" || lang == "scala" || lang == "ocaml" || lang == "c" || lang == "cpp"):
			return "", 0 // a lifetime, or a name with a dash
		}
	}
	return "", 0
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= utf8.RuneSelf || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// nameLength returns how long the name at the start of a text is, with what it is called
// on; 0: there is none.
func nameLength(text string) int {
	n := 0
	for n < len(text) && text[n] == '@' {
		n++
	}
	if n == len(text) || !isNameByte(text[n]) || text[n] >= '0' && text[n] <= '9' {
		return 0
	}
	for n < len(text) {
		switch rest := text[n:]; {
		case isNameByte(rest[0]):
			n++
		case len(rest) > 1 && rest[0] == '.' && isNameByte(rest[1]) && !(rest[1] >= '0' && rest[1] <= '9'):
			n++
		case len(rest) > 2 && (rest[:2] == "::" || rest[:2] == "->" || rest[:2] == "?.") && isNameByte(rest[2]):
			n += 2
		case (rest[0] == '?' || rest[0] == '!') && len(rest) > 1 && rest[1] == '(':
			n++ // valid?( of Ruby, vec!( of Rust
		default:
			return n
		}
	}
	return n
}

// actions are what the text of a function shows that it does.
type actions struct {
	calls   []called
	raises  []string
	returns []string
	sets    []string // fields of the object
	effects []string
	says    []string // sentences in its strings: messages of errors and logs
	names   []string // what else is named in it
	yields  bool
}

// A called is a name that is called.
type called struct {
	name  string // the last part
	whole string // with what it is called on
	times int
}

// read finds what a function does in its text.
func read(f *Facts, tokens []token) actions {
	var d actions
	self := selfNames(f)
	at := func(i int) token {
		if i < len(tokens) {
			return tokens[i]
		}
		return token{}
	}
	body := bodyOf(f, tokens)
	for i, t := range tokens {
		next := at(i + 1)
		if t.kind == 's' {
			d.message(t.text)
		}
		if t.kind != 'n' {
			continue
		}
		last := t.text[strings.LastIndexByte(t.text, '.')+1:]
		switch t.text {
		case "raise", "throw", "rethrow":
			d.raise(tokens[i+1:])
			continue
		case "panic", "panic!", "abort", "die":
			if next.kind == '(' {
				d.raises = appendNew(d.raises, strings.TrimSuffix(t.text, "!"))
			}
			continue
		case "return":
			d.returned(f.Lang, tokens[i+1:])
			continue
		case "yield":
			d.yields = true
		case "go":
			if f.Lang == "go" && next.kind == 'n' {
				d.effects = appendNew(d.effects, "starts a goroutine")
			}
		case "synchronized":
			d.effects = appendNew(d.effects, "locks")
		case "Err":
			if next.kind == '(' && at(i+2).kind == 'n' && f.Lang == "rust" && strings.ContainsFunc(at(i+2).text, unicode.IsUpper) {
				d.raises = appendNew(d.raises, strings.TrimPrefix(at(i+2).text, "Self."))
			}
			continue
		}
		if next.kind == '=' && at(i+2).kind != '=' && at(i+2).kind != '>' {
			for _, s := range self {
				if field, ok := strings.CutPrefix(t.text, s); ok && field != "" && !strings.Contains(field, ".") {
					d.sets = appendNew(d.sets, field)
				}
			}
		}
		defined := last == f.Name || i > 0 && tokens[i-1].kind == 'n' && defines(tokens[i-1].text)
		e := effectOf(f.Lang, t.text)
		if e == "" && i > 0 && tokens[i-1].kind == '.' { // of what another call gives
			e = effectOf(f.Lang, "."+t.text)
		}
		if e != "" && !defined && (next.kind == '(' || e == "reads the environment") {
			d.effects = appendNew(d.effects, e)
		}
		called := i >= body && isCalled(f.Lang, tokens[i+1:])
		if i >= body && !defined && (called || strings.Contains(t.text, ".") || unicode.IsUpper([]rune(last)[0])) && len(last) > 2 && !keywords[last] && len(d.names) < 40 {
			d.names = appendNew(d.names, last)
		}
		calls := called || f.Lang == "ruby" && strings.Contains(t.text, ".") && next.kind != '='
		if f.Lang == "bash" && (i == 0 || at(i-1).kind == '\n' || at(i-1).kind == '|' || at(i-1).kind == '(') && next.kind != '=' {
			calls = true
		}
		if !calls || defined {
			continue
		}
		d.call(f, t.text, last)
	}
	return d
}

func appendNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// message notes what a string says, if it is a sentence.
func (d *actions) message(text string) {
	words := strings.Fields(text)
	letters := 0
	for _, w := range words {
		if strings.IndexFunc(strings.Trim(w, ".,:;!?()'"), func(c rune) bool { return !unicode.IsLetter(c) && c != '-' && c != '\'' }) < 0 {
			letters++
		}
	}
	if len(words) < 3 || len(words) > 20 || letters*3 < len(words)*2 {
		return
	}
	d.says = appendNew(d.says, strings.Join(words, " "))
}

// raise notes what is thrown, with what it says where that is short.
func (d *actions) raise(rest []token) {
	for len(rest) > 0 && rest[0].kind == 'n' && (rest[0].text == "new" || rest[0].text == "await") {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0].kind != 'n' || rest[0].text == "from" || keywords[rest[0].text] {
		return
	}
	name := rest[0].text
	name = name[strings.LastIndexByte(name, '.')+1:]
	called := len(rest) > 1 && rest[1].kind == '('
	if lower := strings.ToLower(name); !unicode.IsUpper([]rune(name)[0]) && !(called && (strings.Contains(lower, "err") || strings.Contains(lower, "exc"))) {
		return // the error that was caught
	}
	d.raises = appendNew(d.raises, name)
}

// returned notes what a return statement gives, where that is a name.
func (d *actions) returned(lang string, rest []token) {
	end := slices.IndexFunc(rest, func(t token) bool { return t.kind == '\n' || t.kind == ';' || t.kind == '}' })
	if end < 0 {
		end = len(rest)
	}
	rest = rest[:end]
	for _, t := range rest {
		name := t.text[strings.LastIndexByte(t.text, '.')+1:]
		if lang == "go" && t.kind == 'n' && len(name) > 3 && strings.HasPrefix(name, "Err") && unicode.IsUpper(rune(name[3])) {
			d.raises = appendNew(d.raises, name)
		}
	}
	if len(rest) != 1 || rest[0].kind != 'n' {
		return
	}
	switch name := rest[0].text; {
	case strings.EqualFold(name, "true") || strings.EqualFold(name, "false"):
		d.returns = appendNew(d.returns, "whether")
	case keywords[name] || len(name) < 3 || generic[strings.ToLower(name)]:
	default:
		d.returns = appendNew(d.returns, strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "self."), "this."), "@"))
	}
}

// selfNames are the prefixes of what belongs to the object that a method is of.
func selfNames(f *Facts) []string {
	names := []string{"self.", "this.", "$this.", "@"}
	if f.Lang == "go" && strings.HasPrefix(f.Signature, "func (") {
		if name, _, ok := strings.Cut(f.Signature[len("func ("):], " "); ok {
			names = append(names, name+".")
		}
	}
	return names
}

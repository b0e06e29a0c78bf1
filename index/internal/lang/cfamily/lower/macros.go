package lower

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// macro lowers a function-like macro: a function that calls what its text calls.
func (l *lowerer) macro(n syntax.Node) {
	name := l.Child(n, "name")
	if name == 0 || !l.AtTop() {
		return
	}
	f := l.begin(l.Text(name), name, n)
	l.FuncInfo(f).Flags |= ir.MacroFunc
	m := macroText{l: l, params: map[string]ir.Var{}}
	for p := range l.NamedChildren(l.Child(n, "parameters")) {
		m.params[l.Text(p)] = l.Param(l.Text(p), 0, 0, ir.Positional, l.Start(p))
	}
	if value := l.Child(n, "value"); value != 0 {
		m.text, m.start = l.lineFrom(value), l.Start(value)
		l.macroEnd = m.start + len(m.text)
		m.left = 16 * len(m.text)
		m.calls()
	}
	l.EndFunc(l.End(n))
	l.define(ir.FuncMember, uint32(f), name)
}

// lineFrom is the text from a node to the end of its line, those included that a backslash
// continues: the grammar ends a macro at the first comment.
func (l *lowerer) lineFrom(n syntax.Node) []byte {
	text := l.Bytes(l.Root())[l.Start(n)-l.Start(l.Root()):]
	for i, c := range text {
		if c == '\n' && !bytes.HasSuffix(bytes.TrimSuffix(text[:i], []byte("\r")), []byte("\\")) {
			return text[:i]
		}
	}
	return text
}

// isBlockMacro reports whether what reads as a function within another one is a macro with
// a block, as "FOREACH(x, list) {" and "dispatch (f(x)) {".
func (l *lowerer) isBlockMacro(n syntax.Node) bool {
	d := l.Child(n, "declarator")
	switch l.Kind(d) {
	case "parenthesized_declarator":
		return true
	case "function_declarator":
		return l.Child(n, "type") == 0 && l.Kind(l.Child(d, "declarator")) == "identifier"
	}
	return false
}

// blockMacro lowers a macro with a block: what its text calls, and the block where it stands.
func (l *lowerer) blockMacro(n syntax.Node) {
	body := l.Child(n, "body")
	end := l.End(n)
	if body != 0 {
		end = l.Start(body)
	}
	from := l.Start(l.Root())
	m := macroText{l: l, text: l.Bytes(l.Root())[l.Start(n)-from : end-from], start: l.Start(n)}
	m.left = 16 * len(m.text)
	m.calls()
	if body != 0 {
		l.stmt(body)
	}
}

// A macroText is the replacement text of a macro. The grammar has no tree of it, since it
// may be any part of a program.
type macroText struct {
	l      *lowerer
	params map[string]ir.Var
	text   []byte
	start  int // of the text in the file
	left   int // bytes of arguments that may still be read, since they nest
}

// calls lowers each name before a parenthesis as a call: of a parameter, or of what has
// the name where the macro is used. Members (x.f, x->f) and pasted names (x##f) are not
// known. The parameters and other names that stand alone as an argument are passed.
func (m *macroText) calls() {
	var last string // the token before
	for i := 0; i < len(m.text); {
		end := m.token(i)
		word := string(m.text[i:end])
		if isWord(m.text[i:end]) && last != "." && last != "->" && last != "##" {
			if open := m.space(end); open < len(m.text) && m.text[open] == '(' && !notCalled(word) {
				m.l.Eval(m.l.Call(m.name(word, i), m.args(open), m.start+i))
			}
		}
		if i = m.space(end); word != "" {
			last = word
		}
	}
}

// name is a name in the text.
func (m *macroText) name(word string, at int) ir.Expr {
	if v, ok := m.params[word]; ok {
		return m.l.Local(v, m.start+at)
	}
	return m.l.Free(word, m.start+at)
}

// args are the arguments of the call whose parenthesis opens at a place. One that is more
// than a name is not known.
func (m *macroText) args(open int) []ir.Arg {
	var args []ir.Arg
	depth, tokens, at := 0, 0, 0
	end := func() {
		if tokens == 0 && len(args) == 0 {
			return
		}
		x := ir.Expr(0)
		if tokens == 1 {
			if word := m.text[at:m.token(at)]; isWord(word) && !keyword(string(word)) && string(word) != "__VA_ARGS__" {
				x = m.name(string(word), at)
			}
		}
		args, tokens = append(args, ir.Arg{X: x}), 0
	}
	for i := open; i < len(m.text); {
		switch c := m.text[i]; {
		case c == '(' || c == '[' || c == '{':
			if depth++; depth > 1 {
				tokens += 2
			}
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				if tokens > 0 {
					end()
				}
				return args
			}
		case c == ',' && depth == 1:
			end()
		default:
			tokens, at = tokens+1, i
		}
		next := m.space(m.token(i))
		if m.left -= next - i; m.left < 0 {
			return nil
		}
		i = next
	}
	return args
}

// token returns the end of the token at a place: a word or number, a text, "->", "##", or
// one character.
func (m *macroText) token(i int) int {
	t := m.text
	switch c := t[i]; {
	case c == '"' || c == '\'':
		for j := i + 1; j < len(t); j++ {
			switch t[j] {
			case '\\':
				j++
			case c:
				return j + 1
			}
		}
		return len(t)
	case isLetter(c) || c >= '0' && c <= '9':
		j := i + 1
		for j < len(t) && (isLetter(t[j]) || t[j] >= '0' && t[j] <= '9') {
			j++
		}
		return j
	case i+1 < len(t) && (c == '-' && t[i+1] == '>' || c == '#' && t[i+1] == '#'):
		return i + 2
	}
	return i + 1
}

// space returns the next place from i on that is no space, comment or line's end.
func (m *macroText) space(i int) int {
	t := m.text
	for i < len(t) {
		switch c := t[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\':
			i++
		case c == '/' && i+1 < len(t) && t[i+1] == '*':
			for i += 2; i < len(t) && (t[i] != '/' || t[i-1] != '*'); i++ {
			}
			i = min(i+1, len(t))
		case c == '/' && i+1 < len(t) && t[i+1] == '/':
			for i < len(t) && t[i] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// notCalled reports whether a word before a parenthesis is no name of a function.
func notCalled(word string) bool {
	switch word {
	case "switch", "do", "sizeof", "typeof", "__typeof__", "__typeof", "_Alignof", "alignof", "defined", "__attribute__", "__extension__",
		"_Static_assert", "static_assert", "_Generic", "__asm__", "asm", "__volatile__", "decltype", "noexcept", "case", "goto", "else",
		"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "and", "or", "not":
		return true
	}
	return keyword(word) || len(word) > 10 && word[:10] == "__builtin_" || word[0] >= '0' && word[0] <= '9'
}

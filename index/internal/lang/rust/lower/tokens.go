package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A stream is the tokens between two delimiters. What the grammar leaves as
// tokens is read as expressions with operators of one rank between them: that
// finds names, paths, calls, method chains, closures, struct literals, blocks
// and matches, which is what the graph asks for.
type stream struct {
	toks []syntax.Node
	i    int
}

func (s *stream) peek(at int) syntax.Node {
	if s.i+at < len(s.toks) {
		return s.toks[s.i+at]
	}
	return 0
}

// word is the kind of a token: that of a keyword is the keyword, of the words
// that are keywords elsewhere "identifier". The grammar knows only some of them
// among tokens.
func (l *lowerer) word(n syntax.Node) string {
	switch k := l.Kind(n); k {
	case "default", "union", "gen", "raw", "auto":
		return "identifier"
	case "identifier":
		switch text := string(l.Bytes(n)); text {
		case "else", "in", "move", "ref", "dyn", "extern", "where", "yield", "break", "loop", "while", "return", "unsafe",
			"async", "const", "static", "if", "match", "for", "let", "mod", "pub", "use", "struct", "enum", "trait", "type",
			"impl", "fn", "continue", "mut", "true", "false", "box":
			return text
		}
		return k
	default:
		return k
	}
}

// skip steps over a token of the kind, if it is next.
func (s *stream) skip(l *lowerer, kind string) bool {
	if l.word(s.peek(0)) != kind {
		return false
	}
	s.i++
	return true
}

// open returns the tokens of a tree without its delimiters. done gives the
// buffer back.
func (l *lowerer) open(tree syntax.Node) (s stream, done func()) {
	base := len(l.tokens)
	for c := range l.Children(tree) {
		if k := l.Kind(c); k != "line_comment" && k != "block_comment" {
			l.tokens = append(l.tokens, c)
		}
	}
	s.toks = l.tokens[base:len(l.tokens):len(l.tokens)]
	if len(s.toks) >= 2 && l.Kind(tree) == "token_tree" {
		s.toks = s.toks[1 : len(s.toks)-1]
	}
	return s, func() { l.tokens = l.tokens[:base] }
}

// opener returns the delimiter that a token tree begins with, or "".
func (l *lowerer) opener(n syntax.Node) string {
	if l.word(n) != "token_tree" {
		return ""
	}
	return l.Kind(l.First(n))
}

// tokenArgs reads a tree as arguments between commas.
func (l *lowerer) tokenArgs(tree syntax.Node) []ir.Arg {
	if !l.Enter(tree) {
		return nil
	}
	defer l.Leave()
	if l.opener(tree) == "{" {
		return ir.Args(l.tokenBlock(tree))
	}
	s, done := l.open(tree)
	defer done()
	l.PushScope()
	defer l.PopScope()
	var args []ir.Arg
	for s.i < len(s.toks) {
		if l.separator(&s) {
			continue
		}
		args = append(args, ir.Arg{X: l.element(&s)})
	}
	return args
}

// separator steps over a separator, if one is next.
func (l *lowerer) separator(s *stream) bool {
	switch l.word(s.peek(0)) {
	case ",", ";", "=>":
		s.i++
		return true
	}
	return false
}

// tokenBlock reads a tree as statements and returns the value of the last.
func (l *lowerer) tokenBlock(tree syntax.Node) ir.Expr {
	if !l.Enter(tree) {
		return 0
	}
	defer l.Leave()
	s, done := l.open(tree)
	defer done()
	l.PushScope()
	defer l.PopScope()
	noStruct := l.noStruct
	l.noStruct = false
	defer func() { l.noStruct = noStruct }()
	var last ir.Expr
	for s.i < len(s.toks) {
		l.Eval(last)
		last = 0
		switch {
		case l.separator(&s):
		case l.skipItem(&s):
		case s.skip(l, "let"):
			l.tokenLet(&s)
		default:
			last = l.element(&s)
		}
	}
	return last
}

// skipItem steps over the head of an item that stands among tokens: its name is
// not called. The block of a function is read as the next element.
func (l *lowerer) skipItem(s *stream) bool {
	switch k := l.word(s.peek(0)); k {
	case "fn", "impl", "mod", "trait":
		for s.i++; s.i < len(s.toks); s.i++ {
			if n := s.peek(0); l.opener(n) == "{" || l.word(n) == ";" {
				break
			}
		}
		return true
	case "struct", "enum", "union", "use", "type", "extern":
		if k == "union" && l.word(s.peek(1)) != "identifier" {
			return false
		}
		for s.i++; s.i < len(s.toks); s.i++ {
			if n := s.peek(0); l.opener(n) == "{" && k != "use" && k != "type" || l.word(n) == ";" {
				s.i++
				break
			}
		}
		return true
	case "static", "const":
		for s.i++; s.i < len(s.toks); s.i++ {
			if k := l.word(s.peek(0)); k == "=" || k == ";" || l.opener(s.peek(0)) == "{" {
				break
			}
			if l.word(s.peek(0)) == "fn" {
				return true
			}
		}
		s.skip(l, "=")
		return true
	case "#":
		s.i++
		s.skip(l, "!")
		if l.opener(s.peek(0)) == "[" {
			s.i++
		}
		return true
	case "pub":
		s.i++
		if l.opener(s.peek(0)) == "(" {
			s.i++
		}
		return true
	}
	return false
}

// tokenLet reads the rest of "let pattern = value" or "let name: T = value".
func (l *lowerer) tokenLet(s *stream) {
	s.skip(l, "mutable_specifier")
	if name := s.peek(0); l.word(name) == "identifier" && (l.word(s.peek(1)) == "=" || l.word(s.peek(1)) == ":") {
		s.i++
		typ := l.tokenType(s, 0)
		for s.i < len(s.toks) && l.word(s.peek(0)) != "=" && l.word(s.peek(0)) != ";" {
			s.i++
		}
		var value ir.Expr
		if s.skip(l, "=") {
			value = l.element(s)
		}
		v := l.bindName(l.text(name), l.Start(name), value)
		l.VarInfo(v).Type = typ
		return
	}
	start := s.i
	for s.i < len(s.toks) && l.word(s.peek(0)) != "=" && l.word(s.peek(0)) != ";" {
		s.i++
	}
	pattern := s.toks[start:s.i]
	if s.skip(l, "=") {
		l.Eval(l.element(s))
	}
	for _, n := range pattern {
		l.declareNames(n)
	}
}

// declareNames declares the names that a token of a pattern binds, so that they
// are not taken for others. What they hold is not followed.
func (l *lowerer) declareNames(n syntax.Node) {
	if !l.Enter(n) {
		return
	}
	defer l.Leave()
	switch l.word(n) {
	case "identifier":
		if name := l.text(n); !isUpper(name) {
			l.bindName(name, l.Start(n), 0)
		}
	case "token_tree":
		l.Each(n, l.declareNames)
	}
}

// declareUntil declares the names of the pattern before a keyword, and steps
// over both.
func (l *lowerer) declareUntil(s *stream, word string) {
	for s.i < len(s.toks) && l.word(s.peek(0)) != word {
		if l.word(s.peek(1)) != "::" && l.word(s.peek(1)) != ":" {
			l.declareNames(s.peek(0))
		}
		s.i++
	}
	s.i++
}

// tokenType reads the type after a colon that stands at a place of the stream, where
// it is a name, and leaves the stream where it is.
func (l *lowerer) tokenType(s *stream, at int) ir.Expr {
	if l.word(s.peek(at)) != ":" {
		return 0
	}
	for at++; ; at++ {
		switch l.word(s.peek(at)) {
		case "&", "mutable_specifier", "mut", "dyn", "impl", "lifetime", "'":
			continue
		}
		break
	}
	path := stream{toks: s.toks, i: s.i + at}
	first := path.peek(0)
	switch l.word(first) {
	case "identifier", "primitive_type", "self", "super", "crate":
	default:
		return 0
	}
	path.i++
	p := l.pathHead(&path, first)
	if !p.plain {
		return p.x
	}
	name, pos := l.text(first), l.Start(first)
	if l.word(path.peek(0)) == "<" { // the arguments are left out: of a pointer or container nothing is known then
		return 0
	}
	return l.typeName(name, pos)
}

// tokenClosure reads a closure; the stream stands at its first bar.
func (l *lowerer) tokenClosure(s *stream) ir.Expr {
	pos := l.Start(s.peek(0))
	f := l.BeginFunc("", pos)
	breaks := l.breaks
	l.breaks = nil
	end := pos
	if !s.skip(l, "||") {
		s.i++
		inType := false
		for ; s.i < len(s.toks) && l.word(s.peek(0)) != "|"; s.i++ {
			n := s.peek(0)
			switch k := l.word(n); {
			case k == ",":
				inType = false
			case k == ":":
				inType = true
			case inType:
			case k == "identifier":
				l.Param(l.text(n), l.tokenType(s, 1), 0, ir.Positional, l.Start(n))
			case k == "_":
				l.Param("#"+tupleIndex(s.i), 0, 0, ir.Positional, l.Start(n))
			case k == "token_tree":
				l.Param("#"+tupleIndex(s.i), 0, 0, ir.Positional, l.Start(n))
				l.declareNames(n)
			}
		}
		s.i++
	}
	if s.skip(l, "->") {
		for s.i < len(s.toks) && l.opener(s.peek(0)) != "{" {
			s.i++
		}
	}
	if n := s.peek(0); n != 0 {
		l.Return(l.element(s))
		end = l.End(s.toks[min(s.i, len(s.toks))-1])
	}
	l.breaks = breaks
	l.EndFunc(end)
	return l.Lambda(f, pos)
}

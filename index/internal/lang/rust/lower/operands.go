package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// element reads operands up to the next separator and returns the only one, or
// all as an Opaque.
func (l *lowerer) element(s *stream) ir.Expr {
	if !l.Nest() {
		s.i = len(s.toks)
		return 0
	}
	defer l.Leave()
	var xs []ir.Expr
	operators := false
	for s.i < len(s.toks) {
		switch k := l.word(s.peek(0)); k {
		case ",", ";", "=>":
			return l.joined(xs, operators)
		case "=":
			if len(xs) == 1 && l.isName(xs[0]) {
				xs = xs[:0] // name = value
			}
			s.i++
			continue
		case "let":
			if len(xs) > 0 {
				return l.joined(xs, operators)
			}
		}
		before := s.i
		x, ok := l.operand(s)
		s.i = min(s.i, len(s.toks))
		if !ok {
			operators = operators || isOperator(l.word(s.toks[before])) && !(len(xs) == 0 && l.negates(s, before))
			s.i = max(s.i, before+1)
			continue
		}
		if x != 0 {
			xs = append(xs, x)
		}
		// A block ends a statement.
		if s.i > 0 && l.opener(s.toks[s.i-1]) == "{" && l.startsStatement(s.peek(0)) {
			return l.joined(xs, operators)
		}
	}
	return l.joined(xs, operators)
}

// negates reports whether a token is the sign of the number after it.
func (l *lowerer) negates(s *stream, at int) bool {
	if l.word(s.toks[at]) != "-" || at+1 >= len(s.toks) {
		return false
	}
	next := l.word(s.toks[at+1])
	return next == "integer_literal" || next == "float_literal"
}

func (l *lowerer) joined(xs []ir.Expr, operators bool) ir.Expr {
	if len(xs) == 1 && !operators {
		return xs[0]
	}
	return l.Opaque(xs...)
}

func (l *lowerer) isName(x ir.Expr) bool {
	op := l.OpOf(x)
	return op == ir.Name || op == ir.Local
}

// isOperator reports whether a token makes something else of its operand.
func isOperator(kind string) bool {
	switch kind {
	case "&", "&&", "*", "mutable_specifier", "move", "async", "unsafe", "return", "break", "ref", "mut", "else", "$":
		return false
	}
	return true
}

// startsStatement reports whether a token after a block begins a new statement.
func (l *lowerer) startsStatement(n syntax.Node) bool {
	switch l.word(n) {
	case "identifier", "self", "crate", "super", "let", "if", "for", "while", "match", "loop", "return", "fn", "pub", "impl", "struct", "#",
		"primitive_type", "metavariable", "static", "const", "use", "mod":
		return true
	}
	return false
}

// operand reads one operand with what is applied to it. It reports false at a
// token that begins none, which it may leave to be stepped over.
func (l *lowerer) operand(s *stream) (ir.Expr, bool) {
	n := s.peek(0)
	pos := l.Start(n)
	switch l.word(n) {
	case "identifier", "self", "super", "crate", "metavariable", "primitive_type":
		return l.suffixes(s, l.tokenPath(s)), true
	case "token_tree":
		s.i++
		return l.suffixes(s, l.tree(n)), true
	case "token_repetition":
		s.i++
		return l.tokenBlock(n), true
	case "string_literal", "raw_string_literal", "integer_literal", "float_literal", "char_literal", "boolean_literal":
		s.i++
		return l.suffixes(s, l.expr(n)), true
	case "|", "||":
		if s.i == 0 || l.beforeOperand(s.toks[s.i-1]) {
			return l.tokenClosure(s), true
		}
	case "if", "while":
		s.i++
		return l.tokenCondition(s), true
	case "let":
		s.i++
		l.tokenLet(s)
		return 0, true
	case "match":
		s.i++
		return l.tokenMatch(s), true
	case "for":
		s.i++
		l.declareUntil(s, "in")
		return 0, true
	case "#": // an attribute
		s.i++
		s.skip(l, "!")
		if l.opener(s.peek(0)) == "[" {
			s.i++
		}
		return 0, true
	case "as":
		s.i++
		l.skipType(s)
		return l.Lit("as", pos), true
	}
	return 0, false
}

// beforeOperand reports whether an operand may follow the token: a bar after it
// begins a closure.
func (l *lowerer) beforeOperand(n syntax.Node) bool {
	switch l.word(n) {
	case ",", ";", "=>", "=", "move", "async", "return", "&", "static":
		return true
	}
	return false
}

// tree reads what stands in delimiters.
func (l *lowerer) tree(n syntax.Node) ir.Expr {
	if l.opener(n) == "{" {
		return l.tokenBlock(n)
	}
	noStruct := l.noStruct
	l.noStruct = false
	args := l.tokenArgs(n)
	l.noStruct = noStruct
	if l.opener(n) == "[" {
		return l.List("list", args, l.Start(n))
	}
	if len(args) == 1 {
		return args[0].X
	}
	return l.List("tuple", args, l.Start(n))
}

// tokenCondition reads "if" and "while" to the end of their first block.
func (l *lowerer) tokenCondition(s *stream) ir.Expr {
	l.untilBlock(s)
	if l.opener(s.peek(0)) != "{" {
		return 0
	}
	s.i++
	return l.tokenBlock(s.toks[s.i-1])
}

// untilBlock evaluates what stands before a block.
func (l *lowerer) untilBlock(s *stream) {
	start := s.i
	for s.i < len(s.toks) && l.opener(s.peek(0)) != "{" && l.word(s.peek(0)) != ";" {
		s.i++
	}
	noStruct := l.noStruct
	l.noStruct = true
	head := stream{toks: s.toks[start:s.i]}
	for head.i < len(head.toks) {
		if l.separator(&head) {
			continue
		}
		l.Eval(l.element(&head))
	}
	l.noStruct = noStruct
}

// tokenMatch reads a match; the stream stands after the word.
func (l *lowerer) tokenMatch(s *stream) ir.Expr {
	l.untilBlock(s)
	if l.opener(s.peek(0)) != "{" || !l.Nest() {
		return 0
	}
	defer l.Leave()
	body, done := l.open(s.peek(0))
	defer done()
	s.i++
	var arms []ir.Expr
	for body.i < len(body.toks) {
		l.PushScope()
		for body.i < len(body.toks) {
			k := l.word(body.peek(0))
			if k == "=>" {
				break
			}
			if k == "if" {
				body.i++
				l.Eval(l.element(&body))
				continue
			}
			if next := l.word(body.peek(1)); next != "::" && next != ":" {
				l.declareNames(body.peek(0))
			}
			body.i++
		}
		body.i++
		if l.opener(body.peek(0)) == "{" {
			arms = append(arms, l.tokenBlock(body.peek(0)))
			body.i++
		} else if body.i < len(body.toks) {
			arms = append(arms, l.element(&body))
		}
		body.skip(l, ",")
		l.PopScope()
	}
	return l.Union(arms...)
}

// skipType steps over a type after "as".
func (l *lowerer) skipType(s *stream) {
	for s.i < len(s.toks) {
		switch l.word(s.peek(0)) {
		case "&", "*", "mutable_specifier", "const", "::", "dyn":
			s.i++
			continue
		case "identifier", "primitive_type", "self", "crate", "super", "metavariable", "_":
			s.i++
			if l.word(s.peek(0)) == "<" {
				l.skipGenerics(s)
			}
			if l.word(s.peek(0)) != "::" {
				return
			}
			continue
		}
		return
	}
}

// skipGenerics steps over type arguments; the stream stands at "<".
func (l *lowerer) skipGenerics(s *stream) {
	depth := 0
	for i := s.i; i < len(s.toks); i++ {
		switch l.word(s.toks[i]) {
		case "<":
			depth++
		case ">":
			depth--
		case ">>":
			depth -= 2
		case ";":
			return
		}
		if depth <= 0 {
			s.i = i + 1
			return
		}
	}
}

package lower

import (
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// tokenPath reads a name or path with what makes a call, macro or struct literal
// of it.
func (l *lowerer) tokenPath(s *stream) ir.Expr {
	first := s.peek(0)
	s.i++
	path := l.pathHead(s, first)
	last := path.last
	name, pos := l.text(last), l.Start(last)
	next := s.peek(0)
	switch {
	case l.word(next) == "!" && l.word(s.peek(1)) == "token_tree":
		s.i += 2
		callee := path.x
		if path.plain {
			callee = l.macroName(name, pos)
		}
		return l.invoke(callee, name, s.toks[s.i-1], pos)
	case l.opener(next) == "(":
		s.i++
		args := l.tokenArgs(next)
		switch {
		case l.word(last) == "metavariable":
			return l.List("tuple", args, pos) // what it calls is not known before it is expanded
		case path.plain && l.Lookup(name) == 0 && (name == "Some" || name == "Ok"):
			return l.List("Option", args, pos)
		case path.plain && l.Lookup(name) == 0 && name == "Err":
			return l.List("Result", args, pos)
		case path.plain:
			path.x = l.name(name, pos)
		}
		return l.Call(path.x, args, pos)
	case l.opener(next) == "{" && isCamel(name) && !l.noStruct:
		s.i++
		if path.plain {
			path.x = l.typeName(name, pos)
		}
		return l.Flag(l.New(path.x, l.tokenFields(next), pos), ir.Implicit)
	case l.word(last) == "metavariable" || l.word(last) == "primitive_type":
		return 0
	case path.plain:
		if name == "None" {
			return 0
		}
		return l.value(l.name(name, pos), name, pos)
	}
	return l.value(path.x, name, pos)
}

// A pathRead is a path among tokens.
type pathRead struct {
	x     ir.Expr
	plain bool        // one name alone, to be looked up by what follows; x is 0
	last  syntax.Node // the last name
}

// pathHead reads the names of a path; the first is read already.
func (l *lowerer) pathHead(s *stream, first syntax.Node) pathRead {
	p := pathRead{plain: true, last: first}
	word := l.headWord(first)
	for l.word(s.peek(0)) == "::" {
		n := s.peek(1)
		switch l.word(n) {
		case "<":
			s.i++
			l.skipGenerics(s)
			if l.word(s.peek(0)) != "::" {
				return p
			}
			continue
		case "super":
			if word != "" {
				word = join(word, "super")
				s.i += 2
				continue
			}
			return p
		case "identifier", "metavariable":
		default:
			return p
		}
		text, pos := l.text(n), l.Start(n)
		switch {
		case p.plain && word != "":
			p.x = l.head(word, text, pos)
		default:
			if p.plain && l.word(p.last) != "metavariable" {
				p.x = l.typeName(l.text(p.last), l.Start(p.last))
			}
			p.x = l.Flag(l.Attr(p.x, text, pos), ir.Path)
		}
		p.plain, p.last = false, n
		s.i += 2
	}
	return p
}

// tokenFields reads the fields of a struct literal.
func (l *lowerer) tokenFields(tree syntax.Node) []ir.Arg {
	if !l.Enter(tree) {
		return nil
	}
	defer l.Leave()
	s, done := l.open(tree)
	defer done()
	var args []ir.Arg
	for s.i < len(s.toks) {
		if l.separator(&s) {
			continue
		}
		if s.skip(l, "..") {
			args = append(args, ir.Arg{X: l.element(&s), Kind: ir.KwSpread})
			continue
		}
		name := s.peek(0)
		if l.word(name) != "identifier" {
			l.Eval(l.element(&s))
			continue
		}
		if l.word(s.peek(1)) == ":" {
			s.i += 2
		}
		args = append(args, ir.Arg{Name: l.Str(l.text(name)), X: l.element(&s)})
	}
	return args
}

// suffixes reads what is applied to an operand: fields, methods, calls, indices,
// "?" and ".await".
func (l *lowerer) suffixes(s *stream, x ir.Expr) ir.Expr {
	for {
		n := s.peek(0)
		switch l.word(n) {
		case "?":
			s.i++
			x = l.unary(ir.Await, x, l.Start(n))
			continue
		case ".":
			name := s.peek(1)
			switch l.word(name) {
			case "await":
				s.i += 2
				x = l.unary(ir.Await, x, l.Start(name))
				continue
			case "identifier", "integer_literal":
				s.i += 2
				x = l.Attr(x, l.text(name), l.Start(name))
				if l.word(s.peek(0)) == "::" && l.word(s.peek(1)) == "<" {
					s.i++
					l.skipGenerics(s)
				}
				if args := s.peek(0); l.opener(args) == "(" {
					s.i++
					x = l.Call(x, l.tokenArgs(args), l.Start(name))
				}
				continue
			}
		case "token_tree":
			switch l.opener(n) {
			case "(":
				if l.word(s.peek(-1)) == "token_tree" && x != 0 {
					s.i++
					x = l.Call(x, l.tokenArgs(n), l.Start(n))
					continue
				}
			case "[":
				if x != 0 {
					s.i++
					x = l.Index(x, l.tree(n), "", l.Start(n))
					continue
				}
			}
		}
		return x
	}
}

package reader

// control reads a statement with a header. It reports whether a block right after it
// could be taken for its own, and its own for the body of a literal.
func (r *Reader) control(m goMark, tok goKind, field goFieldOf) (open bool) {
	r.enter()
	level, guard := r.level, r.guard
	r.level, r.guard = -1, noGuard
	r.take(tok, goNoField)
	switch tok {
	case goIf:
		r.ifHeader()
		r.level = level
		open = r.ifBlocks()
		r.close(m, goIfStatement, field)
	case goFor:
		if r.tok != goLeftBrace {
			r.forHeader()
			open = r.bodyMayBeLiteral()
		}
		r.level = level
		r.block(inBody)
		r.close(m, goForStatement, field)
	default:
		kind := r.switchHeader()
		r.level = level
		r.cases(kind)
		r.close(m, kind, field)
	}
	r.guard = guard
	r.leave()
	return open
}

// endsInType reports whether the newest node ends with what may be the name of a type
// with its package, or something with type arguments.
func (r *Reader) endsInType() (name, generic bool) {
	for i := len(r.nodes) - 1; i >= 0; i-- {
		switch n := &r.nodes[i]; n.kind {
		case goSelector:
			return n.size > 4 || r.nodes[i-3].kind == goIdentifier, false
		case goIndex, goInstantiation:
			switch r.nodes[i-2].kind {
			case goInt, goString, goRune, goCall:
				return false, false
			}
			return false, true
		case goBinary, goUnary, goRangeClause, goForClause, goExpressionStatement, goAssignment, goShortVar,
			goExpressionList, goSendStatement, goReturnStatement, goGoStatement, goDeferStatement, goLabeledStatement,
			goVarDeclaration, goVarSpec, goConstDeclaration, goConstSpec:
			// The node before is the last child.
		case goParenthesized:
			i-- // the parenthesis
		default:
			return false, false
		}
	}
	return false, false
}

// bodyMayBeLiteral reports whether the body of a statement, which comes next, could
// be that of a literal. There a keyword may be the name of a function; while the
// library follows such a reading, it decides other things otherwise.
func (r *Reader) bodyMayBeLiteral() bool {
	name, generic := r.endsInType()
	if !name && !generic {
		return false
	}
	ahead := r.goLexer // with the room for comments that r has, too
	if ahead.advance(); ahead.tok >= goPackage && ahead.tok <= goSelect {
		if ahead.advance(); ahead.tok == goLeftParen {
			decline()
		}
	}
	return true
}

func (r *Reader) ifHeader() {
	m := r.mark()
	what := r.simple(false)
	if r.tok == goSemicolon {
		r.initializer(m, what)
		r.expression(inCondition)
		return
	}
	if what != goBare {
		decline()
	}
	r.newest().field = inCondition
}

func (r *Reader) ifBlocks() (open bool) {
	open = r.bodyMayBeLiteral()
	r.block(inConsequence)
	if r.tok != goElse {
		return open
	}
	r.take(goElse, goNoField)
	if r.tok == goIf {
		return r.control(r.mark(), goIf, inAlternative)
	}
	r.block(inAlternative)
	return false
}

// forHeader reads a condition, three parts or a range clause.
func (r *Reader) forHeader() {
	m := r.mark()
	what := goRangeHead
	if r.tok != goSemicolon && r.tok != goRange {
		what = r.simple(false)
	}
	switch {
	case r.tok == goSemicolon:
		if what == goRangeHead {
			r.take(goSemicolon, goNoField)
		} else {
			r.initializer(m, what)
		}
		r.forParts(m)
	case what == goRangeHead:
		r.expect(goRange)
		r.expression(inRight)
		r.close(m, goRangeClause, goNoField)
	case what != goBare:
		decline()
	}
}

// forParts reads the condition and the statement after each turn.
func (r *Reader) forParts(m goMark) {
	if r.tok != goSemicolon {
		r.expression(inCondition)
	}
	r.expect(goSemicolon)
	if r.tok != goLeftBrace {
		update := r.mark()
		switch r.simple(false) {
		case goBare:
			r.close(update, goExpressionStatement, goNoField)
		case goComplete:
		default:
			decline()
		}
		r.newest().field = inUpdate
	}
	r.close(m, goForClause, goNoField)
}

// switchHeader returns which of the two switch statements it is.
func (r *Reader) switchHeader() goKind {
	if r.tok == goLeftBrace {
		return goExpressionSwitch
	}
	m := r.mark()
	what := r.simple(true)
	r.guard = noGuard
	if r.tok == goSemicolon {
		r.initializer(m, what)
		if r.tok == goLeftBrace {
			return goExpressionSwitch
		}
		what = r.simple(true)
		r.guard = noGuard
	}
	switch what {
	case goGuard:
		return goTypeSwitch
	case goBare:
		r.bodyMayBeLiteral()
		r.newest().field = inValue
	default:
		decline()
	}
	return goExpressionSwitch
}

// cases reads the body of a switch statement.
func (r *Reader) cases(kind goKind) {
	level := r.level
	r.level = 0
	r.expect(goLeftBrace)
	for r.tok == goCase || r.tok == goDefault {
		m := r.mark()
		if r.tok == goDefault {
			r.defaultCase(m)
			continue
		}
		r.take(goCase, goNoField)
		if kind == goTypeSwitch {
			r.typ(inType)
			for r.tok == goComma {
				r.take(goComma, inType)
				r.typ(inType)
			}
			r.expect(goColon)
			r.statements()
			r.close(m, goTypeCase, goNoField)
			continue
		}
		r.expressions(inValue)
		r.expect(goColon)
		r.statements()
		r.close(m, goExpressionCase, goNoField)
	}
	r.level = level
	r.expect(goRightBrace)
}

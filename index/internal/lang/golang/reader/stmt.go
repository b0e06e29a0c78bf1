package reader

import "math"

// noGuard is where no expression begins.
const noGuard = math.MaxUint32

func (r *Reader) block(field goFieldOf) {
	r.enter()
	m := r.mark()
	level := r.level
	r.level = 0
	r.expect(goLeftBrace)
	r.statements()
	r.level = level
	r.expect(goRightBrace)
	r.close(m, goBlock, field)
	r.leave()
}

// statements reads those of a block or a case.
func (r *Reader) statements() {
	r.headed = false
	for !r.atEndOfList() {
		r.statement()
		if !r.terminator() {
			return
		}
	}
}

func (r *Reader) atEndOfList() bool {
	return r.tok == goRightBrace || r.tok == goCase || r.tok == goDefault
}

func (r *Reader) statement() {
	r.enter()
	m := r.mark()
	headed := false
	switch tok := r.tok; tok {
	case goConst, goVar, goTypeWord:
		r.declaration(m)
	case goLeftBrace:
		// After "if a[b] {}" the library takes this block for that of the statement, and
		// the other for the body of a literal.
		if r.headed {
			decline()
		}
		r.block(goNoField)
	case goIf, goFor, goSwitch:
		headed = r.control(m, tok, goNoField)
	case goSelect:
		r.selectStatement(m)
	case goReturn:
		r.take(goReturn, goNoField)
		if r.tok != goNewline && r.tok != goSemicolon && r.tok != goRightBrace {
			r.expressions(goNoField)
		}
		r.close(m, goReturnStatement, goNoField)
	case goGo, goDefer:
		r.take(tok, goNoField)
		r.expression(goNoField)
		r.close(m, goGoStatement+tok-goGo, goNoField)
	case goFallthrough, goBreak, goContinue, goGoto:
		r.take(tok, goNoField)
		if tok == goGoto || tok != goFallthrough && r.atWord() {
			r.word(goLabelName, goNoField)
		}
		r.close(m, goFallthroughStatement+tok-goFallthrough, goNoField)
	default:
		if r.simple(false) == goBare {
			headed = r.bare(m)
		}
	}
	r.headed = headed
	r.leave()
}

// bare completes a statement that is an expression so far: a label, if a colon
// follows. It reports what control does of the statement with the label.
func (r *Reader) bare(m goMark) (headed bool) {
	n := r.newest()
	if r.tok != goColon {
		r.close(m, goExpressionStatement, goNoField)
		return false
	}
	if name := string(r.src[n.start:n.end]); n.kind != goIdentifier || name == "new" || name == "make" {
		decline()
	}
	n.kind, n.field = goLabelName, inLabel
	r.take(goColon, goNoField)
	if !r.atEndOfList() {
		r.headed = false
		if r.statement(); r.src[r.last-1] == ':' {
			decline() // a label of nothing after another
		}
		headed = r.headed
	}
	r.close(m, goLabeledStatement, goNoField)
	return headed
}

// A goSimple is what a simple statement is.
type goSimple int

const (
	goBare      goSimple = iota // an expression, not yet a statement
	goComplete                  // any other statement
	goRangeHead                 // the variables of a range clause
	goGuard                     // what a type switch switches on
)

// simple reads a simple statement. guarded says that it may be the guard of a type
// switch.
func (r *Reader) simple(guarded bool) goSimple {
	m := r.mark()
	if guarded {
		r.guard = m.start
	}
	r.expression(goNoField)
	if r.found {
		return r.foundGuard()
	}
	switch tok := r.tok; {
	case tok == goComma, tok == goDefine, tok == goAssign, tok >= goMultiplyAssign && tok <= goXorAssign:
		return r.assignment(m, guarded)
	case tok == goArrow:
		r.newest().field = inChannel
		r.take(goArrow, goNoField)
		r.expression(inValue)
		r.close(m, goSendStatement, goNoField)
	case tok == goIncrement, tok == goDecrement:
		r.take(tok, goNoField)
		r.close(m, goIncStatement+tok-goIncrement, goNoField)
	default:
		return goBare
	}
	return goComplete
}

func (r *Reader) foundGuard() goSimple {
	r.found, r.guard = false, noGuard
	return goGuard
}

// assignment reads an assignment after its first expression, which began at m.
func (r *Reader) assignment(m goMark, guarded bool) goSimple {
	r.expressionsRest(m, inLeft)
	left, tok := len(r.nodes)-1, r.tok
	switch {
	case tok == goDefine:
		r.take(goDefine, goNoField)
	case tok == goAssign:
		r.take(goAssign, goNoField)
	case tok >= goMultiplyAssign && tok <= goXorAssign:
		r.take(tok, inOperator)
	default:
		decline()
	}
	if r.tok == goRange {
		return goRangeHead
	}
	operator := len(r.nodes) - 1
	right := r.mark()
	if guarded && tok == goDefine {
		r.guard = right.start
	}
	r.expression(goNoField)
	if r.found {
		r.nodes[left].field = inAlias
		return r.foundGuard()
	}
	r.expressionsRest(right, inRight)
	if tok == goDefine {
		r.close(m, goShortVar, goNoField)
		return goComplete
	}
	r.nodes[operator].field = inOperator
	r.close(m, goAssignment, goNoField)
	return goComplete
}

// initializer completes the statement before the semicolon of a header.
func (r *Reader) initializer(m goMark, what goSimple) {
	if what == goBare {
		r.close(m, goExpressionStatement, goNoField)
	} else if what != goComplete {
		decline()
	}
	r.newest().field = inInitializer
	r.take(goSemicolon, goNoField)
}

// selectStatement reads a select statement.
func (r *Reader) selectStatement(m goMark) {
	r.take(goSelect, goNoField)
	r.expect(goLeftBrace)
	for r.tok == goCase || r.tok == goDefault {
		c := r.mark()
		if r.tok == goDefault {
			r.defaultCase(c)
			continue
		}
		r.take(goCase, goNoField)
		r.communication()
		r.expect(goColon)
		r.statements()
		r.close(c, goCommunicationCase, goNoField)
	}
	r.expect(goRightBrace)
	r.close(m, goSelectStatement, goNoField)
}

func (r *Reader) communication() {
	m := r.mark()
	r.expression(goNoField)
	switch r.tok {
	case goArrow:
		r.newest().field = inChannel
		r.take(goArrow, goNoField)
		r.expression(inValue)
		r.close(m, goSendStatement, inCommunication)
		return
	case goComma, goAssign, goDefine:
		r.expressionsRest(m, inLeft)
		if r.tok != goAssign && r.tok != goDefine {
			decline()
		}
		r.take(r.tok, goNoField)
		r.expression(inRight)
	default:
		r.newest().field = inRight
	}
	r.close(m, goReceiveStatement, inCommunication)
}

func (r *Reader) defaultCase(m goMark) {
	r.take(goDefault, goNoField)
	r.expect(goColon)
	r.statements()
	r.close(m, goDefaultCase, goNoField)
}

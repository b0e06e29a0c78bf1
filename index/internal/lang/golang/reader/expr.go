package reader

// A goOperand says what was read where an expression was expected.
type goOperand struct {
	form  goForm
	shape goShape
	inner goShape // of pointedShape: what the brackets follow

	// How much the grammar prefers it as an expression and as a type.
	value, typ int32

	// There is nil, iota or the like in it, which as a type would be a name, but is a
	// keyword to the library as long as it may still be an expression.
	exposed bool
}

type goForm uint8

const (
	valueForm goForm = iota // no type
	bothForm                // read as an expression, and a type, too
	typeForm                // no expression
)

// A goShape is what of a goOperand decides about what may follow.
type goShape uint8

const (
	otherShape     goShape = iota
	nameShape              // a
	qualifiedShape         // a.b
	genericShape           // a[b]
	unionShape             // a | b
	literalShape           // a type of which there are literals: []a, map[a]b, struct{}
	pointedShape           // a[b] after a star, where it is the pointer type that is instantiated
)

// isName reports whether it is a name that can be the type of a literal, a conversion
// or an instantiation.
func (x goOperand) isName() bool {
	return (x.shape == nameShape || x.shape == qualifiedShape) && !x.exposed
}

// expressions reads a list of expressions.
func (r *Reader) expressions(field goFieldOf) {
	m := r.mark()
	r.expression(goNoField)
	r.expressionsRest(m, field)
}

func (r *Reader) expressionsRest(m goMark, field goFieldOf) {
	for r.tok == goComma {
		r.take(goComma, goNoField)
		r.expression(goNoField)
	}
	r.close(m, goExpressionList, field)
}

// expression reads an expression.
func (r *Reader) expression(field goFieldOf) goOperand {
	x := r.binary(1)
	if x.form == typeForm {
		decline()
	}
	r.newest().field = field
	return x
}

// goPrecedence is that of the binary operators, and 0 for all other tokens.
var goPrecedence = [256]uint8{
	goLogicalOr: 1, goLogicalAnd: 2,
	goEqual: 3, goNotEqual: 3, goLess: 3, goLessEqual: 3, goGreater: 3, goGreaterEqual: 3,
	goAdd: 4, goSubtract: 4, goOr: 4, goXor: 4,
	goMultiply: 5, goDivide: 5, goRemainder: 5, goShiftLeft: 5, goShiftRight: 5, goAnd: 5, goAndNot: 5,
}

// binary reads an expression of operators that bind at least so tightly, or a type.
func (r *Reader) binary(least uint8) goOperand {
	m := r.mark()
	x := r.unary(false)
	for {
		op := r.tok
		precedence := goPrecedence[op]
		if precedence < least || precedence == 0 {
			return x
		}
		r.newest().field = inLeft
		r.take(op, inOperator)
		r.enter()
		y := r.binary(precedence + 1)
		r.leave()
		r.newest().field = inRight
		if x.form == typeForm || y.form == typeForm {
			decline()
		}
		r.close(m, goBinary, goNoField)
		if op == goOr && x.form == bothForm && y.form == bothForm {
			x = goOperand{form: bothForm, shape: unionShape, value: x.value + y.value, typ: x.typ + y.typ,
				exposed: x.exposed || y.exposed}
		} else {
			x = goOperand{}
		}
	}
}

// unary reads an operand with what stands before and after it. pointed says that a
// star stands before.
func (r *Reader) unary(pointed bool) goOperand {
	switch r.tok {
	case goAdd, goSubtract, goNot, goXor, goAnd:
	case goArrow:
		// Without looking further than one token: "<-chan" is a type.
		p := r.place()
		r.take(goArrow, inOperator)
		if r.tok == goChan {
			r.back(p)
			return goOperand{form: typeForm, typ: r.typeLiteral()}
		}
		return r.unaryRest(p.goMark)
	case goMultiply:
		return r.star(pointed)
	default:
		return r.primary(pointed)
	}
	m := r.mark()
	r.take(r.tok, inOperator)
	return r.unaryRest(m)
}

func (r *Reader) unaryRest(m goMark) goOperand {
	r.enter()
	x := r.unary(false)
	r.leave()
	if x.form == typeForm {
		decline()
	}
	r.newest().field = inOperand
	r.close(m, goUnary, goNoField)
	return goOperand{}
}

// star reads what a pointer points to, or a pointer type. To the grammar, a type
// after a star is a pointer type before it is anything else, so that in "*(*[]T)(x)"
// it is the pointer type that x is converted to.
func (r *Reader) star(pointed bool) goOperand {
	p := r.place()
	at := len(r.nodes)
	r.take(goMultiply, inOperator)
	r.enter()
	x := r.unary(true)
	r.leave()
	if x.shape == pointedShape {
		if pointed {
			return x
		}
		return r.suffixes(p, r.pointedInstance(p, x), false)
	}
	if x.form != typeForm {
		r.newest().field = inOperand
		r.close(p.goMark, goUnary, goNoField)
		x.shape = otherShape
		return x
	}
	r.nodes[at].field, r.newest().field = goNoField, goNoField
	r.close(p.goMark, goPointerType, goNoField)
	x.shape = otherShape
	if pointed {
		return x
	}
	return r.suffixes(p, x, false)
}

// primary reads an operand with its selectors, calls and indexes.
func (r *Reader) primary(pointed bool) goOperand {
	r.enter()
	p := r.place()
	x := r.suffixes(p, r.operand(), pointed)
	r.leave()
	return x
}

func (r *Reader) operand() goOperand {
	switch tok := r.tok; tok {
	case goIdentifier:
		r.take(goIdentifier, goNoField)
		return goOperand{form: bothForm, shape: nameShape, typ: -1}
	case goNil, goTrue, goFalse, goIota:
		r.take(tok, goNoField)
		return goOperand{form: bothForm, shape: nameShape, exposed: true, typ: -1}
	case goNew, goMake:
		return r.builtin()
	case goInt, goFloat, goImaginary, goRune:
		r.take(tok, goNoField)
		return goOperand{}
	case goString, goRaw:
		r.stringLiteral(goNoField)
		return goOperand{}
	case goLeftParen:
		return r.parenthesized()
	case goFunc:
		return r.funcLiteral()
	case goLeftBracket:
		typ := r.array(true)
		if r.newest().kind == goImplicitArrayType && r.tok != goLeftBrace {
			decline()
		}
		return goOperand{form: typeForm, shape: literalShape, typ: typ}
	case goMap, goStruct:
		return goOperand{form: typeForm, shape: literalShape, typ: r.typeLiteral()}
	case goChan, goInterface:
		return goOperand{form: typeForm, typ: r.typeLiteral()}
	}
	decline()
	return goOperand{}
}

// builtin reads new or make, of which the first argument is a type.
func (r *Reader) builtin() goOperand {
	m := r.mark()
	r.take(goIdentifier, goNoField)
	if r.tok != goLeftParen {
		return goOperand{form: bothForm, shape: nameShape, exposed: true, typ: -1}
	}
	r.newest().field = inFunction
	list := r.mark()
	level := r.level
	r.level = 0
	r.take(goLeftParen, goNoField)
	if r.tok != goRightParen {
		r.typ(goNoField)
		for r.tok == goComma {
			if r.take(goComma, goNoField); r.tok == goRightParen {
				break
			}
			r.expression(goNoField)
		}
	}
	r.level = level
	r.expect(goRightParen)
	r.close(list, goArguments, inArguments)
	r.close(m, goCall, goNoField)
	return goOperand{}
}

func (r *Reader) parenthesized() goOperand {
	m := r.mark()
	level := r.level
	r.level = 0
	r.take(goLeftParen, goNoField)
	x := r.binary(1)
	r.level = level
	r.expect(goRightParen)
	kind := goParenthesized
	switch {
	case x.form == typeForm:
		kind = goParenthesizedType
	case x.shape == unionShape:
		x.form = valueForm
	}
	r.close(m, kind, goNoField)
	x.shape = otherShape
	return x
}

// funcLiteral reads a function, or a function type.
func (r *Reader) funcLiteral() goOperand {
	m := r.mark()
	r.take(goFunc, goNoField)
	r.signature()
	if r.tok != goLeftBrace {
		r.close(m, goFunctionType, goNoField)
		return goOperand{form: typeForm, typ: unknownWeight}
	}
	r.block(inBody)
	r.close(m, goFuncLiteral, goNoField)
	return goOperand{}
}

// suffixes reads what follows the operand x that began at p.
func (r *Reader) suffixes(p goPlace, x goOperand, pointed bool) goOperand {
	for {
		switch r.tok {
		case goDot:
			x = r.selector(p, x)
		case goLeftBracket:
			if x.form == typeForm && pointed {
				return x
			}
			if x = r.index(p, x, pointed); x.shape == pointedShape {
				return x
			}
		case goLeftParen:
			if x.form == typeForm && pointed {
				return x
			}
			x = r.call(p, x, pointed)
		case goLeftBrace:
			if x.form == typeForm && x.shape != literalShape || x.form != typeForm && (r.level < 0 || !x.isName()) {
				return x
			}
			if x.form != typeForm {
				r.asType(len(r.nodes) - 1)
			}
			x = r.composite(p)
		default:
			return x
		}
	}
}

func (r *Reader) selector(p goPlace, x goOperand) goOperand {
	if x.form == typeForm {
		decline()
	}
	operand := len(r.nodes) - 1
	r.take(goDot, goNoField)
	r.nodes[operand].field = inOperand
	if r.atWord() {
		r.take(goFieldName, inField)
		r.close(p.goMark, goSelector, goNoField)
		if x.shape == nameShape {
			return goOperand{form: bothForm, shape: qualifiedShape, exposed: x.exposed}
		}
		return goOperand{}
	}
	r.expect(goLeftParen)
	if r.tok == goTypeWord {
		r.take(goTypeWord, goNoField)
		r.expect(goRightParen)
		if r.guard != p.start || r.tok != goLeftBrace {
			decline()
		}
		r.nodes[operand].field = inValue
		r.found = true
		return goOperand{}
	}
	r.typ(inType)
	r.expect(goRightParen)
	r.close(p.goMark, goAssertion, goNoField)
	return goOperand{}
}

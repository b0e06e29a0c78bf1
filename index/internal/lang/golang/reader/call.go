package reader

// call reads the call of x, which began at p, or the conversion to it.
func (r *Reader) call(p goPlace, x goOperand, pointed bool) goOperand {
	if x.form == bothForm && x.shape == otherShape && !x.exposed && !less(x.typ-1, x.value) {
		// A type in parentheses that is preferred, because of type arguments in it.
		if pointed || r.src[p.start] != '(' {
			decline()
		}
		r.back(p)
		r.typ(goNoField)
		x = goOperand{form: typeForm}
	}
	if x.form != typeForm {
		r.newest().field = inFunction
		r.arguments()
		r.close(p.goMark, goCall, goNoField)
		return goOperand{}
	}
	r.newest().field = inType
	level := r.level
	r.level = 0
	r.expect(goLeftParen)
	r.expression(inOperand)
	if r.tok == goComma {
		r.take(goComma, goNoField)
	}
	r.level = level
	r.expect(goRightParen)
	r.close(p.goMark, goConversion, goNoField)
	return goOperand{}
}

// arguments reads the arguments of a call.
func (r *Reader) arguments() {
	list := r.mark()
	r.argumentTokens()
	r.close(list, goArguments, inArguments)
}

// argumentTokens reads arguments with their parentheses. It returns the node of the
// argument if they can be those of a conversion, or 0.
func (r *Reader) argumentTokens() (only int) {
	level := r.level
	r.level = 0
	r.expect(goLeftParen)
	count := 0
	for r.tok != goRightParen {
		m := r.mark()
		r.expression(goNoField)
		only = len(r.nodes) - 1
		if count++; r.tok == goEllipsis {
			r.take(goEllipsis, goNoField)
			r.close(m, goVariadicArgument, goNoField)
			count++
		}
		if r.tok != goComma {
			break
		}
		r.take(goComma, goNoField)
	}
	r.level = level
	r.expect(goRightParen)
	if count != 1 {
		return 0
	}
	return only
}

// composite reads the body of a literal whose type is there.
func (r *Reader) composite(p goPlace) goOperand {
	r.newest().field = inType
	r.literalValue(inBody)
	r.close(p.goMark, goComposite, goNoField)
	return goOperand{}
}

func (r *Reader) literalValue(field goFieldOf) {
	r.enter()
	m := r.mark()
	level := r.level
	r.level = 0
	r.expect(goLeftBrace)
	for r.tok != goRightBrace {
		e := r.mark()
		r.literalElement()
		if r.tok == goColon {
			r.take(goColon, goNoField)
			r.literalElement()
			r.close(e, goKeyedElement, goNoField)
		}
		if r.tok != goComma {
			break
		}
		r.take(goComma, goNoField)
	}
	r.level = level
	r.expect(goRightBrace)
	r.close(m, goLiteralValue, field)
	r.leave()
}

func (r *Reader) literalElement() {
	m := r.mark()
	if r.tok == goLeftBrace {
		r.literalValue(goNoField)
	} else {
		r.expression(goNoField)
	}
	r.close(m, goLiteralElement, goNoField)
}

// stringLiteral reads a string, if one is there.
func (r *Reader) stringLiteral(field goFieldOf) bool {
	switch r.tok {
	case goRaw:
		r.take(goRaw, field)
		return true
	case goString:
	default:
		return false
	}
	m := r.mark()
	start, end := m.start, r.end
	r.leaf(goQuote, start, start+1)
	if r.escaped {
		r.escapes(int(start)+1, int(end)-1)
	}
	r.leaf(goQuote, end-1, end)
	r.last = end
	r.close(m, goString, field)
	r.advance()
	return true
}

func (r *Reader) leaf(kind goKind, start, end uint32) {
	r.nodes = append(r.nodes, goNode{start: start, end: end, size: 1, kind: kind})
	r.live++
}

func (r *Reader) escapes(i, end int) {
	for i < end {
		if r.src[i] != '\\' {
			i++
			continue
		}
		next := escapeEnd(r.src, i, '"')
		r.leaf(goEscape, uint32(i), uint32(next))
		i = next
	}
}

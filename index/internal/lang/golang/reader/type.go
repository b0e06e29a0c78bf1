package reader

// atType reports whether the next token begins a type.
func (r *Reader) atType() bool {
	switch r.tok {
	case goMultiply, goLeftParen, goLeftBracket, goStruct, goInterface, goMap, goChan, goFunc, goArrow, goTilde:
		return true
	}
	return r.atWord()
}

// typ reads a type. It returns how much the grammar prefers it (see golang_index.go).
func (r *Reader) typ(field goFieldOf) (weight int32) {
	r.enter()
	m := r.mark()
	switch tok := r.tok; tok {
	case goMultiply:
		r.take(goMultiply, goNoField)
		weight = r.typ(goNoField)
		r.close(m, goPointerType, field)
	case goLeftParen:
		r.take(goLeftParen, goNoField)
		weight = r.typ(goNoField)
		r.expect(goRightParen)
		r.close(m, goParenthesizedType, field)
	case goLeftBracket:
		weight = r.array(false)
		r.newest().field = field
	case goTilde:
		r.take(goTilde, goNoField)
		weight = r.typ(goNoField)
		r.close(m, goNegatedType, field)
	case goMap, goChan, goFunc, goStruct, goInterface, goArrow:
		weight = r.typeLiteral()
		r.newest().field = field
	default:
		weight = r.typeName(field)
	}
	r.leave()
	return weight
}

// typeLiteral reads a type that begins with a word of its own.
func (r *Reader) typeLiteral() (weight int32) {
	m := r.mark()
	tok := r.tok
	r.take(tok, goNoField)
	switch tok {
	case goMap:
		r.expect(goLeftBracket)
		weight = r.typ(inKey)
		r.expect(goRightBracket)
		weight += r.typ(inValue)
		r.close(m, goMapType, goNoField)
		return weight
	case goArrow:
		r.expect(goChan)
		weight = r.typ(inValue)
		r.close(m, goChannelType, goNoField)
		return weight
	case goChan:
		weight = r.channel()
		r.close(m, goChannelType, goNoField)
		return weight
	case goFunc:
		r.signature()
		r.close(m, goFunctionType, goNoField)
	case goStruct:
		r.fields()
		r.close(m, goStructType, goNoField)
	default:
		r.interfaceBody()
		r.close(m, goInterfaceType, goNoField)
	}
	return unknownWeight
}

// channel reads what follows "chan". "chan <- chan" is a channel of channels to
// receive from, other than in Go.
func (r *Reader) channel() (weight int32) {
	if r.tok != goArrow {
		return r.typ(inValue)
	}
	m := r.mark()
	r.take(goArrow, goNoField)
	if r.tok != goChan {
		return r.typ(inValue)
	}
	r.take(goChan, goNoField)
	weight = r.typ(inValue)
	r.close(m, goChannelType, inValue)
	return weight
}

// array reads a type that begins with a bracket. Its length may be left to the
// literal that follows.
func (r *Reader) array(literal bool) (weight int32) {
	m := r.mark()
	r.take(goLeftBracket, goNoField)
	kind := goArrayType
	switch {
	case r.tok == goRightBracket:
		kind = goSliceType
	case r.tok == goEllipsis:
		if !literal {
			decline()
		}
		kind = goImplicitArrayType
		r.take(goEllipsis, goNoField)
	default:
		constant := r.tok == goInt
		level := r.level
		r.level = 0
		at := len(r.nodes)
		r.expression(inLength)
		r.level = level
		if !constant || len(r.nodes) > at+1 {
			weight = unknownWeight
		}
	}
	r.expect(goRightBracket)
	weight += r.typ(inElement)
	r.close(m, kind, goNoField)
	return weight
}

// typeName reads the name of a type with its package and arguments.
func (r *Reader) typeName(field goFieldOf) (weight int32) {
	m := r.mark()
	r.word(goTypeName, field)
	return r.typeNameRest(m, field)
}

// typeNameRest is typeName after the first word, a node by now.
func (r *Reader) typeNameRest(m goMark, field goFieldOf) (weight int32) {
	weight = -1
	if r.tok == goDot {
		r.newest().kind, r.newest().field = goPackageName, inPackage
		r.take(goDot, goNoField)
		r.word(goTypeName, inName)
		r.close(m, goQualifiedType, field)
		weight = 0
	}
	if r.tok == goLeftBracket {
		r.newest().field = inType
		weight = genericWeight + r.typeArguments()
		r.close(m, goGenericType, field)
	}
	return weight
}

func (r *Reader) typeArguments() (weight int32) {
	m := r.mark()
	r.expect(goLeftBracket)
	for {
		weight += r.typeElem(goTypeElem, goNoField)
		if r.tok != goComma {
			break
		}
		if r.take(goComma, goNoField); r.tok == goRightBracket {
			break
		}
	}
	r.expect(goRightBracket)
	r.close(m, goTypeArguments, inTypeArguments)
	return weight
}

// typeElem reads a union of types.
func (r *Reader) typeElem(kind goKind, field goFieldOf) (weight int32) {
	m := r.mark()
	weight = r.typ(goNoField)
	return weight + r.unionRest(m, kind, field)
}

func (r *Reader) unionRest(m goMark, kind goKind, field goFieldOf) (weight int32) {
	for r.tok == goOr {
		r.take(goOr, goNoField)
		weight += r.typ(goNoField)
	}
	r.close(m, kind, field)
	return weight
}

// interfaceBody reads methods and embedded types.
func (r *Reader) interfaceBody() {
	r.expect(goLeftBrace)
	for r.tok != goRightBrace {
		m := r.mark()
		if !r.atWord() {
			r.typeElem(goTypeElem, goNoField)
		} else if r.take(goTypeName, goNoField); r.tok == goLeftParen {
			r.newest().kind, r.newest().field = goFieldName, inName
			r.signature()
			r.close(m, goMethodElem, goNoField)
		} else {
			r.typeNameRest(m, goNoField)
			r.unionRest(m, goTypeElem, goNoField)
		}
		if !r.terminator() {
			break
		}
	}
	r.expect(goRightBrace)
}

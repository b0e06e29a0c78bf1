package reader

// Brackets after an expression are the hardest part of the grammar. "a[b]" may be an
// index, an instantiation of the type a, or a generic type, and the first two are
// expressions. The grammar has the parser try all of them and keep what has the
// highest sum of dynamic precedences over its nodes; where sums are equal, types win.
// What counts is
//
//	-1  for a name alone as a type
//	+3  for a generic type: 1, and 2 for its arguments
//	-1  for a conversion, and for an instantiation
//
// so that "a[b]" is an index (0 against -3) and "a[b[c]]" is none: as an
// instantiation of a with the generic type b[c] it has -1-1+3-1. Since the parser
// drops what is worse as soon as both have read the same text, the best readings of
// the parts give the best of the whole: a goOperand has one sum for the expression
// and one for the type that it can be, and what was read is an expression until the
// bracket after it says that a type is better, and it is read again.
const (
	genericWeight = 3

	// unknownWeight is that of types with a body, whose weights are not counted. What
	// would have to be compared with one is declined.
	unknownWeight = -1 << 20
)

// less compares weights.
func less(a, b int32) bool {
	if a < unknownWeight/2 || b < unknownWeight/2 {
		decline()
	}
	return a < b
}

// goIndexes are brackets after an operand and what stands between them.
type goIndexes struct {
	operand goOperand
	begin   goPlace // of the operand
	bracket goPlace
	node    int  // the operand's
	pointed bool // after a star

	first     goOperand // between the brackets
	firstNode int
	single    bool  // there is no comma
	types     bool  // all can be types
	typ       int32 // the sum of their weights as types
	exposed   bool  // one of them is
}

// index reads brackets after x, which began at p, and what follows a generic type.
func (r *Reader) index(p goPlace, x goOperand, pointed bool) goOperand {
	if x.form == typeForm {
		decline()
	}
	l := goIndexes{operand: x, begin: p, node: len(r.nodes) - 1, pointed: pointed}
	l.bracket = r.place()
	level := r.level
	r.level = 0
	r.take(goLeftBracket, goNoField)
	if r.tok == goColon || r.indexes(&l) {
		r.slice(&l)
		r.level = level
		r.expect(goRightBracket)
		r.close(p.goMark, goSlice, goNoField)
		return goOperand{}
	}
	r.level = level
	r.expect(goRightBracket)
	switch {
	case !l.types:
	case r.tok == goLeftParen && !l.exposed:
		return r.genericCall(&l)
	case r.tok == goLeftParen && (x.isName() || l.first.shape == unionShape):
		decline() // a conversion if it has one argument, and else no type
	case r.tok == goLeftBrace && x.isName() && level >= 0:
		r.asType(l.node)
		r.back(l.bracket)
		r.nodes[l.node].field = inType
		r.typeArguments()
		r.close(p.goMark, goGenericType, goNoField)
		return r.composite(p)
	}
	return r.indexOrInstance(&l)
}

// indexes reads what stands between brackets. It reports whether it came to a colon.
func (r *Reader) indexes(l *goIndexes) (slice bool) {
	x := r.binary(1)
	l.first, l.firstNode, l.single = x, len(r.nodes)-1, true
	l.types, l.typ, l.exposed = x.form != valueForm, x.typ, x.exposed
	if r.tok == goColon {
		if x.form == typeForm {
			decline()
		}
		r.newest().field = inStart
		return true
	}
	for r.tok == goComma {
		l.single = false
		if r.take(goComma, goNoField); r.tok == goRightBracket {
			break
		}
		x := r.binary(1)
		l.types = l.types && x.form != valueForm
		l.typ += x.typ
		l.exposed = l.exposed || x.exposed
	}
	return false
}

// slice reads the rest of a slice expression, from its first colon.
func (r *Reader) slice(l *goIndexes) {
	r.nodes[l.node].field = inOperand
	r.take(goColon, goNoField)
	if r.tok == goRightBracket {
		return
	}
	r.expression(inEnd)
	if r.tok == goColon {
		r.take(goColon, goNoField)
		r.expression(inCapacity)
	}
}

// indexOrInstance completes what neither a call nor a literal follows.
func (r *Reader) indexOrInstance(l *goIndexes) goOperand {
	x := l.operand
	result := goOperand{}
	if l.types && (x.shape == nameShape || x.shape == qualifiedShape) {
		result = goOperand{form: bothForm, shape: genericShape, typ: genericWeight + l.typ, exposed: x.exposed}
	}
	canIndex := l.single && l.first.form != typeForm
	canBeInstance := x.form == bothForm && !x.exposed && l.types && l.first.shape != unionShape
	index, instance := x.value+l.first.value, x.typ+l.typ-1
	switch {
	case !canIndex && !canBeInstance:
		decline()
	case !canIndex || canBeInstance && !less(instance, index):
		result.value = instance
		if l.pointed {
			result.shape, result.inner = pointedShape, x.shape
			return result
		}
		r.instance(l)
		return result
	}
	result.value = index
	r.nodes[l.node].field, r.nodes[l.firstNode].field = inOperand, inIndex
	r.close(l.begin.goMark, goIndex, goNoField)
	return result
}

// instance reads the operand and the brackets again, as types.
func (r *Reader) instance(l *goIndexes) {
	switch l.operand.shape {
	case nameShape, qualifiedShape:
		r.asType(l.node)
		r.back(l.bracket)
		r.nodes[l.node].field = inType
	case genericShape:
		r.back(l.begin)
		r.genericName(l.begin)
		r.newest().field = inType
	default:
		if r.back(l.begin); r.tok != goLeftParen {
			decline()
		}
		r.typ(inType)
	}
	r.instanceRest(l.begin)
}

// instanceRest reads what an instantiation has after its type.
func (r *Reader) instanceRest(p goPlace) {
	r.expect(goLeftBracket)
	for r.tok != goRightBracket {
		r.typ(goNoField)
		if r.tok != goComma {
			break
		}
		r.take(goComma, goNoField)
	}
	r.expect(goRightBracket)
	r.close(p.goMark, goInstantiation, goNoField)
}

// pointedInstance reads x again, which began with a star at p.
func (r *Reader) pointedInstance(p goPlace, x goOperand) goOperand {
	r.back(p)
	r.pointerTo(x.inner)
	r.newest().field = inType
	r.instanceRest(p)
	x.shape = otherShape
	return x
}

// pointerTo reads a pointer type without the brackets after it.
func (r *Reader) pointerTo(shape goShape) {
	m := r.mark()
	r.expect(goMultiply)
	switch p := r.place(); {
	case r.tok == goMultiply:
		r.pointerTo(shape)
	case shape == genericShape:
		r.genericName(p)
	case r.tok == goLeftParen:
		r.typ(goNoField)
	default:
		r.qualifiedName(p)
	}
	r.close(m, goPointerType, goNoField)
}

// genericCall reads a call with type arguments, or the conversion to the generic type,
// which it is where a name has one argument.
func (r *Reader) genericCall(l *goIndexes) goOperand {
	// Without type arguments it may be better: where the operand is preferred as a type
	// so much, or what stands between the brackets as an index.
	x := l.operand
	if l.first.shape == unionShape || x.form == bothForm && !less(x.typ-1, x.value+2) ||
		l.single && l.first.form == bothForm && !less(l.first.value, 2+l.typ) {
		decline()
	}
	r.back(l.bracket)
	r.typeArguments()
	arguments := len(r.nodes) - 1
	generic := r.maybe(l.begin.goMark)
	m := r.mark()
	only := r.argumentTokens()
	if only > 0 && x.isName() {
		if l.pointed {
			decline()
		}
		r.asType(l.node)
		r.nodes[l.node].field, r.nodes[only].field = inType, inOperand
		r.became(generic, goGenericType, inType)
		r.close(l.begin.goMark, goConversion, goNoField)
		return goOperand{}
	}
	r.nodes[l.node].field, r.nodes[arguments].field = inFunction, inTypeArguments
	r.close(m, goArguments, inArguments)
	r.close(l.begin.goMark, goCall, goNoField)
	return goOperand{}
}

// genericName reads the generic type that an operand turned out to be.
func (r *Reader) genericName(p goPlace) {
	r.qualifiedName(p)
	r.newest().field = inType
	r.typeArguments()
	r.close(p.goMark, goGenericType, goNoField)
}

// qualifiedName reads the name of a type without arguments.
func (r *Reader) qualifiedName(p goPlace) {
	r.word(goTypeName, goNoField)
	if r.tok == goDot {
		r.newest().kind, r.newest().field = goPackageName, inPackage
		r.take(goDot, goNoField)
		r.word(goTypeName, inName)
		r.close(p.goMark, goQualifiedType, goNoField)
	}
}

// asType makes the name of a type of a name that was read as an expression.
func (r *Reader) asType(node int) {
	n := &r.nodes[node]
	if n.kind == goIdentifier {
		n.kind = goTypeName
		return
	}
	if n.kind != goSelector || n.size != 4 {
		decline() // a comment in it
	}
	n.kind = goQualifiedType
	r.nodes[node-1].kind, r.nodes[node-1].field = goTypeName, inName
	r.nodes[node-3].kind, r.nodes[node-3].field = goPackageName, inPackage
}

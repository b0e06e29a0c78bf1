package syntax

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
func (r *goReader) less(a, b int32) bool {
	if a < unknownWeight/2 || b < unknownWeight/2 {
		decline()
	}
	return a < b
}

// goIndexes is what stands between brackets after an operand.
type goIndexes struct {
	first  goOperand
	node   int   // of the first
	single bool  // there is no comma
	types  bool  // all can be types
	typ    int32 // the sum of their weights as types

	exposed bool // one of them is
}

// index reads brackets after x, which began at p, and what follows a generic type.
func (r *goReader) index(p goPlace, x goOperand, pointed bool) goOperand {
	if x.form == typeForm {
		decline()
	}
	operand := len(r.nodes) - 1
	b := r.place()
	level := r.level
	r.level = 0
	r.take(goLeftBracket, goNoField)
	if r.tok == goColon {
		return r.slice(p, operand, level)
	}
	list, slice := r.indexes()
	if slice {
		return r.slice(p, operand, level)
	}
	r.level = level
	r.expect(goRightBracket)
	if list.types {
		switch {
		case r.tok == goLeftParen && !list.exposed:
			return r.genericCall(p, b, x, list, operand, pointed)
		case r.tok == goLeftBrace && x.isName() && level >= 0:
			r.asType(operand)
			r.back(b)
			r.nodes[operand].field = inType
			r.typeArguments()
			r.close(p.goMark, goGenericType, goNoField)
			return r.composite(p)
		case r.tok == goLeftParen && (x.isName() || list.first.shape == unionShape):
			decline() // a conversion if it has one argument, and else no type
		}
	}
	return r.indexOrInstance(p, b, x, list, operand, pointed)
}

// indexes reads what stands between brackets, up to a colon or the closing one.
func (r *goReader) indexes() (list goIndexes, slice bool) {
	x := r.binary(1)
	list = goIndexes{first: x, node: len(r.nodes) - 1, single: true, types: x.form != valueForm, typ: x.typ, exposed: x.exposed}
	if r.tok == goColon {
		if x.form == typeForm {
			decline()
		}
		r.newest().field = inStart
		return list, true
	}
	for r.tok == goComma {
		list.single = false
		if r.take(goComma, goNoField); r.tok == goRightBracket {
			break
		}
		x := r.binary(1)
		list.types = list.types && x.form != valueForm
		list.typ += x.typ
		list.exposed = list.exposed || x.exposed
	}
	return list, false
}

// slice reads the rest of a slice expression, from its first colon.
func (r *goReader) slice(p goPlace, operand int, level int) goOperand {
	r.nodes[operand].field = inOperand
	r.level = 0
	r.take(goColon, goNoField)
	if r.tok != goRightBracket {
		r.expression(inEnd)
		if r.tok == goColon {
			r.take(goColon, goNoField)
			r.expression(inCapacity)
		}
	}
	r.level = level
	r.expect(goRightBracket)
	r.close(p.goMark, goSlice, goNoField)
	return goOperand{}
}

// indexOrInstance completes what neither a call nor a literal follows.
func (r *goReader) indexOrInstance(p, b goPlace, x goOperand, list goIndexes, operand int, pointed bool) goOperand {
	result := goOperand{}
	if list.types && (x.shape == nameShape || x.shape == qualifiedShape) {
		result = goOperand{form: bothForm, shape: genericShape, typ: genericWeight + list.typ, exposed: x.exposed}
	}
	canIndex := list.single && list.first.form != typeForm
	canBeInstance := x.form == bothForm && !x.exposed && list.types && list.first.shape != unionShape
	index, instance := x.value+list.first.value, x.typ+list.typ-1
	switch {
	case !canIndex && !canBeInstance:
		decline()
	case !canIndex || canBeInstance && !r.less(instance, index):
		result.value = instance
		if pointed {
			result.shape = pointedShape
			result.inner = x.shape
			return result
		}
		r.instance(p, b, x, operand)
		return result
	}
	result.value = index
	r.nodes[operand].field, r.nodes[list.node].field = inOperand, inIndex
	r.close(p.goMark, goIndex, goNoField)
	return result
}

// instance reads x, which began at p, and the brackets at b again, as types.
func (r *goReader) instance(p, b goPlace, x goOperand, operand int) {
	switch x.shape {
	case nameShape, qualifiedShape:
		r.asType(operand)
		r.back(b)
		r.nodes[operand].field = inType
	case genericShape:
		r.back(p)
		r.genericName(p)
		r.newest().field = inType
	default:
		if r.back(p); r.tok != goLeftParen {
			decline()
		}
		r.typ(inType)
	}
	r.instanceRest(p)
}

// instanceRest reads what an instantiation has after its type.
func (r *goReader) instanceRest(p goPlace) {
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
func (r *goReader) pointedInstance(p goPlace, x goOperand) goOperand {
	r.back(p)
	r.pointerTo(x.inner)
	r.newest().field = inType
	r.instanceRest(p)
	x.shape = otherShape
	return x
}

// pointerTo reads a pointer type without the brackets after it.
func (r *goReader) pointerTo(shape goShape) {
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

// genericCall reads the call of x with type arguments, or the conversion to the
// generic type, which it is with one argument. The brackets at b were read.
func (r *goReader) genericCall(p, b goPlace, x goOperand, list goIndexes, operand int, pointed bool) goOperand {
	if list.first.shape == unionShape {
		decline()
	}
	// Better without type arguments: where x as a type is preferred so much, or as an
	// index, which has no preference.
	if x.form == bothForm && !r.less(x.typ-1, x.value+2) || list.single && list.first.form == bothForm && !r.less(list.first.value, 2+list.typ) {
		decline()
	}
	r.back(b)
	r.typeArguments()
	arguments := len(r.nodes) - 1
	generic := r.maybe(p.goMark)
	m := r.mark()
	only := r.argumentTokens()
	if only > 0 && x.isName() {
		if pointed {
			decline()
		}
		r.asType(operand)
		r.nodes[operand].field = inType
		r.became(generic, goGenericType, inType)
		r.nodes[only].field = inOperand
		r.close(p.goMark, goConversion, goNoField)
		return goOperand{}
	}
	r.nodes[operand].field, r.nodes[arguments].field = inFunction, inTypeArguments
	r.close(m, goArguments, inArguments)
	r.close(p.goMark, goCall, goNoField)
	return goOperand{}
}

// genericName reads the generic type that an operand turned out to be.
func (r *goReader) genericName(p goPlace) {
	r.qualifiedName(p)
	r.newest().field = inType
	r.typeArguments()
	r.close(p.goMark, goGenericType, goNoField)
}

// qualifiedName reads the name of a type without arguments.
func (r *goReader) qualifiedName(p goPlace) {
	r.word(goTypeName, goNoField)
	if r.tok == goDot {
		r.newest().kind, r.newest().field = goPackageName, inPackage
		r.take(goDot, goNoField)
		r.word(goTypeName, inName)
		r.close(p.goMark, goQualifiedType, goNoField)
	}
}

// asType makes the name of a type of a name that was read as an expression.
func (r *goReader) asType(node int) {
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

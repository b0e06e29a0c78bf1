package reader

// maxNames is how many names one type may have. With more the library loses some of
// the readings that it follows at once, and takes the first names for types.
const maxNames = 9

// A goLone is a name that is a parameter or a type.
type goLone struct {
	begin goMark
	node  int // the parameter that it would be as a type
}

// A goList is what is known of a list of parameters while it is read.
type goList struct {
	first          int  // of the names in Reader.lone
	waiting        int  // names directly before, which wait for their type
	named, unnamed bool // parameters that were seen
}

// parameters reads a list of parameters or results. A name alone may be a parameter
// of the type that follows later, or a type; which one is known at the end, for
// either all parameters have names or none.
func (r *Reader) parameters(field goFieldOf) {
	m := r.mark()
	list := goList{first: len(r.lone)}
	r.expect(goLeftParen)
	for r.tok != goRightParen {
		r.parameter(&list, r.mark())
		if list.named && list.unnamed || list.waiting >= maxNames && r.depth > 0 {
			decline()
		}
		if r.tok != goComma {
			break
		}
		r.take(goComma, goNoField)
	}
	r.expect(goRightParen)
	if list.named && len(r.lone) > list.first {
		decline()
	}
	r.areTypes(r.lone[list.first:])
	r.lone = r.lone[:list.first]
	r.close(m, goParameters, field)
}

// areTypes makes parameters without names of names.
func (r *Reader) areTypes(lone []goLone) {
	for _, l := range lone {
		r.nodes[l.node-1].kind, r.nodes[l.node-1].field = goTypeName, inType
		r.became(l.node, goParameter, goNoField)
	}
}

// parameter reads one parameter, which begins at p.
func (r *Reader) parameter(list *goList, p goMark) {
	if !r.atWord() {
		if list.waiting == 0 || !r.keywordAsName(list) {
			r.unnamed(list, p)
		}
		return
	}
	r.take(goIdentifier, inName)
	switch r.tok {
	case goComma, goRightParen:
		r.lone = append(r.lone, goLone{p, r.maybe(p)})
		list.waiting++
		return
	case goEllipsis:
		if list.waiting > 0 {
			decline()
		}
		r.variadic(p)
		list.named = true
		return
	case goDot:
		r.newest().kind, r.newest().field = goTypeName, goNoField
		r.typeNameRest(p, inType)
		r.isUnnamed(list, p)
		return
	case goLeftBracket:
		if !r.arrayOrGeneric(p, list.waiting) {
			r.isUnnamed(list, p)
			return
		}
	default:
		if !r.atType() {
			decline()
		}
		r.typ(inType)
	}
	r.isNamed(list, p)
	list.named = true
}

// isNamed completes the parameter of all names that were waiting, and of the one at p.
func (r *Reader) isNamed(list *goList, p goMark) {
	waiting := r.lone[len(r.lone)-list.waiting:]
	r.lone = r.lone[:len(r.lone)-list.waiting]
	if list.waiting > 0 {
		lost := max(0, list.waiting+1-maxNames)
		p = waiting[lost].begin
		p.live += uint32(lost)
		r.areTypes(waiting[:lost])
	}
	r.close(p, goParameter, goNoField)
	list.waiting = 0
}

func (r *Reader) isUnnamed(list *goList, p goMark) {
	r.close(p, goParameter, goNoField)
	list.unnamed = true
	list.waiting = 0
}

func (r *Reader) unnamed(list *goList, p goMark) {
	if r.tok == goEllipsis {
		r.variadic(p)
		list.unnamed = true
		list.waiting = 0
		return
	}
	r.typ(inType)
	r.isUnnamed(list, p)
}

// keywordAsName reads a map, channel or function type that the grammar takes for
// something else, since to it a keyword is a name where only a name can be, as after
// names that wait for a type, and it prefers names to types: "(K, map[K]V)" are two
// names of the array type [K]V, "(T, chan V)" two of the type V, and "(T, func(V))"
// two of the type (V). It reports whether it has.
func (r *Reader) keywordAsName(list *goList) bool {
	p := r.place()
	if list.waiting >= maxNames {
		decline()
	}
	var ok bool
	switch tok := r.tok; tok {
	case goMap, goChan, goFunc:
		r.take(goIdentifier, inName)
		ok = tok == goMap && r.mapAsArray(int32(list.waiting)) || tok == goChan && r.channelAsValue() ||
			tok == goFunc && r.functionAsParenthesized()
	default:
		return false
	}
	if !ok {
		r.back(p)
		return false
	}
	r.isNamed(list, p.goMark)
	list.unnamed = true // to Go
	return true
}

func (r *Reader) mapAsArray(waiting int32) bool {
	m := r.mark()
	r.expect(goLeftBracket)
	key := r.binary(1)
	if r.tok != goRightBracket || key.form != bothForm || key.shape == unionShape {
		return false
	}
	if less(key.value, key.typ-waiting) {
		return false
	}
	r.newest().field = inLength
	r.take(goRightBracket, goNoField)
	r.typ(inElement)
	r.close(m, goArrayType, inType)
	return true
}

func (r *Reader) channelAsValue() bool {
	if r.tok == goArrow {
		p := r.place()
		if r.take(goArrow, goNoField); r.tok != goChan {
			return false
		}
		r.back(p)
	}
	r.typ(inType)
	return true
}

func (r *Reader) functionAsParenthesized() bool {
	m := r.mark()
	r.expect(goLeftParen)
	if !r.atType() {
		return false
	}
	r.typ(goNoField)
	if r.tok != goRightParen {
		return false
	}
	r.take(goRightParen, goNoField)
	r.close(m, goParenthesizedType, inType)
	return r.tok == goComma || r.tok == goRightParen
}

func (r *Reader) variadic(p goMark) {
	r.take(goEllipsis, goNoField)
	r.typ(inType)
	r.close(p, goVariadicParameter, goNoField)
}

// arrayOrGeneric reads what follows the name of a parameter or field that began at p
// and has a bracket after it: its type, which is an array or a slice, or the type
// arguments of what was no name but a type. It reports which. With names waiting, the
// library may lose the right reading, as with maxNames, unless it is clear at once.
func (r *Reader) arrayOrGeneric(p goMark, waiting int) (array bool) {
	name := len(r.nodes) - 1
	b := r.place()
	level := r.level
	r.level = 0
	r.take(goLeftBracket, goNoField)
	if r.tok == goRightBracket {
		r.take(goRightBracket, goNoField)
		r.typ(inElement)
		r.close(b.goMark, goSliceType, inType)
		r.level = level
		return true
	}
	if waiting > 1 && r.tok != goInt {
		decline()
	}
	x := r.binary(1)
	if r.tok == goRightBracket && x.form != typeForm {
		r.newest().field = inLength
		if r.take(goRightBracket, goNoField); r.atType() {
			r.typ(inElement)
			r.close(b.goMark, goArrayType, inType)
			r.level = level
			return true
		}
	}
	if x.exposed {
		decline()
	}
	r.level = level
	r.back(b)
	r.nodes[name].kind, r.nodes[name].field = goTypeName, inType
	r.typeArguments()
	r.close(p, goGenericType, inType)
	return false
}

// fields reads the body of a struct type.
func (r *Reader) fields() {
	m := r.mark()
	r.expect(goLeftBrace)
	for r.tok != goRightBrace {
		r.field()
		if !r.terminator() {
			break
		}
	}
	r.expect(goRightBrace)
	r.close(m, goFields, goNoField)
}

func (r *Reader) field() {
	m := r.mark()
	if r.tok == goMultiply {
		r.take(goMultiply, goNoField)
		r.typeName(inType)
	} else {
		r.word(goFieldName, inName)
		switch r.tok {
		case goNewline, goSemicolon, goRightBrace, goString, goRaw:
			r.newest().kind, r.newest().field = goTypeName, inType
		case goDot:
			r.newest().kind, r.newest().field = goTypeName, goNoField
			r.typeNameRest(m, inType)
		case goLeftBracket:
			r.arrayOrGeneric(m, 0)
		default:
			for r.tok == goComma {
				r.take(goComma, goNoField)
				r.word(goFieldName, inName)
			}
			r.typ(inType)
		}
	}
	r.stringLiteral(inTag)
	r.close(m, goField, goNoField)
}

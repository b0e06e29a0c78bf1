package reader

// sourceFile reads the whole text.
func (r *Reader) sourceFile() {
	m := r.mark()
	for r.tok != goNone {
		needs := r.topLevel()
		switch {
		case r.tok == goNewline || r.tok == goSemicolon:
			r.take(r.tok, goNoField)
		case r.tok != goNone || needs:
			decline()
		}
	}
	r.flush()
	if len(r.nodes) == 0 {
		decline()
	}
	// Space is left out before the first token, but not after the last.
	m.start, r.last = r.nodes[0].start, uint32(len(r.src))
	m.live = 0
	r.close(m, goSourceFile, goNoField)
}

// topLevel reads a declaration. It reports whether something has to follow: the
// grammar invents a token where the text ends instead.
func (r *Reader) topLevel() (needs bool) {
	m := r.mark()
	switch r.tok {
	case goPackage:
		r.take(goPackage, goNoField)
		r.word(goPackageName, goNoField)
		r.close(m, goPackageClause, goNoField)
	case goImport:
		r.imports(m)
	case goFunc:
		r.function(m)
	default:
		r.declaration(m)
		return true
	}
	return false
}

func (r *Reader) imports(m goMark) {
	r.take(goImport, goNoField)
	if r.tok == goLeftParen {
		list := r.mark()
		r.take(goLeftParen, goNoField)
		for r.tok != goRightParen {
			r.importSpec()
			if !r.terminator() {
				break
			}
		}
		r.expect(goRightParen)
		r.close(list, goImportList, goNoField)
	} else {
		r.importSpec()
	}
	r.close(m, goImportDeclaration, goNoField)
}

func (r *Reader) importSpec() {
	m := r.mark()
	switch {
	case r.tok == goDot:
		r.take(goDot, goNoField)
		r.close(m, goDotName, inName)
	case r.tok == goIdentifier && r.end == r.start+1 && r.src[r.start] == '_':
		r.take(goBlank, inName)
	case r.atWord() && r.tok <= goMake:
		r.take(goPackageName, inName)
	}
	if !r.stringLiteral(inPath) {
		decline()
	}
	r.close(m, goImportSpec, goNoField)
}

// terminator consumes what ends a statement, a field or a spec, if it is there.
func (r *Reader) terminator() bool {
	switch r.tok {
	case goNewline:
		// As a type, what has ended needs not end a statement: to the library, a literal
		// or a conversion may go on in the next line.
		name, generic := r.endsInType()
		r.take(goNewline, goNoField)
		if r.tok == goLeftBrace && (name || generic) || generic && (r.tok == goLeftParen || r.tok == goLeftBracket) {
			decline()
		}
		return true
	case goSemicolon:
		r.take(goSemicolon, goNoField)
		return true
	}
	return false
}

// declaration reads what may also stand in a function.
func (r *Reader) declaration(m goMark) {
	switch r.tok {
	case goConst:
		r.take(goConst, goNoField)
		r.group(r.constSpec)
		r.close(m, goConstDeclaration, goNoField)
	case goVar:
		r.take(goVar, goNoField)
		list := r.mark()
		if r.group(r.varSpec) {
			r.close(list, goVarList, goNoField)
		}
		r.close(m, goVarDeclaration, goNoField)
	case goTypeWord:
		r.take(goTypeWord, goNoField)
		r.group(r.typeSpec)
		r.close(m, goTypeDeclaration, goNoField)
	default:
		decline()
	}
}

// group reads one spec, or several in parentheses, each with its terminator.
func (r *Reader) group(spec func()) bool {
	if r.tok != goLeftParen {
		spec()
		return false
	}
	r.take(goLeftParen, goNoField)
	for r.tok != goRightParen {
		spec()
		if !r.terminator() {
			decline()
		}
	}
	r.take(goRightParen, goNoField)
	return true
}

func (r *Reader) constSpec() {
	m := r.mark()
	// The grammar's field is the list of names, with its commas.
	r.word(goIdentifier, inName)
	for r.tok == goComma {
		r.take(goComma, inName)
		r.word(goIdentifier, inName)
	}
	if r.atType() {
		r.typ(inType)
		if r.tok != goAssign {
			decline()
		}
	}
	if r.tok == goAssign {
		r.take(goAssign, goNoField)
		r.expressions(inValue)
	}
	r.close(m, goConstSpec, goNoField)
}

func (r *Reader) varSpec() {
	m := r.mark()
	r.word(goIdentifier, inName)
	for r.tok == goComma {
		r.take(goComma, goNoField)
		r.word(goIdentifier, inName)
	}
	if r.tok != goAssign {
		r.typ(inType)
	}
	if r.tok == goAssign {
		r.take(goAssign, goNoField)
		r.expressions(inValue)
	}
	r.close(m, goVarSpec, goNoField)
}

func (r *Reader) typeSpec() {
	m := r.mark()
	r.word(goTypeName, inName)
	switch {
	case r.tok == goAssign:
		r.take(goAssign, goNoField)
		r.typ(inType)
		r.close(m, goTypeAlias, goNoField)
		return
	case r.tok == goLeftBracket && r.atTypeParameters():
		r.typeParameters()
	}
	r.typ(inType)
	r.close(m, goTypeSpec, goNoField)
}

// atTypeParameters reports whether the bracket after the name of a new type begins
// its parameters and not an array type. What can be both is declined, but for a
// product of two, which is an array's length.
func (r *Reader) atTypeParameters() bool {
	p := r.place()
	r.take(goLeftBracket, goNoField)
	parameters := false
	if r.tok == goIdentifier {
		r.take(goIdentifier, goNoField)
		switch r.tok {
		case goIdentifier, goComma, goInterface, goTilde, goFunc, goMap, goChan, goStruct:
			parameters = true
		case goMultiply:
			r.take(goMultiply, goNoField)
			if r.tok == goIdentifier {
				r.take(goIdentifier, goNoField)
			} else if r.tok == goInt {
				r.take(goInt, goNoField)
			}
			if r.tok != goRightBracket {
				decline()
			}
		case goLeftBracket:
			if r.take(goLeftBracket, goNoField); r.tok != goRightBracket {
				decline()
			}
			parameters = true
		case goLeftParen, goArrow, goNil, goTrue, goFalse, goIota, goNew, goMake:
			decline()
		}
	}
	r.back(p)
	return parameters
}

func (r *Reader) function(m goMark) {
	r.take(goFunc, goNoField)
	kind := goFunctionDeclaration
	if r.tok == goLeftParen {
		kind = goMethodDeclaration
		r.parameters(inReceiver)
		r.word(goFieldName, inName)
	} else {
		r.word(goIdentifier, inName)
		if r.tok == goLeftBracket {
			r.typeParameters()
		}
	}
	r.signature()
	if r.tok == goLeftBrace {
		r.block(inBody)
	}
	r.close(m, kind, goNoField)
}

// signature reads parameters and result.
func (r *Reader) signature() {
	r.parameters(inParameters)
	switch {
	case r.tok == goLeftParen:
		r.parameters(inResult)
	case r.atType():
		r.typ(inResult)
	}
}

func (r *Reader) typeParameters() {
	m := r.mark()
	r.expect(goLeftBracket)
	for {
		p := r.mark()
		r.word(goIdentifier, inName)
		for r.tok == goComma {
			r.take(goComma, goNoField)
			r.word(goIdentifier, inName)
		}
		r.typeElem(goConstraint, inType)
		r.close(p, goTypeParameter, goNoField)
		if r.tok != goComma {
			break
		}
		if r.take(goComma, goNoField); r.tok == goRightBracket {
			break
		}
	}
	r.expect(goRightBracket)
	r.close(m, goTypeParameters, inTypeParameters)
}

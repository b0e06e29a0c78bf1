package reader

import "bytes"

// A goLexer splits a text into tokens, of which it knows one. Line breaks are tokens
// where Go has a semicolon inserted. The grammar's rule is another one: there a line
// break is a token wherever one may follow. In text that Go takes they agree, but for
// comments of several lines, which are none to the grammar.
type goLexer struct {
	src        []byte
	at         int // just past the token
	tok        goKind
	start, end uint32
	ends       bool // a line break after the token ends a statement
	escaped    bool // of a string: there are escape sequences in it
	comments   []goSpan
}

type goSpan struct{ start, end uint32 }

// advance goes to the next token.
func (l *goLexer) advance() {
	src, i := l.src, l.at
	broken := false // by a comment
	for i < len(src) {
		switch src[i] {
		case ' ', '\t', '\r':
			i++
			continue
		case '\n':
			if !l.ends {
				i++
				continue
			}
			// Line breaks with nothing between them are one token.
			start := i
			for i < len(src) && src[i] == '\n' {
				i++
			}
			l.set(goNewline, start, i, false)
			return
		case '/':
			if end := commentEnd(src, i); end > 0 {
				broken = broken || src[i+1] == '*' && l.ends && bytes.IndexByte(src[i:end], '\n') >= 0
				l.comments = append(l.comments, goSpan{uint32(i), uint32(end)})
				i = end
				continue
			}
		}
		if broken {
			decline()
		}
		l.token(i)
		return
	}
	l.set(goNone, i, i, false)
}

// commentEnd returns where the comment ends that begins at i, or 0 if none does.
func commentEnd(src []byte, i int) int {
	if i+1 == len(src) {
		return 0
	}
	switch src[i+1] {
	case '/':
		if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(src)
	case '*':
		n := bytes.Index(src[i+2:], []byte("*/"))
		if n < 0 {
			decline()
		}
		return i + n + 4
	}
	return 0
}

func (l *goLexer) set(tok goKind, start, end int, ends bool) {
	l.tok, l.start, l.end, l.at, l.ends = tok, uint32(start), uint32(end), end, ends
}

// token reads the token at i.
func (l *goLexer) token(i int) {
	c := l.src[i]
	switch class := goClasses[c]; class {
	case goLetter:
		l.name(i)
	case goDigit:
		l.number(i)
	case goNone:
		decline()
	case goQuote:
		l.quoted(i)
	case goRaw:
		n := bytes.IndexByte(l.src[i+1:], '`')
		if n < 0 {
			decline()
		}
		l.set(goRaw, i, i+n+2, true)
	case goRune:
		l.rune(i)
	case goLeftParen, goLeftBracket, goLeftBrace, goComma, goSemicolon, goTilde:
		l.set(class, i, i+1, false)
	case goRightParen, goRightBracket, goRightBrace:
		l.set(class, i, i+1, true)
	default:
		l.operator(i)
	}
}

// goLetter and goDigit are classes of bytes that begin a token, where goClasses has
// no kind of token.
const (
	goLetter = goIdentifier
	goDigit  = goInt
)

// goClasses says what a byte begins: a token, or the shortest of several.
var goClasses = func() (class [256]goKind) {
	for c := 'a'; c <= 'z'; c++ {
		class[c], class[c-'a'+'A'] = goLetter, goLetter
	}
	for c := 0x80; c < 0x100; c++ {
		class[c] = goLetter
	}
	class['_'] = goLetter
	for c := '0'; c <= '9'; c++ {
		class[c] = goDigit
	}
	for k := goSemicolon; k <= goLogicalOr; k++ {
		if name := goKindNames[k]; len(name) == 1 {
			class[name[0]] = k
		}
	}
	class['"'], class['`'], class['\''] = goQuote, goRaw, goRune
	return class
}()

// operator reads the longest operator at i.
func (l *goLexer) operator(i int) {
	var next [2]byte
	copy(next[:], l.src[i+1:])
	one := func(tok goKind) { l.set(tok, i, i+1, false) }
	two := func(tok goKind) { l.set(tok, i, i+2, false) }
	// orAssign is for what has a form that assigns.
	orAssign := func(tok, assign goKind) {
		if next[0] == '=' {
			two(assign)
		} else {
			one(tok)
		}
	}
	switch l.src[i] {
	case '.':
		switch {
		case next[0] >= '0' && next[0] <= '9':
			l.number(i)
		case next == [2]byte{'.', '.'}:
			l.set(goEllipsis, i, i+3, false)
		default:
			one(goDot)
		}
	case ':':
		orAssign(goColon, goDefine)
	case '=':
		orAssign(goAssign, goEqual)
	case '!':
		orAssign(goNot, goNotEqual)
	case '*':
		orAssign(goMultiply, goMultiplyAssign)
	case '/':
		orAssign(goDivide, goDivideAssign)
	case '%':
		orAssign(goRemainder, goRemainderAssign)
	case '^':
		orAssign(goXor, goXorAssign)
	case '+':
		if next[0] == '+' {
			l.set(goIncrement, i, i+2, true)
		} else {
			orAssign(goAdd, goAddAssign)
		}
	case '-':
		if next[0] == '-' {
			l.set(goDecrement, i, i+2, true)
		} else {
			orAssign(goSubtract, goSubtractAssign)
		}
	case '|':
		if next[0] == '|' {
			two(goLogicalOr)
		} else {
			orAssign(goOr, goOrAssign)
		}
	case '&':
		switch {
		case next[0] == '&':
			two(goLogicalAnd)
		case next == [2]byte{'^', '='}:
			l.set(goAndNotAssign, i, i+3, false)
		case next[0] == '^':
			two(goAndNot)
		default:
			orAssign(goAnd, goAndAssign)
		}
	case '<':
		switch {
		case next[0] == '-':
			two(goArrow)
		case next == [2]byte{'<', '='}:
			l.set(goShiftLeftAssign, i, i+3, false)
		case next[0] == '<':
			two(goShiftLeft)
		default:
			orAssign(goLess, goLessEqual)
		}
	case '>':
		switch {
		case next == [2]byte{'>', '='}:
			l.set(goShiftRightAssign, i, i+3, false)
		case next[0] == '>':
			two(goShiftRight)
		default:
			orAssign(goGreater, goGreaterEqual)
		}
	}
}

package reader

import (
	"unicode"
	"unicode/utf8"
)

// name reads a name or keyword at i.
func (l *goLexer) name(i int) {
	src, end := l.src, i
	for end < len(src) && goInWord[src[end]] {
		end++
	}
	if end < len(src) && src[end] >= utf8.RuneSelf {
		end = wideName(src, i)
	}
	word := src[i:end]
	if len(word) > 1 {
		if w := &goWords[goHash(word)]; w.text == string(word) {
			l.set(w.kind, i, end, w.ends)
			return
		}
	}
	l.set(goIdentifier, i, end, true)
}

// wideName returns the end of a name with letters outside ASCII. Go and the grammar
// have different ideas of letters; those of the ranges here are letters to both.
func wideName(src []byte, i int) int {
	for i < len(src) {
		c := src[i]
		if c < utf8.RuneSelf {
			if !goInWord[c] {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(src[i:])
		if !unicode.IsLetter(r) || !unicode.In(r, goAlphabets) {
			decline()
		}
		i += n
	}
	return i
}

// goAlphabets: Latin, Greek and Cyrillic, and what Chinese and Japanese are written in.
var goAlphabets = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x00b5, Hi: 0x024f, Stride: 1}, {Lo: 0x0386, Hi: 0x0481, Stride: 1},
	{Lo: 0x3041, Hi: 0x3096, Stride: 1}, {Lo: 0x30a1, Hi: 0x30fa, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fa5, Stride: 1},
}}

// goInWord says which bytes go on in a name.
var goInWord = func() (in [256]bool) {
	for c := range in[:utf8.RuneSelf] {
		in[c] = goClasses[c] == goLetter || goClasses[c] == goDigit
	}
	return in
}()

type goWord struct {
	text string
	kind goKind
	ends bool
}

func goHash[T []byte | string](word T) byte {
	return (word[0] + 8*word[1] + 11*byte(len(word))) % 128
}

// goWords are the keywords by their hash, each in a place of its own.
var goWords = func() (words [128]goWord) {
	for k := range goKinds {
		text := goKindNames[k]
		ends := false
		switch k {
		case goNew:
			text, ends = "new", true
		case goMake:
			text, ends = "make", true
		case goNil, goTrue, goFalse, goIota, goFallthrough, goBreak, goContinue, goReturn:
			ends = true
		default:
			if k < goPackage || k > goSelect {
				continue
			}
		}
		words[goHash(text)] = goWord{text, k, ends}
	}
	return words
}()

// quoted reads a string in double quotes.
func (l *goLexer) quoted(i int) {
	l.escaped = false
	for j := i + 1; j < len(l.src); j++ {
		switch l.src[j] {
		case '"':
			l.set(goString, i, j+1, true)
			return
		case '\\':
			l.escaped = true
			j++
		case '\n':
			decline()
		}
	}
	decline()
}

// escapeEnd returns where the escape sequence ends that begins at i, in a string or
// rune in the quotes given.
func escapeEnd(src []byte, i int, quote byte) int {
	digits, base := 0, byte(16)
	switch c := src[i+1]; c {
	case 'a', 'b', 'f', 'n', 'r', 't', 'v', '\\', quote:
		return i + 2
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		digits, base, i = 3, 8, i-1 // without a letter before the digits
	}
	i += 2
	for ; digits > 0; digits-- {
		if i == len(src) || digit(src[i]) >= base {
			decline()
		}
		i++
	}
	return i
}

// digit returns the value of a digit, and 255 for any other byte.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

func (l *goLexer) rune(i int) {
	j := i + 1
	if j == len(l.src) {
		decline()
	}
	switch c := l.src[j]; {
	case c == '\\' && j+1 < len(l.src):
		j = escapeEnd(l.src, j, '\'')
	case c == '\\', c == '\'', c == '\n':
		decline()
	default:
		_, n := utf8.DecodeRune(l.src[j:])
		j += n
	}
	if j >= len(l.src) || l.src[j] != '\'' {
		decline()
	}
	l.set(goRune, i, j+1, true)
}

// number reads a number at i, which is a digit, or a dot before one.
func (l *goLexer) number(i int) {
	src, end := l.src, i
	base, kind, leading := byte(10), goInt, false
	if src[i] == '0' && i+1 < len(src) {
		switch src[i+1] | 0x20 {
		case 'x':
			base, end = 16, i+2
		case 'o':
			base, end = 8, i+2
		case 'b':
			base, end = 2, i+2
		default:
			leading = true
		}
	}
	prefix := end > i
	end, digits := digitsEnd(src, end, base, prefix)
	tooLarge := leading && hasLarge(src[i:end], 8)
	if end < len(src) && src[end] == '.' && (base == 10 || base == 16) {
		kind = goFloat
		n := 0
		end, n = digitsEnd(src, end+1, base, false)
		digits += n
	}
	if digits == 0 {
		decline()
	}
	if end < len(src) && (base == 10 && src[end]|0x20 == 'e' || base == 16 && src[end]|0x20 == 'p') {
		kind = goFloat
		if end++; end < len(src) && (src[end] == '+' || src[end] == '-') {
			end++
		}
		n := 0
		if end, n = digitsEnd(src, end, 10, false); n == 0 {
			decline()
		}
	} else if base == 16 && kind == goFloat {
		decline()
	}
	switch {
	case end < len(src) && src[end] == 'i':
		kind = goImaginary
		end++
	case kind == goInt && tooLarge:
		decline()
	}
	if end < len(src) && (goInWord[src[end]] || src[end] >= utf8.RuneSelf) {
		decline()
	}
	l.set(kind, i, end, true)
}

// digitsEnd returns where the digits end that begin at i, and how many there are. An
// underscore stands between digits, or after a prefix.
func digitsEnd(src []byte, i int, base byte, prefix bool) (end, count int) {
	under := false
	for ; i < len(src); i++ {
		if src[i] == '_' {
			if under || count == 0 && !prefix {
				decline()
			}
			under = true
			continue
		}
		if digit(src[i]) >= base {
			break
		}
		under = false
		count++
	}
	if under {
		decline()
	}
	return i, count
}

// hasLarge reports whether there is a digit in text that the base has not.
func hasLarge(text []byte, base byte) bool {
	for _, c := range text {
		if c != '_' && digit(c) >= base {
			return true
		}
	}
	return false
}

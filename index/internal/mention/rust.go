package mention

import (
	"bytes"
	"strings"
)

// maxMacro bounds how far before a word its macro is looked for, in bytes.
const maxMacro = 8 << 10

// token reports whether a word of Rust is a token by itself of what a macro or an attribute is
// given.
func token(src []byte, at, end int) bool {
	rest := bytes.TrimLeft(src[end:min(len(src), end+most)], " \t\r\n")
	before := bytes.TrimRight(src[max(0, at-most):at], " \t\r\n")
	return len(rest) > 0 && bytes.IndexByte([]byte(",;)]}=:|"), rest[0]) >= 0 && !bytes.HasPrefix(rest, []byte("::")) &&
		len(before) > 0 && bytes.IndexByte([]byte(",;([{=>:|"), before[len(before)-1]) >= 0 && !bytes.HasSuffix(before, []byte("::")) && given(src, at)
}

// given reports whether a place of Rust is in what a macro is given that is none of the standard
// library's, which take expressions, or in an attribute with arguments.
func given(src []byte, at int) bool {
	before := src[max(0, at-maxMacro):at]
	depth, inner := 0, false
	for i := len(before) - 1; i > 0; i-- {
		switch before[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth >= 0 {
				continue
			}
			depth = 0
			head := bytes.TrimRight(before[:i], " \t\r\n")
			if inner && before[i] == '[' && (bytes.HasSuffix(head, []byte("#")) || bytes.HasSuffix(head, []byte("#!"))) {
				return true
			}
			if name, ok := bytes.CutSuffix(head, []byte("!")); ok {
				start := len(name)
				for start > 0 && inWord(name[start-1]) {
					start--
				}
				if start < len(name) && !expressions[string(name[start:])] {
					return true
				}
			}
			inner = true
		}
	}
	return false
}

// expressions are the macros of Rust's library that take expressions.
var expressions = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne print println eprint
		eprintln format format_args write writeln panic todo unimplemented unreachable vec matches dbg thread_local`) {
		all[name] = true
	}
	return all
}()

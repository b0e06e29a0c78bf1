package grep

import (
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
)

// shellPattern compiles a pattern of the shell as find reads it: a star matches slashes and
// leading dots, too, braces are characters, and a bracket that is not closed is one.
func shellPattern(glob string, fold bool) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s")
	if fold {
		b.WriteByte('i')
	}
	b.WriteString(`)\A`)
	for i := 0; i < len(glob); {
		switch c := glob[i]; {
		case c == '*':
			b.WriteString(".*")
			i++
		case c == '?':
			b.WriteByte('.')
			i++
		case c == '\\' && i+1 < len(glob):
			b.WriteString(regexp.QuoteMeta(glob[i+1 : i+2]))
			i += 2
		case c == '[' && bracketEnd(glob, i) > 0:
			end := bracketEnd(glob, i)
			b.WriteString(bracketOf(glob[i+1 : end]))
			i = end + 1
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
			i++
		}
	}
	b.WriteString(`\z`)
	return regexp.Compile(b.String())
}

// shellPatterns compiles patterns; the error is a PatternError.
func shellPatterns(globs []string) (list []*regexp.Regexp, err error) {
	for _, glob := range globs {
		re, err := shellPattern(glob, false)
		if err != nil {
			return nil, &answer.PatternError{Pattern: glob, Reason: "it is no pattern of a name"}
		}
		list = append(list, re)
	}
	return list, nil
}

// bracketEnd returns where the bracket that opens at an offset closes, 0: nowhere.
func bracketEnd(glob string, at int) int {
	i := at + 1
	if i < len(glob) && (glob[i] == '!' || glob[i] == '^') {
		i++
	}
	for first := true; i < len(glob); i, first = i+1, false {
		switch {
		case glob[i] == ']' && !first:
			return i
		case strings.HasPrefix(glob[i:], "[:"):
			if n := strings.Index(glob[i+2:], ":]"); n >= 0 {
				i += n + 3
			}
		case glob[i] == '\\':
			i++
		}
	}
	return 0
}

// bracketOf returns the class of what stands between brackets.
func bracketOf(inside string) string {
	out := "["
	if rest := strings.TrimLeft(inside[:1], "!^"); rest == "" {
		out, inside = "[^", inside[1:]
	}
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case strings.HasPrefix(inside[i:], "[:") && strings.Contains(inside[i:], ":]"):
			end := i + strings.Index(inside[i:], ":]") + 2
			out += inside[i:end]
			i = end - 1
		case c == '\\' && i+1 < len(inside):
			i++
			out += regexp.QuoteMeta(inside[i : i+1])
		case c == '[' || c == ']' || c == '\\' || c == '^':
			out += `\` + string(c)
		default:
			out += inside[i : i+1]
		}
	}
	return out + "]"
}

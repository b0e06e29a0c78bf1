package posix

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// classes are the named ones, as glibc has them in Unicode.
var classes = map[string]string{
	"alpha":  letters,
	"alnum":  letters + `\p{Nd}`,
	"digit":  `0-9`,
	"xdigit": `0-9A-Fa-f`,
	"upper":  `\p{Lu}\p{Lt}\x{2160}-\x{216F}\x{24B6}-\x{24CF}`,
	"lower":  `\p{Ll}\x{AA}\x{BA}\x{2170}-\x{217F}\x{24D0}-\x{24E9}`,
	"space":  spaces,
	"blank":  `\t \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200A}\x{205F}\x{3000}`,
	"cntrl":  `\p{Cc}\x{2028}\x{2029}`,
	"punct":  `\pP\pS\p{No}\p{Me}\p{Cf}`,
	"graph":  `\pL\pM\pN\pP\pS\p{Cf}`,
	"print":  `\pL\pM\pN\pP\pS\p{Cf}\p{Zs}`,
}

const unmatched = "Unmatched [, [^, [:, [., or [="

// bracket reads a bracket expression after its opening.
func (p *parser) bracket() (string, error) {
	out := "["
	if strings.HasPrefix(p.rest(), "^") {
		p.at++
		out = "[^"
	}
	begin := p.at
	for first := true; ; first = false {
		if !first && strings.HasPrefix(p.rest(), "]") {
			p.at++
			break
		}
		class, low, err := p.element()
		if err != nil {
			return "", err
		}
		if class != "" {
			out += class
			continue
		}
		high := low
		if rest := p.rest(); strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") {
			p.at++
			if class, high, err = p.element(); err != nil {
				return "", err
			}
			if class != "" || high < low {
				return "", invalid("Invalid range end")
			}
		}
		out += fmt.Sprintf(`\x{%X}-\x{%X}`, low, high)
	}
	if inside := p.text[begin : p.at-1]; len(inside) > 2 && inside[0] == ':' && inside[len(inside)-1] == ':' {
		return "", invalid("character class syntax is [[:space:]], not [:space:]")
	}
	return out + "]", nil
}

// element reads a class, or a character that may be the end of a range.
func (p *parser) element() (class string, r rune, err error) {
	rest := p.rest()
	for _, mark := range []string{":", "=", "."} {
		if !strings.HasPrefix(rest, "["+mark) {
			continue
		}
		name, _, closed := strings.Cut(rest[2:], mark+"]")
		if !closed {
			return "", 0, invalid(unmatched)
		}
		p.at += len(name) + 4
		if mark == ":" {
			if p.fold && (name == "upper" || name == "lower") {
				name = "alpha"
			}
			if class = classes[name]; class == "" {
				return "", 0, invalid("Invalid character class name")
			}
			return class, 0, nil
		}
		r, n := utf8.DecodeRuneInString(name)
		if n == 0 || n != len(name) {
			return "", 0, invalid("Invalid collation character")
		}
		return "", r, nil
	}
	r, n := utf8.DecodeRuneInString(rest)
	if n == 0 {
		return "", 0, invalid(unmatched)
	}
	p.at += n
	return "", r, nil
}

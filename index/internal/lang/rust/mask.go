package rust

import (
	"bytes"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maskRust hides the macros that stand around items, as in
//
//	cfg_rt! {
//	    pub mod runtime;
//	}
//
// A macro's arguments are no syntax to the grammar, so that a file would lose all
// that is defined in them. A cfg_if! loses its conditions, too.
func maskRust(src []byte) []byte {
	m := syntax.Mask{Text: src}
	// Each look for a closing brace costs what it reads; text that is made to be
	// slow is left as it is.
	r := rustMask{Mask: &m, budget: 8*len(src) + 1<<16}
	m.Each("! {", func(at int) { r.around(at, at+2) })
	m.Each("!{", func(at int) { r.around(at, at+1) })
	return m.Bytes()
}

type rustMask struct {
	*syntax.Mask
	budget int
}

// around hides a macro whose name ends at one offset and whose brace is at another.
func (r *rustMask) around(at, brace int) {
	start := at
	for start > 0 && (syntax.IsWordByte(r.Text[start-1]) || r.Text[start-1] == ':') {
		start--
	}
	name := r.Text[start:at]
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) == 0 || !r.opensLine(start) {
		return
	}
	switch string(name) {
	default:
		// What others are given may only look like items, and one that is none may
		// cost the parser the rest of the file.
		if !bytes.HasPrefix(name, []byte("cfg")) {
			return
		}
	case "pin_project", "thread_local", "task_local", "quickcheck":
	case "cfg_if":
		if end := r.conditions(brace+1, false); end > 0 {
			r.Blank(start, brace+1)
			r.conditions(brace+1, true)
			r.Blank(end, end+1)
		}
		return
	}
	if !r.item(brace + 1) {
		return
	}
	if end := r.closing(brace); end > 0 {
		r.Blank(start, brace+1)
		r.Blank(end, end+1)
	}
}

func (r *rustMask) opensLine(at int) bool {
	for at--; at >= 0 && (r.Text[at] == ' ' || r.Text[at] == '\t'); at-- {
	}
	return at < 0 || r.Text[at] == '\n'
}

// conditions reads "if #[cfg(a)] { } else if #[cfg(b)] { } else { }" up to the brace
// that closes the macro, and returns its offset, or 0. It hides all but what is in
// the braces when told so.
func (r *rustMask) conditions(at int, hide bool) int {
	for {
		at = r.space(at)
		from := at
		switch {
		case at < len(r.Text) && r.Text[at] == '}':
			return at
		case r.word(at, "else"):
			at = r.space(at + len("else"))
			fallthrough
		default:
			if r.word(at, "if") {
				if at = r.attribute(r.space(at + len("if"))); at == 0 {
					return 0
				}
				at = r.space(at)
			} else if from == at {
				return 0
			}
		}
		if at >= len(r.Text) || r.Text[at] != '{' {
			return 0
		}
		end := r.closing(at)
		if end == 0 {
			return 0
		}
		if hide {
			r.Blank(from, at+1)
			r.Blank(end, end+1)
		}
		at = end + 1
	}
}

func (r *rustMask) word(at int, word string) bool {
	end := at + len(word)
	return end < len(r.Text) && string(r.Text[at:end]) == word && !syntax.IsWordByte(r.Text[end])
}

// space returns the offset of the next text that is neither white space nor a comment.
func (r *rustMask) space(at int) int {
	for at < len(r.Text) {
		switch c := r.Text[at]; {
		case syntax.IsSpace(c):
			at++
		case bytes.HasPrefix(r.Text[at:], []byte("//")), bytes.HasPrefix(r.Text[at:], []byte("/*")):
			at = r.skip(at)
		default:
			return at
		}
	}
	return at
}

// attribute returns the offset past an attribute, or 0.
func (r *rustMask) attribute(at int) int {
	if at+1 >= len(r.Text) || r.Text[at] != '#' || r.Text[at+1] != '[' {
		return 0
	}
	end := r.closing(at + 1)
	if end == 0 {
		return 0
	}
	return end + 1
}

// item reports whether an item stands at an offset.
func (r *rustMask) item(at int) bool {
	for at = r.space(at); ; at = r.space(at) {
		end := r.attribute(at)
		if end == 0 {
			break
		}
		at = end
	}
	if r.word(at, "pub") {
		if at = r.space(at + len("pub")); at < len(r.Text) && r.Text[at] == '(' {
			at = r.space(r.closing(at) + 1)
		}
	}
	if r.word(at, "static") {
		return !r.word(r.space(at+len("static")), "ref") // lazy_static!
	}
	for _, word := range [...]string{"mod", "use", "fn", "impl", "struct", "enum", "trait", "type", "const", "unsafe", "async", "extern"} {
		if r.word(at, word) {
			return true
		}
	}
	return false
}

// closing returns the offset of the bracket that closes the one at an offset, or 0.
func (r *rustMask) closing(open int) int {
	depth, from := 0, open
	for at := open; at < len(r.Text) && at-from < r.budget; {
		switch r.Text[at] {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth == 0 {
				r.budget -= at - from
				return at
			}
		case '"', '\'', '/', 'r':
			at = r.skip(at)
			continue
		}
		at++
	}
	r.budget = 0
	return 0
}

// skip steps over a string, character or comment that begins at an offset, or over
// one byte.
func (r *rustMask) skip(at int) int {
	rest := r.Text[at:]
	past := func(from int, end string) int {
		if i := bytes.Index(rest[min(from, len(rest)):], []byte(end)); i >= 0 {
			return at + from + i + len(end)
		}
		return len(r.Text)
	}
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		return past(2, "\n")
	case bytes.HasPrefix(rest, []byte("/*")):
		return past(2, "*/")
	case rest[0] == '"':
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return at + i + 1
			}
		}
		return len(r.Text)
	case rest[0] == 'r' && (at == 0 || !syntax.IsWordByte(r.Text[at-1])):
		i := 1
		for i < len(rest) && rest[i] == '#' {
			i++
		}
		if i < len(rest) && rest[i] == '"' {
			return past(i+1, `"`+string(rest[1:i]))
		}
	case rest[0] == '\'': // a character, or a lifetime
		if len(rest) > 2 && rest[1] == '\\' {
			return past(3, "'")
		}
		if i := bytes.IndexByte(rest[1:min(len(rest), 6)], '\''); i > 0 && (i == 1 || rest[1] >= 0x80) {
			return at + i + 2
		}
	}
	return at + 1
}

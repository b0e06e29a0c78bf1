package mutate

import (
	"regexp"
	"slices"
	"strings"
)

// lexemePattern splits a text of Java or Rust: comments, literals that are left as they are, strings,
// numbers, words, and signs, in this order.
var lexemePattern = regexp.MustCompile(`(?s)(//[^\n]*|/\*.*?\*/)` +
	`|(""".*?"""|b?r"[^"]*"|b?r#".*?"#|b?r##".*?"##|b"(?:[^"\\]|\\.)*"|b?'(?:[^'\\\n]|\\[^'\n]{1,10}|\\')')` +
	`|("(?:[^"\\]|\\.)*")` +
	`|(\d\w*(?:\.\d\w*)?)` +
	`|([\pL_$][\pL\pN_$]*)` +
	`|(\S)`)

// The kinds of a lexeme, which are groups of lexemePattern.
const (
	remark = 1 + iota
	fixed
	quoted
	number
	word
	sign
)

// A lexeme is a part of a text.
type lexeme struct {
	kind, at int
	text     string
}

func lexemes(src string) (all []lexeme) {
	for _, m := range lexemePattern.FindAllStringSubmatchIndex(src, -1) {
		for k := remark; k <= sign; k++ {
			if m[2*k] >= 0 && k != remark {
				all = append(all, lexeme{k, m[0], src[m[0]:m[1]]})
			}
		}
	}
	return all
}

// A bracedLanguage says how functions are written in Java or Rust.
type bracedLanguage struct {
	throw string
	// head returns the lexeme that is the name of the function whose body begins at a brace, or
	// -1. class is the name of the type around it.
	head func(list []lexeme, brace int, class string) int
	// named returns the name of the type, module or implementation whose body begins at a brace.
	named func(list []lexeme, brace int) string
	tests func(name string) bool // of a module that is tests alone
}

// javaWords come before parentheses and a block, and are no names.
var javaWords = []string{"if", "for", "while", "switch", "catch", "synchronized", "try", "return", "super", "this"}

var javaCode = bracedLanguage{
	throw: `if (true) throw new RuntimeException("mutant");`,
	head: func(list []lexeme, brace int, class string) int {
		at := brace - 1
		for at > 0 && (list[at].kind == word || list[at].text == "," || list[at].text == ".") && list[at].text != "else" {
			at-- // throws A, b.C
		}
		if at < 1 || list[at].text != ")" || at < brace-1 && list[at+1].text != "throws" {
			return -1
		}
		if at = opening(list, at, "(", ")") - 1; at < 1 || list[at].kind != word || slices.Contains(javaWords, list[at].text) {
			return -1
		}
		before := list[at-1]
		if typed := before.kind == word && before.text != "new" && before.text != "else" || before.text == ">" || before.text == "]"; typed || list[at].text == class && before.text != "." {
			return at
		}
		return -1
	},
	named: func(list []lexeme, brace int) string {
		for at := brace - 1; at > 0 && !strings.Contains(";{}", list[at].text); at-- {
			switch list[at-1].text {
			case "class", "interface", "enum", "record":
				return list[at].text
			}
		}
		return ""
	},
	tests: func(string) bool { return false },
}

var rustCode = bracedLanguage{
	throw: `if true { panic!("mutant"); }`,
	head: func(list []lexeme, brace int, _ string) int {
		for at := brace - 1; at > 0; at-- {
			switch list[at].text {
			case ";":
				if opening(list, at+1, "[", "]") < 0 {
					return -1
				}
			case "{", "}":
				return -1
			case "fn":
				if list[at+1].kind != word {
					return -1 // a type
				}
				return at + 1
			}
		}
		return -1
	},
	named: func(list []lexeme, brace int) string {
		for at := brace - 1; at > 0 && !strings.Contains(";{}", list[at].text); at-- {
			switch list[at-1].text {
			case "mod", "trait", "struct", "enum", "for":
				if list[at].kind == word {
					return list[at].text
				}
			case "impl":
				if list[at].kind == word {
					return list[at].text
				}
			}
		}
		return ""
	},
	tests: func(name string) bool { return name == "test" || name == "tests" },
}

// opening returns the place of the bracket that one closes, or that is open there; -1 for none.
func opening(list []lexeme, at int, open, shut string) int {
	depth := 0
	for n := min(at, len(list)-1); n >= 0; n-- {
		switch list[n].text {
		case shut:
			depth++
		case open:
			if depth--; depth <= 0 {
				return n
			}
		case "{", "}":
			if depth == 0 {
				return -1
			}
		}
	}
	return -1
}

// functions returns the functions of a text, without those of tests.
func (l *bracedLanguage) functions(file, src string) (all []function) {
	list := lexemes(src)
	type block struct {
		name     string
		function int // in all, or -1
		tests    bool
	}
	var open []block
	for at, p := range list {
		switch {
		case p.kind == sign && p.text == "{":
			b := block{function: -1}
			class := ""
			var names []string
			for _, o := range open {
				b.tests = b.tests || o.tests
				if o.name != "" {
					class, names = o.name, append(names, o.name)
				}
			}
			if id := l.head(list, at, class); id >= 0 && !b.tests {
				b.name, b.function = list[id].text, len(all)
				f := function{File: file, Name: strings.Join(append(names, b.name), "."), Line: 1 + strings.Count(src[:list[id].at], "\n")}
				if after := list[min(at+1, len(list)-1)].text; after != "super" && after != "this" {
					f.Throw = &edit{At: p.at + 1, Text: " " + l.throw}
				}
				if b.name != class && b.name != "main" {
					f.Rename = &edit{At: list[id].at, Length: len(b.name), Text: b.name + "_mutant"}
				}
				all = append(all, f)
			} else {
				b.name = l.named(list, at)
				b.tests = b.tests || l.tests(b.name)
			}
			open = append(open, b)
		case p.kind == sign && p.text == "}" && len(open) > 0:
			open = open[:len(open)-1]
		default:
			var e edit
			switch {
			case p.kind == number && (at == 0 || list[at-1].text != "."):
				e = edit{p.at, len(p.text), "(" + p.text + " + 1)"}
			case p.kind == quoted:
				e = edit{At: p.at + len(p.text) - 1, Text: "~"}
			case p.kind == word && (p.text == "true" || p.text == "false"):
				e = edit{p.at, len(p.text), map[string]string{"true": "false", "false": "true"}[p.text]}
			default:
				continue
			}
			for _, o := range open {
				if o.function >= 0 {
					all[o.function].Constants = append(all[o.function].Constants, e)
				}
			}
		}
	}
	return all
}

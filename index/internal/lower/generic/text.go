package generic

import (
	"bytes"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// arguments counts the arguments of a call whose name ends at an offset. closed
// is the offset past the bracket, 0 when it is not found; where the number is
// not known, it is one spread argument.
func (l *lowerer) arguments(at int) (args []ir.Arg, closed int) {
	spread := []ir.Arg{{Kind: ir.Spread}}
	if at >= len(l.src) || l.src[at] != '(' {
		return spread, 0
	}
	text := l.src[at+1 : min(len(l.src), at+maxSpan)]
	n, end := scan(text, nil)
	if end < 0 {
		return spread, 0
	}
	closed = at + 1 + end + 1
	if rest := bytes.TrimLeft(l.src[closed:min(len(l.src), closed+20)], " \t"); len(rest) > 0 && rest[0] == '{' || l.language == "bash" {
		return append(make([]ir.Arg, n), spread...), closed // a block after it
	}
	return make([]ir.Arg, n), closed
}

// scan counts what stands between commas up to the bracket that closes the text,
// and calls each for it. It returns -1 when there is no such bracket.
func scan(text []byte, each func(part []byte)) (n, end int) {
	depth, start, blank := 0, 0, true
	part := func(i int) {
		if !blank {
			n++
			if each != nil {
				each(bytes.TrimSpace(text[start:i]))
			}
		}
		start, blank = i+1, true
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			blank = false
			for i++; i < len(text) && text[i] != '"' && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '(', '[', '{':
			blank = false
			depth++
		case ')', ']', '}':
			if depth == 0 {
				part(i)
				return n, i
			}
			depth--
		case ',':
			if depth == 0 {
				part(i)
			}
		case ' ', '\t', '\r', '\n':
		default:
			blank = false
		}
	}
	return n, -1
}

// A typed name is a parameter or field.
type typed struct {
	name, typ string
}

// params reads the parameters of a signature. Only their number is sure.
func (l *lowerer) params(signature, name string) []typed {
	i := strings.Index(signature, name+"(")
	if i < 0 {
		if i = strings.IndexByte(signature, '('); i < 0 {
			return nil
		}
		i -= len(name)
	}
	var out []typed
	scan([]byte(signature[i+len(name)+1:]), func(part []byte) { out = append(out, l.param(string(part))) })
	return out
}

func (l *lowerer) param(text string) typed {
	text, _, _ = strings.Cut(text, "=")
	name, typ := text, ""
	switch {
	case l.types:
		name, typ, _ = strings.Cut(text, ":")
	case l.before:
		if i := strings.LastIndexByte(strings.TrimSpace(text), ' '); i >= 0 {
			typ, name = text[:i], text[i+1:]
		}
	}
	if words := strings.Fields(name); len(words) > 0 {
		name = words[len(words)-1]
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			name = "#" + name // a pattern: it names nothing
			break
		}
	}
	return typed{name, typ}
}

// result returns the declared result of a function, as text.
func (l *lowerer) result(signature string) string {
	if !l.types {
		return ""
	}
	i := strings.LastIndexByte(signature, ')')
	if l.language == "swift" {
		if i = strings.LastIndex(signature, "->"); i < 0 {
			return ""
		}
		return signature[i+2:]
	}
	_, typ, _ := strings.Cut(signature[i+1:], ":")
	return typ
}

// fieldType returns the declared type of a field or variable, as text.
func (l *lowerer) fieldType(signature, name string) string {
	i := strings.Index(signature, name)
	switch {
	case i < 0:
	case l.types:
		if rest := strings.TrimLeft(signature[i+len(name):], " "); strings.HasPrefix(rest, ":") {
			typ, _, _ := strings.Cut(rest[1:], "=")
			return typ
		}
	case l.before:
		if words := strings.Fields(signature[:i]); len(words) > 0 && isUpper(words[len(words)-1]) {
			return words[len(words)-1]
		}
	}
	return ""
}

// typeOf is a type from its text; 0 for what is more than a name.
func (l *lowerer) typeOf(text string, pos int) ir.Expr {
	text = strings.TrimSpace(text)
	for _, word := range []string{"inout ", "@escaping ", "any ", "some ", "@autoclosure ", "borrowing ", "consuming "} {
		text = strings.TrimPrefix(text, word)
	}
	if inner, ok := strings.CutPrefix(text, "["); ok && l.language == "swift" {
		inner, _, _ = strings.Cut(inner, "]")
		if x := l.typeOf(inner, pos); x != 0 && !strings.Contains(inner, ":") {
			return l.Apply(0, "list", ir.Args(x), pos)
		}
		return 0
	}
	end := 0
	for end < len(text) && (isWord(text[end]) || text[end] == '.') {
		end++
	}
	rest := strings.TrimSpace(text[end:])
	if end == 0 || !isUpper(text) || strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, "->") {
		return 0
	}
	var x ir.Expr
	for name := range strings.SplitSeq(text[:end], ".") {
		switch {
		case name == "":
		case x == 0:
			x = l.Free(name, pos)
		default:
			x = l.Attr(x, name, pos)
		}
	}
	return x
}

// packageClause reads "package a.b" where a file begins with it.
func (l *lowerer) packageClause() {
	if l.language != "scala" && l.language != "groovy" {
		return
	}
	head := l.src[:min(len(l.src), 4*maxSpan)]
	for line := range bytes.Lines(head) {
		name, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("package "))
		if !ok {
			continue
		}
		name = bytes.TrimRight(bytes.TrimSpace(name), ";{ ")
		if path := l.Raw().Package; path != 0 { // package a, package b: a.b
			l.Raw().Package = l.Str(l.Raw().String(path) + "." + string(name))
		} else {
			l.Raw().Package = l.Str(string(name))
		}
	}
}

// imports enters the imports.
func (l *lowerer) imports(list []syntax.Import) {
	line, at := 1, 0
	for _, m := range list {
		for line < m.Line {
			i := bytes.IndexByte(l.src[at:], '\n')
			if i < 0 {
				break
			}
			line, at = line+1, at+i+1
		}
		info := l.split(m, at)
		name := info.alias
		if name == "" && info.name != "*" && l.language != "lua" {
			if name = info.name; name == "" {
				name = info.module[strings.LastIndexByte(info.module, '.')+1:]
			}
		}
		l.known[name] = true
		l.AddImport(ir.ImportInfo{Module: l.Str(info.module), Name: l.Str(info.name), Alias: l.Str(info.alias), Flags: info.flags},
			name, false, at)
	}
}

type imported struct {
	module, name, alias string
	flags               ir.ImportFlag
}

// split brings an import into the form of the table at ir.ImportInfo.
func (l *lowerer) split(m syntax.Import, at int) imported {
	i := imported{module: m.Path, name: m.Name, alias: m.Alias}
	last := strings.LastIndexByte(m.Path, '.')
	switch l.language {
	case "bash":
		// $(dirname $0)/lib.sh lies next to the file, wherever that is.
		if slash := strings.IndexByte(m.Path, '/'); slash >= 0 && strings.HasPrefix(m.Path, "$") {
			i.module = "./" + m.Path[strings.LastIndexAny(m.Path, ")}\"'")+1:]
			if strings.HasPrefix(i.module, ".//") {
				i.module = "." + i.module[2:]
			} else {
				i.module = "./" + m.Path[slash+1:]
			}
		}
		i.name, i.flags = "*", ir.Include
	case "swift", "ocaml", "cue":
		i.name = "*"
	case "scala", "groovy":
		if m.Name == "" && last >= 0 {
			i.module, i.name = m.Path[:last], m.Path[last+1:]
			if l.language == "groovy" && bytes.HasPrefix(l.src[at:], []byte("import static")) {
				i.flags = ir.StaticName
			}
		}
	}
	return i
}

// exportTable exports what a Lua file returns at its end: "return M".
func (l *lowerer) exportTable() {
	if l.language != "lua" {
		return
	}
	text := bytes.TrimRight(l.src, " \t\r\n;")
	start := bytes.LastIndexByte(text, '\n') + 1
	name, ok := bytes.CutPrefix(text[start:], []byte("return "))
	if name = bytes.TrimSpace(name); !ok || len(name) == 0 {
		return
	}
	for _, c := range name {
		if !isWord(c) {
			return
		}
	}
	l.Export("=", l.Free(string(name), start), start)
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

package generic

import (
	"bytes"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// maxSpan bounds what is read around one name: the arguments of a call.
const maxSpan = 1000

// ref lowers one use of a name.
func (l *lowerer) ref(r *syntax.Ref) {
	switch r.Kind {
	case syntax.TypeUse:
		l.Eval(l.Free(r.Name, r.Offset))
	case syntax.Inherit:
		l.inherit(r)
	case syntax.Call, syntax.New:
		l.call(r)
	}
}

func (l *lowerer) inherit(r *syntax.Ref) {
	x := l.Free(r.Name, r.Offset)
	if r.Receiver != "" {
		x = l.Attr(l.receiver(r.Receiver, r.Offset), r.Name, r.Offset)
	}
	for i := len(l.open) - 1; i >= 0; i-- {
		if c := l.open[i].class; c != 0 {
			info := l.ClassInfo(c)
			info.Bases = append(info.Bases, ir.Base{X: x, Kind: ir.Extend})
			return
		}
	}
	l.Eval(x)
}

// call lowers a call, and binds what it returns where it is the whole value of a
// variable.
func (l *lowerer) call(r *syntax.Ref) {
	end := r.Offset + len(r.Name)
	if end < len(l.src) && l.src[end] == '[' && l.types {
		return // a subscript
	}
	args, closed := l.arguments(end)
	if closed > 0 {
		end = closed
	}
	from := r.Offset // where the whole expression begins
	if r.Receiver != "" {
		from = max(0, l.dot(r.Offset)-len(r.Receiver))
	}
	var x ir.Expr
	switch {
	case r.Kind == syntax.New:
		x = l.New(l.Free(r.Name, r.Offset), args, r.Offset)
	case r.Receiver == "":
		x = l.Call(l.Name(r.Name, r.Offset), args, r.Offset)
	default:
		x = l.Call(l.Attr(l.receiver(r.Receiver, r.Offset), r.Name, r.Offset), args, r.Offset)
	}
	l.calls[end] = x
	if l.continues(end) {
		l.Eval(x)
		return
	}
	l.bind(x, from)
}

// dot returns the offset of the dot before a name.
func (l *lowerer) dot(at int) int {
	for at > 0 && strings.IndexByte(".?!: \t\r\n", l.src[at-1]) >= 0 {
		at--
	}
	return at
}

// continues reports whether a call's result is used by what follows, so that it
// is not the value of a whole expression.
func (l *lowerer) continues(end int) bool {
	rest := bytes.TrimLeft(l.src[end:min(len(l.src), end+maxSpan)], " \t")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '\r', '\n':
		rest = bytes.TrimLeft(rest, " \t\r\n")
		return len(rest) > 0 && rest[0] == '.'
	case ';', '}', ')', ',', '{', '#':
		return false
	case '-', '/':
		return len(rest) < 2 || rest[1] != rest[0] // a comment
	}
	return !bytes.HasPrefix(rest, []byte("end")) && !bytes.HasPrefix(rest, []byte("do"))
}

// bind binds a call that begins at an offset to the variable before it, as in
// "let x = make()".
func (l *lowerer) bind(x ir.Expr, from int) {
	line := l.src[max(0, from-maxSpan):from]
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	line = trimWords(bytes.TrimSpace(line), "new", "try", "try!", "try?", "await")
	before, ok := bytes.CutSuffix(line, []byte("="))
	if !ok || len(before) == 0 || strings.IndexByte("=!<>:+-*/", before[len(before)-1]) >= 0 {
		l.Eval(x)
		return
	}
	before = bytes.TrimSpace(before)
	if i := bytes.LastIndexByte(before, ':'); i >= 0 && l.types && !bytes.ContainsAny(before[i:], ";(){}") { // let x: T = ...
		before = bytes.TrimSpace(before[:i])
	}
	start := len(before)
	for start > 0 && isWord(before[start-1]) {
		start--
	}
	name := string(before[start:])
	words := bytes.Fields(before[:start])
	pos := from - len(line) + start
	n := len(l.open)
	switch {
	case name == "":
	case n > 0 && l.open[n-1].field != 0 && l.Class() != 0:
		l.VarInfo(l.open[n-1].field).Init = x
		return
	case n > 0 && l.open[n-1].field != 0:
		l.Bind(l.Free(name, pos), x)
		return
	case l.Class() == 0 && l.Func() != 1 && l.isBinder(words, before[:start]):
		l.Bind(l.Local(l.Declare(name, pos), pos), x)
		return
	}
	l.Eval(x)
}

// isBinder reports whether what stands before a name makes a variable of it.
func (l *lowerer) isBinder(words [][]byte, before []byte) bool {
	return len(words) > 0 && slices.Contains(l.binders, string(words[len(words)-1])) ||
		len(words) == 1 && l.before && isUpper(string(words[0]))
}

// trimWords takes words off the end of a line.
func trimWords(line []byte, words ...string) []byte {
	for range words {
		for _, w := range words {
			if rest, ok := bytes.CutSuffix(line, []byte(w)); ok && len(rest) > 0 && !isWord(rest[len(rest)-1]) {
				line = bytes.TrimSpace(rest)
			}
		}
	}
	return line
}

// receiver is what stands before the dot; 0 when it is not known.
func (l *lowerer) receiver(text string, at int) ir.Expr {
	if last := text[len(text)-1]; last == ')' {
		return l.calls[l.dot(at)]
	}
	for i := range len(text) {
		if !isWord(text[i]) && text[i] != '.' && text[i] != ':' && text[i] != '?' && text[i] != '!' {
			return 0
		}
	}
	pos := max(0, l.dot(at)-len(text))
	var x ir.Expr
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if name := text[i:end]; i == 0 {
			if x = l.first(name, pos); x == 0 {
				return 0
			}
		} else if name != "" {
			x = l.Attr(x, name, pos+i)
		}
		for i = end; i < len(text) && !isWord(text[i]); i++ {
		}
	}
	return x
}

// first is the first name of a path.
func (l *lowerer) first(name string, pos int) ir.Expr {
	switch {
	case name == "":
		return 0
	case name == l.this && l.outside == "table":
		if t := l.around(); t != "" {
			return l.Free(t, pos)
		}
		return 0
	case name == l.this:
		return l.Unary(ir.This, 0, pos)
	case name == l.super:
		return l.Unary(ir.Super, 0, pos)
	case name == l.self:
		return l.enclosing(pos)
	case l.Lookup(name) != 0, l.known[name], isUpper(name), slices.Contains(l.std, name):
		return l.Name(name, pos)
	}
	return 0
}

// around is the table that the function around was put into, or "".
func (l *lowerer) around() string {
	for i := len(l.open) - 1; i >= 0; i-- {
		if l.open[i].ends > 0 {
			path := l.open[i].path
			return path[:strings.LastIndexByte(path, '.')]
		}
	}
	return ""
}

// enclosing is the class or module around, as a value.
func (l *lowerer) enclosing(pos int) ir.Expr {
	for i := len(l.open) - 1; i >= 0; i-- {
		if l.open[i].class == 0 {
			continue
		}
		var x ir.Expr
		for name := range strings.SplitSeq(l.open[i].path, ".") {
			if x == 0 {
				x = l.Free(name, pos)
			} else {
				x = l.Attr(x, name, pos)
			}
		}
		return x
	}
	return 0
}

package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// A quotedType reads a type that is written as a string, for which there is no
// syntax tree: names, paths, arguments in brackets, and "|".
type quotedType struct {
	*lowerer
	text string
	at   int
	pos  int // of the text in the file
}

// quoted lowers a type in a string.
func (l *lowerer) quoted(text string, pos int) ir.Expr {
	q := quotedType{lowerer: l, text: text, pos: pos}
	return q.union()
}

func (q *quotedType) space() {
	for q.at < len(q.text) && strings.IndexByte(" \t\r\n", q.text[q.at]) >= 0 {
		q.at++
	}
}

// take skips c, if it comes next.
func (q *quotedType) take(c byte) bool {
	q.space()
	if q.at < len(q.text) && q.text[q.at] == c {
		q.at++
		return true
	}
	return false
}

func (q *quotedType) union() ir.Expr {
	x := q.one()
	for q.take('|') {
		x = q.Union(x, q.one())
	}
	return x
}

func (q *quotedType) word() (string, int) {
	q.space()
	from := q.at
	for q.at < len(q.text) {
		if c := q.text[q.at]; c != '_' && c < 0x80 && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			break
		}
		q.at++
	}
	return q.text[from:q.at], q.pos + from
}

// one reads a path with its arguments, a nested string, or a list of types.
func (q *quotedType) one() ir.Expr {
	if !q.Nest() {
		return 0
	}
	defer q.Leave()
	q.space()
	if q.take('\'') || q.take('"') {
		x := q.union()
		if !q.take('\'') {
			q.take('"')
		}
		return x
	}
	if q.take('[') {
		return q.Apply(0, "tuple", ir.Args(q.args()...), q.pos+q.at)
	}
	word, pos := q.word()
	if word == "" {
		return 0
	}
	s := q.Str(word)
	f := q.formName(s)
	path := false
	var x ir.Expr
	for q.take('.') {
		if !path {
			x, path = q.use(s, pos), true
		}
		word, pos = q.word()
		if i := q.name(s).imports; i != 0 && q.module(i) == "typing" {
			f = forms[word]
		}
		x = q.Attr(x, word, pos)
	}
	if !path && f == notForm {
		x = q.typeName(s, pos)
	}
	if !q.take('[') {
		if f != notForm {
			return q.formed(f, nil, pos)
		}
		return x
	}
	args := q.args()
	switch {
	case f == other:
		return 0
	case f == callable && len(args) == 2:
		if first := q.Raw().Exprs[args[0]]; first.Op == ir.Apply {
			var flat []ir.Expr
			for _, a := range q.Raw().Args[first.Lo:first.Hi] {
				flat = append(flat, a.X)
			}
			args = append(flat, args[1])
		}
		fallthrough
	case f != notForm:
		return q.formed(f, args, pos)
	}
	return q.Apply(x, "", ir.Args(args...), pos)
}

// args reads types up to the closing bracket.
func (q *quotedType) args() []ir.Expr {
	var list []ir.Expr
	for q.at < len(q.text) && !q.take(']') {
		before := q.at
		if q.space(); !strings.HasPrefix(q.text[q.at:], "...") {
			list = append(list, q.union())
		} else {
			q.at += 3
		}
		if !q.take(',') && q.at == before {
			q.at++
		}
	}
	return list
}

func (q *quotedType) module(i ir.Import) string {
	return q.lowerer.text(q.Raw().Imports[i].Module)
}

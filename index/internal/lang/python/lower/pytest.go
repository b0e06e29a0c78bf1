package lower

import (
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// A passed is a value that pytest passes to a test.
type passed struct {
	name ir.Str // of the parameter
	x    ir.Expr
}

// parametrized reads @pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4)]) and
// reports whether a decorator is that.
func (l *lowerer) parametrized(n syntax.Node, d *decorators) bool {
	fn := l.callee(n)
	if fn == n || l.Kind(fn) != "attribute" || l.lastName(fn) != "parametrize" || l.lastName(l.Child(fn, "object")) != "mark" {
		return false
	}
	l.Keep(l.expr(fn))
	var names []string
	var values syntax.Node
	given, tuples := true, false
	at := 0
	for c := range l.NamedChildren(l.Child(n, "arguments")) {
		key, value := "", c
		switch l.Kind(c) {
		case "comment":
			continue
		case "keyword_argument":
			key, value = l.Text(l.Child(c, "name")), l.Child(c, "value")
		default:
			key = []string{"argnames", "argvalues", "indirect"}[min(at, 2)]
			at++
		}
		switch key {
		case "argnames":
			names = l.argNames(value)
			tuples = len(names) > 1 || l.Kind(value) != "string"
		case "argvalues":
			values = value
		default:
			given = given && key != "indirect" // the fixture gets them
			l.Keep(l.expr(value))
		}
	}
	switch kind := l.Kind(values); {
	case values == 0:
	case !given, kind != "list" && kind != "tuple":
		l.Keep(l.expr(values))
	default:
		for c := range l.NamedChildren(values) {
			l.passed(c, names, tuples, d)
		}
	}
	return true
}

// argNames are the names that the first argument of parametrize has.
func (l *lowerer) argNames(n syntax.Node) []string {
	text := ""
	for c := range l.NamedChildren(n) {
		if part, ok := l.constant(c); ok {
			text += "," + part
		}
	}
	if part, ok := l.constant(n); ok {
		text = part
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// passed reads one of the values of parametrize: a tuple, where there are several names or
// a list of them.
func (l *lowerer) passed(n syntax.Node, names []string, tuples bool, d *decorators) {
	var parts []syntax.Node
	switch kind := l.Kind(n); {
	case kind == "call" && l.lastName(l.callee(n)) == "param":
		for c := range l.NamedChildren(l.Child(n, "arguments")) {
			if kind := l.Kind(c); kind == "keyword_argument" {
				l.Keep(l.expr(l.Child(c, "value")))
			} else if kind != "comment" {
				parts = append(parts, c)
			}
		}
	case tuples && (kind == "tuple" || kind == "list"):
		for c := range l.NamedChildren(n) {
			if l.Kind(c) != "comment" {
				parts = append(parts, c)
			}
		}
	default:
		parts = append(parts, n)
	}
	for i, part := range parts {
		x := l.expr(part)
		if i >= len(names) || x == 0 {
			l.Keep(x)
			continue
		}
		x, _ = l.twice(x, l.Start(part))
		d.passed = append(d.passed, passed{l.Str(names[i]), x})
	}
}

// requestField is the name under which fixtures keep what they set for the tests of a class:
// request.cls.x = ...
func (l *lowerer) requestField(n syntax.Node) ir.Expr {
	if !l.frame.inFunc || l.Kind(n) != "attribute" || string(l.Bytes(l.Child(n, "object"))) != "request.cls" {
		return 0
	}
	return l.free(l.Str(string(l.Bytes(n))), l.Start(l.Child(n, "attribute")))
}

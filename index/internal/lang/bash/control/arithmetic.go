package control

import (
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/index/internal/flow/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// binary is an operator of two operands: assignments of arithmetic, whose left operand is a
// name as it is; words are variables where the operator is one of numbers alone.
func binary(b *walk.Builder, n syntax.Node) {
	left, right := b.Child(n, "left"), b.Child(n, "right")
	switch op := b.Text(b.Child(n, "operator")); {
	case b.Kind(left) != "variable_name":
	case op == "=":
		b.Give(left, right, b.Assign)
		return
	case len(op) == 2 && op[1] == '=' && strings.Contains("+-*/%", op[:1]):
		b.Update(left, right)
		return
	}
	number := false
	switch b.Text(b.Child(n, "operator")) {
	case "<", "<=", ">", ">=", "+", "-", "*", "/", "%":
		number = true
	}
	for c := range b.NamedChildren(n) {
		if number && b.Kind(c) == "word" && identifier.Match(b.Bytes(c)) {
			b.Read(c)
			continue
		}
		b.Expr(c)
	}
}

// step is i++ and its kin, or another operator of one operand.
func step(b *walk.Builder, n syntax.Node) {
	arithmeticOr(b, n, b.ChildOf(n, "++", "--") != 0)
}

func arithmeticOr(b *walk.Builder, n syntax.Node, is bool) {
	if is {
		arithmetic(b, b.Start(n), b.End(n))
		return
	}
	b.Children(n)
}

// test is [ x ], [[ x ]] and (( x )).
func test(b *walk.Builder, n syntax.Node) { arithmeticOr(b, n, b.Is(b.First(n), "((")) }

var operand = regexp.MustCompile(`(\+\+|--)?\$?\{?([A-Za-z_]\w*)\}?\s*(\+\+|--|[-+*/%]?=[^=])?`)

// arithmetic reads and writes the variables of an expression by its text.
func arithmetic(b *walk.Builder, start, end int) {
	for _, at := range operand.FindAllSubmatchIndex(append([]byte(nil), b.Source()[start:end]...), -1) {
		from, to := start+at[4], start+at[5]
		plain := at[6] >= 0 && b.Source()[start+at[6]] == '='
		if !plain {
			b.ReadAt(from, to)
		}
		if at[2] >= 0 || at[6] >= 0 {
			b.WriteAt(from, to)
		}
	}
}

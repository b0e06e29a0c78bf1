package store

import (
	"testing"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

func TestSubstance(t *testing.T) {
	function := syntax.Symbol{Kind: syntax.Function, Start: 100, End: 400, Line: 5, EndLine: 20}
	getter := syntax.Symbol{Kind: syntax.Method, Start: 10, End: 60, Line: 1, EndLine: 2}
	for _, test := range []struct {
		name     string
		symbols  []syntax.Symbol
		code     int
		abstract float64
	}{
		{"nothing", nil, 0, 0},
		{"code", []syntax.Symbol{function, getter}, 300, 0},
		{"an interface", []syntax.Symbol{{Kind: syntax.Interface}, getter}, 0, 1},
		{"one of two", []syntax.Symbol{{Kind: syntax.Trait}, {Kind: syntax.Class}, function}, 300, 0.5},
	} {
		if code, abstract := substance(test.symbols); code != test.code || abstract != test.abstract {
			t.Errorf("%s: %d bytes, %v abstract; want %d, %v", test.name, code, abstract, test.code, test.abstract)
		}
	}
}

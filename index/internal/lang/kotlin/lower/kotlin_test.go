package lower_test

import (
	"flag"
	"testing"

	kotlin "github.com/quarry-search/quarry/index/internal/lang/kotlin/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the sources in testdata with the wanted ones.
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("kotlin"), kotlin.Lower, *update) }

func TestHalfWritten(t *testing.T) { lowertest.HalfWritten(t, "kotlin", kotlin.Lower) }

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	lowertest.Linear(t, "kotlin", kotlin.Lower, 5000, map[string]func(n int) string{
		"parentheses": lowertest.Repeat("val x = ", "(", "1", ")", ""),
		"classes":     lowertest.Repeat("", "class A { ", "", "}", ""),
		"calls":       lowertest.Repeat("val x = a", ".b()", "", "", ""),
		"sum":         lowertest.Repeat("val x = a", " + f()", "", "", ""),
		"and":         lowertest.Repeat("val x = a is B", " && a is C", "", "", ""),
		"lambdas":     lowertest.Repeat("val x = ", "{ ", "", "}", ""),
		"types":       lowertest.Repeat("val x: ", "L<", "A", ">", " = 1"),
		"elvis":       lowertest.Repeat("val x = a", " ?: a", "", "", ""),
		"branches":    lowertest.Repeat("fun f() { ", "if (a) b else ", "c }", "", ""),
		"errors":      lowertest.Repeat("", "class A { fun f( { ", "", "", ""),
	})
}

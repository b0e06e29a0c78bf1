package lower_test

import (
	"flag"
	"testing"

	java "github.com/quarry-search/quarry/index/internal/lang/java/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the sources in testdata with the wanted ones.
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("java"), java.Lower, *update) }

func TestHalfWritten(t *testing.T) { lowertest.HalfWritten(t, "java", java.Lower) }

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	lowertest.Linear(t, "java", java.Lower, 5000, map[string]func(n int) string{
		"parentheses": lowertest.Repeat("class A { int x = ", "(", "1", ")", "; }"),
		"blocks":      lowertest.Repeat("class A { void f() ", "{", "", "}", " }"),
		"classes":     lowertest.Repeat("", "class A { ", "", "}", ""),
		"calls":       lowertest.Repeat("class A { void f() { a", ".b()", "", "", "; } }"),
		"sum":         lowertest.Repeat("class A { int x = 1", " + f()", "", "", "; }"),
		"lambdas":     lowertest.Repeat("class A { F x = ", "a -> ", "a", "", "; }"),
		"types":       lowertest.Repeat("class A { ", "L<", "A", ">", " x; }"),
		"errors":      lowertest.Repeat("", "class A { void f( { ", "", "", ""),
	})
}

package lower_test

import (
	"flag"
	"testing"

	ruby "github.com/quarry-search/quarry/index/internal/lang/ruby/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("ruby"), ruby.Lower, *update) }

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	lowertest.Cut(t, lowertest.Only("ruby"), ruby.Lower)
	lowertest.Deep(t, "ruby", ruby.Lower, "def first\n g()\nend\n", 5000,
		"f(", "{ ", "a.b(", "[", "->(x) { ", "(", "if a\n", "not ", "a ? b : ", "def f\n", "class X\n", "module M\n", "x = ", "f do |a|\n",
		"case a\nwhen b\n", "begin\n", "!", "\"#{", "a && ")
}

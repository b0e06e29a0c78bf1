package lower_test

import (
	"flag"
	"testing"

	csharp "github.com/quarry-search/quarry/index/internal/lang/csharp/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("csharp"), csharp.Lower, *update) }

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	lowertest.Cut(t, lowertest.Only("csharp"), csharp.Lower)
	lowertest.Deep(t, "csharp", csharp.Lower, "class C { void First() { G(); } void F() { ", 5000,
		"f(", "{", "a.b(", "[", "x => ", "(", "if (a) {", "new A { B = ", "a ? b : ", "A<", "x is { A: ", "!", "class X { ", "namespace N { ")
}

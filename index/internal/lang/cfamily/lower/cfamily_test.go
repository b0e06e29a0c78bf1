package lower_test

import (
	"flag"
	"strings"
	"testing"

	cfamily "github.com/quarry-search/quarry/index/internal/lang/cfamily/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// language is that of a file's name.
func language(name string) string {
	if strings.HasSuffix(name, ".c") {
		return "c"
	}
	return "cpp"
}

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, language, cfamily.Lower, *update) }

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	lowertest.Cut(t, language, cfamily.Lower)
	for _, lang := range []string{"c", "cpp"} {
		lowertest.Deep(t, lang, cfamily.Lower, "int g(void); void first(void) { g(); } void f(void) { x = ", 2000,
			"f(", "{", "a->b(", "a[", "(", "if (a) {", "*", "!", "a ? b : ", "A<", "{ .a = ", "[] { ", "struct { ", "int (*", "a = ")
	}
}

// TestMacros lowers macros whose calls are nested thousands of levels deep, or many.
func TestMacros(t *testing.T) {
	lowertest.Linear(t, "c", cfamily.Lower, 5000, map[string]func(n int) string{
		"nested":  lowertest.Repeat("#define M(x) ", "f(", "x", ")", "\n"),
		"row":     lowertest.Repeat("#define M(x) ", "f(x) + ", "x", "", "\n"),
		"open":    lowertest.Repeat("#define M(x) ", "f(x, ", "x", "", "\n"),
		"macros":  lowertest.Repeat("", "#define M(x) f(x) /* g(x) */ \\\n h(x)\n", "", "", ""),
		"comment": lowertest.Repeat("#define M(x) f(x) ", "/* ", "", "", "\n"),
	})
}

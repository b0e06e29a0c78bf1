package glr_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// TestColumns: the column is the library's, in long lines of characters of all lengths and
// of bytes that are none, wherever it is asked for.
func TestColumns(t *testing.T) {
	c := newComparison(t)
	for _, unit := range []string{"a ", "é$b ", "\xff$(c)\xe0\x80", "\r\u2028😀 ${d} ", "a\n ", "\x00 $a"} {
		for _, n := range []int{1, 100, 700} {
			long := strings.Repeat(unit, n)
			c.compare(t, "bash", unit, []byte("cat <<A\n"+long+"\n"+long+"$x\n$y"+long+"\nA\necho "+long))
			c.compare(t, "bash", unit, []byte("\ufeffcat <<-A <<B\n\t"+long+"\n\tA\n"+long+"\nB\n"))
			c.compare(t, "scala", unit, []byte("def a =\n  b\n/* "+long+" */ def c =\n  d\n"+long+"\n  e\n"))
			c.compare(t, "elm", unit, []byte("a =\n  {- "+long+" -} let\n   b = c\n  in b\n"+long))
			c.compare(t, "ocaml", unit, []byte("let a = \""+long+"\"\n# 1 \"b\"\n"+long+"# 2"))
		}
	}
	if c.declined > c.texts/4 {
		t.Errorf("%d of %d texts declined", c.declined, c.texts)
	}
}

// A token may be as long as the text: also while a scanner or a lexer reads one, the clock
// is looked at. These texts are of a few tokens, so that nothing else would do it.
func TestTokensEndInTime(t *testing.T) {
	c := newComparison(t)
	long := strings.Repeat("a\n", 1<<15)
	for language, text := range map[string]string{
		"bash":       "cat <<'A'\n" + long + "A\n",
		"javascript": "x = `" + long + "`\n",
		"python":     "x = '''" + long + "'''\n",
		"java":       "/*" + long + "*/\n",
	} {
		g := c.grammar(t, language)
		c.p.Limit = time.Microsecond
		if _, got := c.p.ByTables(nil, g, []byte(text)); got != glr.Late {
			t.Errorf("%s: %d, want %d", language, got, glr.Late)
		}
		c.p.Limit = time.Minute
		if _, got := c.p.ByTables(nil, g, []byte(text)); got != glr.Whole {
			t.Errorf("%s: %d, want %d", language, got, glr.Whole)
		}
	}
}

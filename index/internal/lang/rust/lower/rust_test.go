package lower_test

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	rust "github.com/quarry-search/quarry/index/internal/lang/rust/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("rust"), rust.Lower, *update) }

// TestBroken lowers every beginning of a source, and deep nesting: it must end,
// and soon.
func TestBroken(t *testing.T) {
	src, err := os.ReadFile("testdata/macros.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := lang.NewParser()
	defer p.Close()
	lower := func(src []byte) *ir.File {
		_, tree := p.ParseTree("rust", src)
		if tree == nil {
			return nil
		}
		f := rust.Lower("rust", tree)
		lowertest.Sound(t, f, src)
		return f
	}
	for i := 0; i < len(src); i += 7 {
		lower(src[:i])
	}
	for _, deep := range []string{"f(", "{", "a.b(", "[", "|x| ", "m!(", "Some(", "mod m {", "fn f() {", "if a {", "match a { b => "} {
		lower([]byte("fn f() {" + strings.Repeat(deep, 5000)))
		f := lower(append([]byte("fn first() { g() }\nfn f() {"), bytes.Repeat([]byte(deep), 300)...))
		if f != nil && len(f.Funcs) < 2 {
			t.Errorf("%q: nothing was kept", deep)
		}
	}
}

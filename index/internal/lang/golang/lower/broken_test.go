package lower

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/lang"
)

// TestBroken lowers texts that break off or lack a piece: whatever the parser
// makes of them, there is a file.
func TestBroken(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	p := lang.NewParser()
	defer p.Close()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		src := txtar.Parse(text).Files[0].Data
		for at := 0; at < len(src); at += 97 {
			without := append(src[:at:at], src[min(at+5, len(src)):]...)
			for _, broken := range [][]byte{src[:at], src[at:], without} {
				if _, tree := p.ParseTree("go", broken); tree != nil && Lower("go", tree) == nil {
					t.Fatalf("%s: nothing of the text that is broken at %d", name, at)
				}
			}
		}
	}
}

// TestDeep lowers nesting and chains that no recursion would survive.
func TestDeep(t *testing.T) {
	const depth = 20_000
	p := lang.NewParser()
	defer p.Close()
	for _, src := range []string{
		"package a\nvar x = " + strings.Repeat("(", depth) + "1" + strings.Repeat(")", depth),
		"package a\nvar x = f()" + strings.Repeat(" + f()", depth),
		"package a\nvar x = y" + strings.Repeat(".f()", depth),
		"package a\nfunc f() " + strings.Repeat("{", depth) + strings.Repeat("}", depth),
		"package a\nvar x " + strings.Repeat("[]", depth) + "int",
	} {
		if _, tree := p.ParseTree("go", []byte(src)); tree != nil && Lower("go", tree) == nil {
			t.Errorf("nothing of %.40s", src)
		}
	}
}

package flow_test

import (
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/flow"
	"github.com/quarry-search/quarry/index/internal/lang"
)

// TestBounds makes graphs of functions that nobody writes: what is too large is said to be, and
// what is made is in proportion to the text.
func TestBounds(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for _, tc := range []struct {
		name, language, src string
		gaps, known         bool
	}{
		{"statements", "go", "package a\n\nfunc f(x int) int {\n" + strings.Repeat("\tx = x + 1\n", 50_000) + "\treturn x\n}\n", false, false},
		{"cases", "go", "package a\n\nfunc f(x int) int {\n\tswitch x {\n" + strings.Repeat("\tcase 1:\n\t\tx++\n", 10_000) + "\t}\n\treturn x\n}\n", false, true},
		{"loops", "go", "package a\n\nfunc f(x int) int {\n" + strings.Repeat("for x > 0 {\n", 1000) + "x--\n" + strings.Repeat("}\n", 1000) + "\treturn x\n}\n", true, true},
		{"depth", "python", "def f(x):\n    return " + strings.Repeat("(", 3000) + "x" + strings.Repeat(")", 3000) + "\n", true, true},
		{"closures", "go", "package a\n\nfunc f(x int) {\n" + strings.Repeat("func() {\n", 500) + "x++\n" + strings.Repeat("}()\n", 500) + "}\n", false, true},
		{"aliases", "python", "def f(a, b):\n" + strings.Repeat("    a = b\n    a.x = 1\n    g(a.x, b)\n", 1000), false, true},
		{"jumps", "python", "def f(x):\n    while x:\n" + strings.Repeat("        if x: break\n", 5000), false, true},
		{"handlers", "python", "def f(x):\n    try:\n" + strings.Repeat("        x()\n", 3000) + strings.Repeat("    except A:\n        pass\n", 1000), false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, tree := p.ParseTree(tc.language, []byte(tc.src))
			if tree == nil || tree.Root() == 0 {
				t.Skip("the parser gives up")
			}
			f, ok := flow.Outermost(tc.language, tree, strings.Index(tc.src, "f(x"))
			if !ok {
				t.Fatal("no function")
			}
			g := flow.Graph(tc.language, tree, f)
			s := flow.ShapeOf(g)
			edges := 0
			for i := range g.Steps {
				edges += len(g.Steps[i].Next)
			}
			deps, known := flow.Depend(g)
			t.Logf("%d steps, %d edges, %d blocks, %d dependences, gaps %v", len(g.Steps), edges, len(s.Blocks), len(deps), g.Gaps)
			if known != tc.known || len(g.Gaps) > 0 != tc.gaps {
				t.Errorf("known %v, gaps %v", known, g.Gaps)
			}
			if edges > 4*len(g.Steps) {
				t.Errorf("%d edges of %d steps", edges, len(g.Steps))
			}
		})
	}
}

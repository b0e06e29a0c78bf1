package index

import (
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/impact"
)

// TestTitledTests has the tests of JavaScript's runners named by their titles, where the graph
// knows all that is affected.
func TestTitledTests(t *testing.T) {
	root := t.TempDir()
	for _, tool := range []string{"vitest", "jest", "mocha"} {
		write(t, root, tool+"/package.json", `{"devDependencies": {"`+tool+`": "1"}}`)
		write(t, root, tool+"/add.js", "export function add_"+tool+"(a, b) { return a + b }\nexport function one() { return 1 }\n")
		write(t, root, tool+"/add.test.js", "import { add_"+tool+", one } from './add.js'\n\ndescribe('add', () => {\n  it('adds (two)', () => {\n    add_"+tool+"(1, 1)\n  })\n  it('is one', () => {\n    one()\n  })\n})\n")
	}
	x := build(t, root)
	for tool, want := range map[string][]string{
		"vitest": {"npx", "vitest", "run", "add.test.js", "-t", `(adds \(two\))$`},
		"jest":   {"npx", "jest", "--runTestsByPath", "add.test.js", "-t", `(adds \(two\))$`},
		"mocha":  {"npx", "mocha", "add.test.js", "-g", `(adds \(two\))$`},
	} {
		a, err := x.Impact(t.Context(), impact.Query{Target: "add_" + tool, Runs: true})
		if err != nil || len(a.Runs) != 1 || !slices.Equal(a.Runs[0].Args, want) || !slices.Equal(a.Runs[0].Tests, []string{"adds (two)"}) {
			t.Errorf("%s: %+v, %v, incomplete because %q", tool, a.Runs, err, a.Because)
		}
	}
}

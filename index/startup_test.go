package index

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
)

// startupShop is a program of a few folders.
func startupShop(t *testing.T) string {
	root := t.TempDir()
	write(t, root, "go.mod", "module shop\n\ngo 1.24\n")
	write(t, root, "main.go", "// Command shop sells things to people.\npackage main\n\nimport \"shop/cart\"\n\nfunc main() {\n\tcart.Checkout(nil)\n}\n")
	write(t, root, "cart/doc.go", "// Package cart keeps what is to be bought. More of it.\npackage cart\n")
	write(t, root, "cart/cart.go", "package cart\n\n// A Cart has lines.\ntype Cart struct{ lines []string }\n\n// Add adds a line.\nfunc (c *Cart) Add(s string) {\n\tc.lines = append(c.lines, s)\n}\n\n// Checkout pays for a cart.\nfunc Checkout(c *Cart) {\n\tc.Add(\"paid\")\n\tpay()\n}\n\nfunc pay() {}\n")
	write(t, root, "price/price.py", "class Price:\n    def round_up(self):\n        return 1\n\nclass Small:\n    pass\n")
	write(t, root, "price/price_test.py", "def test_price():\n    pass\n")
	return root
}

func startupOf(t *testing.T, x *Index, q brief.StartupQuery) brief.StartupAnswer {
	t.Helper()
	a, err := x.Startup(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if most := q.MaxTokens; most > 0 && (a.Tokens > most || a.Tokens != answer.Tokens(utf8.RuneCountInString(a.Text))) {
		t.Errorf("%d tokens of %d:\n%s", a.Tokens, most, a.Text)
	}
	return a
}

func TestStartup(t *testing.T) {
	x := build(t, startupShop(t))
	a := startupOf(t, x, brief.StartupQuery{Task: "pay for a cart", Limit: 2})
	want := `## Codebase Structure
6 files: go 80%, python 20%
- cart/ (2) keeps what is to be bought
- ./ (2) sells things to people
- price/ (2) Price, Small
## Entry Point Context
### main
main.go:6-8 function
` + "```go\nfunc main() {\n\tcart.Checkout(nil)\n}\n```\n" + `#### Calls
- cart/cart.go:12 ` + "`func Checkout(c *Cart)`" + ` Checkout pays for a cart.
`
	if !strings.HasPrefix(a.Text, want) {
		t.Errorf("%s", a.Text)
	}
	if !strings.Contains(a.Text, "## Related Code\n- `cart/cart.go:12` - func Checkout(c *Cart)") || len(a.Results) != 2 || !a.Results[0].Brief && a.Results[0].Content == "" {
		t.Errorf("%s", a.Text)
	}
	if a.Entry == nil || a.Entry.Symbol != "main" || a.TokensRaw == 0 || a.Files == 0 {
		t.Errorf("%+v", a)
	}
}

// The folder that a task is about comes first, however little code it has.
func TestStartupOfATask(t *testing.T) {
	x := build(t, startupShop(t))
	a := startupOf(t, x, brief.StartupQuery{Task: "round up a price"})
	if len(a.Structure.Folders) != 3 || a.Structure.Folders[0].Path != "price/" || a.Structure.More != 0 {
		t.Errorf("%+v\n%s", a.Structure, a.Text)
	}
}

// Every budget holds, and a part that does not fit is not there at all.
func TestStartupBudget(t *testing.T) {
	x := build(t, startupShop(t))
	for budget := 1; budget < 400; budget += 3 {
		a := startupOf(t, x, brief.StartupQuery{Task: "pay for a cart", MaxTokens: budget})
		for title, has := range map[string]bool{
			"## Codebase Structure\n": a.Structure != nil, "## Entry Point Context\n": a.Entry != nil, "## Related Code\n": len(a.Results) > 0,
		} {
			if strings.Contains(a.Text, title) != has {
				t.Errorf("%d tokens: %q is there: %v\n%s", budget, title, !has, a.Text)
			}
		}
		if (a.Structure == nil || a.Entry == nil || len(a.Results) == 0) && !a.Truncated {
			t.Errorf("%d tokens: something is left out and not said:\n%s", budget, a.Text)
		}
	}
}

func TestStartupParts(t *testing.T) {
	root := startupShop(t)
	x := build(t, root)
	if a := startupOf(t, x, brief.StartupQuery{Entry: "Checkout"}); strings.Contains(a.Text, "Related") || a.Entry.Symbol != "Checkout" || len(a.Results) != 0 {
		t.Errorf("no task:\n%s", a.Text)
	}
	var none *answer.TargetError
	if _, err := x.Startup(t.Context(), brief.StartupQuery{Entry: "Nobody"}); !errors.As(err, &none) {
		t.Errorf("an entry that there is not: %v", err)
	}
	if a := startupOf(t, x, brief.StartupQuery{Entry: "go.mod"}); a.NoEntry == "" || a.Entry != nil {
		t.Errorf("an entry without a call graph: %+v", a)
	}
	var sent answer.Sent
	q := brief.StartupQuery{Task: "pay for a cart", Sent: &sent}
	for _, l := range startupOf(t, x, q).Given {
		sent.Add(l)
	}
	if a := startupOf(t, x, q); a.References == 0 || !strings.Contains(a.Text, "(sent before)") {
		t.Errorf("a second time:\n%s", a.Text)
	}
	// Two programs have no one beginning; and the structure is that of now.
	write(t, root, "cmd/other/main.go", "package main\n\nfunc main() {}\n")
	if _, err := x.Update(t.Context(), []string{"cmd"}); err != nil {
		t.Fatal(err)
	}
	if a := startupOf(t, x, brief.StartupQuery{Task: "cart"}); a.Entry != nil || !strings.Contains(a.Text, "- cmd/ (1)") {
		t.Errorf("two programs:\n%s", a.Text)
	}
	empty := build(t, t.TempDir())
	if a := startupOf(t, empty, brief.StartupQuery{Task: "cart"}); a.Text != "" || a.Structure != nil || a.Truncated {
		t.Errorf("nothing: %+v", a)
	}
}

// A large folder is listed by what is in it, and what is not listed is counted.
func TestOverview(t *testing.T) {
	root := t.TempDir()
	body := strings.Repeat("\tprintln()\n", 40)
	for i := range 20 {
		write(t, root, fmt.Sprintf("big/part%02d/a.go", i), fmt.Sprintf("package a\n\nfunc F%d() {\n%s}\n", i, body))
	}
	write(t, root, "big/own.go", "package big\n\nfunc Own() {\n"+body+body+"}\n")
	write(t, root, "small/a.go", "package a\n\nfunc Small() {\n"+body+"}\n")
	write(t, root, "vendor/v/a.go", "package v\n\nfunc V() {\n"+strings.Repeat(body, 3)+"}\n")
	o, err := brief.OverviewOf(build(t, root).Writer.View)
	if err != nil {
		t.Fatal(err)
	}
	listed, files := map[string]bool{}, 0
	for _, f := range o.Folders {
		listed[f.Path] = true
		files += f.Files
	}
	if len(o.Folders) != brief.MaxFolders || o.Folders[0].Path != "big/" || o.Folders[0].Files != 1 || !listed["big/part10/"] || listed["vendor/"] {
		t.Errorf("%+v", o.Folders)
	}
	if o.More != 23-brief.MaxFolders {
		t.Errorf("%d more", o.More)
	}
}

package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/search"
)

// packedShop has a function with five callers and one long type.
func packedShop(t *testing.T) *Index {
	root := t.TempDir()
	var callers, fields strings.Builder
	for i := range 5 {
		fmt.Fprintf(&callers, "func caller%d() { Pay(Order{}) }\n\n", i)
	}
	for i := range 17 {
		fmt.Fprintf(&fields, "\tfield%02d string // of the order, with some words about it\n", i)
	}
	write(t, root, "go.mod", "module shop\n\ngo 1.24\n")
	write(t, root, "order.go", "package shop\n\n// An Order is bought.\ntype Order struct {\n"+fields.String()+"}\n")
	write(t, root, "pay.go", "package shop\n\nimport \"fmt\"\n\n// Pay pays for an order. It prints.\nfunc Pay(o Order) {\n\tcheck(o)\n\tfmt.Println(o)\n}\n\n// check looks at an order.\nfunc check(o Order) {\n\tfmt.Println(o)\n}\n")
	write(t, root, "callers.go", "package shop\n\n"+callers.String())
	return build(t, root)
}

func contextOf(t *testing.T, x *Index, q brief.ContextQuery) brief.ContextAnswer {
	t.Helper()
	a, err := x.Context(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if a.Tokens > q.MaxTokens {
		t.Errorf("%d tokens of %d:\n%s", a.Tokens, q.MaxTokens, a.Text)
	}
	return a
}

// A long type does not take the place of the callers.
func TestContextIsFilledByValue(t *testing.T) {
	x := packedShop(t)
	whole := contextOf(t, x, brief.ContextQuery{Target: "Pay", MaxTokens: 4000})
	if len(whole.Callers) != 5 || len(whole.Types) != 1 || whole.Types[0].Content == "" || whole.Truncated {
		t.Fatalf("%+v", whole)
	}
	a := contextOf(t, x, brief.ContextQuery{Target: "Pay", MaxTokens: whole.Tokens - 100})
	if len(a.Callers) != 5 || len(a.Functions) != 1 || len(a.Types) != 1 || a.Types[0].Content != "" || !a.Truncated {
		t.Errorf("%d callers, %d functions, %d types:\n%s", len(a.Callers), len(a.Functions), len(a.Types), a.Text)
	}
	for budget := 1; budget < whole.Tokens+5; budget += 7 {
		a := contextOf(t, x, brief.ContextQuery{Target: "Pay", MaxTokens: budget})
		named := len(a.Functions) + len(a.Callers) + len(a.Types)
		if !a.Truncated != (named == 7 && a.Types[0].Content != "" && a.Text == whole.Text) && budget < whole.Tokens-20 {
			t.Errorf("%d tokens: truncated %v:\n%s", budget, a.Truncated, a.Text)
		}
	}
}

// The last line says what the text costs, itself included, and what the files would.
func TestContextReceipt(t *testing.T) {
	a := contextOf(t, packedShop(t), brief.ContextQuery{Target: "Pay", MaxTokens: 4000})
	lines := strings.Split(strings.TrimSuffix(a.Text, "\n"), "\n")
	want := fmt.Sprintf("(%s tokens; the 3 files whole: %s)", brief.Grouped(a.Tokens), brief.Grouped(a.TokensRaw))
	if last := lines[len(lines)-1]; last != want || a.Files != 3 {
		t.Errorf("the receipt is %q, want %q", last, want)
	}
}

// What a reader has comes as references, until its file changes.
func TestContextOfASession(t *testing.T) {
	x := packedShop(t)
	var sent answer.Sent
	q := brief.ContextQuery{Target: "Pay", MaxTokens: 4000, Sent: &sent}
	first := contextOf(t, x, q)
	if first.References != 0 {
		t.Errorf("%d references to nothing", first.References)
	}
	for _, l := range first.Given {
		sent.Add(l)
	}
	second := contextOf(t, x, q)
	if !second.Definition.Sent || second.Definition.Content != "" || !second.Types[0].Sent || second.Types[0].Content != "" || second.References < 2 {
		t.Errorf("%+v", second)
	}
	for _, want := range []string{"- pay.go:6 `func Pay(o Order)` (sent before)\n", "- order.go:4 `type Order struct` (sent before)\n"} {
		if !strings.Contains(second.Text, want) {
			t.Errorf("there is no %q in\n%s", want, second.Text)
		}
	}
	for _, not := range []string{"fmt.Println", "looks at", "field03", "Imports"} {
		if strings.Contains(second.Text, not) {
			t.Errorf("%q is sent again:\n%s", not, second.Text)
		}
	}
	if len(second.Imports) != 1 || second.Truncated {
		t.Errorf("imports %v, truncated %v", second.Imports, second.Truncated)
	}
	// A search knows it, too.
	for _, r := range searchFor(t, x, search.Query{Text: "pay for an order", MaxTokens: 2000, Sent: &sent}) {
		if r.Symbol == "Order" && !r.Sent {
			t.Errorf("%+v", r)
		}
	}
	// In another content it is new.
	write(t, x.Root(), "pay.go", "package shop\n\n\nfunc Pay(o Order) {\n\tcheck(o)\n}\n\nfunc check(o Order) {}\n")
	if _, err := x.Update(t.Context(), []string{"pay.go"}); err != nil {
		t.Fatal(err)
	}
	if third := contextOf(t, x, q); third.Definition.Sent || !third.Types[0].Sent {
		t.Errorf("%s", third.Text)
	}
}

// Words bring what else was found, and an answer where there is no call graph.
func TestContextOfWords(t *testing.T) {
	x := packedShop(t)
	a := contextOf(t, x, brief.ContextQuery{Target: "pay for an order", MaxTokens: 4000})
	if !a.Searched || len(a.Found) == 0 || !strings.Contains(a.Text, "## Also found\n") {
		t.Errorf("%s", a.Text)
	}
	for place := range strings.SplitSeq(a.Text, "\n```go\n") {
		if place = place[strings.LastIndexByte(place, '\n')+1:]; place != "" && strings.Count(a.Text, place+"\n```go\n") > 1 {
			t.Errorf("the text of %s is given twice:\n%s", place, a.Text)
		}
	}
	for _, r := range a.Found {
		if r.File == a.Definition.File && r.Line >= a.Definition.Line && r.EndLine <= a.Definition.EndLine {
			t.Errorf("%s:%d is given twice", r.File, r.Line)
		}
	}
	root := t.TempDir()
	write(t, root, "money.zig", "// the currency rounding table\nfn roundCurrency(n: i32) i32 {\n    return n;\n}\n")
	a = contextOf(t, build(t, root), brief.ContextQuery{Target: "currency rounding table", MaxTokens: 4000})
	if a.Complete || len(a.Because) == 0 || !strings.Contains(a.Text, "roundCurrency") {
		t.Errorf("%v\n%s", a.Because, a.Text)
	}
}

// What is said of a function that is called is a sentence: no line drawn between sections, and
// not the backslash by which a docstring begins on the next line.
func TestContextDocs(t *testing.T) {
	root := t.TempDir()
	write(t, root, "arbiter.py", "def murder(pid):\n    kill(pid)\n    log(pid)\n\n\ndef kill(pid):\n    \"\"\"\\\n    Kill a worker.\n    \"\"\"\n    return pid\n\n\n# ------------------------------------------------------------\ndef log(pid):\n    return pid\n")
	write(t, root, "Arbiter.php", "<?php\nclass Arbiter {\n    public function halt() { $this->close(); $this->wait(); }\n\n    /** @return int[] */\n    public function close() { return []; }\n\n    /**\n     * Waits for all.\n     * @throws Late\n     */\n    public function wait() {}\n}\n")
	x := build(t, root)
	for target, all := range map[string][]string{
		"murder": {"- arbiter.py:6 `def kill(pid):` Kill a worker.\n", "- arbiter.py:14 `def log(pid):`\n"},
		"halt":   {"- Arbiter.php:6 `public function close()`\n", "- Arbiter.php:12 `public function wait()` Waits for all.\n"},
	} {
		a := contextOf(t, x, brief.ContextQuery{Target: target, MaxTokens: 1000})
		for _, want := range all {
			if !strings.Contains(a.Text, want) {
				t.Errorf("%q is not in\n%s", want, a.Text)
			}
		}
	}
}

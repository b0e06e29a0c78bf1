package glr_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestScannerStates: what a scanner has to remember may be more than it has room for, or
// than it can read again, at each bound of each scanner: the text is parsed to the end, to
// the tree that the library makes of it.
func TestScannerStates(t *testing.T) {
	texts := map[string]struct {
		text     func(n int) string
		from, to int
	}{
		"bash":       {func(n int) string { w := strings.Repeat("W", n); return "cat <<" + w + "\na $b\n" + w + "\nc\n" }, 1008, 1020},
		"bash ":      {func(n int) string { return "cat " + strings.Repeat("<<A ", n) + "\n" + strings.Repeat("a\nA\n", n) }, 252, 260},
		"elm":        {func(n int) string { return strings.Repeat("in ", n) + "\na =\n  let\n   b = c\n  in\n  b\n" }, 0, 4},
		"kotlin":     {func(n int) string { return "val a = " + strings.Repeat(`"${`, n) }, 1018, 1030},
		"php":        {func(n int) string { return "<?php f(" + strings.Repeat("<<<A\n{$a[", n) }, 200, 206},
		"php ":       {func(n int) string { w := strings.Repeat("W", n); return "<?php f(<<<" + w + "\na\n" + w + "\n);\n" }, 252, 258},
		"ruby":       {func(n int) string { w := strings.Repeat("W", n); return "x = <<~" + w + "\n  a\n" + w + "\ny = 1\n" }, 250, 260},
		"ruby ":      {func(n int) string { w := strings.Repeat("W", n); return "x = <<~" + w + "\n  a\n" + w + "\ny = 1\n" }, 1012, 1026},
		"ruby  ":     {func(n int) string { return "f(" + strings.Repeat("<<A, ", n) + "1)\n" + strings.Repeat("a\nA\n", n) }, 250, 260},
		"ruby   ":    {func(n int) string { return strings.Repeat(`"#{`, n) }, 200, 208},
		"sql":        {func(n int) string { w := strings.Repeat("a", n); return "SELECT $" + w + "$ b $c$ $" + w + "$;" }, 1018, 1026},
		"swift":      {func(n int) string { w := strings.Repeat("#", n); return "let a = " + w + "\"b\"" + w + "\n" }, 1, 5},
		"yaml":       {func(n int) string { return strings.Repeat("- ", n) + "a\n" }, 506, 514},
		"python":     {func(n int) string { return strings.Repeat(`f"{`, n) }, 252, 258},
		"scala":      {func(n int) string { return "def a =\n" + indented(n) }, 505, 512},
		"ocaml":      {func(n int) string { w := strings.Repeat("a", n); return "let a = {" + w + "|b|" + w + "}\n" }, 1020, 1026},
		"hcl":        {func(n int) string { return "a = " + strings.Repeat(`"${`, n) }, 124, 130},
		"csharp":     {func(n int) string { return "var a = " + strings.Repeat(`$"{`, n) }, 252, 258},
		"dockerfile": {func(n int) string { w := strings.Repeat("W", n); return "RUN <<" + w + " <<V" + w + "\na\n" }, 506, 514},
	}
	c := newComparison(t)
	for name, of := range texts {
		language := strings.TrimSpace(name)
		for n := of.from; n < of.to; n++ {
			c.compare(t, language, fmt.Sprintf("%s %d", name, n), []byte(of.text(n)))
		}
	}
	if c.declined > c.texts/10 {
		t.Errorf("%d of %d texts declined", c.declined, c.texts)
	}
}

// indented returns n lines, each further to the right than the one before.
func indented(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i+1) + "def a =\n")
	}
	return b.String()
}

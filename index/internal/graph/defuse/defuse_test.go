package defuse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph/defuse"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lang/python/lower"
)

// TestPasses asks which parameters may be in what the first function returns.
func TestPasses(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	for _, c := range []struct {
		text string
		want uint64
	}{
		{"def f(a, b): return a", 1 << 1},
		{"def f(a, b): return b", 1 << 2},
		{"def f(a, b): return a if b else g(b)", 1<<1 | 1<<2},
		{"def f(a):\n  x = a\n  y = x\n  return y", 1 << 1},
		{"def f(a):\n  x = a\n  x = 1\n  return x", 0},
		{"def f(a):\n  a = g()\n  return a", 0},
		{"def f(a):\n  x, y = a\n  return x", 0},
		{"def f(a): return a.b", 0},
		{"def f(a): return a[0]", 0},
		{"def f(*a): return a", 0},
		{"def f(a):\n  def g(b): return a(b)\n  return g", 1 << 1},
		{"def f(a):\n  def g(b): return b\n  return g", 0},
		{"def f(a):\n  while a:\n    x = y\n    y = x\n  return x", 0},
		{"def f(a):" + strings.Repeat("\n  x = g(x)", 20) + "\n  return x", 0},
		{"class C:\n  def f(self): return self", 1},
		{"def f(a): return " + strings.Repeat("g(", 5) + "a" + strings.Repeat(")", 5), 1 << 1},
		{"def f(a): return " + strings.Repeat("g(", 50) + "a" + strings.Repeat(")", 50), 0},
	} {
		_, tree := p.ParseTree("python", []byte(c.text))
		f := lower.Lower("python", tree)
		chains := defuse.Of(f, nil)
		got := uint64(0)
		for _, s := range f.Body(2) {
			if s.Op == ir.Return {
				got |= chains.Passes(s.A, func(v ir.Var) bool { return chains.Var(v).Func == 2 })
			}
		}
		if got != c.want {
			t.Errorf("%s\n%b, want %b", c.text, got, c.want)
		}
	}
}

// TestBegin asks about variables that are made of each other, eight times each: a question
// for each way that leads to the parameter would not end.
func TestBegin(t *testing.T) {
	p := lang.NewParser()
	defer p.Close()
	text := []byte("def f(p):\n  x0 = p\n")
	for n := 1; n <= 60; n++ {
		text = fmt.Appendf(text, "  x%d = g(p%s)\n", n, strings.Repeat(fmt.Sprintf(", x%d", n-1), 8))
	}
	_, tree := p.ParseTree("python", append(text, "  return x60\n"...))
	f := lower.Lower("python", tree)
	chains := defuse.Of(f, nil)
	looked := 0
	for range 2 {
		chains.Begin()
		for x := range f.Exprs {
			chains.Passes(ir.Expr(x), func(ir.Var) bool { looked++; return true })
		}
	}
	if looked == 0 || looked > 1<<13 {
		t.Errorf("%d parameters were looked at", looked)
	}
	if last := ir.Expr(len(f.Exprs) - 1); chains.Passes(last, func(ir.Var) bool { return true }) != 0 {
		t.Error("there is an answer beyond what one may look at")
	}
}

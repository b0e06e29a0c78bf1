package lower_test

import (
	"flag"
	"testing"

	elixir "github.com/quarry-search/quarry/index/internal/lang/elixir/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("elixir"), elixir.Lower, *update) }

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	lowertest.Cut(t, lowertest.Only("elixir"), elixir.Lower)
	lowertest.Deep(t, "elixir", elixir.Lower, "defmodule A do\n def first(), do: g()\n def f(x) do\n", 5000,
		"f(", "{", "[", "%{a: ", "fn x -> ", "(", "if a do\n", "case a do b -> ", "a |> b(", "a = ", "defmodule B do\n", "&(", "x[", "def f(x) do\n")
}

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	lowertest.Linear(t, "elixir", elixir.Lower, 4000, map[string]func(n int) string{
		"pipes":    lowertest.Repeat("def f(x) do\n x", " |> g()", "", "", "\nend"),
		"sum":      lowertest.Repeat("def f(x) do\n x", " + g()", "", "", "\nend"),
		"matches":  lowertest.Repeat("def f(x) do\n ", "x = ", "y", "", "\nend"),
		"clauses":  lowertest.Repeat("defmodule A do\n", "def f(1), do: g()\n", "", "", "end"),
		"captures": lowertest.Repeat("x = ", "&(", "&1", ")", ""),
	})
}

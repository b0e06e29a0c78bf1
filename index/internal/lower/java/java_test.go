package java_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/lower/java"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the sources in testdata with the wanted ones.
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("java"), java.Lower, *update) }

func TestHalfWritten(t *testing.T) { lowertest.HalfWritten(t, "java", java.Lower) }

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	deep := map[string]string{
		"parentheses": "class A { int x = " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + "; }",
		"blocks":      "class A { void f() " + strings.Repeat("{", 5000) + strings.Repeat("}", 5000) + " }",
		"classes":     strings.Repeat("class A { ", 3000) + strings.Repeat("}", 3000),
		"calls":       "class A { void f() { a" + strings.Repeat(".b()", 5000) + "; } }",
		"sum":         "class A { int x = 1" + strings.Repeat(" + f()", 5000) + "; }",
		"lambdas":     "class A { F x = " + strings.Repeat("a -> ", 3000) + "a; }",
		"types":       "class A { " + strings.Repeat("L<", 3000) + "A" + strings.Repeat(">", 3000) + " x; }",
		"errors":      strings.Repeat("class A { void f( { ", 2000),
	}
	p := syntax.NewParser()
	defer p.Close()
	for name, src := range deep {
		_, tree := p.ParseTree("java", []byte(src))
		if tree == nil {
			continue
		}
		begin := time.Now()
		if f := java.Lower("java", tree); f == nil {
			t.Errorf("%s: nothing", name)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(src))
		}
	}
}

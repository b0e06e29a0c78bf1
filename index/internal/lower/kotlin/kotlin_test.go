package kotlin_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/internal/lower/kotlin"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

var update = flag.Bool("update", false, "rewrite the wanted dumps")

// TestLower compares the dumps of the sources in testdata with the wanted ones.
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("kotlin"), kotlin.Lower, *update) }

func TestHalfWritten(t *testing.T) { lowertest.HalfWritten(t, "kotlin", kotlin.Lower) }

// TestDeep lowers text that is nested or chained thousands of levels deep.
func TestDeep(t *testing.T) {
	deep := map[string]string{
		"parentheses": "val x = " + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000),
		"classes":     strings.Repeat("class A { ", 3000) + strings.Repeat("}", 3000),
		"calls":       "val x = a" + strings.Repeat(".b()", 5000),
		"sum":         "val x = a" + strings.Repeat(" + f()", 5000),
		"and":         "val x = a is B" + strings.Repeat(" && a is C", 5000),
		"lambdas":     "val x = " + strings.Repeat("{ ", 3000) + strings.Repeat("}", 3000),
		"types":       "val x: " + strings.Repeat("L<", 3000) + "A" + strings.Repeat(">", 3000) + " = 1",
		"elvis":       "val x = a" + strings.Repeat(" ?: a", 5000),
		"branches":    "fun f() { " + strings.Repeat("if (a) b else ", 3000) + "c }",
		"errors":      strings.Repeat("class A { fun f( { ", 2000),
	}
	p := syntax.NewParser()
	defer p.Close()
	for name, src := range deep {
		_, tree := p.ParseTree("kotlin", []byte(src))
		if tree == nil {
			continue
		}
		begin := time.Now()
		if f := kotlin.Lower("kotlin", tree); f == nil {
			t.Errorf("%s: nothing", name)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(src))
		}
	}
}

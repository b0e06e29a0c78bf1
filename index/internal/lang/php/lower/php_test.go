package lower_test

import (
	"flag"
	"testing"

	php "github.com/quarry-search/quarry/index/internal/lang/php/lower"
	"github.com/quarry-search/quarry/index/internal/lower/lowertest"
)

var update = flag.Bool("update", false, "rewrite the wanted results")

// TestLower compares what each archive's source is lowered to with its "want".
func TestLower(t *testing.T) { lowertest.Golden(t, lowertest.Only("php"), php.Lower, *update) }

// TestBroken lowers beginnings of every source, and deep nesting: it must end, and
// keep what came before.
func TestBroken(t *testing.T) {
	lowertest.Cut(t, lowertest.Only("php"), php.Lower)
	lowertest.Deep(t, "php", php.Lower, "<?php class C { function first() { g(); } } function f() { ", 5000,
		"f(", "{", "$a->b(", "[", "fn() => ", "(", "if ($a) {", "new class { function f() {", "$a ? $b : ", "match ($a) { 1 => ", "!", "function () {", "\"{$a[")
}

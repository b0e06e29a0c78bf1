package syntax

import (
	"strings"
	"testing"
	"time"
)

// TestReadersAreLinear: nothing that is said a quarter of a megabyte long takes half a
// second, whatever it comes after, or it takes no more than its length by that of an
// eighth. Most takes a hundredth of a second; a step for each two bytes would take a
// minute, and 64 times what an eighth takes.
func TestReadersAreLinear(t *testing.T) {
	const size = 1 << 18
	deep := strings.Repeat("- ", maxContainers) + "a\n"
	texts := map[string][]string{
		"markdown": {">", "- ", "1. ", "> * ", "#", "`", "```\n", "\r", "\t", "a\n", "a\n=\n", "# a\n", "<!--", "<a ", "[", "[a]: b\n", "[a]: b \"\n", "[a]: b\n'", "- a\n\n", "|-\n"},
		"html":     {"<", "<a>", "<a id=b>", "</a>", "<a></b>", "<li>", "<p>", "<h1>a", "<table><tr><td>", "<a b=c ", "<a id='", "<!--", "<script>", "<title></", "&", " ", "<a id=b> "},
	}
	p := newParser(t)
	for language, repeated := range texts {
		for _, text := range repeated {
			for _, before := range []string{"", "a\n", "<pre>\n", "<a ", deep} {
				take := func(size int) time.Duration {
					begin := processorTime()
					p.Parse(language, []byte(before+strings.Repeat(text, size/len(text))))
					return processorTime() - begin
				}
				if long, short, found := superlinear(size, take); found {
					t.Errorf("%s: %.9q and much of %q: %v, and %v for an eighth", language, before, text, long, short)
				}
			}
		}
	}
	// What is left open ends where the text does, which is found once.
	if f := p.Parse("html", []byte(strings.Repeat("<a id=b>", maxElements)+strings.Repeat(" ", size))); len(f.Symbols) != maxElements {
		t.Errorf("%d elements", len(f.Symbols))
	}
}

// superlinear finds whether a size takes both half a second and three times its part by
// what an eighth of it takes. Once is not enough: the test's own machine, or its
// collector, may be busy.
func superlinear(size int, take func(size int) time.Duration) (long, short time.Duration, found bool) {
	for range 3 {
		if long = take(size); long < time.Second/2 {
			return 0, 0, false
		}
		if short = take(size / 8); long < 3*8*short {
			return 0, 0, false
		}
	}
	return long, short, true
}

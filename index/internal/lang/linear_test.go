package lang

import (
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/lang/langtest"
)

// How deep containers of Markdown and elements of HTML nest.
const (
	maxContainers = 100
	maxElements   = 512
)

// TestReadersAreLinear: nothing that is said a quarter of a megabyte long takes half a
// second, whatever it comes after, or it takes no more than its length by that of an
// eighth. Most takes a hundredth of a second; a step for each two bytes would take a
// minute, and 64 times what an eighth takes.
func TestReadersAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
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
				parse := func(size int) { p.Parse(language, []byte(before+strings.Repeat(text, size/len(text)))) }
				if long, short, found := langtest.Superlinear(size, parse); found {
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

// The scanner of bash asks for the column of each character of a heredoc.
func TestColumnsAreLinear(t *testing.T) {
	p := newParser(t)
	for _, unit := range []string{"a ", "a $b ", "é"} {
		parse := func(size int) {
			p.Parse("bash", []byte("cat <<A\n"+strings.Repeat(unit, size/len(unit))+"\nA\n"))
		}
		if long, short, found := langtest.Superlinear(1<<16, parse); found {
			t.Errorf("%q: %v, and %v for an eighth", unit, long, short)
		}
	}
}

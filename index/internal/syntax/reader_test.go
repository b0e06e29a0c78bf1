package syntax

import (
	"strings"
	"testing"
	"time"
)

// TestReadersAreLinear: nothing that is said a quarter of a megabyte long takes more than
// a second, whatever it comes after. Most takes a hundredth; a step for each two bytes
// would take a minute.
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
				begin := processorTime()
				p.Parse(language, []byte(before+strings.Repeat(text, size/len(text))))
				if d := processorTime() - begin; d > time.Second {
					t.Errorf("%s: %.9q and much of %q: %v", language, before, text, d)
				}
			}
		}
	}
	// What is left open ends where the text does, which is found once.
	if f := p.Parse("html", []byte(strings.Repeat("<a id=b>", maxElements)+strings.Repeat(" ", size))); len(f.Symbols) != maxElements {
		t.Errorf("%d elements", len(f.Symbols))
	}
}

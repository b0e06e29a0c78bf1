package tokenizer_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed/tokenizer"
)

// A vocabulary of all subwords of a text, split by Identifiers, gives back the
// same subwords in the same order.
func TestSubwordsAreThoseOfIdentifiers(t *testing.T) {
	source, err := os.ReadFile("identifiers.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"getHTTPResponse URLs sha256Sum snake_case X Yz aB", "naïve ÉTÉ", strings.Repeat("a", 25) + " bc", "ABCDe", string(source),
	} {
		var order []string
		tokenizer.Subwords(text, func(p []byte) {
			if !slices.Contains(order, string(p)) {
				order = append(order, string(p))
			}
		})
		ids, err := tokenizer.NewIdentifiers([]byte(strings.Join(append(slices.Clone(order), "zzzz"), "\n")))
		if err != nil {
			t.Fatal(err)
		}
		// Identifiers stop at a limit, so the text goes in line by line.
		seen := map[int32]bool{}
		var got []int32
		var bag tokenizer.Bag
		for line := range bytes.Lines([]byte(text)) {
			ids.Query(&bag, string(line))
			for _, id := range bag.IDs {
				if !seen[id] {
					seen[id] = true
					got = append(got, id)
				}
			}
		}
		for i, id := range got {
			if int(id) != i {
				t.Fatalf("%.40q: token %d in order is %q", text, i, order[id])
			}
		}
		if len(got) != len(order) {
			t.Errorf("%.40q: Subwords has %d, Identifiers %d", text, len(order), len(got))
		}
	}
}

package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/references"
)

// TestReferences asks for the references to each target of the files in testdata: lines of
// "ask". A line of "want" is a place, the symbol that it is in, how it uses the name, how sure
// that is, and the text of the line; ~> are those that only the name speaks for.
func TestReferences(t *testing.T) {
	asked(t, "testdata/references/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, target string, got *strings.Builder) error {
		found, err := x.References(t.Context(), references.Query{Target: target})
		if err != nil {
			return err
		}
		for n, list := range [][]references.Reference{found.References, found.Ambiguous} {
			for _, r := range list {
				test := ""
				if r.Test {
					test = " test"
				}
				text, err := os.ReadFile(filepath.Join(x.Root(), r.File))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(got, "%s:%d:%d %s %s %s %s%s | %s\n", r.File, r.Line, r.Column, r.Symbol, []string{"->", "~>"}[n], r.Kind, r.Confidence, test,
					strings.TrimSpace(strings.Split(string(text), "\n")[r.Line-1]))
			}
		}
		for _, why := range found.Because {
			fmt.Fprintf(got, "because %s\n", why)
		}
		return nil
	})
}

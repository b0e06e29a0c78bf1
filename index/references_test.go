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

// TestHierarchy asks for what is above and below what is named at each place, FILE:LINE:COLUMN, of the files in
// testdata, with the steps between them.
func TestHierarchy(t *testing.T) {
	asked(t, "testdata/hierarchy/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, target string, got *strings.Builder) error {
		file, place, _ := strings.Cut(target, ":")
		q := references.PlaceQuery{File: file, Types: true}
		if _, err := fmt.Sscanf(place, "%d:%d", &q.Line, &q.Column); err != nil {
			return err
		}
		found, err := x.NamedAt(t.Context(), q)
		if err != nil {
			return err
		}
		for n, list := range [][]references.Relative{found.Above, found.Below} {
			for _, r := range list {
				fmt.Fprintf(got, "%s %d %s:%d %s\n", []string{"above", "below"}[n], r.Depth, r.File, r.NameLine, r.Symbol)
			}
		}
		return nil
	})
}

// TestTypes asks for the types of what is named at each place, FILE:LINE:COLUMN, of the files in
// testdata: the symbols that are named, or where a variable is declared and used, and their types.
func TestTypes(t *testing.T) {
	asked(t, "testdata/types/*.txtar", "\n> %s\n", func(t *testing.T, x *Index, target string, got *strings.Builder) error {
		file, place, _ := strings.Cut(target, ":")
		q := references.PlaceQuery{File: file, TypeOf: true, Uses: true}
		if _, err := fmt.Sscanf(place, "%d:%d", &q.Line, &q.Column); err != nil {
			return err
		}
		found, err := x.NamedAt(t.Context(), q)
		if err != nil {
			return err
		}
		fmt.Fprintf(got, "%s", found.Name)
		if l := found.Local; l != nil {
			fmt.Fprintf(got, " is declared at %d:%d, and used at", l.Line, l.Column)
			for _, u := range l.Uses {
				fmt.Fprintf(got, " %d:%d", u.Line, u.Column)
			}
		}
		for _, d := range found.Definitions {
			fmt.Fprintf(got, " is %s:%d:%d %s", d.File, d.NameLine, d.Column, d.Symbol)
		}
		fmt.Fprintf(got, "\n")
		for _, d := range found.TypeOf {
			fmt.Fprintf(got, "of type %s:%d %s\n", d.File, d.NameLine, d.Symbol)
		}
		return nil
	})
}

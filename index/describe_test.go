package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// namesByPiece returns what namesIn says of each piece of a file.
func namesByPiece(t *testing.T, x *Index, path string) []string {
	t.Helper()
	r := x.Table.Files[path]
	if r == nil {
		t.Fatalf("%s is not indexed", path)
	}
	var names []string
	for i := range r.Chunks {
		names = append(names, r.NamesIn(&r.Chunks[i]))
	}
	return names
}

// longMethod is a Python method of n lines, more than a piece holds from about 60.
func longMethod(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    def %s(self):\n", name)
	for i := range n {
		fmt.Fprintf(&b, "        self.step(%d, 'some words to fill it')\n", i)
	}
	return b.String() + "\n"
}

func TestNamesInPieces(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\ntype Lamp struct {\n\tWatt int\n}\n\nfunc (l *Lamp) Light() {}\n\nfunc Dark() {}\n")
	write(t, root, "b.py", "class Garden:\n"+longMethod("water", 100))
	write(t, root, "c.txt", "no names at all\n")
	x := build(t, root)
	for path, want := range map[string][]string{
		"a.go":  {"", "Lamp Light Lamp Dark"}, // the package clause is a piece of its own
		"c.txt": {""},
	} {
		if got := namesByPiece(t, x, path); !slices.Equal(got, want) {
			t.Errorf("%s: names %q, want %q", path, got, want)
		}
	}
	// The pieces of a method that is cut are those of the method.
	got := namesByPiece(t, x, "b.py")
	if len(got) < 3 || !strings.HasPrefix(got[0], "Garden") {
		t.Errorf("b.py: names %q", got)
	}
	for _, names := range got[1:] {
		if names != "water Garden" {
			t.Errorf("b.py: names %q, want those of the method in each further piece", got)
			break
		}
	}
}

// TestRenamedClass renames a class: the text of its methods stays, and the
// vectors of their pieces change all the same. Those of another class do not.
func TestRenamedClass(t *testing.T) {
	root := t.TempDir()
	text := func(class string) string {
		return "class " + class + ":\n" + longMethod("water", 40) + longMethod("weed", 40) + "\nclass Street:\n" + longMethod("sweep", 40) + longMethod("light", 40)
	}
	write(t, root, "a.py", text("Garden"))
	x := build(t, root)
	of := func(class string) (n int) {
		for _, names := range namesByPiece(t, x, "a.py") {
			if strings.Contains(names, class) {
				n++
			}
		}
		return n
	}
	before := of("Garden")
	write(t, root, "a.py", text("Meadow"))
	report, err := x.Update(t.Context(), []string{"a.py"})
	if err != nil {
		t.Fatal(err)
	}
	if before < 2 || of("Meadow") != before || of("Street") < 2 || report.Embedded != before {
		t.Errorf("of %d pieces %d were of the class before and %d are, but %d were computed", report.Chunks, before, of("Meadow"), report.Embedded)
	}
	same(t, x)
}

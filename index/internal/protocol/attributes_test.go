package protocol

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestListsExports: what is passed over without the expressions is what they refuse.
func TestListsExports(t *testing.T) {
	for text, want := range map[string]bool{
		"{ global: a;b_*;local: *;};\n":                                     true,
		"V1 {\n  global:\n    a;\n # said (here)\n  local: *;\n} V0;\n":     true,
		"# of (this)\n@PREFIX@ {\n  /* some (more) */ a;\n};\n":             true,
		"; a comment (of it)\nLIBRARY x\nEXPORTS\n  a\n  b = c @1 NONAME\n": true,
		"DESCRIPTION 'the (one)'\nEXPORTS\na\n":                             true,
		"EXPORTS\n  a(b)\n":                                                 false,
		"{ a(b); };":                                                        false,
		"This is a text. It says (in brackets) what is called.":             false,
		"": false,
	} {
		if got := ListsExports([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	parts := []string{"{", "}", ";", " ", "\n", "\t", "a", "b_1", "global:", "local:", "*", "# ", "#x", "; ", "/*", "*/", "(", ")", "@W@", "V1", "EXPORTS\n", "LIBRARY x\n", "="}
	r := rand.New(rand.NewPCG(1, 1))
	lists := 0
	for range 200_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := []byte(b.String())
		want := exportsOfLinker.Match(commentsOfLinker.ReplaceAll(text, nil))
		if want {
			lists++
		}
		if got := ListsExports(text); got != want {
			t.Fatalf("%q: %v, the expressions say %v", text, got, want)
		}
	}
	if lists < 100 {
		t.Errorf("%d lists among the texts", lists)
	}
}

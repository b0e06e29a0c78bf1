package diagnostics_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/diagnostics"
)

// kindsTable is between these marks in docs/diagnostics.md.
const (
	kindsBegin = "<!-- kinds: made by TestLanguages -->\n"
	kindsEnd   = "<!-- end of kinds -->\n"
)

// TestLanguages looks for each kind of findings in a case of each language, and holds the table in
// docs/diagnostics.md to what works.
func TestLanguages(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/languages/kinds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	marked, languages := map[string]string{}, map[string]bool{}
	for _, f := range archive.Files {
		at := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(f.Name, "/")
		languages[parts[0]] = true
		if before, _, here := strings.Cut(string(f.Data), "HERE"); here {
			marked[path.Join(parts[:2]...)] = fmt.Sprintf("%s:%d", f.Name, strings.Count(before, "\n")+1)
		}
	}
	x := opened(t, root)
	var b strings.Builder
	fmt.Fprintf(&b, "| language | `%s` |\n|%s\n", strings.Join(diagnostics.Kinds(), "` | `"), strings.Repeat("---|", len(diagnostics.Kinds())+1))
	for _, language := range slices.Sorted(maps.Keys(languages)) {
		fmt.Fprintf(&b, "| %s |", language)
		for _, kind := range diagnostics.Kinds() {
			fmt.Fprintf(&b, " %s |", cell(t, x, language, kind, marked[language+"/"+kind]))
		}
		b.WriteString("\n")
	}
	const file = "../../docs/diagnostics.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), kindsBegin)
	was, after, ok2 := strings.Cut(rest, kindsEnd)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the table", file)
	case was == b.String():
	case *update:
		if err := os.WriteFile(file, []byte(before+kindsBegin+b.String()+kindsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not as it works:\n%s", file, b.String())
	}
}

// cell looks for a kind of findings in the case of a language: "yes" where the one that is marked is found, and "-"
// where the answer says that it is not looked for.
func cell(t *testing.T, x *index.Index, language, kind, marked string) string {
	t.Helper()
	a, err := x.Diagnostics(t.Context(), diagnostics.Query{Kind: []string{kind}, Path: language + "/" + kind})
	if err != nil || a.Files == 0 {
		t.Errorf("%s of %s: %d files, error %v", kind, language, a.Files, err)
	}
	var found []string
	for _, f := range a.Findings {
		found = append(found, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	said := slices.ContainsFunc(a.NotLookedAt, func(s string) bool {
		return strings.Contains(s, " language "+language+":")
	})
	switch {
	case said && len(found) == 0 && !a.Complete:
		return "-"
	case !said && len(found) == 1 && found[0] == marked:
		return "yes"
	}
	t.Errorf("%s of %s: found %q, want %q; not looked at: %q", kind, language, found, marked, a.NotLookedAt)
	return "no"
}

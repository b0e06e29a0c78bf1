package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/flow"
)

// TestSlices compares slices across calls with what testdata/slices has: the comment of an archive
// asks, a line each: the direction, FILE:LINE, the depth and, if it is not all, the variable.
func TestSlices(t *testing.T) {
	names, err := filepath.Glob("testdata/slices/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			x, a := plain(t, name)
			kept := &txtar.Archive{Comment: a.Comment}
			for _, f := range a.Files {
				if !strings.HasPrefix(f.Name, "slice ") {
					kept.Files = append(kept.Files, f)
				}
			}
			for line := range strings.Lines(string(a.Comment)) {
				words := strings.Fields(line)
				if len(words) < 3 || words[0] == "#" {
					continue
				}
				depth, err := strconv.Atoi(words[2])
				if err != nil {
					t.Fatal(err)
				}
				q := flow.SliceQuery{Direction: words[0], Target: words[1], Depth: depth}
				if len(words) > 3 {
					q.Variable = words[3]
				}
				kept.Files = append(kept.Files, txtar.File{Name: "slice " + strings.Join(words, " "), Data: []byte(sliceText(t, x, q))})
			}
			got := txtar.Format(kept)
			if bytes.Equal(got, txtar.Format(a)) {
				return
			}
			if updating() {
				if err := os.WriteFile(name, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s:\n%s", name, got)
		})
	}
}

func sliceText(t *testing.T, x *Index, q flow.SliceQuery) string {
	t.Helper()
	s, err := x.Slice(t.Context(), q)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, l := range s.Lines {
		fmt.Fprintf(&b, "%s:%d %s\t# %s", l.File, l.Line, strings.TrimSpace(l.Text), l.Reason)
		if l.Variable != "" {
			fmt.Fprintf(&b, " %s", l.Variable)
		}
		if l.Reason != "asked" {
			fmt.Fprintf(&b, " of %d", l.Of)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "complete %v\n", s.Complete)
	for _, why := range s.Because {
		fmt.Fprintf(&b, "\t%s\n", why)
	}
	return b.String()
}

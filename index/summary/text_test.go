package summary

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the summaries into testdata")

// TestTexts compares the summaries of testdata/text/*.txtar at every level, and at small
// budgets, with those that stand there.
func TestTexts(t *testing.T) {
	names, err := filepath.Glob("testdata/text/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			input := string(ar.Files[0].Data)
			out := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1]}
			for _, o := range []Options{{Level: L0}, {Level: L1}, {Level: L2}, {Level: L1, MaxTokens: 30}, {Level: L2, MaxTokens: 80}, {Level: L3, MaxTokens: 25}} {
				r := Text(input, o)
				label := string(o.Level)
				if o.MaxTokens > 0 {
					label += fmt.Sprintf(" in %d tokens", o.MaxTokens)
				}
				if r.Truncated {
					label += ", truncated"
				}
				text := r.Text
				if text != "" {
					text += "\n"
				}
				out.Files = append(out.Files, txtar.File{Name: label, Data: []byte(text)})
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(out))); diff != "" {
				t.Errorf("summaries (-want +got):\n%s", diff)
			}
		})
	}
}

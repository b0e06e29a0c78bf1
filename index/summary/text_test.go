package summary

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the summaries into testdata")

// compareSummaries compares, for every archive that a glob names, what summarize makes of
// its first file at each level and budget with the files after that.
func compareSummaries(t *testing.T, glob string, at []Options, summarize func(t *testing.T, input string, o Options) Result) {
	names, err := filepath.Glob(glob)
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1]}
			for _, o := range at {
				r := summarize(t, string(ar.Files[0].Data), o)
				label := string(o.Level)
				if o.MaxTokens > 0 {
					label += fmt.Sprintf(" in %d tokens", o.MaxTokens)
					if r.TokensOut > o.MaxTokens {
						t.Errorf("%s: %d tokens: %s", label, r.TokensOut, r.Text)
					}
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

// TestTexts compares the summaries of testdata/text/*.txtar at every level, and at small
// budgets, with those that stand there.
func TestTexts(t *testing.T) {
	at := []Options{{Level: L0}, {Level: L1}, {Level: L2}, {Level: L1, MaxTokens: 30}, {Level: L2, MaxTokens: 80}, {Level: L3, MaxTokens: 25}}
	compareSummaries(t, "testdata/text/*.txtar", at, func(_ *testing.T, input string, o Options) Result { return Text(input, o) })
}

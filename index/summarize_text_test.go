package index

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/summary"
)

// TestSummarizeText asks for a summary of the same text of an index with a model, with one
// that fails, and without any.
func TestSummarizeText(t *testing.T) {
	m, err := model()
	if err != nil {
		t.Fatal(err)
	}
	text := "The goal is to make token expiry exact in auth.py.\n\n" +
		strings.Repeat("Somebody looked at the garden, and saw a bird. The rain fell on the roof. It was quiet in the afternoon of that day.\n\n", 40) +
		"Tokens are signed with a secret key. The signature of a token is verified by the server. We decided to keep HS256.\n"
	var plain brief.Summary
	for name, opt := range map[string]Options{"model": {Embedder: m}, "failing": {Embedder: &faulty{Embedder: m, broken: true}}, "none": {}} {
		x, err := Open(t.TempDir(), opt)
		if err != nil {
			t.Fatal(err)
		}
		s, err := x.SummarizeText(t.Context(), brief.TextQuery{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Text, "token expiry") || !strings.Contains(s.Text, "HS256") || s.Level != summary.L1 || s.TokensOut > 300 ||
			s.TokensIn < 1000 || len(s.Files) != 1 || s.Chunks != 1 {
			t.Errorf("%s: %+v", name, s)
		}
		if again, err := x.SummarizeText(t.Context(), brief.TextQuery{Text: text}); err != nil || again.Text != s.Text {
			t.Errorf("%s: again: %q, %v", name, again.Text, err)
		}
		if name != "model" {
			if plain.Text != "" && plain.Text != s.Text {
				t.Errorf("without vectors %q and %q", plain.Text, s.Text)
			}
			plain = s
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := x.SummarizeText(ended, brief.TextQuery{Text: text}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: after the end: %v", name, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

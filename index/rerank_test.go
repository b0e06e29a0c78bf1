package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/search"
)

// A judge reranks as a test says.
type judge struct {
	question string
	texts    []string
	scores   func(texts []string) ([]float32, error)
}

func (j *judge) Rerank(_ context.Context, question string, passages []rerank.Passage) ([]float32, error) {
	j.question, j.texts = question, nil
	for _, p := range passages {
		j.texts = append(j.texts, p.Names+".txt\n"+p.Text)
	}
	return j.scores(j.texts)
}

// judged returns an index of 30 files, of which the first match best, and its judge.
func judged(t *testing.T) (*Index, *judge) {
	root, j := t.TempDir(), &judge{}
	for i := range 30 {
		write(t, root, fmt.Sprintf("f%02d.txt", i), strings.Repeat("ferry ", 31-i)+strings.Repeat("boat ", i))
	}
	x, err := Open(root, Options{Reranker: j})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return x, j
}

// favour gives a text a score, and others none.
func favour(score float32, begin string) func([]string) ([]float32, error) {
	return func(texts []string) ([]float32, error) {
		scores := make([]float32, len(texts))
		for i, text := range texts {
			if strings.HasPrefix(text, begin) {
				scores[i] = score
			}
		}
		return scores, nil
	}
}

func TestRerank(t *testing.T) {
	x, j := judged(t)
	files := func(q search.Query) (names []string, scores []float64) {
		t.Helper()
		q.Text = "ferry"
		results := searchFor(t, x, q)
		valid(t, results)
		for _, r := range results {
			names, scores = append(names, r.File), append(scores, r.Score)
		}
		return names, scores
	}
	before, chances := files(search.Query{Limit: 30})
	if len(before) != 30 || j.texts != nil {
		t.Fatalf("%d results, and %d texts judged", len(before), len(j.texts))
	}

	j.scores = favour(0, "")
	same, _ := files(search.Query{Limit: 30, Rerank: true})
	if diff := cmp.Diff(before, same); diff != "" {
		t.Errorf("a reranker that favours nothing changes the order:\n%s", diff)
	}
	if j.question != "ferry" || len(j.texts) != search.Reranked || !strings.HasPrefix(j.texts[0], before[0]+"\nferry ferry") {
		t.Errorf("it was asked %q of %d texts, the first of them %.40q", j.question, len(j.texts), j.texts[0])
	}

	last := before[search.Reranked-1]
	j.scores = favour(100, last)
	after, moved := files(search.Query{Limit: 5, Rerank: true})
	if diff := cmp.Diff(append([]string{last}, before[:4]...), after); diff != "" {
		t.Errorf("the favoured one is not first of the others:\n%s", diff)
	}
	if diff := cmp.Diff(chances[:5], moved); diff != "" {
		t.Errorf("the probabilities have left their places:\n%s", diff)
	}
	j.scores = favour(100, before[search.Reranked])
	if out, _ := files(search.Query{Limit: 30, Rerank: true}); cmp.Diff(before, out) != "" {
		t.Errorf("one that is no longer looked at has moved: %v", out)
	}
	j.scores = favour(-100, before[0])
	if out, _ := files(search.Query{Limit: 30, Rerank: true}); out[search.Reranked-1] != before[0] {
		t.Errorf("the one that is judged worst is not last of those looked at: %v", out)
	}
	explained := searchFor(t, x, search.Query{Text: "ferry", Limit: 1, Rerank: true, Explain: true})[0].Explain
	if s := explained[len(explained)-1]; s.Name != "rerank" {
		t.Errorf("the last signal is %v", s)
	}
}

func TestRerankFails(t *testing.T) {
	x, j := judged(t)
	broken := errors.New("broken")
	for name, scores := range map[string]func([]string) ([]float32, error){
		"an error":      func([]string) ([]float32, error) { return nil, broken },
		"too few":       func([]string) ([]float32, error) { return []float32{1}, nil },
		"not a number":  favour(float32(math.NaN()), ""),
		"without bound": favour(float32(math.Inf(1)), ""),
	} {
		j.scores = scores
		if _, err := x.Search(t.Context(), search.Query{Text: "ferry", Rerank: true}); err == nil {
			t.Errorf("%s: no error", name)
		} else if name == "an error" && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	none, _ := judged(t)
	none.Opt.Reranker = nil
	if _, err := none.Search(t.Context(), search.Query{Text: "ferry", Rerank: true}); !errors.Is(err, search.ErrNoReranker) {
		t.Errorf("without a reranker: %v", err)
	}
	j.scores = func([]string) ([]float32, error) { return nil, broken }
	if a, err := x.Search(t.Context(), search.Query{Text: "zebra", Rerank: true}); err != nil || len(a.Results) != 0 {
		t.Errorf("nothing to look at: %v, %v", a.Results, err)
	}
}

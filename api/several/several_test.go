package several_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/several"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/search"
)

// TestMergeInAnyOrder has servers answer in different orders.
func TestMergeInAnyOrder(t *testing.T) {
	answer := func(project, cut string, score float64) *wire.BatchResponse {
		return &wire.BatchResponse{
			Answers:  []wire.BatchAnswer{{Results: []wire.SearchResult{{Project: project, File: "a.go", Line: 1, Score: score}}, Meta: wire.Meta{Matches: 2, Truncated: true, TruncatedBy: []string{cut}}}},
			Projects: []wire.ProjectState{{Project: project}},
		}
	}
	merge := func(answers ...*wire.BatchResponse) any {
		f := &several.Found{Of: map[string][]search.Result{}}
		for _, a := range answers {
			f.AddAnswer(a, 0)
		}
		results, meta, err := f.Merge([]string{"a", "b", "c"}, search.Query{Limit: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return []any{results, meta}
	}
	a, b, c := answer("a", "per_file", 0.5), answer("b", "limit", 0.5), answer("c", "min_score", 0.7)
	if diff := gocmp.Diff(merge(a, b, c), merge(c, b, a)); diff != "" {
		t.Error(diff)
	}
}

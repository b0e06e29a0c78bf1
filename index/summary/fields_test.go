package summary

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestFields compares the summaries of testdata/fields/*.txtar, of an object as a handoff
// and of a list as a recall, with those that stand there.
func TestFields(t *testing.T) {
	at := []Options{
		{Level: L0}, {Level: L1}, {Level: L2}, {Level: L3},
		{Level: L1, MaxTokens: 20}, {Level: L2, MaxTokens: 25}, {Level: L3, MaxTokens: 60}, {Level: L2, MaxTokens: 5},
	}
	compareSummaries(t, "testdata/fields/*.txtar", at, func(t *testing.T, input string, o Options) Result {
		var in any
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			t.Fatal(err)
		}
		return fieldsOf(in, o.Level, o.MaxTokens)
	})
}

func fieldsOf(in any, level Level, most int) Result {
	if h, ok := in.(map[string]any); ok {
		return Handoff(h, level, most, nil)
	}
	var list []map[string]any
	for _, e := range in.([]any) {
		list = append(list, e.(map[string]any))
	}
	return Recall(list, level, most, nil)
}

// TestHandoffShape holds the sentence of the specification to the letter.
func TestHandoffShape(t *testing.T) {
	h := map[string]any{
		"goal": "JWT auth", "current_focus": "debugging token expiry", "hypothesis": "off-by-one error", "files": []any{"auth.py", "test_auth.py"},
	}
	want := "Working on: JWT auth. Current focus: debugging token expiry. Hypothesis: off-by-one error. Files: auth.py, test_auth.py"
	if got := Handoff(h, "", 0, nil); got.Text != want || got.Level != L1 || got.TokensOut != quarter(want) {
		t.Errorf("%+v, want %q", got, want)
	}
	for _, nothing := range []map[string]any{nil, {}, {"goal": "", "files": []any{}}} {
		for _, level := range Levels() {
			if got := Handoff(nothing, level, 0, nil); got.Text != "" || got.Truncated {
				t.Errorf("%v at %s: %+v", nothing, level, got)
			}
		}
	}
	if got := Recall(nil, L1, 0, nil); got.Text != "" || got.Truncated {
		t.Errorf("no results: %+v", got)
	}
}

// TestManyFields shortens what is far too long, in time.
func TestManyFields(t *testing.T) {
	var files []any
	var results []map[string]any
	for i := range 50_000 {
		files = append(files, fmt.Sprintf("src/file%d.go", i))
		results = append(results, map[string]any{"category": []string{"learning", "decision", "x"}[i%3], "content": fmt.Sprintf("result %d", i)})
	}
	for _, level := range Levels() {
		for name, r := range map[string]Result{
			"handoff": Handoff(map[string]any{"goal": "many", "files": files}, level, 90, nil), "recall": Recall(results, level, 90, nil),
		} {
			counts := level == L0 && name == "recall"
			if r.TokensOut > 90 || r.TokensOut < 40 && !(counts || level == L1) || level == L3 && (!r.Truncated || !strings.Contains(r.Text, " more)")) {
				t.Errorf("%s at %s: %+v", name, level, r.Text)
			}
		}
	}
}

package retrieval

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/brief"
)

func TestSummaries(t *testing.T) {
	corpus := newCorpus(t)
	write(t, filepath.Join(corpus, "lamp", "src", "timer_test.go"), "package lamp\n\n// TestExpire looks at what the lamp does in the dark.\nfunc TestExpire() {}\n")
	run := func(args ...string) (r summaryReport) {
		t.Helper()
		out, err := execute(t, append([]string{"summaries", "--json"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	both := []string{"--corpus", corpus, "--suite", filepath.Join(suites, "shop.json"), "--suite", filepath.Join(suites, "lamp.json")}
	r := run(both...)
	if len(r.Recall) != 3 || r.Recall[0].Questions < 3 || r.Recall[0].Questions > 200 || r.Recall[0].Recall < 0.99 {
		t.Errorf("recall %+v", r.Recall)
	}
	for _, row := range r.Recall {
		if row.Questions != r.Recall[0].Questions || row.Found > row.Questions {
			t.Errorf("%+v", row)
		}
	}
	if len(r.Compression) != 6 || r.Files < 5 || r.FileLangs < 2 {
		t.Errorf("%d rows, %d files in %d languages", len(r.Compression), r.Files, r.FileLangs)
	}
	for _, c := range r.Compression {
		if c.Estimate.Max > c.Budget || c.Estimate.Within != 1 || c.Measured != r.Files || c.Encoding.Mean <= 0 {
			t.Errorf("%+v", c)
		}
	}
	if few := run(append(both, "--symbols", "2")...); few.Recall[0].Questions != 2 || few.Files != 2 {
		t.Errorf("%d questions, %d files instead of 2", few.Recall[0].Questions, few.Files)
	}
	tune, unseen := run(append(both, "--half", "tune", "--misses")...), run(append(both, "--half", "unseen", "--misses")...)
	if tune.Recall[0].Questions+unseen.Recall[0].Questions != r.Recall[0].Questions {
		t.Errorf("halves of %d and %d questions", tune.Recall[0].Questions, unseen.Recall[0].Questions)
	}
	if n := tune.Recall[1].Questions - tune.Recall[1].Found; n != len(tune.Misses) {
		t.Errorf("%d misses, %d told", n, len(tune.Misses))
	}
	if _, err := execute(t, append([]string{"summaries", "--half", "other"}, both...)...); err == nil {
		t.Error("any half is taken")
	}
	one := run("--corpus", corpus, "--suite", filepath.Join(suites, "lamp.json"))
	if one.Recall[0].Questions != 1 || one.Languages["go"][0].Questions != 1 {
		t.Errorf("questions of %+v: those of tests do not count", one.Languages)
	}
	out, err := execute(t, append([]string{"summaries"}, both...)...)
	if err != nil || !strings.Contains(string(out), "symbols' lines without docs") || !strings.Contains(string(out), "L2     3      500 ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A sentence that many files say asks for none of them.
func TestDocQuestions(t *testing.T) {
	lines := []brief.SymbolLine{
		{File: "a", Doc: "does what it is told"}, {File: "b", Doc: "does what it is told"},
		{File: "c", Doc: "too short"}, {File: "d", Doc: "is in a test file", Test: true},
	}
	for _, f := range []string{"e", "f", "g", "h"} {
		lines = append(lines, brief.SymbolLine{File: f, Doc: "the same in all of them"})
	}
	got := docQuestions(0, "x", lines, 10)
	if len(got) != 1 || got[0].text != "does what it is told" || len(got[0].files) != 2 {
		t.Errorf("%+v", got)
	}
}

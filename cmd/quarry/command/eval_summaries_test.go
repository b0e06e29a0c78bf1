package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index"
)

func TestEvalSummaries(t *testing.T) {
	corpus := evalCorpus(t)
	write(t, filepath.Join(corpus, "lamp", "src", "timer_test.go"), "package lamp\n\n// TestExpire looks at what the lamp does in the dark.\nfunc TestExpire() {}\n")
	run := func(args ...string) (r summaryReport) {
		t.Helper()
		out, err := execute(t, append([]string{"eval", "--backend", "go", "--summaries", "--json"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	suites := []string{"--corpus", corpus, "--suite", filepath.Join("testdata", "eval", "shop.json"), "--suite", filepath.Join("testdata", "eval", "lamp.json")}
	r := run(suites...)
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
	if few := run(append(suites, "--symbols", "2")...); few.Recall[0].Questions != 2 || few.Files != 2 {
		t.Errorf("%d questions, %d files instead of 2", few.Recall[0].Questions, few.Files)
	}
	one := run("--repository", filepath.Join(corpus, "lamp"))
	if one.Recall[0].Questions != 1 || one.Languages["go"][0].Questions != 1 {
		t.Errorf("questions of %+v: those of tests do not count", one.Languages)
	}
	out, err := execute(t, append([]string{"eval", "--backend", "go", "--summaries"}, suites...)...)
	if err != nil || !strings.Contains(string(out), "symbols' lines without docs") || !strings.Contains(string(out), "L2     3      500 ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A sentence that many files say asks for none of them.
func TestDocQuestions(t *testing.T) {
	e := evaluation{}
	lines := []index.SymbolLine{
		{File: "a", Doc: "does what it is told"}, {File: "b", Doc: "does what it is told"},
		{File: "c", Doc: "too short"}, {File: "d", Doc: "is in a test file", Test: true},
	}
	for _, f := range []string{"e", "f", "g", "h"} {
		lines = append(lines, index.SymbolLine{File: f, Doc: "the same in all of them"})
	}
	got := e.docQuestions("x", lines, 10)
	if len(got) != 1 || got[0].text != "does what it is told" || len(got[0].files) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestEvalSummariesErrors(t *testing.T) {
	lamp := []string{"--suite", filepath.Join("testdata", "eval", "lamp.json"), "--corpus", evalCorpus(t), "--summaries"}
	for _, test := range []struct {
		args []string
		want string
	}{
		{append(lamp, "--symbols", "0"), "symbols must be at least 1, not 0"},
		{append(lamp, "--ablate"), "summaries are measured alone"},
		{[]string{"--repository", "testdata/none", "--summaries"}, "no such file"},
	} {
		_, err := execute(t, append([]string{"eval", "--backend", "go"}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
}

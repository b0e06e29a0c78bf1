package retrieval

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// suites are those of the tests of quarry eval.
var suites = filepath.Join("..", "..", "quarry", "command", "testdata", "eval")

// newCorpus makes the folder that the suites of testdata/eval are about: the
// toy shop of docs/example, and a lamp.
func newCorpus(t *testing.T) string {
	t.Helper()
	corpus := t.TempDir()
	shop := filepath.Join("..", "..", "..", "docs", "example")
	if err := os.CopyFS(filepath.Join(corpus, "shop"), os.DirFS(shop)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(corpus, "lamp", "src", "lamp.go"), "package lamp\n\ntype Brightness int\n")
	write(t, filepath.Join(corpus, "lamp", "src", "timer.go"), "package lamp\n\n// Expire darkens the room when nobody has moved for a while.\nfunc Expire() {}\n")
	return corpus
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// execute runs a command of eval.
func execute(t *testing.T, args ...string) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := Command()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(new(bytes.Buffer))
	cmd.SilenceUsage = true
	err := cmd.ExecuteContext(t.Context())
	return out.Bytes(), err
}

// evaluate runs a command on both suites.
func evaluate(t *testing.T, corpus, name string, args ...string) []byte {
	t.Helper()
	out, err := execute(t, append([]string{name, "--corpus", corpus,
		"--suite", filepath.Join(suites, "shop.json"), "--suite", filepath.Join(suites, "lamp.json")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// golden compares a report with the one that is kept in git.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestCalibrate(t *testing.T) {
	corpus := newCorpus(t)
	golden(t, "calibration.txt", evaluate(t, corpus, "calibrate", "--foreign=3"))
	golden(t, "calibration.txt", evaluate(t, corpus, "calibrate", "--foreign=3", "--jobs", "2"))
}

func TestAblate(t *testing.T) {
	var r ablated
	if err := json.Unmarshal(evaluate(t, newCorpus(t), "ablate", "--json"), &r); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range r.Variants {
		names = append(names, v.Name)
	}
	if len(names) < 3 || names[0] != wholeName || !slices.Contains(names, "mode lexical") || !slices.Contains(names, "mode semantic") {
		t.Fatalf("variants %q", names)
	}
	if whole := r.Variants[0]; whole.All != r.All.NDCG || whole.Change != 0 {
		t.Errorf("the whole is %+v, but the report says %v", whole, r.All.NDCG)
	}
	if !slices.IsSortedFunc(r.Variants[1:], func(a, b variant) int {
		switch {
		case a.Change < b.Change:
			return -1
		case a.Change > b.Change:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	}) {
		t.Errorf("not by loss: %+v", r.Variants)
	}
}

// A signal that a repository lacks changes nothing there.
func TestCompareVariants(t *testing.T) {
	one := func(repository, category string, ndcg float64) []measure.Outcome {
		return []measure.Outcome{{Repository: repository, Category: category, Row: measure.Row{Figures: measure.Figures{Questions: 1, NDCG: ndcg}}}}
	}
	got := compareVariants([]asked{
		{whole: one("a", "x", 1), variants: map[string][]measure.Outcome{
			"without words": one("a", "x", 0.5), "without names": one("a", "x", 1)}},
		{whole: one("b", "y", 0.5), variants: map[string][]measure.Outcome{
			"without words": one("b", "y", 0.75)}},
	})
	want := []variant{
		{wholeName, 0.75, 0, map[string]float64{"x": 1, "y": 0.5}, map[string]float64{"x": 0, "y": 0}},
		{"without words", 0.625, -0.125, map[string]float64{"x": 0.5, "y": 0.75}, map[string]float64{"x": -0.5, "y": 0.25}},
		{"without names", 0.75, 0, map[string]float64{"x": 1, "y": 0.5}, map[string]float64{"x": 0, "y": 0}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	var out bytes.Buffer
	if err := (ablated{Variants: got}).print(&out); err != nil {
		t.Fatal(err)
	}
	table := strings.Join([]string{
		"NDCG@10        all              x                y       ",
		"all signals    0.7500           1.0000           0.5000  ",
		"without words  0.6250  -0.1250  0.5000  -0.5000  0.7500  +0.2500",
		"without names  0.7500  +0.0000  1.0000  +0.0000  0.5000  +0.0000",
	}, "\n") + "\n"
	if diff := cmp.Diff(table, out.String()); diff != "" {
		t.Error(diff)
	}
}

// What packs save, kept in git: of the toy shop, whose files are short.
func TestPacks(t *testing.T) {
	corpus := newCorpus(t)
	golden(t, "packs.txt", evaluate(t, corpus, "packs"))
	var r packReport
	if err := json.Unmarshal(evaluate(t, corpus, "packs", "--json", "--jobs", "2"), &r); err != nil {
		t.Fatal(err)
	}
	for i, p := range r.Packs {
		if i > 0 && (p.Recall < r.Packs[i-1].Recall || p.Tokens < r.Packs[i-1].Tokens) {
			t.Errorf("a larger pack has less: %+v", r.Packs)
		}
	}
	if r.Questions == 0 || r.Equal.Recall == 0 || r.Equal.JSON <= r.Equal.Packs {
		t.Errorf("%+v", r)
	}
}

// A larger context shows no less of what one must see, and what it lacks is listed.
func TestContext(t *testing.T) {
	corpus := newCorpus(t)
	golden(t, "context.txt", evaluate(t, corpus, "context"))
	var r contextReport
	if err := json.Unmarshal(evaluate(t, corpus, "context", "--json"), &r); err != nil {
		t.Fatal(err)
	}
	for i, row := range r.Rows {
		if row.Whole > row.Seen || i > 0 && row.Seen < r.Rows[i-1].Seen || row.Tokens > float64(row.MaxTokens) {
			t.Errorf("%+v", r.Rows)
		}
	}
	if r.Questions == 0 || r.Targets < r.Questions || r.Rows[len(r.Rows)-1].Seen == 0 {
		t.Errorf("%+v", r)
	}
}

// The tasks of contexts are about repositories outside of the benchmark, at a commit, and say
// which lines one must see.
func TestContextSuites(t *testing.T) {
	all, err := suite.Read("suites/context-1.json", "suites/context-2.json")
	if err != nil {
		t.Fatal(err)
	}
	tasks := 0
	for _, r := range all {
		if len(r.Revision) != 40 || strings.Count(r.Origin, "/") != 1 || r.Language == "" {
			t.Errorf("%s: language %q, from %q at %q", r.Name, r.Language, r.Origin, r.Revision)
		}
		for _, q := range r.Queries {
			tasks++
			for _, target := range q.Targets {
				if target.Start == 0 || target.End < target.Start {
					t.Errorf("%s: %q: %s has no lines", r.Name, q.Text, target)
				}
			}
		}
	}
	if tasks != 40 || len(all) != 10 {
		t.Errorf("%d tasks of %d repositories", tasks, len(all))
	}
}

// Files come by how many words of the question they have, then by how often.
func TestWholeFiles(t *testing.T) {
	w := &wholeFiles{count: func(text string) int { return len(text) }, files: []wholeFile{
		{path: "often", text: []byte("lamp lamp LAMP")},
		{path: "none", text: []byte("dark")},
		{path: "both", text: []byte("the Lamp expires")},
		{path: "b", text: []byte("lamps")},
		{path: "a", text: []byte("lamps")},
	}}
	q := suite.Query{Text: "How does the lamp expire, the lamp?", Targets: []suite.Target{{Path: "often"}, {Path: "b"}}}
	if got := keywords(q.Text); !slices.Equal(got, []string{"lamp", "expire"}) {
		t.Errorf("the keywords are %q", got)
	}
	var names []string
	for _, i := range w.order(q.Text) {
		names = append(names, w.files[i].path)
	}
	if want := []string{"both", "often", "a", "b"}; !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	var o packOutcome
	o.quarry.recall = 0.5
	w.ask(q, &o)
	if want := (packed{30, 1}); o.first.files != want || o.files != (packed{30, 0.5}) || o.all != (packed{30, 0.5}) {
		t.Errorf("%+v", o)
	}
	o.quarry.recall = 1
	w.ask(q, &o)
	if o.files != (packed{40, 1}) || o.recall[0] != 1 || o.all != (packed{40, 1}) {
		t.Errorf("%+v", o)
	}
	o = packOutcome{}
	w.ask(suite.Query{Text: "nothing", Targets: q.Targets}, &o)
	if o.first.files.tokens != measure.MissTokens || o.files.tokens != 0 {
		t.Errorf("%+v", o)
	}
}

func TestErrors(t *testing.T) {
	corpus := newCorpus(t)
	lamp := []string{"--suite", filepath.Join(suites, "lamp.json"), "--corpus", corpus}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"ablate"}, "required"},
		{append([]string{"packs", "--jobs", "0"}, lamp...), "jobs must be at least 1, not 0"},
		{append([]string{"calibrate", "--foreign=-1"}, lamp...), "foreign must not be negative: -1"},
		{append([]string{"calibrate", "--foreign"}, lamp...), "foreign questions need a suite of several repositories"},
		{append([]string{"summaries", "--symbols", "0"}, lamp...), "symbols must be at least 1, not 0"},
		{[]string{"packs", "--suite", "none.json", "--corpus", "."}, "cannot read the suite"},
		{[]string{"ablate", lamp[0], lamp[1], "--corpus", "testdata"}, "lamp: "},
	} {
		if _, err := execute(t, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
}

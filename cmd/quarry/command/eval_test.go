package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/suite"
)

// evalCorpus makes the folder that the suites of testdata/eval are about: the
// toy shop of docs/example, and a lamp.
func evalCorpus(t *testing.T) string {
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

// evaluate runs the command on both suites.
func evaluate(t *testing.T, corpus string, args ...string) []byte {
	t.Helper()
	out, err := execute(t, append([]string{"eval", "--corpus", corpus, "--backend", "go",
		"--suite", filepath.Join("testdata", "eval", "shop.json"), "--suite", filepath.Join("testdata", "eval", "lamp.json")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// evalJSON is evaluate with --json, without the times.
func evalJSON(t *testing.T, corpus string, args ...string) evalReport {
	t.Helper()
	var r evalReport
	if err := json.Unmarshal(evaluate(t, corpus, append(args, "--json")...), &r); err != nil {
		t.Fatal(err)
	}
	if r.P50 <= 0 || r.P95 < r.P50 {
		t.Errorf("a search takes %v ms, %v ms", r.P50, r.P95)
	}
	r.P50, r.P95 = 0, 0
	return r
}

var timePattern = regexp.MustCompile(`\d+\.\d\d ms`)

// The whole report, kept in git. Two repositories at once give the same one.
func TestEval(t *testing.T) {
	corpus := evalCorpus(t)
	got := evaluate(t, corpus, "--calibration", "--foreign=3")
	got = timePattern.ReplaceAll(got, []byte("N ms"))
	golden := filepath.Join("testdata", "eval", "report.txt")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	again := evaluate(t, corpus, "--calibration", "--foreign=3", "--jobs", "2")
	if diff := cmp.Diff(string(got), string(timePattern.ReplaceAll(again, []byte("N ms")))); diff != "" {
		t.Errorf("with two jobs: %s", diff)
	}
}

// A server gives what the index gives.
func TestEvalHTTP(t *testing.T) {
	corpus := evalCorpus(t)
	want := evalJSON(t, corpus)
	want.HTTP = true
	if diff := cmp.Diff(want, evalJSON(t, corpus, "--http")); diff != "" {
		t.Error(diff)
	}
}

func TestEvalAblate(t *testing.T) {
	r := evalJSON(t, evalCorpus(t), "--ablate")
	var names []string
	for _, v := range r.Ablation {
		names = append(names, v.Name)
	}
	if len(names) < 3 || names[0] != wholeName || !slices.Contains(names, "mode lexical") || !slices.Contains(names, "mode semantic") {
		t.Fatalf("variants %q", names)
	}
	if whole := r.Ablation[0]; whole.All != r.All.NDCG || whole.Change != 0 {
		t.Errorf("the whole is %+v, but the report says %v", whole, r.All.NDCG)
	}
	if !slices.IsSortedFunc(r.Ablation[1:], func(a, b variant) int {
		switch {
		case a.Change < b.Change:
			return -1
		case a.Change > b.Change:
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	}) {
		t.Errorf("not by loss: %+v", r.Ablation)
	}
}

// A signal that a repository lacks changes nothing there.
func TestCompareVariants(t *testing.T) {
	one := func(repository, category string, ndcg float64) []measure.Outcome {
		return []measure.Outcome{{Repository: repository, Category: category, Row: measure.Row{Figures: measure.Figures{Questions: 1, NDCG: ndcg}}}}
	}
	got := compareVariants([]measured{
		{outcomes: one("a", "x", 1), variants: map[string][]measure.Outcome{
			"without words": one("a", "x", 0.5), "without names": one("a", "x", 1)}},
		{outcomes: one("b", "y", 0.5), variants: map[string][]measure.Outcome{
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
	if err := printAblation(&out, got); err != nil {
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

func TestEvalExplain(t *testing.T) {
	corpus := evalCorpus(t)
	// The sixth question of the suites is the first of the lamp.
	for _, asked := range []string{"6", "Switch the light off after a while"} {
		var got []explained
		if err := json.Unmarshal(evaluate(t, corpus, "--explain", asked, "--json"), &got); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Number != 6 || got[0].Repository != "lamp" {
			t.Fatalf("%s: %+v", asked, got)
		}
		right := 0
		for _, c := range got[0].Candidates {
			if c.Right != (c.File == "src/timer.go") {
				t.Errorf("%s: right is %v", c.File, c.Right)
			}
			if c.Right {
				right++
			}
		}
		if right != 1 {
			t.Errorf("%d candidates are right: %+v", right, got[0].Candidates)
		}
	}
	// A question that no suite has, of the one repository.
	out, err := execute(t, "eval", "--backend", "go", "--corpus", corpus, "--suite", filepath.Join("testdata", "eval", "lamp.json"), "--explain", "darkens the room")
	if err != nil || !bytes.HasPrefix(out, []byte("lamp: darkens the room\n 1   src/timer.go:")) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestPrintExplained(t *testing.T) {
	q := explained{Number: 4, Repository: "shop", Category: "symbol", Query: "pay\x1b",
		Targets: []suite.Target{{Path: "b.go", Start: 7, End: 9}, {Path: "z.go"}},
		Candidates: []candidate{
			{File: "a.go", Line: 1, EndLine: 3, Symbol: "Pay", Score: 0.75, Ranking: 1.25, Signals: []index.Signal{
				{Name: "definition", Value: 1, Weight: 1.5, Added: 1.5}, {Name: "test", Value: 0.5, Weight: -0.5, Added: -0.25}, {Name: "path"}}},
			{File: "b.go", Line: 5, EndLine: 8, Right: true, Score: 0.5, Ranking: 0.125, Signals: []index.Signal{
				{Name: "path", Value: 0.25, Weight: 0.5, Added: 0.125}}},
			{File: "c.go", Line: 1, EndLine: 1, Score: 0.25},
		}}
	var got bytes.Buffer
	if err := q.print(&got); err != nil {
		t.Fatal(err)
	}
	want := `question 4, shop, symbol: pay` + "\ufffd" + `
target b.go:7: 2
target z.go: not among the first 30
 1   a.go:1-3 Pay, score 0.7500, ranking 1.2500
       definition  1.0000   x 1.5000  = +1.5000
             test  0.5000  x -0.5000  = -0.2500
 2 * b.go:5-8, score 0.5000, ranking 0.1250
       path  0.2500  x 0.5000  = +0.1250
 3   c.go:1-1, score 0.2500
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

// Questions that are made from a repository and written give the same figures
// when they are read again.
func TestEvalRepository(t *testing.T) {
	corpus := evalCorpus(t)
	shop, kept := filepath.Join(corpus, "shop"), filepath.Join(t.TempDir(), "kept.json")
	run := func(args ...string) (r evalReport) {
		t.Helper()
		out, err := execute(t, append([]string{"eval", "--backend", "go", "--json"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		r.P50, r.P95 = 0, 0
		return r
	}
	made := run("--repository", shop, "--write", kept)
	if made.Categories[suite.FromComment].Questions == 0 || made.Categories[suite.FromSymbol].Questions == 0 {
		t.Errorf("categories %v", made.Categories)
	}
	if diff := cmp.Diff(made, run("--suite", kept, "--corpus", corpus)); diff != "" {
		t.Error(diff)
	}
	if few := run("--repository", shop, "--questions", "2"); few.All.Questions != 2 {
		t.Errorf("%d questions instead of 2", few.All.Questions)
	}
}

func TestEvalMisses(t *testing.T) {
	var misses bytes.Buffer
	cmd := New()
	cmd.SetArgs([]string{"eval", "--backend", "go", "--misses", "--corpus", evalCorpus(t), "--suite", filepath.Join("testdata", "eval", "shop.json")})
	cmd.SetOut(new(bytes.Buffer))
	cmd.SetErr(&misses)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "5\tshop\tsemantic\t0.00\t\"how the shop is painted\"\twant paint/colours.go\tgot "; !strings.Contains(misses.String(), want) {
		t.Errorf("%q, want %q", misses.String(), want)
	}
}

func TestEvalErrors(t *testing.T) {
	lamp := []string{"--suite", filepath.Join("testdata", "eval", "lamp.json"), "--corpus", evalCorpus(t)}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "either a suite or a repository is needed"},
		{append(lamp, "--repository", "."), "either a suite or a repository is needed"},
		{lamp[:2], "a suite needs the corpus"},
		{[]string{"--repository", ".", "--corpus", "."}, "a corpus goes with a suite"},
		{append(lamp, "--write", "x"), "only the questions of --repository can be written"},
		{append(lamp, "--questions", "0"), "questions must be at least 1, not 0"},
		{append(lamp, "--jobs", "0"), "jobs must be at least 1, not 0"},
		{append(lamp, "--foreign=-1"), "foreign must not be negative: -1"},
		{append(lamp, "--foreign"), "foreign questions need a suite of several repositories"},
		{append(lamp, "--http", "--ablate"), "not a server over HTTP"},
		{append(lamp, "--explain", "3"), "there is no question 3: the suite has 2"},
		{append(lamp, "--explain", " "), "a question to explain is needed"},
		{append(lamp, "--suite", filepath.Join("testdata", "eval", "shop.json"), "--explain", "x"), `the suite has no question "x"`},
		{[]string{"--suite", "none.json", "--corpus", "."}, "cannot read the suite"},
		{[]string{"--repository", "testdata/none"}, "no such file"},
		{[]string{lamp[0], lamp[1], "--corpus", "testdata"}, "lamp: "},
	} {
		_, err := execute(t, append([]string{"eval", "--backend", "go"}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.args, err, test.want)
		}
	}
}

// What packs save, kept in git: of the toy shop, whose files are short.
func TestEvalPacks(t *testing.T) {
	corpus := evalCorpus(t)
	got := evaluate(t, corpus, "--packs")
	golden := filepath.Join("testdata", "eval", "packs.txt")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	var r packReport
	if err := json.Unmarshal(evaluate(t, corpus, "--packs", "--json", "--jobs", "2"), &r); err != nil {
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

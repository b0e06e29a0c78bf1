package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/eval"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/evaluation"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
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

var timePattern = regexp.MustCompile(`\d+\.\d\d ms`)

// The whole report, kept in git. Two repositories at once give the same one.
func TestEval(t *testing.T) {
	corpus := evalCorpus(t)
	got := evaluate(t, corpus)
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
	again := evaluate(t, corpus, "--jobs", "2")
	if diff := cmp.Diff(string(got), string(timePattern.ReplaceAll(again, []byte("N ms")))); diff != "" {
		t.Errorf("with two jobs: %s", diff)
	}
}

// A server gives what the index gives.
func TestServerAnswers(t *testing.T) {
	s := config.Default()
	s.Embed.Backend = "go" // as the server below
	x, _, stop, err := engine.Open(s, filepath.Join(evalCorpus(t), "shop"), true, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	server, end, err := serveLoopback(x)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := suite.Read(filepath.Join("testdata", "eval", "shop.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range asked[0].Queries {
		query := search.Query{Text: q.Text, Limit: measure.TokenDepth}
		want, err := inProcess{x}.ask(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := server.ask(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(evaluation.Hits(asked[0], want), evaluation.Hits(asked[0], got)); diff != "" || len(got) == 0 {
			t.Errorf("%s: %d results: %s", q.Text, len(got), diff)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestEvalExplain(t *testing.T) {
	corpus := evalCorpus(t)
	// The sixth question of the suites is the first of the lamp.
	for _, asked := range []string{"6", "Switch the light off after a while"} {
		var got []eval.Explained
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
	q := eval.Explained{Number: 4, Repository: "shop", Category: "symbol", Query: "pay\x1b",
		Targets: []suite.Target{{Path: "b.go", Start: 7, End: 9}, {Path: "z.go"}},
		Candidates: []eval.Candidate{
			{File: "a.go", Line: 1, EndLine: 3, Symbol: "Pay", Score: 0.75, Ranking: 1.25, Signals: []search.Signal{
				{Name: "definition", Value: 1, Weight: 1.5, Added: 1.5}, {Name: "test", Value: 0.5, Weight: -0.5, Added: -0.25}, {Name: "path"}}},
			{File: "b.go", Line: 5, EndLine: 8, Right: true, Score: 0.5, Ranking: 0.125, Signals: []search.Signal{
				{Name: "path", Value: 0.25, Weight: 0.5, Added: 0.125}}},
			{File: "c.go", Line: 1, EndLine: 1, Score: 0.25},
		}}
	var got bytes.Buffer
	if err := q.Print(&got); err != nil {
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
	run := func(args ...string) (r eval.Report) {
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

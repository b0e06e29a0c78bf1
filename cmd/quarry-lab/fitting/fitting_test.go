package fitting

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/fit"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// runFit runs one of the two commands on the fake engine; DIR in the arguments
// stands for the folder of fakeSuites.
func runFit(t *testing.T, e *engine, dir, args string) (string, error) {
	t.Helper()
	root := &cobra.Command{Use: "quarry-lab", SilenceUsage: true}
	root.AddCommand(newRankCommand(e), newScoreCommand(e))
	var out, errOut bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errOut)
	root.SetArgs(strings.Fields(strings.ReplaceAll(args, "DIR", dir)))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Both fits write their block and keep the other; what they print and write is
// the same each time and in whatever order the suites are named.
func TestFits(t *testing.T) {
	dir := fakeSuites(t)
	weights := filepath.Join(dir, "weights.txt")
	for i, suites := range []string{
		"--suite DIR/one.json --suite DIR/two.json --weight two=0.5 --corpus DIR/corpus --out DIR/weights.txt",
		"--suite DIR/two.json --suite DIR/one.json --weight two=0.5 --corpus DIR/corpus --out DIR/weights.txt",
	} {
		var opened []string
		ranked, err := runFit(t, fakeEngine(&opened), dir, "rank "+suites)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(opened, " "); got != "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9" {
			t.Errorf("opened were %s: each once, by name", got)
		}
		scored, err := runFit(t, fakeEngine(&opened), dir, "score --foreign 12 --signals share,truth "+suites)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && *update {
			continue // the second run shall not hide a difference
		}
		golden(t, "rank.golden", ranked)
		golden(t, "score.golden", scored)
		golden(t, "weights.golden", readFile(t, weights))
	}
}

// What quarry eval made of a repository can be fitted on: lines as targets, no
// origin, no root.
func TestFitOnMadeSuite(t *testing.T) {
	dir := fakeSuites(t)
	var made suite.Suite
	for _, name := range []string{"r1", "r2", "r3", "r4"} {
		made = append(made, suite.Repository{Name: name, Language: "go", Revision: strings.Repeat("1", 40), Queries: []suite.Query{
			{Text: name + " f9.go", Category: suite.FromCommit, Targets: []suite.Target{{Path: "f9.go"}}},
			{Text: name + " f8.go", Category: suite.FromSymbol, Targets: []suite.Target{{Path: "f8.go", Start: 3, End: 3}}},
		}})
	}
	writeSuite(t, filepath.Join(dir, "made.json"), made)
	var opened []string
	out, err := runFit(t, fakeEngine(&opened), dir, "rank --suite DIR/made.json --corpus DIR/corpus --out DIR/w.txt --folds 2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all          8", "commit          4", "symbol          4"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestFitErrors(t *testing.T) {
	dir := fakeSuites(t)
	question := []suite.Query{{Text: "q", Category: "semantic", Targets: []suite.Target{{Path: "a.go"}}}}
	for name, r := range map[string]suite.Repository{
		"absent": {Name: "absent", Origin: "own/absent"}, "bench": {Name: "b", Origin: "Gin-Gonic/GIN"}, "folder": {Name: "gin"},
	} {
		r.Queries = question
		writeSuite(t, filepath.Join(dir, name+".json"), suite.Suite{r})
	}
	for name, text := range map[string]string{"odd.txt": "a b c\n", "exclude.txt": "own/R3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const one, to = " --suite DIR/one.json", " --corpus DIR/corpus --out DIR/w.txt"
	for _, c := range []struct{ args, want string }{
		{"rank", `required flag(s) "corpus", "out", "suite" not set`},
		{"score" + one, `required flag(s) "corpus", "out" not set`},
		{"rank" + one + one + to, "two suites have the name one"},
		{"rank" + one + to + " --weight two=1", "--weight two=1 is not of the form"},
		{"rank" + one + to + " --weight one=-1", "--weight one=-1 is not of the form"},
		{"rank" + one + to + " --weight one=0", "no question has a right candidate"},
		{"rank" + one + to + " --l2 -1", "--l2 must not be negative"},
		{"rank" + one + to + " --folds 1", "--folds must be at least 2"},
		{"rank" + one + to + " --candidates 9", "--candidates must be at least 10, not 9"},
		{"rank" + one + to + " --exclude DIR/exclude.txt", "the ranking is measured on own/R3: nothing may be fitted on r3"},
		{"rank" + one + to + " --exclude DIR/none", "cannot read the list of excluded repositories"},
		{"rank" + one + " --corpus DIR/corpus --out DIR/odd.txt", `odd.txt: line 1 of the weights is "a b c"`},
		{"rank" + one + " --corpus DIR/corpus --out DIR/none/w.txt", "cannot write the weights"},
		{"rank --suite DIR/none.json" + to, "cannot read the suite"},
		{"rank --suite DIR/absent.json" + to, "absent: it is not in the corpus (quarry-lab train checkout puts it there)"},
		{"rank --suite DIR/bench.json" + to, "nothing may be fitted on b; take it out of the suite"},
		{"score --suite DIR/folder.json" + to, "the ranking is measured on gin-gonic/gin: nothing may be fitted on gin"},
		{"score" + one + to + " --signals none", "no result has a signal none"},
		{"score" + one + to + " --signals bias", "none is called bias"},
		{"score" + one + to + " --foreign -1", "must not be negative"},
	} {
		var opened []string
		if _, err := runFit(t, fakeEngine(&opened), dir, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.args, err, c.want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".weights-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Questions for names are not asked where the name is defined, and a
// repository's own never.
func TestDrawForeign(t *testing.T) {
	dir := fakeSuites(t)
	var opened []string
	o := scoreOptions{fittingOptions: fittingOptions{suites: []string{filepath.Join(dir, "one.json")}, folds: 5, engine: fakeEngine(&opened)}, foreign: 1000}
	list, _, err := o.load()
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := o.drawForeign(t.Context(), fakeSearcher{"r3"}, list[3], list)
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) != 9*10 { // of 11 each, one is defined everywhere
		t.Errorf("%d questions are drawn", len(drawn))
	}
	for _, q := range drawn {
		if !q.foreign || strings.HasPrefix(q.Text, "r3") || q.Text == "Everywhere" {
			t.Errorf("%+v is drawn for r3", q)
		}
	}
	for name, want := range map[string]bool{"r3.f1": false, "x::r3Thing": true, "Everywhere": true, "other": false} {
		if got, err := defines(t.Context(), fakeSearcher{"r3"}, name); err != nil || got != want {
			t.Errorf("r3 defines %s: %v, %v", name, got, err)
		}
	}
}

// indexable returns a folder with a suite, s.json, about repositories that are
// in its corpus.
func indexable(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var s suite.Suite
	for _, name := range []string{"r1", "r2", "r3", "r4"} {
		writeFiles(t, filepath.Join(dir, "corpus", name, "src"), map[string]string{
			"queue.go": "package src\n\n// Push adds a job to the queue of " + name + ".\nfunc Push(job int) {}\n",
			"retry.go": "package src\n\n// Again runs a failed job once more.\nfunc Again(job int) {}\n",
			"log.go":   "package src\n\n// Print writes a line about a job to the log.\nfunc Print(line string) {}\n",
		})
		s = append(s, suite.Repository{Name: name, Root: "src", Origin: "own/" + name, Queries: []suite.Query{
			{Text: "retrying a failed job", Category: "semantic", Targets: []suite.Target{{Path: "src/retry.go"}}},
			{Text: "adding jobs to a queue", Category: "semantic", Targets: []suite.Target{{Path: "src/queue.go"}}},
			{Text: "writing lines", Category: "semantic", Targets: []suite.Target{{Path: "src/log.go"}, {Path: "src/retry.go"}}},
		}})
	}
	writeSuite(t, filepath.Join(dir, "s.json"), s)
	return dir
}

// The engine of the program explains what the fits need: the file has a weight
// for each signal that the ranking knows.
func TestFitsIndex(t *testing.T) {
	dir := indexable(t)
	for _, command := range []string{"rank", "score"} {
		if _, err := runFit(t, nil, dir, command+" --suite DIR/s.json --corpus DIR/corpus --out DIR/w.txt --folds 2"); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	weights, err := fit.ReadWeights(strings.NewReader(readFile(t, filepath.Join(dir, "w.txt"))))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range search.Signals() {
		if _, ok := weights.Ranking.Weights[name]; !ok {
			t.Errorf("%s has no weight", name)
		}
	}
	if len(weights.Ranking.Weights) != 2*len(search.Signals()) || len(weights.Score.Weights) != 1+len(scored) {
		t.Errorf("the weights are %v and %v", weights.Ranking.Weights, weights.Score.Weights)
	}
	if weights.Ranking.Weights["meaning"] == 0 {
		t.Error("the built-in model was not asked")
	}
}

// Both fits index with the model they are given, and the weights say so.
func TestFitsWithModel(t *testing.T) {
	dir := indexable(t)
	list := tinyClone(t, dir, "own/one", "Record", "Segment", "Journal", "Cursor")
	if _, err := trainTiny(t, dir, list, "model"); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(readFile(t, filepath.Join(dir, "model", "model.onnx")))))
	said := "#   indexed with another model than the built-in one, its sha256 " + sum[:12] + "\n"
	for _, command := range []string{"rank", "score"} {
		args := command + " --suite DIR/s.json --corpus DIR/corpus --folds 2 --out DIR/" + command
		for _, more := range []string{"-builtin.txt", "-other.txt --model DIR/model"} {
			if _, err := runFit(t, nil, dir, args+more); err != nil {
				t.Fatalf("%s%s: %v", command, more, err)
			}
		}
		builtin, other := readFile(t, filepath.Join(dir, command+"-builtin.txt")), readFile(t, filepath.Join(dir, command+"-other.txt"))
		if strings.Contains(builtin, "indexed with another model") {
			t.Errorf("%s: the built-in model gives\n%s", command, builtin)
		}
		if strings.Count(other, said) != 1 || strings.Replace(other, said, "", 1) == builtin {
			t.Errorf("%s: another model gives\n%s\nand the built-in one\n%s", command, other, builtin)
		}
		// A model that is not there stops the fit before it begins.
		if _, err := runFit(t, nil, dir, args+"-none.txt --model DIR/corpus"); err == nil || !strings.Contains(err.Error(), "cannot use the model in "+filepath.Join(dir, "corpus")) {
			t.Errorf("%s: no model: %v", command, err)
		}
	}
}

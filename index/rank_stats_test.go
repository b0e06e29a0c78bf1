package index_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/measure"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

var updateStats = flag.Bool("update", false, "rewrite the figures in testdata/rank")

// pinned are the suites whose figures are kept in git, so that a change of the
// ranking shows in review: what moved, question by question. They were not used
// to fit anything, but they are small and easy: they watch for changes, and
// `quarry eval` on the large suites says what is better.
//
// The figures are those of the built-in model in plain Go on amd64. Where the
// compiler fuses multiplications and additions, a close race may end otherwise.
var pinned = []struct {
	name   string
	corpus func(*testing.T, suite.Suite) string // the folder of its repositories
	floor  float64                              // NDCG@10 of all questions must not fall under it
}{
	{"modules", moduleCache, 0.87},
	{"toolchain", toolchain, 0.82},
	{"own", func(*testing.T, suite.Suite) string { return ".." }, 0.70},
}

func TestRankStats(t *testing.T) {
	if testing.Short() {
		t.Skip("figures, and a minute under the race detector")
	}
	model, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pinned {
		t.Run(p.name, func(t *testing.T) {
			base := "testdata/rank/" + p.name
			asked, err := suite.Read(base + ".json")
			if err != nil {
				t.Fatal(err)
			}
			all := stats{model: model}
			corpus := p.corpus(t, asked)
			for _, r := range asked {
				all.measure(t, corpus, r)
			}
			if t.Failed() {
				return
			}
			got := all.text(t)
			want, err := os.ReadFile(base + ".txt")
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if *updateStats {
				if err := os.WriteFile(base+".txt", got, 0o644); err != nil {
					t.Fatal(err)
				}
			} else if changes := diff.Diff(base+".txt", want, "now", got); len(changes) > 0 {
				t.Errorf("the ranking has changed:\n%s"+
					"If that is meant: run `make stats`, read the diff, and commit it with what caused it. "+
					"Say in the commit message why, and NDCG@10 before and after, here and by `quarry eval`.", changes)
			}
			if ndcg := measure.Summarize(all.outcomes).All.NDCG; ndcg < p.floor {
				t.Errorf("NDCG@10 of %s is %.3f, under the floor of %.2f. "+
					"If there is no way around it, lower the floor in rank_stats_test.go, run `make stats`, and say in the commit message "+
					"which questions got worse, NDCG@10 before and after, and what was won for it by `quarry eval`.", p.name, ndcg, p.floor)
			}
		})
	}
}

// stats are the outcomes of the questions of a suite, and a line on each.
type stats struct {
	model    embed.Embedder
	outcomes []measure.Outcome
	lines    []string
}

// measure asks the questions about one repository. It builds two indexes, one
// of them file by file, and asks the other one twice: all must give the same
// bytes.
func (s *stats) measure(t *testing.T, corpus string, r suite.Repository) {
	root := filepath.Join(corpus, filepath.FromSlash(r.Name), filepath.FromSlash(r.Root))
	open := func(workers int) *index.Index {
		x, err := index.Open(root, index.Options{Embedder: s.model, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		return x
	}
	one, many := open(1), open(4)
	builds, ctx := errgroup.WithContext(t.Context())
	for _, x := range []*index.Index{one, many} {
		builds.Go(func() error {
			_, err := x.Build(ctx, nil)
			return err
		})
	}
	if err := builds.Wait(); err != nil {
		t.Fatal(err)
	}
	title := r.Name
	if r.Revision != "" && !strings.HasSuffix(title, "@"+r.Revision) {
		title += " of " + r.Revision
	}
	s.lines = append(s.lines, "", title)
	for _, q := range r.Queries {
		checkTargets(t, one, r, q)
		for _, mode := range []search.Mode{search.Lexical, search.Semantic, search.Symbol} {
			sameAnswer(t, one, many, search.Query{Text: q.Text, Mode: mode})
		}
		results := sameAnswer(t, one, many, search.Query{Text: q.Text, Limit: measure.Depth})
		hits := make([]measure.Hit, len(results))
		for i, found := range results {
			hits[i] = measure.Hit{File: path.Join(r.Root, found.File), Line: found.Line, End: found.EndLine}
		}
		f := measure.Measure(q.Targets, hits)
		s.outcomes = append(s.outcomes, measure.Outcome{Repository: r.Name, Category: q.Category, Row: measure.Row{Figures: f}})
		line := fmt.Sprintf("%6s  %-12s  %s", ranks(q.Targets, hits), q.Category, q.Text)
		if f.First == 0 && len(hits) > 0 {
			line += "  (first: " + hits[0].File + ")"
		}
		s.lines = append(s.lines, line)
	}
}

// checkTargets fails where a question is wrong, not the ranking: its target is
// not in the index, or does not hold the name that is asked for.
func checkTargets(t *testing.T, x *index.Index, r suite.Repository, q suite.Query) {
	t.Helper()
	name := q.Text[strings.LastIndexByte(q.Text, '.')+1:]
	for _, target := range q.Targets {
		file, err := filepath.Rel(filepath.FromSlash(r.Root), filepath.FromSlash(target.Path))
		if err != nil || !x.Knows(filepath.ToSlash(file)) {
			t.Errorf("%s: %q: %s is not in the index: %v", r.Name, q.Text, target.Path, err)
			continue
		}
		if q.Category != "symbol" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(x.Root(), file))
		if err != nil {
			t.Error(err)
			continue
		}
		if lines := bytes.Split(text, []byte("\n")); target.Start > 0 {
			text = lines[min(target.Start, len(lines))-1]
		}
		if !bytes.Contains(text, []byte(name)) {
			t.Errorf("%s: %q is not at %s:%d", r.Name, name, target.Path, target.Start)
		}
	}
}

// sameAnswer asks one index once and the other twice, with all signals, and fails
// unless all answers are the same to the byte.
func sameAnswer(t *testing.T, one, many *index.Index, q search.Query) []search.Result {
	t.Helper()
	q.Explain = true
	var first []byte
	var results []search.Result
	for i, x := range []*index.Index{one, many, many} {
		a, err := x.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		a.State = answer.State{} // counts commits, which workers bring in batches
		text, err := json.MarshalIndent(a, "", " ")
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		if i == 0 {
			first, results = text, a.Results
		} else if !bytes.Equal(first, text) {
			t.Errorf("%q, mode %q: another answer from build %d, search %d:\n%s", q.Text, q.Mode, min(i, 1)+1, max(i, 1), diff.Diff("first", first, "this", text))
		}
	}
	return results
}

// ranks tells at which rank each target is; "-" is beyond the first ten.
func ranks(targets []suite.Target, hits []measure.Hit) string {
	var all []string
	for _, target := range targets {
		at := slices.IndexFunc(hits, func(h measure.Hit) bool { return measure.Right([]suite.Target{target}, h) })
		if at < 0 {
			all = append(all, "-")
			continue
		}
		all = append(all, fmt.Sprint(at+1))
	}
	return strings.Join(all, " ")
}

// text is what is kept in git.
func (s *stats) text(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Rewritten by `make stats`. The figures are those of `quarry eval`; below, the rank")
	fmt.Fprintln(&b, "# of each file or place that answers a question, and \"-\" for one beyond the first ten.")
	fmt.Fprintf(&b, "\n%-12s  questions  NDCG@10  first  recall@1  recall@5  recall@10    MRR\n", "")
	row := func(name string, f measure.Row) {
		fmt.Fprintf(&b, "%-12s  %9d  %7.3f  %5.3f  %8.3f  %8.3f  %9.3f  %5.3f\n",
			name, f.Questions, f.NDCG, f.First, f.Recall1, f.Recall5, f.Recall10, f.MRR)
	}
	summary := measure.Summarize(s.outcomes)
	for _, name := range slices.Sorted(maps.Keys(summary.Categories)) {
		row(name, summary.Categories[name])
	}
	row("all", summary.All)
	for _, line := range s.lines {
		fmt.Fprintln(&b, line)
	}
	return b.Bytes()
}

// moduleCache returns the folder of the modules that go.mod pins, all of which
// the build has fetched. A repository's name is its module and version, so that
// a newer version of one is noticed before its figures are.
func moduleCache(t *testing.T, asked suite.Suite) string {
	cache := goEnv(t, "GOMODCACHE")
	excluded, err := os.ReadFile("../cmd/quarry-lab/fitting/excluded.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range asked {
		module, ok := strings.CutSuffix(r.Name, "@"+r.Revision)
		if !ok {
			t.Fatalf("the name %s does not end in the revision %s", r.Name, r.Revision)
		}
		in := "." // whose go.mod pins the module
		if module == "gonum.org/v1/gonum" {
			in = "../cmd/quarry-lab"
		}
		pin := strings.TrimSpace(run(t, "go", "list", "-C", in, "-m", "-f", "{{.Path}}@{{.Version}} {{.Dir}}", module))
		if want := r.Name + " " + filepath.Join(cache, filepath.FromSlash(r.Name)); pin != want {
			t.Fatalf("the questions are about %s in the module cache, but go.mod gives %q.\n"+
				"If that names no folder, run `go mod download`, here and in cmd/quarry-lab. If it is another version, look the questions in testdata/rank/modules.json over, "+
				"set name and revision there, and run `make stats`.", r.Name, pin)
		}
		for name := range strings.FieldsSeq(string(excluded)) {
			if strings.EqualFold(name, r.Origin) {
				t.Fatalf("%s is of the benchmark, which measures and is not looked at", name)
			}
		}
	}
	return cache
}

// toolchain returns the folder of the Go distribution. It skips the test where
// that is another one than the questions are about.
func toolchain(t *testing.T, asked suite.Suite) string {
	have := goEnv(t, "GOVERSION")
	for _, r := range asked {
		if r.Revision != have {
			t.Skipf("the questions are about the sources of %s, this is %s; to move on, look them over, "+
				"set the revision in testdata/rank/toolchain.json and run `make stats`", r.Revision, have)
		}
	}
	return goEnv(t, "GOROOT")
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, "go", "env", name))
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, complaint.Bytes())
	}
	return string(out)
}

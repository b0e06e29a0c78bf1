package fitting

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/suite"
)

// A fakeSearcher has 30 files. The file that a question names has a high
// "truth", as others by chance; "noise" tells nothing, "never" is always 0, and
// the order is by noise. "share" is high for the right file only. A name is
// defined by the repository that it begins with.
type fakeSearcher struct{ name string }

func (f fakeSearcher) Search(_ context.Context, q search.Query) (search.Answer, error) {
	if q.Mode == search.Symbol {
		if strings.HasPrefix(q.Text, f.name) || q.Text == "Everywhere" {
			return search.Answer{Results: []search.Result{{Symbol: q.Text}}}, nil
		}
		return search.Answer{}, nil
	}
	if !q.Explain {
		return search.Answer{}, fmt.Errorf("nothing to explain of %q", q.Text)
	}
	h := fnv.New64a()
	h.Write([]byte(f.name + "\x00" + q.Text))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	var a search.Answer
	for i := range min(30, q.Limit) {
		file := fmt.Sprintf("f%d.go", i)
		truth, share := 0.7*random.Float64(), -3-random.Float64()
		if strings.HasPrefix(q.Text, f.name) && strings.HasSuffix(q.Text, " "+file) {
			truth, share = 0.3+0.7*random.Float64(), -0.5*random.Float64()
		}
		noise := 1 - float64(i)/30
		a.Results = append(a.Results, search.Result{File: file, Line: 1, EndLine: 9, Score: noise, Explain: []search.Signal{
			{Name: "noise", Value: noise, Weight: 1, Added: noise},
			{Name: "truth", Value: truth},
			{Name: "share", Value: share},
		}})
	}
	return a, nil
}

func fakeEngine(opened *[]string) *engine {
	return &engine{signals: []string{"never", "noise"}, open: func(_ context.Context, folder string) (searcher, func() error, error) {
		*opened = append(*opened, filepath.Base(folder))
		return fakeSearcher{filepath.Base(folder)}, func() error { return nil }, nil
	}}
}

// fakeSuites writes two suites about repositories whose folders are in a corpus,
// and returns the folder of all three.
func fakeSuites(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var one, two suite.Suite
	for i := range 10 {
		r := suite.Repository{Name: fmt.Sprintf("r%d", i), Language: "go", Origin: fmt.Sprintf("own/r%d", i)}
		if err := os.MkdirAll(filepath.Join(dir, "corpus", r.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		ask := func(first, last int, category string) (all []suite.Query) {
			for n := first; n < last; n++ {
				file := fmt.Sprintf("f%d.go", n)
				all = append(all, suite.Query{Text: r.Name + " " + file, Category: category, Targets: []suite.Target{{Path: file}}})
			}
			return all
		}
		more := r
		r.Queries = append(ask(0, 8, "semantic"), ask(20, 22, "symbol")...)
		r.Queries = append(r.Queries, suite.Query{Text: "Everywhere", Category: "symbol", Targets: []suite.Target{{Path: "f0.go"}}})
		one = append(one, r)
		more.Queries = ask(8, 12, "semantic")
		two = append(two, more)
	}
	writeSuite(t, filepath.Join(dir, "one.json"), one)
	writeSuite(t, filepath.Join(dir, "two.json"), two[:5])
	return dir
}

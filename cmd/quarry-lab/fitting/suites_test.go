package fitting

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
	"github.com/quarry-search/quarry/index/suite"
)

// The suites in the repository can be fitted on together, name a full revision,
// and hold no question twice and nothing of the benchmark.
func TestSuites(t *testing.T) {
	files := []string{"suites/questions-1.json", "suites/questions-2.json"}
	checkSuites(t, files, []string{"semantic", "architecture", "symbol"}, 79, 2400)
	functions := []string{"suites/functions-1.json", "suites/functions-2.json"}
	all := checkSuites(t, functions, []string{"plain", "named"}, 62, 1237)
	trained, err := train.ReadRepositories(strings.NewReader(pinned))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if slices.ContainsFunc(trained, func(m train.Repository) bool { return strings.EqualFold(m.Name, r.Origin) }) {
			t.Errorf("the model is trained on %s", r.Origin)
		}
		for _, q := range r.Queries {
			if q.Targets[0].Start == 0 {
				t.Errorf("%s: %q names no lines", r.Name, q.Text)
			}
		}
	}
}

// checkSuites reads suites that go together and returns what they hold.
func checkSuites(t *testing.T, files, categories []string, repositories, count int) suite.Suite {
	t.Helper()
	all, err := suite.Read(files...)
	if err != nil {
		t.Fatal(err)
	}
	excluded, err := train.ReadExcluded(strings.NewReader(benchmark))
	if err != nil {
		t.Fatal(err)
	}
	revision := regexp.MustCompile(`^[0-9a-f]{40}$`)
	questions := 0
	for _, r := range all {
		if !revision.MatchString(r.Revision) || strings.Count(r.Origin, "/") != 1 || r.Language == "" {
			t.Errorf("%s: language %q, from %q at %q", r.Name, r.Language, r.Origin, r.Revision)
		}
		for _, name := range excluded {
			if strings.EqualFold(r.Origin, name) {
				t.Errorf("%s is excluded", r.Origin)
			}
		}
		seen := map[string]bool{}
		for _, q := range r.Queries {
			if !slices.Contains(categories, q.Category) {
				t.Errorf("%s: %q has the category %q", r.Name, q.Text, q.Category)
			}
			if key := strings.ToLower(q.Text); seen[key] {
				t.Errorf("%s: %q is there twice", r.Name, q.Text)
			} else {
				seen[key] = true
			}
			for _, target := range q.Targets {
				if root := path.Clean(r.Root); root != "." && !strings.HasPrefix(target.Path, root+"/") {
					t.Errorf("%s: %q: %s is not below %s", r.Name, q.Text, target.Path, root)
				}
			}
			questions++
		}
	}
	if len(all) != repositories || questions != count {
		t.Errorf("%d repositories, %d questions", len(all), questions)
	}
	o := rankOptions{fittingOptions: fittingOptions{suites: files, folds: 5}}
	list, sources, err := o.load()
	if err != nil || len(list) != repositories || len(sources) != 2 {
		t.Errorf("to fit on: %d repositories of %d suites, %v", len(list), len(sources), err)
	}
	return all
}

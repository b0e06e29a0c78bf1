package fitting

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
	"github.com/quarry-search/quarry/index/suite"
)

// The suites in the repository can be fitted on together, name a full revision,
// and hold no question twice and nothing of the benchmark.
func TestSuites(t *testing.T) {
	files := []string{"suites/questions-1.json", "suites/questions-2.json"}
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
			switch q.Category {
			case "semantic", "architecture", "symbol":
			default:
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
	if len(all) != 79 || questions != 2400 {
		t.Errorf("%d repositories, %d questions", len(all), questions)
	}
	o := rankOptions{fittingOptions: fittingOptions{suites: files, folds: 5}}
	list, sources, err := o.load()
	if err != nil || len(list) != 79 || len(sources) != 2 {
		t.Errorf("to fit on: %d repositories of %d suites, %v", len(list), len(sources), err)
	}
}

package fitting

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry-lab/train"
)

// run runs the command and returns what it printed.
func run(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := Command()
	cmd.SetErrPrefix("quarry-lab:")
	cmd.SetArgs(args)
	cmd.SetOut(&o)
	cmd.SetErr(&e)
	err = cmd.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// The pinned list is read, and names none of the benchmark's repositories.
func TestPinnedLists(t *testing.T) {
	list, err := train.ReadRepositories(strings.NewReader(pinned))
	if err != nil {
		t.Fatal(err)
	}
	excluded, err := train.ReadExcluded(strings.NewReader(benchmark))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 || len(excluded) < 60 {
		t.Errorf("%d repositories, %d excluded", len(list), len(excluded))
	}
	for _, r := range list {
		for _, name := range excluded {
			if strings.EqualFold(r.Name, name) {
				t.Errorf("%s is excluded", r.Name)
			}
		}
	}
}

// Each file of questions is about a repository of the pinned list at its revision, and asks
// nothing twice.
func TestPinnedQuestions(t *testing.T) {
	list, err := train.ReadRepositories(strings.NewReader(pinned))
	if err != nil {
		t.Fatal(err)
	}
	files, err := questionFiles.ReadDir("questions")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, f := range files {
		i := slices.IndexFunc(list, func(r train.Repository) bool { return strings.ReplaceAll(r.Name, "/", "+")+".tsv" == f.Name() })
		if i < 0 {
			t.Errorf("%s: the repository is not in the list", f.Name())
			continue
		}
		text, err := questionFiles.ReadFile("questions/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		places, err := train.ReadQuestions(text, list[i])
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
		}
		seen := map[string]bool{}
		for place, questions := range places {
			for _, q := range questions {
				all++
				if seen[q] || strings.TrimSpace(q) != q || len(q) > 220 {
					t.Errorf("%s: %s: %q is asked twice, or is no question", f.Name(), place, q)
				}
				seen[q] = true
			}
		}
	}
	if all < 20000 {
		t.Errorf("%d questions", all)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	benched, odd := filepath.Join(dir, "benched"), filepath.Join(dir, "odd")
	for name, text := range map[string]string{benched: "Gin-Gonic/GIN " + strings.Repeat("1", 40) + "\n", odd: "gin main\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args, want string
	}{
		{"model", `required flag(s) "clones", "out" not set`},
		{"model --clones C --out O --kinds doc,docs", "--kinds doc,docs: the kinds are doc, remark, commit, file, name, question, each once"},
		{"model --clones C --out O --fields path", "--fields path is not of the form path=1,names=0,text=1"},
		{"model --clones C --out O --fields stem=1", "--fields stem=1 is not of the form"},
		{"model --clones C --out O --fields text=0", "the weight of the text must be above 0"},
		{"model --clones C --out O --epochs -1", "there cannot be fewer than 0 epochs"},
		{"model --clones C --out O --start -1", "the length of the first rows must be 0 to 1000"},
		{"model --clones C --out O --repeat 0", "questions must be trained once to 1000 times an epoch"},
		{"model --clones C --out O --words W --onnxruntime absent", "--words needs ONNX Runtime: onnx: no ONNX Runtime library at absent"},
		{"model --clones C --out O --vocabulary 70000", "the vocabulary must have 1 to 65536 words"},
		{"model --clones C --out O --repositories " + benched, "the model is measured on Gin-Gonic/GIN: no pair may come from there"},
		{"model --clones C --out O --repositories " + odd, `line 1 is "gin main", not "owner/name REVISION"`},
		{"model --clones C --out O --repositories absent", "cannot read the list of repositories: open absent"},
		{"model --clones C --out O", "no clone of absinthe-graphql/absinthe below C"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			if args[i] == "O" {
				args[i] = filepath.Join(dir, "out")
			}
		}
		_, errOut, err := run(t, args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(errOut, "quarry-lab: ") {
			t.Errorf("%s: error %v, want %q; printed %q", c.args, err, c.want, errOut)
		}
	}
}

func TestHelpNamesEveryFlag(t *testing.T) {
	out, _, err := run(t, "model", "--help")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--clones", "--repositories", "--exclude", "--leave-out", "--out", "--cache", "--seed", "--epochs", "--dim", "--vocabulary", "--words", "--onnxruntime", "--start", "--repeat", "extract", "vocabulary", "held out"} {
		if !strings.Contains(out, want) {
			t.Errorf("the help does not say %q", want)
		}
	}
}

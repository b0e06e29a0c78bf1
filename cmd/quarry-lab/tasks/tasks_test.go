package tasks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/tokens"
)

// TestSuite: ten tasks in ten repositories and five languages or more, of which none is kept
// for judging.
func TestSuite(t *testing.T) {
	all, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "fitting", "excluded.txt"))
	if err != nil {
		t.Fatal(err)
	}
	excluded := strings.Fields(string(text))
	commit := regexp.MustCompile(`^[0-9a-f]{40}$`)
	repositories, languages := map[string]bool{}, map[string]bool{}
	for _, one := range all {
		repositories[one.Repository], languages[one.Language] = true, true
		if slices.Contains(excluded, one.Repository) || !commit.MatchString(one.Revision) || len(one.Facts) < 5 {
			t.Errorf("%s is about %s at %q, with %d facts", one.Name, one.Repository, one.Revision, len(one.Facts))
		}
	}
	if len(repositories) != 10 || len(all) != 10 || len(languages) < 5 {
		t.Errorf("%d tasks, %d repositories, %d languages", len(all), len(repositories), len(languages))
	}
}

// TestParseRefuses what would be a task that checks less than it seems to.
func TestParseRefuses(t *testing.T) {
	const head = "repository: a/b\nrevision: c\nlanguage: go\ngoal: d\n"
	const body = "-- mcp --\nstatus {}\n-- te --\nte grep a\n-- plain --\ngrep a b\n-- facts --\na:1\n"
	if _, err := parse("x", []byte(head+body)); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"repository: a/b\n" + body:                              "the head has no",
		head + "goal: e\n" + body:                               "stands there twice",
		head + "aim: e\n" + body:                                "is no line of the head",
		head + strings.Replace(body, "a:1\n", "", 1):            "there are no facts",
		head + strings.Replace(body, "te grep a\n", "", 1):      "no requests in te",
		head + strings.Replace(body, "{}", "{", 1):              "the arguments of status",
		head + strings.Replace(body, "te grep", "rm", 1):        "runs none of te grep",
		head + strings.Replace(body, "{}", "{}\n  holds a", 1):  "is no expectation",
		head + strings.Replace(body, "{}", "{}\n  rows few", 1): "rows are a number",
		head + strings.Replace(body, "grep a b", "  has a", 1):  "belongs to no request",
		head + strings.Replace(body, "status {}", "  has a", 1): "belongs to no request",
		head + "-- other --\nx\n" + body:                        "a task has no such part",
	} {
		if _, err := parse("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// small writes the tree of testdata and returns it with its task, and a quarry that was built.
func small(t *testing.T) (root, program string, text []byte) {
	t.Helper()
	if testing.Short() {
		t.Skip("quarry would be built")
	}
	ar, err := txtar.ParseFile(filepath.Join("testdata", "small.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(t.TempDir(), "example+shop")
	rest := &txtar.Archive{}
	for _, f := range ar.Files {
		switch name, ok := strings.CutPrefix(f.Name, "tree/"); {
		case ok:
			if err := os.MkdirAll(root, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		case f.Name == "task":
			rest.Comment = f.Data
		default:
			rest.Files = append(rest.Files, f)
		}
	}
	program = filepath.Join(t.TempDir(), "quarry")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", filepath.Join("..", "..", ".."), "-o", program, "./cmd/quarry").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return root, program, txtar.Format(rest)
}

// TestRun runs a small task in all three ways, and once more with claims that are wrong.
func TestRun(t *testing.T) {
	root, program, text := small(t)
	counter, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.NewReplacer("rows 3", "rows 4", "lacks check", "lacks run", "main.go:5", "main.go:9", `"matches":5`, `"matches":6`).Replace(string(text))
	for _, test := range []struct {
		text  string
		found int
		want  []string
	}{
		{string(text), 4, nil},
		{wrong, 3, []string{
			`calls {"target":"Pay","direction":"callers"}: 3 rows instead of 4`,
			`calls {"target":"Pay","direction":"callers"}: it has "run"`,
			"the texts of mcp lack main.go:9", "the structured answers of mcp lack main.go:9",
			`te grep -w Pay --include=*.go: it does not have "\"matches\":6"`, "te lack main.go:9",
		}},
	} {
		one, err := parse("small", []byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		r := runner{task: one, program: program, count: counter.Count, said: &said}
		o, err := r.in(t.Context(), root)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(o.Complaints, test.want) {
			t.Errorf("%q\n%s", o.Complaints, &said)
		}
		for way, f := range o.Ways {
			if f.Found != test.found || f.Requests != 2 || f.Tokens < 20 || (f.Typed > 0) != (way == mcp) {
				t.Errorf("%s: %+v\n%s", wayNames[way], f, &said)
			}
		}
		var out bytes.Buffer
		if err := table(&out, []outcome{o}); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("| example/shop, go | Let Pay take an amount. | 4 | %d, ", test.found); !strings.Contains(out.String(), want) {
			t.Errorf("%s", &out)
		}
	}
}

// TestPlaces: what a structured answer says of where something is.
func TestPlaces(t *testing.T) {
	var b strings.Builder
	places(&b, map[string]any{"edges": []any{
		map[string]any{"from": map[string]any{"file": "a.go", "line": 3.0}, "to": map[string]any{"file": "b.go", "line": 9.0}, "line": 5.0},
		map[string]any{"file": "c.go", "call_sites": []any{7.0, 8.0}},
	}})
	for _, want := range []string{"a.go:3\n", "a.go:5\n", "b.go:9\n", "c.go:7\n", "c.go:8\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in %q", want, b.String())
		}
	}
	if strings.Contains(b.String(), "b.go:5") {
		t.Error(b.String())
	}
	for answer, want := range map[string]int{"edges": 2, "other": -1} {
		if n := rows(map[string]any{answer: []any{1, 2}}); n != want {
			t.Errorf("%s: %d", answer, n)
		}
	}
}

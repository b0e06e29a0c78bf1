package model_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

// texts are the texts of states, "-" for a file that is gone.
func texts(states []model.State) string {
	var all []string
	for _, s := range states {
		if s.Gone {
			s.Text = "-"
		}
		all = append(all, s.Text)
	}
	return strings.Join(all, " ")
}

// TestTree changes a file at seconds 10 to 11 and 20 to 21, and asks what it may have been.
func TestTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero := time.Now()
		tree := model.New(map[string]string{"fixed": "f"})
		at := func(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }
		change := func(s float64, text string, between ...model.State) {
			time.Sleep(time.Until(at(s)))
			err := tree.Apply(map[string]model.Change{"d/a": {To: model.State{Text: text}, Between: between}}, func() error {
				time.Sleep(time.Second)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		change(10, "one")
		change(20, "two", model.State{Text: "half"})
		for _, c := range []struct {
			path           string
			from, to, sent float64
			want           string
		}{
			{"fixed", 0, 1, 1, "f"},
			{"none", 0, 99, 99, "-"},
			{"d/a", 0, 9, 9, "-"},
			{"d/a", 0, 10, 9, "- one"},
			{"d/a", 10.5, 10.5, 10.5, "- one"},
			{"d/a", 12, 19, 19, "one"},
			{"d/a", 12, 20, 20, "one half two"},
			{"d/a", 20.5, 20.5, 20, "one half two"},
			{"d/a", 22, 23, 23, "two"},
			{"d/a", 0, 99, 0, "- one half two"},
		} {
			got := texts(tree.States(c.path, model.Window{From: at(c.from), To: at(c.to), Sent: at(c.sent)}))
			if got != c.want {
				t.Errorf("%s from %v to %v: %s, want %s", c.path, c.from, c.to, got, c.want)
			}
		}

		tree.Confirm([]string{"other", "d"}, at(22), at(24))
		for sent, want := range map[float64]string{23: "one half two", 25: "two"} {
			if got := texts(tree.States("d/a", model.Window{From: at(15), To: at(26), Sent: at(sent)})); got != want {
				t.Errorf("sent at %v, after it was confirmed: %s, want %s", sent, got, want)
			}
		}
		if paths, states := tree.Now(); len(paths) != 1 || paths[0] != "d/a" || texts(states) != "two" {
			t.Error(paths, states)
		}
		if n := len(tree.Planted("d", model.Window{From: at(0), To: at(99)})) + len(tree.Planted("e", model.Window{From: at(0), To: at(99)})); n != 1 {
			t.Errorf("%d files", n)
		}

		// What is long gone is forgotten.
		time.Sleep(time.Hour)
		if err := tree.Apply(map[string]model.Change{"d/a": {To: model.State{Gone: true}}}, func() error { return errors.New("no") }); err == nil {
			t.Error("an error was lost")
		}
		if got := texts(tree.States("d/a", model.Window{From: at(0), To: time.Now(), Sent: zero})); got != "two -" {
			t.Error(got)
		}
	})
}

func TestJudge(t *testing.T) {
	want := func(_ string, s model.State) []string { return strings.Fields(s.Text) }
	states := map[string][]model.State{
		"a": {{Text: "1 2"}, {Text: "3"}},
		"b": {{Gone: true}, {Text: "4 4"}},
	}
	for _, c := range []struct {
		name  string
		got   map[string][]string
		whole bool
		wrong int
	}{
		{"one state", map[string][]string{"a": {"2", "1"}}, true, 0},
		{"the other", map[string][]string{"a": {"3"}, "b": {"4", "4"}}, true, 0},
		{"two mixed", map[string][]string{"a": {"1", "3"}}, true, 1},
		{"two mixed, in a part", map[string][]string{"a": {"1", "3"}}, false, 1},
		{"a part", map[string][]string{"a": {"2"}, "b": {"4"}}, false, 0},
		{"a part for all", map[string][]string{"a": {"2"}, "b": {"4"}}, true, 2},
		{"twice too often", map[string][]string{"a": {"3"}, "b": {"4", "4", "4"}}, false, 1},
		{"a file that never was", map[string][]string{"a": {"3"}, "c": {"5"}}, true, 1},
		{"missing", nil, true, 1},
		{"missing in a part", nil, false, 0},
	} {
		if wrong := model.Judge(states, c.got, want, c.whole); len(wrong) != c.wrong {
			t.Errorf("%s: %d wrong, want %d: %q", c.name, len(wrong), c.wrong, wrong)
		}
	}
	if low, high := model.Count(states, want); low != 1 || high != 4 {
		t.Errorf("%d to %d, want 1 to 4", low, high)
	}
}

func TestLines(t *testing.T) {
	got := model.Matching("ab\nb\r\n\nxb", regexp.MustCompile("b$"))
	if diff := cmp.Diff([]string{"1:ab", "2:b", "4:xb"}, got); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		from, to int
		want     string
		ok       bool
	}{{1, 1, "a", true}, {2, 3, "b\nc", true}, {3, 4, "", false}, {0, 1, "", false}, {2, 1, "", false}} {
		if text, ok := model.Excerpt("a\nb\nc\n", c.from, c.to); text != c.want || ok != c.ok {
			t.Errorf("%d to %d: %q, %v", c.from, c.to, text, ok)
		}
	}
}

func TestRender(t *testing.T) {
	s := &model.Source{Lang: "go", Imports: []string{"fmt"}, Funcs: []model.Func{{Name: "one", Doc: "counts", Mark: 1}, {Name: "two", Doc: "adds", Calls: []string{"one"}, Mark: 2}}}
	text, spans := s.Render()
	want := "package planted\n\nimport \"fmt\"\n\n// one counts.\nfunc one(n int) int {\n\treturn n + 1\n}\n\n// two adds.\nfunc two(n int) int {\n\tn += one(n)\n\treturn n + 2\n}\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	for _, f := range spans {
		if excerpt, _ := model.Excerpt(text, f.Line, f.End); excerpt != strings.Join(f.Lines, "\n") || !strings.HasPrefix(excerpt, "func "+f.Name) {
			t.Errorf("%s is not in lines %d to %d", f.Name, f.Line, f.End)
		}
	}
	if at := spans[1].Sites; len(at) != 1 || at[0] != 12 {
		t.Errorf("sites %v", at)
	}
	if a, b := model.Word(rand.New(rand.NewPCG(1, 1))), model.Word(rand.New(rand.NewPCG(2, 1))); a == b || len(a) != 14 {
		t.Error(a, b)
	}
}

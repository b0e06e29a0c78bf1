package fitting

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/suite"
)

// tinyClone makes a repository with a documented function for each topic in
// dir/owner+name, and returns its line in a list of repositories.
func tinyClone(t *testing.T, dir, name string, topics ...string) string {
	t.Helper()
	work := filepath.Join(dir, strings.ReplaceAll(name, "/", "+"))
	texts := map[string]string{}
	for _, topic := range topics {
		texts[topic+".go"] = fmt.Sprintf("package p\n\n// Open%[1]s opens the %[1]s for reading and says what failed.\n"+
			"func Open%[1]s(path string) error {\n\tif err := acquire%[1]s(path); err != nil {\n\t\treturn wrap%[1]s(err)\n\t}\n\treturn nil\n}\n", topic)
	}
	writeFiles(t, work, texts)
	git := gitIn(t, work)
	git("init", "-q", ".")
	git("add", ".")
	git("commit", "-q", "-m", "Begin")
	return name + " " + git("rev-parse", "HEAD") + "\n"
}

// trainTiny trains a small model on the repositories of a list.
func trainTiny(t *testing.T, dir, list, out string, more ...string) (errOut string, err error) {
	t.Helper()
	file := filepath.Join(dir, out+".txt")
	if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	_, errOut, err = run(t, append([]string{"model", "--clones", dir, "--cache", filepath.Join(dir, "cache"), "--repositories", file,
		"--out", filepath.Join(dir, out), "--dim", "32", "--batch", "4", "--epochs", "2"}, more...)...)
	return errOut, err
}

// A model without a suite's repositories is the model of a list without them,
// and the card says that something is missing.
func TestLeaveOut(t *testing.T) {
	dir := t.TempDir()
	one := tinyClone(t, dir, "own/one", "Record", "Segment", "Journal", "Cursor")
	two := tinyClone(t, dir, "own/two", "Socket", "Packet", "Session", "Router")
	three := tinyClone(t, dir, "own/three", "Widget", "Button", "Window", "Canvas")
	question := []suite.Query{{Text: "q", Category: "semantic", Targets: []suite.Target{{Path: "a.go"}}}}
	first := writeSuite(t, filepath.Join(dir, "first.json"), suite.Suite{
		{Name: "folder", Origin: "OWN/Two", Queries: question},
		{Name: "one", Origin: "another/one", Queries: question}, // a fork of its own
	})
	// What "quarry eval" makes does not say where a repository comes from.
	second := writeSuite(t, filepath.Join(dir, "second.json"), suite.Suite{{Name: "Three", Queries: question}})

	for out, list := range map[string]string{"all": one + two + three, "only": one} {
		if errOut, err := trainTiny(t, dir, list, out); err != nil || strings.Contains(errOut, "left out") {
			t.Fatalf("%s: %v\n%s", out, err, errOut)
		}
	}
	errOut, err := trainTiny(t, dir, one+two+three, "unseen", "--leave-out", first, "--leave-out", second)
	if err != nil {
		t.Fatal(err)
	}
	if want := "quarry-lab: left out, because the suites ask about them: 2 of 3 repositories\n"; !strings.Contains(errOut, want) {
		t.Errorf("printed is %q without %q", errOut, want)
	}
	for _, name := range []string{"model.onnx", "vocab.txt", "model.json"} {
		if readFile(t, filepath.Join(dir, "unseen", name)) != readFile(t, filepath.Join(dir, "only", name)) {
			t.Errorf("%s is not that of a list without the repositories", name)
		}
	}
	if readFile(t, filepath.Join(dir, "unseen", "model.onnx")) == readFile(t, filepath.Join(dir, "all", "model.onnx")) {
		t.Error("the model is that of the whole list")
	}
	const said = "the model has not seen: 2.\n"
	card := readFile(t, filepath.Join(dir, "unseen", "MODEL.md"))
	if !strings.Contains(card, said) || !strings.Contains(card, "\n- own/one ") || strings.Contains(card, "own/two") || strings.Contains(card, "own/three") {
		t.Errorf("the card is\n%s", card)
	}
	if strings.Contains(readFile(t, filepath.Join(dir, "all", "MODEL.md")), "left out") {
		t.Error("the card of the whole list says that something is left out")
	}

	for _, c := range []struct{ list, suite, want string }{
		{two, first, "no repository remains to train with"},
		{one, filepath.Join(dir, "none.json"), "cannot read the suite"},
	} {
		if _, err := trainTiny(t, dir, c.list, "bad", "--leave-out", c.suite); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--leave-out %s: error %v, want %q", c.suite, err, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	dir := t.TempDir()
	list := tinyClone(t, dir, "own/one", "Record", "Segment", "Journal", "Cursor")
	if errOut, err := trainTiny(t, dir, list, "model"); err != nil {
		t.Fatalf("%v\n%s", err, errOut)
	}
	out := filepath.Join(dir, "pairs.jsonl")
	for kinds, want := range map[string]int{"doc,remark,commit": 4, "name": 4, "commit": 0} {
		_, errOut, err := run(t, "pairs", "--cache", filepath.Join(dir, "cache"), "--out", out, "--kinds", kinds)
		if err != nil || errOut != fmt.Sprintf("quarry-lab: %d pairs\n", want) || strings.Count(readFile(t, out), "\n") != want {
			t.Errorf("%s: %v, %q", kinds, err, errOut)
		}
	}
	if _, _, err := run(t, "pairs", "--cache", filepath.Join(dir, "cache"), "--out", out); err != nil {
		t.Fatal(err)
	}
	const first = `{"repository":"own/one","kind":"doc","query":"OpenCursor opens the Cursor for reading and says what failed.","path":"Cursor.go","names":"OpenCursor","text":"func OpenCursor(`
	if text := readFile(t, out); !strings.HasPrefix(text, first) {
		t.Errorf("the pairs are\n%s", text)
	}
	if _, _, err := run(t, "pairs", "--cache", dir, "--out", out); err == nil || !strings.Contains(err.Error(), "holds none") {
		t.Errorf("a folder without pairs: %v", err)
	}
}

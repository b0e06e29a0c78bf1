package coach

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// earn gives a form so many answers, all of them scored with 2.
func earn(c *Coach, cmd string, id, n int) {
	for range n {
		c.Saw("s", Action{Kind: Search, Cmd: cmd, Form: id})
		c.Saw("s", Action{Kind: Other})
	}
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coach.json")
	c, _ := open(t, path, 1)
	if err := c.Save(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file with nothing in it was written")
	}
	earn(c, "grep", 2, 3)
	c.Saw("s", Action{Kind: Read, Cmd: "cat", Form: 3}) // is never scored
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "version": 1,
  "commands": {
    "cat": {
      "3": {
        "n": 1,
        "scored": 0,
        "sum": 0
      }
    },
    "grep": {
      "2": {
        "n": 3,
        "scored": 3,
        "sum": 6
      }
    }
  }
}
`
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%v is left in the folder", left)
	}

	// The next process goes on; saving twice counts nothing twice.
	c, _ = open(t, path, 1)
	earn(c, "grep", 2, 1)
	for range 2 {
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
	}
	if r := record(t, c, "grep", 2); r.N != 4 || r.Scored != 4 || r.Mean != 2 {
		t.Errorf("%+v", r)
	}
	again, _ := open(t, path, 1)
	if !maps.Equal(again.kept, c.kept) || len(again.since) != 0 {
		t.Errorf("%v, want %v", again.kept, c.kept)
	}
}

// Two processes share a file: each adds what it has counted.
func TestSaveBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coach.json")
	a, _ := open(t, path, 1)
	b, _ := open(t, path, 2)
	earn(a, "grep", 1, 3)
	earn(b, "grep", 1, 4)
	earn(b, "find", 2, 1)
	for _, c := range []*Coach{a, b} {
		if err := c.Save(); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := open(t, path, 3)
	if r, s := record(t, c, "grep", 1), record(t, c, "find", 2); r.N != 7 || s.N != 1 {
		t.Errorf("%+v, %+v", r, s)
	}
}

// A file that is damaged is said to be, and replaced by what is counted from then on.
func TestDamage(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":    "",
		"no JSON":    "coach",
		"cut off":    `{"version": 1, "commands": {"grep": {"1": {"n": 3`,
		"no object":  "[]",
		"null":       "null",
		"no version": `{"commands": {}}`,
		"newer":      `{"version": 2, "commands": {}}`,
		"a fraction": `{"version": 1, "commands": {"grep": {"1": {"n": 1.5}}}}`,
		"negative":   `{"version": 1, "commands": {"grep": {"1": {"n": -1}}}}`,
		"too many":   `{"version": 1, "commands": {"grep": {"1": {"n": 1, "scored": 2, "sum": 2}}}}`,
		"too good":   `{"version": 1, "commands": {"grep": {"1": {"n": 2, "scored": 2, "sum": 5}}}}`,
		"too bad":    `{"version": 1, "commands": {"find": {"1": {"n": 2, "scored": 2, "sum": -3}}}}`,
		"huge":       `{"version": 1, "commands": {"grep": {"1": {"n": 9000000000000000000}}}}`,
	} {
		path := filepath.Join(t.TempDir(), "coach.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		c := Open(Options{Path: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if !strings.Contains(log.String(), "the coach starts over") || !strings.Contains(log.String(), path) {
			t.Errorf("%s: the log says %q", name, log.String())
		}
		if len(c.kept) != 0 {
			t.Errorf("%s: %v is believed", name, c.kept)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%s: the file was changed", name)
		}
		earn(c, "grep", 1, 2)
		if err := c.Save(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := load(path); err != nil || !maps.Equal(got, counts{{"grep", 1}: {2, 2, 4}}) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A whole file is taken without a word; what this program does not know is dropped.
func TestUnknownForms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coach.json")
	text := `{"version": 1, "commands": {"grep": {"1": {"n": 2, "scored": 1, "sum": -1}, "99": {"n": 1}, "x": {"n": -4}}, "rm": {"1": {"n": 7}}}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c := Open(Options{Path: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if log.Len() > 0 || !maps.Equal(c.kept, counts{{"grep", 1}: {2, 1, -1}}) {
		t.Errorf("%v, %s", c.kept, log.String())
	}
	if keys := slices.Collect(maps.Keys(Open(Options{Path: path + ".none", Logger: slog.New(slog.NewTextHandler(&log, nil))}).kept)); len(keys)+log.Len() > 0 {
		t.Errorf("no file: %v, %s", keys, log.String())
	}
}

// What cannot be saved stays counted, once.
func TestSaveFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "coach.json")
	c, _ := open(t, path, 1)
	earn(c, "grep", 1, 2)
	for range 2 {
		if err := c.Save(); err == nil || !strings.Contains(err.Error(), "save the coach's counts") {
			t.Errorf("into a folder that does not exist: %v", err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	if r := record(t, c, "grep", 1); r.N != 2 {
		t.Errorf("%+v", r)
	}
}

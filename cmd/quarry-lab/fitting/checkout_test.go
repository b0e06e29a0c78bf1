package fitting

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/suite"
)

// files returns the texts of a folder by path; a link's is "-> target", an
// executable file's begins with "*".
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		at, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(name)
			all[at] = "-> " + target
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&0o100 != 0 {
			text = append([]byte("*"), text...)
		}
		all[at] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func writeFiles(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func writeSuite(t *testing.T, file string, s suite.Suite) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// gitIn returns a function that runs git in a folder, with no configuration of
// the machine's, and returns what it printed.
func gitIn(t *testing.T, work string) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", work, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

func TestCheckout(t *testing.T) {
	dir := t.TempDir()
	work, corpus := filepath.Join(dir, "work"), filepath.Join(dir, "corpus")
	bare := filepath.Join(dir, "clones", "own+tiny", "repo.git")
	git := gitIn(t, work)
	// The attributes would make git archive leave a file out and change another.
	first := map[string]string{
		".gitattributes": "tests export-ignore\n*.txt text eol=crlf\n",
		"a.txt":          "one\n", "lib/b c.go": "package b\n", "tests/é.go": "package t\n", "gone.go": "package gone\n",
	}
	writeFiles(t, work, first)
	if err := os.Symlink("lib", filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "run"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main", ".")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	revision := git("rev-parse", "HEAD")
	lost := git("rev-parse", "HEAD:gone.go")
	writeFiles(t, work, map[string]string{"a.txt": "two\n"})
	git("commit", "-q", "-a", "-m", "second")
	if err := os.MkdirAll(filepath.Dir(bare), 0o755); err != nil {
		t.Fatal(err)
	}
	git("clone", "-q", "--bare", "--no-hardlinks", work, bare)
	if err := os.Remove(filepath.Join(bare, "objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}

	question := []suite.Query{{Text: "q", Category: "semantic", Targets: []suite.Target{{Path: "a.txt"}}}}
	tiny := suite.Repository{Name: "tiny", Origin: "own/tiny", Revision: revision, Queries: question}
	absent := suite.Repository{Name: "absent", Origin: "own/absent", Revision: revision, Queries: question}
	file := writeSuite(t, filepath.Join(dir, "s.json"), suite.Suite{absent, tiny})
	args := []string{"checkout", "--suite", file, "--clones", filepath.Join(dir, "clones"), "--corpus", corpus}
	_, errOut, err := run(t, args...)
	if err == nil || !strings.Contains(err.Error(), "absent: no clone of own/absent below") {
		t.Errorf("a clone that is not there: %v", err)
	}
	if !strings.Contains(errOut, `tiny: the clone lacks the text of "gone.go"; it is left out`) {
		t.Errorf("no word of the lost object: %s", errOut)
	}
	want := map[string]string{"tiny.revision": revision + "\n", "tiny/link": "-> lib", "tiny/run": "*#!/bin/sh\n"}
	for name, text := range first {
		if name != "gone.go" {
			want["tiny/"+name] = text
		}
	}
	if diff := cmp.Diff(want, files(t, corpus)); diff != "" {
		t.Errorf("the corpus (-want +got):\n%s", diff)
	}

	// Again, and at another revision.
	if _, errOut, _ = run(t, args...); !strings.Contains(errOut, "tiny is there already") {
		t.Errorf("the second time: %s", errOut)
	}
	tiny.Revision = git("rev-parse", "HEAD")
	writeSuite(t, file, suite.Suite{tiny})
	if _, _, err = run(t, args...); err == nil || !strings.Contains(err.Error(), "not known to be at "+tiny.Revision+"; remove it first") {
		t.Errorf("at another revision: %v", err)
	}
	tiny.Revision = strings.Repeat("0", 40)
	tiny.Name = "other"
	writeSuite(t, file, suite.Suite{tiny})
	if _, _, err = run(t, args...); err == nil || !strings.Contains(err.Error(), "cannot list the files of 0000") {
		t.Errorf("a revision that is not there: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(corpus, "*.partial")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

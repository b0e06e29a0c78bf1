package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/quarry-search/quarry/index/git"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCommon checks that the worktrees of a repository are known as such, and
// folders in them.
func TestCommon(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one, two, other := filepath.Join(dir, "one"), filepath.Join(dir, "two"), filepath.Join(dir, "other")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v\n%s", err, out)
		}
	}
	run("init", "-q", one)
	run("init", "-q", other)
	write(t, filepath.Join(one, "sub", "a.go"), "package a\n")
	run("-C", one, "add", ".")
	run("-C", one, "commit", "-qm", "one")
	run("-C", one, "worktree", "add", "-q", two)
	if a, b := git.Common(one), git.Common(two); a == "" || a != b {
		t.Errorf("a repository is %q, its worktree %q", a, b)
	}
	sub := filepath.Join(one, "sub")
	if a, b := git.Common(sub), git.Common(filepath.Join(two, "sub")); a != b || a == git.Common(one) {
		t.Errorf("a folder of a repository is %q, of its worktree %q", a, b)
	}
	if a := git.Common(other); a == "" || a == git.Common(one) {
		t.Errorf("another repository is %q", a)
	}
	if a := git.Common(dir); a != "" {
		t.Errorf("no repository is %q", a)
	}
	write(t, filepath.Join(dir, "broken", ".git"), "gitdir: nowhere\n")
	if a := git.Common(filepath.Join(dir, "broken")); a != "" {
		t.Errorf("a broken one is %q", a)
	}
}

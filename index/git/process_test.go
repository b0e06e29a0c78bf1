package git_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/git"
)

// program puts a git of the test's first on the path.
func program(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\n"+script)
	if err := os.Chmod(filepath.Join(bin, "git"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

func newRepository(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	write(t, filepath.Join(root, "a.go"), "package a\n")
	return root
}

// TestEnvironment looks at what git is started with.
func TestEnvironment(t *testing.T) {
	root := newRepository(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	program(t, `{ echo "args $*"; env | grep '^GIT_'; } >> "`+log+`"; exec "`+real+`" "$@"`+"\n")
	for _, name := range []string{"GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_TRACE2_EVENT", "GIT_INDEX_FILE", "GIT_ALTERNATE_OBJECT_DIRECTORIES"} {
		t.Setenv(name, filepath.Join(root, "evil"))
	}
	client := git.New(git.Options{})
	defer client.Close()
	r, err := client.Around(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.List(t.Context(), root, nil, nil)
	if err != nil || len(list) != 1 {
		t.Errorf("%q, %v", list, err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "evil") {
		t.Errorf("the environment of a hook is passed on: %s", text)
	}
	_, last, _ := strings.Cut(string(text), "ls-files")
	for _, want := range []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=\n",
		"GIT_OPTIONAL_LOCKS=0", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_WORK_TREE=" + root, "GIT_TERMINAL_PROMPT=0",
	} {
		if !strings.Contains(last, want) {
			t.Errorf("%s is not in %s", want, last)
		}
	}
	if strings.Contains(last, "GIT_DIR="+root) {
		t.Error("the repository's own git directory is given to git")
	}
}

// TestEnd ends a git that has started others, when nobody waits for it any more: none of them
// stays, and one that says too much is refused.
func TestEnd(t *testing.T) {
	root := newRepository(t)
	started := filepath.Join(t.TempDir(), "started")
	program(t, `case "$*" in *config*) exit 1;; *diff*) exec yes;; *stage*) exit 0;; esac
sleep 1000 & echo $! > "`+started+`"; wait`+"\n")
	client := git.New(git.Options{})
	defer client.Close()
	r, err := client.Around(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if text, err := os.ReadFile(started); err == nil && len(text) > 1 || t.Context().Err() != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := r.List(ctx, root, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	<-ctx.Done()
	pid, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	for { // until who adopts it has noticed, or the test's time is over
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := r.Diff(t.Context(), root, "HEAD", 1000); !errors.Is(err, git.ErrLarge) {
		t.Errorf("an answer without an end: %v", err)
	}
}

// TestScratch sees that nothing stays, neither of this process nor of one that was killed.
func TestScratch(t *testing.T) {
	root := newRepository(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	old, held := filepath.Join(tmp, "quarry-git-old"), ""
	write(t, filepath.Join(old, "1", "index"), "x")
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	one, two := git.New(git.Options{}), git.New(git.Options{})
	for _, c := range []*git.Client{one, two} {
		if _, err := c.Around(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		if held == "" {
			all, err := filepath.Glob(filepath.Join(tmp, "quarry-git-*"))
			if err != nil || len(all) != 1 || all[0] == old {
				t.Fatalf("%q, %v", all, err)
			}
			held = all[0]
			if info, err := os.Stat(held); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%v, %v", info, err)
			}
			if err := os.Chtimes(held, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(held); err != nil {
		t.Errorf("what another process works in is gone: %v", err)
	}
	if err := errors.Join(one.Close(), two.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	t.Setenv("TMPDIR", root)
	if _, err := git.New(git.Options{}).Around(t.Context(), root); !errors.Is(err, git.ErrRefused) {
		t.Errorf("it works in the work tree: %v", err)
	}
}

package git_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/git"
)

// TestChecked reads where work trees belong, as git has written it down.
func TestChecked(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Env = append(cmd.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v\n%s", err, out)
		}
	}
	from, clone := filepath.Join(dir, "from"), filepath.Join(dir, "clone")
	run("init", "-q", "-b", "trunk", from)
	write(t, filepath.Join(from, "sub", "a.go"), "package a\n")
	run("-C", from, "add", ".")
	run("-C", from, "commit", "-qm", "one")
	run("clone", "-q", from, clone)
	expect := func(folder string, want git.Checkout) {
		t.Helper()
		got, err := git.Checked(folder)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", folder, err, d)
		}
	}
	expect(from, git.Checkout{Within: ".", Branch: "trunk"})
	expect(clone, git.Checkout{Within: ".", Branch: "trunk", Trunk: "trunk"}) // from a folder, whose name means nothing elsewhere
	run("-C", clone, "worktree", "add", "-q", "-b", "feature/x", filepath.Join(dir, "other"))
	run("-C", clone, "checkout", "-q", "--detach")
	for address, origin := range map[string]string{
		"https://me:secret@Example.com:8443/team/shop.git": "example.com/team/shop",
		"https://example.com/team/shop/":                   "example.com/team/shop",
		"git@example.com:team/shop.git":                    "example.com/team/shop",
		"example.com:team/../shop":                         "example.com/shop",
		"ssh://git@example.com/~me/shop.git":               "example.com/~me/shop",
		"https://example.com/":                             "",
		"../shop":                                          "",
		`C:\shop`:                                          "",
	} {
		run("-C", clone, "config", "remote.origin.url", address)
		expect(filepath.Join(clone, "sub"), git.Checkout{Origin: origin, Within: "sub", Trunk: "trunk"})
	}
	run("-C", clone, "config", "remote.origin.url", "https://example.com/team/shop")
	expect(filepath.Join(dir, "other"), git.Checkout{Origin: "example.com/team/shop", Within: ".", Branch: "feature/x", Trunk: "trunk"})
	if _, err := git.Checked(dir); !errors.Is(err, git.ErrNone) {
		t.Errorf("without a repository: %v", err)
	}

	client := git.New(git.Options{})
	defer client.Close()
	r, err := client.Around(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := r.Committed(t.Context(), from); err != nil || !at.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("the commit was made at %v, %v", at, err)
	}
}

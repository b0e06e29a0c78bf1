package git_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/git"
)

// seed makes two commits in a new repository.
const seed = `set -e
seed() {
	mkdir -p dir/deep other/deep
	echo 1 > a.go; echo 1 > dir/b.go; echo 1 > dir/deep/c.go; echo 1 > other/deep/o.go
	printf '*.log\n' > .gitignore; printf '*.gen\n' > dir/.gitignore
	git add . && git commit -qm one
	echo 2 > a.go && git commit -qam two
	echo 3 > a.go; echo x > dir/untracked.go; touch x.log dir/x.gen
}
`

// silent are the formats of which our git knows something that the git of this machine does
// not, or that it refuses: what is compared is said.
var silent = map[string]string{
	"reftable":   "an old git does not know it, and no list needs a reference",
	"alternates": "nothing outside is read; but a list needs no object",
}

// TestFormats compares the lists, commits and diffs of all kinds of repositories with those
// of git itself.
func TestFormats(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	archive, err := txtar.ParseFile("testdata/formats.txtar")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	home := filepath.Join(top, "home")
	for _, f := range archive.Files {
		name, refused := strings.CutSuffix(f.Name, "!")
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.RemoveAll(home), os.MkdirAll(filepath.Join(home, "xdg", "git"), 0o777)); err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "xdg"))
			t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			write(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = n\n\temail = e@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\taddEmbeddedRepo = false\n[gc]\n\tauto = 0\n")
			root := filepath.Join(t.TempDir(), "w")
			if err := os.Mkdir(root, 0o777); err != nil {
				t.Fatal(err)
			}
			script := exec.CommandContext(t.Context(), "sh", "-c", seed+string(f.Data))
			script.Dir = root
			script.Env = append(os.Environ(), "W="+root)
			if out, err := script.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			client := git.New(git.Options{})
			defer client.Close()
			repository, err := client.Around(t.Context(), root)
			var list []string
			if err == nil {
				list, err = repository.List(t.Context(), root, nil, nil)
			}
			if refused {
				lines := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
				want := strings.TrimPrefix(lines[len(lines)-1], "# ")
				if !errors.Is(err, git.ErrRefused) || !strings.Contains(err.Error(), want) {
					t.Fatalf("%q, %v; want %s", list, err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if silent[name] == "" {
				compare(t, repository, root, list)
			} else if want := []string{".gitignore", "a.go", "dir/.gitignore", "dir/b.go", "dir/deep/c.go", "dir/untracked.go", "other/deep/o.go"}; !subset(want, list) && !subset([]string{"a.go", "new.go"}, list) {
				t.Errorf("%q", list)
			}
		})
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// compare asks git itself, with the configuration of the repository, for the same.
func compare(t *testing.T, r *git.Repository, root string, list []string) {
	t.Helper()
	reference := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0")
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	want := strings.Split(strings.TrimSuffix(reference("ls-files", "--cached", "--others", "--exclude-standard", "-z"), "\x00"), "\x00")
	if len(want) == 1 && want[0] == "" {
		want = nil
	}
	if d := cmp.Diff(want, list); d != "" {
		t.Errorf("the list; git, ours: %s", d)
	}
	one, err := r.List(t.Context(), root, nil, []string{"a.go", "dir"})
	if err != nil {
		t.Error(err)
	}
	if want := strings.FieldsFunc(reference("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "a.go", "dir"), func(r rune) bool { return r == 0 }); !slices.Equal(one, want) {
		t.Errorf("two paths: %q, want %q", one, want)
	}
	head, err := r.Head()
	if want := strings.TrimSpace(reference("rev-parse", "--verify", "-q", "HEAD")); err != nil || head != want {
		t.Errorf("HEAD %q, %v; want %q", head, err, want)
	}
	for _, base := range []string{"HEAD", "HEAD~1", "main", "refs/heads/main~1"} {
		if reference("rev-parse", "--verify", "-q", base) == "" {
			continue
		}
		want := reference("diff", "--ignore-submodules=all", base)
		if diff, err := r.Diff(t.Context(), root, base, 1<<20); err != nil && want != "" || diff != want {
			t.Errorf("the diff since %s: %q, %v; want %q", base, diff, err, want)
		}
	}
	if head != "" {
		log, err := r.Log(t.Context(), root, 10)
		if subjects, want := strings.Count(log, "\x01"), strings.Count(reference("log", "--oneline", "--no-merges", "HEAD", "--", "."), "\n"); err != nil && want > 0 || subjects != want {
			t.Errorf("%d commits, %v; want %d", subjects, err, want)
		}
	}
}

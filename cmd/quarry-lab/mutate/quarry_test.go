package mutate

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestImpact asks a program that answers in two pages.
func TestImpact(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script of a shell")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "quarry")
	script := `#!/bin/sh
cat > "` + dir + `/patch"
case "$*" in
*"--offset 0") printf '{"callers":['; i=1; while [ $i -lt 1000 ]; do printf '{"symbol":"A"},'; i=$((i+1)); done; echo '{"symbol":"A"}],"truncated":true}'; exit 3 ;;
*"--offset 1000") echo '{"callers":[{"symbol":"B"}],"tests":["b_test.go"],"truncated":true}'; exit 3 ;;
esac
echo "no such page: $*" >&2
exit 1
`
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := quarry{program, dir, dir}.impact(t.Context(), "the patch")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Callers) != 1001 || a.Callers[1000].Symbol != "B" || a.Exit != affected || !cmp.Equal(a.Tests, []string{"b_test.go"}) {
		t.Errorf("%d callers, exit code %d, tests %q", len(a.Callers), a.Exit, a.Tests)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "patch")); err != nil || string(text) != "the patch" {
		t.Errorf("it was given %q, %v", text, err)
	}
	if _, err := (quarry{program, dir, dir}).ask(t.Context(), "", 7); err == nil || !strings.Contains(err.Error(), "no such page") {
		t.Errorf("a program that fails: %v", err)
	}
}

// run runs the command.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := Command()
	cmd.SetArgs(append([]string{}, args...)) // never nil: those of the process
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestCommand(t *testing.T) {
	repo := unpack(t, map[string]string{
		"a.go":       "package a\n",
		"other.json": `{"mutants": [{"file": "a.go", "edit": {"at": 8, "length": 1, "text": "c"}, "diff": "-package b"}]}`,
		"short.json": `{"mutants": [{"file": "a.go", "edit": {"at": 8, "length": 100}}]}`,
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--repo is needed"},
		{[]string{"--repo", "x", "--mutants", "0"}, "--mutants"},
		{[]string{"--repo", "x", "--timeout", "0s"}, "--timeout"},
		{[]string{"--repo", filepath.Join(t.TempDir(), "none")}, "copy the repository"},
		{[]string{"--repo", t.TempDir(), "--language", "cobol"}, `"cobol"`},
		{[]string{"--repo", t.TempDir(), "--again", filepath.Join(t.TempDir(), "none")}, "read the mutants"},
		{[]string{"--repo", repo, "--again", filepath.Join(repo, "other.json")}, "a.go is not the file that was changed"},
		{[]string{"--repo", repo, "--again", filepath.Join(repo, "short.json")}, "a.go is not the file that was changed"},
		{[]string{"--repo", t.TempDir(), "--language", "go"}, "go list"},
	} {
		if _, err := run(t, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	help, err := run(t, "--help")
	if err != nil || !strings.Contains(help, "IT RUNS THE CODE OF THE REPOSITORY") {
		t.Errorf("the help does not say what it does: %v\n%s", err, help)
	}
}

func TestDuplicate(t *testing.T) {
	from, to := unpack(t, map[string]string{"a/b.txt": "text", ".git/config": "no", "a/__pycache__/b.pyc": "no"}), filepath.Join(t.TempDir(), "to")
	if err := os.Chmod(filepath.Join(from, "a/b.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b.txt", filepath.Join(from, "a/link")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := duplicate(from, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b.txt", "a/link"} {
		if text, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if err := os.WriteFile(filepath.Join(to, "a/b.txt"), nil, 0o644); err != nil {
		t.Errorf("the copy cannot be written: %v", err)
	}
	for _, name := range []string{".git", "a/__pycache__"} {
		if _, err := os.Stat(filepath.Join(to, name)); err == nil {
			t.Errorf("%s is copied", name)
		}
	}
}

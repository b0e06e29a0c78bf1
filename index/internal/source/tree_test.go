package source

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/git"
)

func TestOpenErrors(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"file": "x", "dangling": "-> nowhere"})
	for name, want := range map[string]error{
		"absent":   fs.ErrNotExist,
		"file/sub": syscall.ENOTDIR,
		"file":     ErrNotFolder,
		"dangling": fs.ErrNotExist,
	} {
		tree, err := Open(filepath.Join(root, name), Options{})
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if tree != nil {
			t.Errorf("%s: a tree in spite of the error", name)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: not one sentence: %v", name, err)
		}
	}
}

func TestOpenResolvesLinks(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"real/a.go": "package a", "link": "-> real"})
	tree := open(t, filepath.Join(top, "link"))
	if want := filepath.Join(top, "real"); tree.Root() != want {
		t.Errorf("root %s, want %s", tree.Root(), want)
	}
	if d := cmp.Diff([]string{"a.go"}, walk(t, tree)); d != "" {
		t.Error(d)
	}
	// A path by way of the link is as good as the real one.
	if got, err := tree.Resolve(filepath.Join(top, "link", "a.go")); err != nil || got != "a.go" {
		t.Errorf("Resolve: %q, %v", got, err)
	}
}

func TestWalkEmpty(t *testing.T) {
	if got := walk(t, open(t, t.TempDir())); got != nil {
		t.Errorf("got %q", got)
	}
}

// mixed is a tree with one of everything that Walk decides.
func mixed() map[string]string {
	return map[string]string{
		".gitignore":                  "*.log\nbuild/\n",
		".quarryignore":               "*.sql\n/docs/\n!keep.sql\n",
		"main.go":                     "package main",
		"a/b/c.go":                    "package c",
		"a-b/c.go":                    "package c",
		"a/x.log":                     "",
		"build/out.go":                "",
		"schema.sql":                  "",
		"keep.sql":                    "",
		"docs/a.md":                   "",
		"a/.quarryignore":             "gone.go\n",
		"a/gone.go":                   "",
		".env":                        "K=1",
		".env.example":                "K=",
		"deploy/.ssh/config":          "",
		"server.pem":                  "",
		"logo.png":                    "",
		"yarn.lock":                   "",
		"app.min.js":                  "",
		"big.txt":                     strings.Repeat("x", defaultMaxFileBytes+1),
		"node_modules/m/i.js":         "",
		"__pycache__/m.py":            "",
		"link.go":                     "-> main.go",
		"a/up.go":                     "-> ../a-b/c.go",
		"out":                         "-> /etc/passwd",
		"relout":                      "-> ../../../../../../etc/passwd",
		"dir":                         "-> a",
		"loop":                        "-> .",
		"a/loop2":                     "-> ../a/loop2",
		"lost":                        "-> nothing",
		"tosecret":                    "-> .env",
		"toignored":                   "-> build/out.go",
		"sub/deep/very/deep/file.txt": "",
		".hg/store":                   "",
		"\xff\xfe odd name.go":        "package w",
		" odd\n é\".go":               "package w",
	}
}

func wantMixed() []string {
	return []string{
		".env.example", ".env: secret", ".gitignore", ".quarryignore",
		" odd\n é\".go", "\xff\xfe odd name.go: not_utf8", "a-b/c.go", "a/.quarryignore", "a/b/c.go", "a/loop2: symlink",
		"app.min.js: minified", "big.txt: oversized", "deploy/.ssh/config: secret", "dir: symlink",
		"keep.sql", "logo.png: binary", "loop: symlink", "lost: symlink", "main.go", "out: symlink", "relout: symlink",
		"server.pem: secret", "sub/deep/very/deep/file.txt", "toignored: symlink", "yarn.lock: generated",
	}
}

func TestWalkFiles(t *testing.T) {
	root := t.TempDir()
	write(t, root, mixed())
	want := wantMixed()
	if makePipe(t, filepath.Join(root, "pipe")) {
		want = append(want, "pipe: special")
	}
	tree := open(t, root)
	slices.Sort(want)
	if d := cmp.Diff(want, walk(t, tree)); d != "" {
		t.Errorf("want, got: %s", d)
	}
	if sourceOf(tree) != "gitignore files" {
		t.Errorf("source %q", sourceOf(tree))
	}
	if c, err := tree.HeadCommit(t.Context()); c != "" || err != nil {
		t.Errorf("a commit %q without git (%v)", c, err)
	}
}

func TestWalkGit(t *testing.T) {
	noSettings(t)
	root := t.TempDir()
	write(t, root, mixed())
	runGit(t, root, "init", "-q")
	tree := open(t, root)
	want := wantMixed()
	slices.Sort(want)
	if d := cmp.Diff(want, walk(t, tree)); d != "" {
		t.Errorf("untracked; want, got: %s", d)
	}
	if sourceOf(tree) != "git" {
		t.Errorf("source %q", sourceOf(tree))
	}
	runGit(t, root, "add", "main.go", "a-b")
	runGit(t, root, "add", "-f", "a/x.log", "node_modules/m/i.js", "docs/a.md")
	runGit(t, root, "commit", "-q", "-m", "x")
	if err := os.Remove(filepath.Join(root, "a-b/c.go")); err != nil {
		t.Fatal(err)
	}
	// Tracked files count whatever .gitignore says; .quarryignore stands above.
	want = slices.DeleteFunc(want, func(s string) bool { return s == "a-b/c.go" })
	want = append(want, "a/x.log", "node_modules/m/i.js", "a/up.go: symlink")
	slices.Sort(want)
	if d := cmp.Diff(want, walk(t, tree)); d != "" {
		t.Errorf("partly tracked; want, got: %s", d)
	}
	head := strings.TrimSpace(runGit(t, root, "rev-parse", "HEAD"))
	if got, err := tree.HeadCommit(t.Context()); got != head || err != nil {
		t.Errorf("HeadCommit %q (%v), want %q", got, err, head)
	}
	for name, want := range map[string]bool{
		"a/x.log": false, "a/y.log": true, "node_modules/m/i.js": false, "node_modules/m/j.js": true, "docs/a.md": true,
	} {
		if got := tree.Ignored(name, false); got != want {
			t.Errorf("Ignored(%s) = %v", name, got)
		}
	}
	if tree.Ignored("node_modules", true) {
		t.Error("a folder with a tracked file is ignored")
	}
}

// Environment variables that hooks set must not lead git elsewhere, nor must
// the user's settings change what names look like.
func TestWalkGitEnvironment(t *testing.T) {
	noSettings(t)
	other := t.TempDir()
	runGit(t, other, "init", "-q")
	root := t.TempDir()
	write(t, root, map[string]string{"é\".go": "", ":(exclude)a": "", "*.go": "", "b": ""})
	runGit(t, root, "init", "-q")
	tree := open(t, root)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other, "index"))
	t.Setenv("GIT_ICASE_PATHSPECS", "1")
	if d := cmp.Diff([]string{"*.go", ":(exclude)a", "b", "é\".go"}, walk(t, tree)); d != "" {
		t.Error(d)
	}
	files, skips, gone, err := tree.Lookup(t.Context(), []string{"*.go", ":(exclude)a"})
	if err != nil || len(gone) > 0 {
		t.Error(gone, err)
	}
	if d := cmp.Diff([]string{"*.go", ":(exclude)a"}, summary(files, skips)); d != "" {
		t.Error(d)
	}
}

// A repository must not be able to name a program for us to run.
func TestGitRunsNoProgramOfTheRepository(t *testing.T) {
	noSettings(t)
	root := t.TempDir()
	canary := filepath.Join(t.TempDir(), "canary")
	write(t, root, map[string]string{"a": ""})
	runGit(t, root, "init", "-q")
	runGit(t, root, "config", "core.fsmonitor", "touch "+canary+"; false")
	walk(t, open(t, root))
	if _, err := os.Stat(canary); err == nil {
		t.Error("core.fsmonitor was run")
	}
}

func TestWalkSubfolderOfWorkTree(t *testing.T) {
	noSettings(t)
	top := t.TempDir()
	write(t, top, map[string]string{
		".gitignore": "*.log\n/out/\n", "a.go": "", "sub/b.go": "", "sub/b.log": "", "sub/s/c.go": "",
		"out/x.go": "", "out/y.log": "", "out/.gitignore": "z\n", "out/z": "",
	})
	runGit(t, top, "init", "-q")
	sub := open(t, filepath.Join(top, "sub"))
	if d := cmp.Diff([]string{"b.go", "s/c.go"}, walk(t, sub)); d != "" {
		t.Error(d)
	}
	if sourceOf(sub) != "git" {
		t.Errorf("source %q", sourceOf(sub))
	}
	// Git ignores the whole folder. Who names it as the root wants its files.
	out := open(t, filepath.Join(top, "out"))
	if d := cmp.Diff([]string{".gitignore", "x.go", "y.log"}, walk(t, out)); d != "" {
		t.Error(d)
	}
	if sourceOf(out) != "gitignore files" {
		t.Errorf("source %q", sourceOf(out))
	}
	files, _, gone, err := out.Lookup(t.Context(), []string{"x.go", "z"})
	if err != nil || !slices.Equal(paths(files), []string{"x.go"}) || !slices.Equal(gone, []string{"z"}) {
		t.Error(files, gone, err)
	}
}

func TestWalkNestedRepositories(t *testing.T) {
	noSettings(t)
	lib := t.TempDir()
	write(t, lib, map[string]string{"lib.go": "", "lib.gen": "", ".gitignore": "*.tmp\n", "inner/i.go": ""})
	runGit(t, lib, "init", "-q")
	runGit(t, lib, "add", ".")
	runGit(t, lib, "commit", "-q", "-m", "x")

	root := t.TempDir()
	write(t, root, map[string]string{
		".gitignore": "*.gen\n/ignored/\n", ".quarryignore": "inner/\n", "top.go": "", "top.gen": "",
		"clone/c.go": "", "clone/c.gen": "", "clone/x.tmp": "", "clone/.gitignore": "*.tmp\n", "clone/deeper/d.go": "",
		"ignored/x.go": "", "off/x.go": "", "broken/.git": "gitdir: nowhere", "broken/b.go": "",
	})
	runGit(t, root, "init", "-q")
	for _, dir := range []string{"clone", "clone/deeper", "ignored", "off"} {
		runGit(t, filepath.Join(root, dir), "init", "-q")
	}
	runGit(t, root, "submodule", "add", "-q", lib, "mod")
	write(t, root, map[string]string{"mod/new.go": "", "mod/new.tmp": ""})
	write(t, root, map[string]string{"clone/deeper/.quarryignore": "", "off/.quarryignore": "*"})

	tree := open(t, root)
	want := []string{
		".gitignore", ".gitmodules", ".quarryignore", "broken/b.go",
		"clone/.gitignore", "clone/c.gen", "clone/c.go", "clone/deeper/.quarryignore", "clone/deeper/d.go",
		"mod/.gitignore", "mod/lib.gen", "mod/lib.go", "mod/new.go", "top.go",
	}
	if d := cmp.Diff(want, walk(t, tree)); d != "" {
		t.Errorf("want, got: %s", d)
	}
	for _, p := range want {
		if tree.Ignored(p, false) {
			t.Errorf("%s is listed and Ignored", p)
		}
		files, skips, gone, err := tree.Lookup(t.Context(), []string{p})
		if err != nil || len(gone) > 0 || !slices.Equal(summary(files, skips), []string{p}) {
			t.Errorf("Lookup(%s): %v %v %v %v", p, files, skips, gone, err)
		}
	}
	asked := []string{"mod/new.go", "mod/new.tmp", "clone", "clone/deeper/d.go", "mod/inner/i.go", "ignored/x.go", "top.gen", "mod/.git"}
	files, skips, gone, err := tree.Lookup(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	wantFound := []string{"clone/.gitignore", "clone/c.gen", "clone/c.go", "clone/deeper/.quarryignore", "clone/deeper/d.go", "mod/new.go"}
	if d := cmp.Diff(wantFound, summary(files, skips)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"ignored/x.go", "mod/.git", "mod/inner/i.go", "mod/new.tmp", "top.gen"}, gone); d != "" {
		t.Error(d)
	}
}

func TestWalkFileInConflictOnce(t *testing.T) {
	noSettings(t)
	root := t.TempDir()
	runGit(t, root, "init", "-q")
	write(t, root, map[string]string{"a": "1\n"})
	runGit(t, root, "add", ".")
	runGit(t, root, "commit", "-q", "-m", "1")
	runGit(t, root, "checkout", "-q", "-b", "other")
	write(t, root, map[string]string{"a": "2\n"})
	runGit(t, root, "commit", "-q", "-a", "-m", "2")
	runGit(t, root, "checkout", "-q", "main")
	write(t, root, map[string]string{"a": "3\n"})
	runGit(t, root, "commit", "-q", "-a", "-m", "3")
	merge := exec.Command("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "merge", "-q", "other")
	merge.Dir = root
	if err := merge.Run(); err == nil {
		t.Fatal("no conflict")
	}
	if d := cmp.Diff([]string{"a"}, walk(t, open(t, root))); d != "" {
		t.Error(d)
	}
}

// A tracked folder that was replaced by a link, a tracked file by a folder.
func TestWalkGitReplaced(t *testing.T) {
	noSettings(t)
	root, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"a.go": "secret"})
	write(t, root, map[string]string{"was/a.go": "", "file": "", "other/a.go": ""})
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", ".")
	for _, name := range []string{"was", "file", "other"} {
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, map[string]string{"was": "-> " + outside, "file/b.go": "", "other": "-> file"})
	tree := open(t, root)
	want := []string{"file/b.go", "other: symlink", "was: symlink"}
	if d := cmp.Diff(want, walk(t, tree)); d != "" {
		t.Error(d)
	}
	files, skips, gone, err := tree.Lookup(t.Context(), []string{"was/a.go", "other/b.go", "was", "file"})
	if d := cmp.Diff(want[:1], paths(files)); d != "" || err != nil {
		t.Error(d, err)
	}
	if d := cmp.Diff([]string{"was"}, skipPaths(skips)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"other/b.go", "was/a.go"}, gone); d != "" {
		t.Error(d)
	}
}

func TestWalkWhereGitFails(t *testing.T) {
	noSettings(t)
	files := map[string]string{".gitignore": "*.log\n", "a.go": "", "a.log": ""}
	want := []string{".gitignore", "a.go"}

	t.Run("not installed", func(t *testing.T) {
		root := t.TempDir()
		write(t, root, files)
		runGit(t, root, "init", "-q")
		t.Setenv("PATH", t.TempDir())
		tree := open(t, root)
		if d := cmp.Diff(want, walk(t, tree)); d != "" || sourceOf(tree) != "gitignore files" {
			t.Error(d, sourceOf(tree))
		}
	})
	t.Run("not a repository", func(t *testing.T) {
		root := t.TempDir()
		write(t, root, files)
		write(t, root, map[string]string{".git": "gitdir: /nowhere"})
		var log bytes.Buffer
		tree, err := Open(root, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close()
		for range 2 {
			if d := cmp.Diff(want, walk(t, tree)); d != "" || sourceOf(tree) != "gitignore files" {
				t.Error(d, sourceOf(tree))
			}
		}
		if n := strings.Count(log.String(), "git cannot list the files"); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
	})
	t.Run("another owner", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("only root can give files away")
		}
		root := t.TempDir()
		write(t, root, files)
		runGit(t, root, "init", "-q")
		for _, name := range []string{root, filepath.Join(root, ".git")} {
			if err := os.Chown(name, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
		// Git itself would not read the configuration of somebody else; nobody does here.
		tree := open(t, root)
		if d := cmp.Diff(want, walk(t, tree)); d != "" || sourceOf(tree) != "git" {
			t.Error(d, sourceOf(tree))
		}
	})
	t.Run("hangs", func(t *testing.T) {
		root, bin := t.TempDir(), t.TempDir()
		write(t, root, files)
		runGit(t, root, "init", "-q")
		write(t, bin, map[string]string{"git": "#!/bin/sh\nexec /bin/sleep 60\n"})
		if err := os.Chmod(filepath.Join(bin, "git"), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin)
		tree := open(t, root)
		swap := func(timeout time.Duration) {
			if err := tree.git.Close(); err != nil {
				t.Error(err)
			}
			tree.git = git.New(git.Options{Timeout: timeout})
		}
		swap(50 * time.Millisecond)
		if d := cmp.Diff(want, walk(t, tree)); d != "" {
			t.Error(d)
		}
		swap(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, _, err := tree.Walk(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWalkCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := t.TempDir()
	write(t, root, map[string]string{"a": ""})
	if _, _, err := open(t, root).Walk(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestIgnored(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		".gitignore": "*.log\nbuild/\n!/sub/keep.log\n", ".quarryignore": "data/\n", "sub/.gitignore": "local\n", "sub/x": "",
	})
	tree := open(t, root)
	for _, c := range []struct {
		path string
		dir  bool
		want bool
	}{
		{".", true, false}, {"", true, false}, {"a.go", false, false},
		{".git", true, true}, {".git", false, true}, {".git/HEAD", false, true}, {"x/.git/HEAD", false, true}, {".svn", true, true},
		{"a.log", false, true}, {"sub/a.log", false, true}, {"sub/keep.log", false, false},
		{"build", true, true}, {"build", false, false}, {"build/x/y.go", false, true}, {"new/build/x.go", false, true},
		{"data", true, true}, {"data/x", false, true}, {"sub/local", false, true}, {"local", false, false},
		{"node_modules", true, true}, {"a/node_modules/b", false, true}, {"__pycache__", true, true},
		{".env", false, true}, {".ssh", true, true}, {"deep/.aws/credentials", false, true}, {"id_rsa", false, true},
		{"../x.log", false, false}, {"/abs.log", false, false},
	} {
		if got := tree.Ignored(c.path, c.dir); got != c.want {
			t.Errorf("Ignored(%q, %v) = %v", c.path, c.dir, got)
		}
	}
	write(t, root, map[string]string{"sub/.gitignore": "other\n"})
	if !tree.Ignored("sub/local", false) {
		t.Error("rules are read again without Refresh")
	}
	tree.Refresh()
	if tree.Ignored("sub/local", false) || !tree.Ignored("sub/other", false) {
		t.Error("rules are not read again after Refresh")
	}
}

func TestIsIgnoreFile(t *testing.T) {
	for name, want := range map[string]bool{
		".gitignore": true, "a/.gitignore": true, ".quarryignore": true, ".git/info/exclude": true, "mod/.git/info/exclude": true,
		"a/gitignore": false, "x.gitignore": false, ".git/config": false, "exclude": false,
	} {
		if got := IsIgnoreFile(name); got != want {
			t.Errorf("IsIgnoreFile(%q) = %v", name, got)
		}
	}
}

// A tree that is too deep is told of where that begins, by Walk and by Lookup, with git and
// without, and does not take a descriptor for each level.
func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth)
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "package a\n", deep + "in.go": "package a\n", deep + "e/out.go": "package a\n", deep + strings.Repeat("e/", 300) + "far.go": "package a\n"})
	for _, repo := range []bool{false, true} {
		if repo {
			runGit(t, root, "init", "-q")
		}
		tree := open(t, root)
		files, skips, err := tree.Walk(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.Path)
		}
		for _, s := range skips {
			got = append(got, string(s.Reason))
		}
		want := []string{"a.go", deep + "in.go", "too_deep"} // a folder
		if repo {
			want = append(want, "too_deep") // git lists files
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("in a repository %t: %s", repo, d)
		}
		_, skips, gone, err := tree.Lookup(t.Context(), []string{deep + "e/out.go"})
		if err != nil || len(gone) > 0 || len(skips) != 1 || skips[0].Reason != TooDeep {
			t.Errorf("looked up: %v, gone %v, %v", skips, gone, err)
		}
		if _, skip, err := tree.Read(File{Path: deep + "e/out.go"}); err != nil || skip == nil || skip.Reason != TooDeep {
			t.Errorf("read: %v, %v", skip, err)
		}
	}
}

// The program's own data and the file of a token are secret wherever they are and whatever
// their names, with git and without, also by another name for the same folder.
func TestPrivate(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a.go": "package a\n", "my.token.txt": "t\n", "cache/x.go": "package x\n", "cache2/y.go": "package y\n"})
	other := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, other); err != nil {
		t.Fatal(err)
	}
	for _, repo := range []bool{false, true} {
		if repo {
			runGit(t, root, "init", "-q")
		}
		tree, err := Open(root, Options{Private: []string{filepath.Join(other, "my.token.txt"), filepath.Join(root, "cache"), root, filepath.Dir(root), "a.go"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tree.Close() })
		files, skips, err := tree.Walk(t.Context())
		if err != nil || len(files) != 2 || files[0].Path != "a.go" || files[1].Path != "cache2/y.go" || len(skips) != 2 {
			t.Errorf("in a repository %t, by %s: %v, left out %v, %v", repo, sourceOf(tree), files, skips, err)
		}
		for _, name := range []string{"my.token.txt", "cache/x.go"} {
			if _, skip, err := tree.Read(File{Path: name}); err != nil || skip == nil || skip.Reason != Secret {
				t.Errorf("read %s: %v, %v", name, skip, err)
			}
			if _, _, skip, err := tree.Text(name); err != nil || skip == nil || skip.Reason != Secret {
				t.Errorf("text of %s: %v, %v", name, skip, err)
			}
			if !tree.Ignored(name, false) || !tree.IsSecret(name) {
				t.Errorf("%s is watched", name)
			}
		}
	}
}

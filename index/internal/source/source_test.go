package source

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// write creates files with their folders. A text of "-> target" makes a link.
func write(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(target, full)
		} else {
			err = os.WriteFile(full, []byte(text), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func open(t testing.TB, root string) *Tree {
	t.Helper()
	tree, err := Open(root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

// runGit runs git as a user without settings.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", append([]string{
		"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main",
		"-c", "protocol.file.allow=always", "-c", "advice.addEmbeddedRepo=false",
	}, args...)...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, complaint.Bytes())
	}
	return out.String()
}

func sourceOf(tree *Tree) string {
	source, _ := tree.Source()
	return source
}

// noSettings keeps the ignore rules of whoever runs the tests out of them.
func noSettings(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

// summary renders what Walk and Lookup return: a path a line, skips with their reason.
func summary(files []File, skips []Skip) []string {
	var lines []string
	for _, f := range files {
		lines = append(lines, f.Path)
	}
	for _, s := range skips {
		lines = append(lines, s.Path+": "+string(s.Reason))
	}
	slices.Sort(lines)
	return lines
}

func walk(t testing.TB, tree *Tree) []string {
	t.Helper()
	files, skips, err := tree.Walk(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{paths(files), skipPaths(skips)} {
		if !slices.IsSorted(list) {
			t.Fatalf("not sorted: %q", list)
		}
	}
	return summary(files, skips)
}

func paths(files []File) (ps []string) {
	for _, f := range files {
		ps = append(ps, f.Path)
	}
	return ps
}

func skipPaths(skips []Skip) (ps []string) {
	for _, s := range skips {
		ps = append(ps, s.Path)
	}
	return ps
}

// TestIgnoreRules compares our reading of .gitignore files with git's.
func TestIgnoreRules(t *testing.T) {
	noSettings(t)
	archives, err := filepath.Glob("testdata/ignore/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no test data", err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, ""
			var kept []txtar.File
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				kept = append(kept, f)
				files[f.Name] = string(f.Data)
			}
			root := t.TempDir()
			write(t, root, files)
			tree := open(t, root)
			list := listed(t, tree)
			got := strings.Join(list, "\n") + "\n"
			if *update {
				archive.Files = append(kept, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(want, got); d != "" {
				t.Errorf("want, got: %s", d)
			}
			runGit(t, root, "init", "-q")
			if d := cmp.Diff(gitList(t, root), list); d != "" {
				t.Errorf("git, ours: %s", d)
			}
		})
	}
}

// listed returns what the ignore files admit, whatever it is.
func listed(t testing.TB, tree *Tree) []string {
	f, err := tree.list(t.Context(), newRules(tree.log), nil)
	if err != nil {
		t.Fatal(err)
	}
	list := append(paths(f.files), skipPaths(f.skips)...)
	slices.Sort(list)
	return list
}

func gitList(t testing.TB, root string) []string {
	out := runGit(t, root, "ls-files", "--others", "--exclude-standard", "-z")
	list := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	slices.Sort(list)
	if len(list) == 1 && list[0] == "" {
		return nil
	}
	return list
}

// TestIgnoreRulesAtRandom does the same for rules nobody would write.
func TestIgnoreRulesAtRandom(t *testing.T) {
	noSettings(t)
	root := t.TempDir()
	runGit(t, root, "init", "-q")
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "ab", "ba", "aab", "a.c", "b.c"}
	parts := []string{"a", "b", "*", "**", "/", "/", "?", "[ab]", "[!a]", ".c", "!", `\`, "**/", "/**", "/*", "a/", " ", "[b-]", "]", "["}
	files := map[string]string{}
	for range 150 {
		elems := make([]string, 1+rng.IntN(4))
		for i := range elems {
			elems[i] = names[rng.IntN(len(names))]
			if i < len(elems)-1 {
				elems[i] = "d" + elems[i]
				if rng.IntN(2) == 0 {
					elems[i] = elems[i][1:] + "x"
				}
			}
		}
		files[strings.Join(elems, "/")] = ""
	}
	write(t, root, files)
	tree := open(t, root)
	for round := range 100 {
		var rules strings.Builder
		for range 1 + rng.IntN(4) {
			if rng.IntN(3) == 0 {
				rules.WriteString("!")
			}
			for range 1 + rng.IntN(5) {
				rules.WriteString(parts[rng.IntN(len(parts))])
			}
			rules.WriteString("\n")
		}
		write(t, root, map[string]string{".gitignore": rules.String()})
		list := listed(t, tree)
		if d := cmp.Diff(gitList(t, root), list); d != "" {
			t.Errorf("round %d, rules %q; git, ours: %s", round, rules.String(), d)
		}
	}
}

func ExampleTree_Walk() {
	root, err := os.MkdirTemp("", "source")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	for name, text := range map[string]string{".gitignore": "*.log\n", "main.go": "package main\n", "x.log": "", ".env": "KEY=1\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
	tree, err := Open(root, Options{})
	if err != nil {
		panic(err)
	}
	defer tree.Close()
	files, skips, err := tree.Walk(context.Background())
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		fmt.Println(f.Path, f.Size)
	}
	for _, s := range skips {
		fmt.Println("skipped:", s.Path, s.Reason)
	}
	// Output:
	// .gitignore 6
	// main.go 13
	// skipped: .env secret
}

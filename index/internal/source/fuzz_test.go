package source

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzIgnore has anything stand in two ignore files: what is left of a tree is what git
// says is left.
func FuzzIgnore(f *testing.F) {
	archives, err := filepath.Glob("testdata/ignore/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatal("no test data", err)
	}
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if filepath.Base(file.Name) == gitIgnore {
				f.Add(string(file.Data), "!a\n")
			}
		}
	}
	f.Add("*\n!*/\n!*.c\n", "/b\n")
	f.Add("[[:alpha:]]?\n\\!x\n", "d[^a]/**/b\n")
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull, "XDG_CONFIG_HOME": f.TempDir()} {
		f.Setenv(name, value)
	}
	root := f.TempDir()
	runGit(f, root, "init", "-q")
	files := map[string]string{}
	for _, dir := range []string{"", "a/", "b/", "d/", "d/a/", "d/b/a/", "ab/", "a.c/", "x y/", "é/"} {
		for _, name := range []string{"a", "b", "ab", "aab", "a.c", "b.c", "!x", "#y", "a b", "c ", "é", "[a]", `q\`, "-"} {
			if path := dir + name; !(name == "a" || name == "b" || name == "ab" || name == "a.c" || name == "é") || dir == "d/b/a/" || dir == "x y/" {
				files[path] = ""
			}
		}
	}
	write(f, root, files)
	tree := open(f, root)
	f.Fuzz(func(t *testing.T, top, below string) {
		if len(top)+len(below) > 200 {
			return
		}
		write(t, root, map[string]string{gitIgnore: top, "d/" + gitIgnore: below})
		got := listed(t, tree)
		// A name that is not UTF-8 would not come through as it is; there is none.
		if d := cmp.Diff(gitList(t, root), got); d != "" {
			t.Errorf("%q and below d %q; git, ours: %s", top, below, d)
		}
		// And a watcher leaves out the same.
		tree.Refresh()
		for name := range files {
			if _, listed := slices.BinarySearch(got, name); tree.Ignored(name, false) == listed {
				t.Errorf("%q and below d %q: listed %t, and so ignored", top, below, listed)
			}
		}
	})
}

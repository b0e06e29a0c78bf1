package source

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Folders that are listed at the same time give what they give one after the other.
func TestListAtOnce(t *testing.T) {
	root := t.TempDir()
	rnd := rand.New(rand.NewPCG(1, 2))
	files := map[string]string{"a/.gitignore": "*.log\n", ".quarryignore": "b/b\n"}
	for n := range 400 {
		dir := ""
		for range rnd.IntN(5) {
			dir += string(rune('a'+rnd.IntN(4))) + "/"
		}
		files[fmt.Sprintf("%sf%d.%s", dir, n, []string{"go", "log", "png"}[rnd.IntN(3)])] = "x\n"
	}
	write(t, root, files)
	for link, target := range map[string]string{"c/l.go": "../a", "d/l": "/"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	walked := func(processors int) ([]File, []Skip) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		files, skips, err := open(t, root).Walk(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return files, skips
	}
	wantFiles, wantSkips := walked(1)
	if len(wantFiles) < 50 || len(wantSkips) < 50 {
		t.Fatalf("there are %d files and %d skips: too few to tell", len(wantFiles), len(wantSkips))
	}
	for range 10 {
		gotFiles, gotSkips := walked(8)
		if d := cmp.Diff(wantFiles, gotFiles); d != "" {
			t.Fatalf("files (-one by one +at once):\n%s", d)
		}
		if d := cmp.Diff(wantSkips, gotSkips); d != "" {
			t.Fatalf("skips (-one by one +at once):\n%s", d)
		}
	}
}

// The ignore files of a folder and of those above it have room together, what lies next to
// it has its own, and what is left out of them is told.
func TestIgnoreRoom(t *testing.T) {
	half := strings.Repeat("*a*b*c*d?\n", maxWildcards/20)
	root := t.TempDir()
	write(t, root, map[string]string{
		".quarryignore": half + "*.log\n", "x.log": "", "y.txt": "",
		"a/.gitignore": half + "*.txt\nz\n", "a/y.txt": "", "a/z": "", "a/x.log": "",
		"b/.gitignore": "*.txt\n", "b/y.txt": "", "b/x.go": "",
	})
	var logged bytes.Buffer
	tree, err := Open(root, Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	// a's last pattern with a wildcard had no room; its name without one counts.
	want := []string{".quarryignore", "a/.gitignore", "a/y.txt", "b/.gitignore", "b/x.go", "y.txt"}
	if d := cmp.Diff(want, listed(t, tree)); d != "" {
		t.Error(d)
	}
	if n := strings.Count(logged.String(), "too many patterns"); n != 1 || !strings.Contains(logged.String(), "a/.gitignore") {
		t.Errorf("told %d times: %s", n, logged.String())
	}
}

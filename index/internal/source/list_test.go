package source

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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

package graph_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph"
	languages "github.com/quarry-search/quarry/index/internal/lang"
)

// TestMove puts blank lines into the files of all cases, one after the other, and
// compares the graph whose places have moved, and one that was restored, with one that
// is built afresh. Between them come other edits, which are resolved.
func TestMove(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	moved := map[bool]int{}
	for i, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) { testMove(t, folder, uint64(i), moved) })
	}
	t.Logf("%d of %d changes were moved", moved[true], moved[true]+moved[false])
	if moved[true] < moved[false] {
		t.Error("most changes of blank lines were not moved")
	}
}

func testMove(t *testing.T, folder string, seed uint64, moved map[bool]int) {
	archives, err := filepath.Glob(folder + "/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Skip("no cases")
	}
	p := languages.NewParser()
	defer p.Close()
	random := rand.New(rand.NewPCG(seed, 3))
	files := map[string][]byte{}
	for _, name := range archives {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(text).Files {
			if f.Name != "want" && !graph.IsConfig(f.Name) {
				files[path.Join(strings.TrimSuffix(filepath.Base(name), ".txtar"), f.Name)] = f.Data
			}
		}
	}
	form := lowering(p, files)
	build := func() *graph.Graph {
		g := graph.New()
		for name, text := range files {
			put(g, p, name, text)
		}
		g.Resolve()
		return g
	}
	live := graph.New()
	for name, text := range files {
		put(live, p, name, text)
	}
	live.Reload(form, 1)
	live.Resolve()
	names := slices.Sorted(maps.Keys(files))
	const rounds = 12
	for n := range rounds {
		frozen, err := restored(saved(live))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			name := names[random.IntN(len(names))]
			old := form(name, nil)
			lines := bytes.SplitAfter(files[name], []byte("\n"))
			at := random.IntN(len(lines) + 1)
			files[name] = slices.Concat(bytes.Join(lines[:at], nil), []byte("\n\n"), bytes.Join(lines[at:], nil))
			now := form(name, nil)
			if old == nil || now == nil {
				continue
			}
			ok := live.Move(name, old, form(name, nil))
			moved[ok]++
			if !ok {
				put(live, p, name, files[name])
				live.Resolve()
			}
			if frozen != nil && !frozen.Move(name, old, now) {
				frozen = nil
			}
		}
		want := saved(build())
		if !bytes.Equal(saved(live), want) {
			difference(t, described(live), described(build()))
			t.Fatalf("round %d: the graph whose places have moved is another one", n)
		}
		if frozen != nil && !bytes.Equal(saved(frozen), want) {
			difference(t, described(frozen), described(build()))
			t.Fatalf("round %d: the restored graph whose places have moved is another one", n)
		}
		// What is resolved after a move must not be mistaken about places either.
		name := names[random.IntN(len(names))]
		if len(files[name]) < 4096 { // else a file that is drawn each time takes most of the time
			files[name] = append(slices.Clone(files[name]), files[name]...)
		}
		live.Remove(name)
		put(live, p, name, files[name])
		live.Resolve()
		if !bytes.Equal(saved(live), saved(build())) {
			t.Fatalf("round %d: another edit after a move gives another graph", n)
		}
	}
}

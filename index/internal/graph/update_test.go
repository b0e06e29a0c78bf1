package graph_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// TestEdits makes random edits (a name changed in one file or everywhere, a file
// deleted, moved, brought back or broken off, an import changed, two lines
// swapped) and compares the graph after each with one that is built afresh from
// the same files. QUARRY_EDITS is their number.
func TestEdits(t *testing.T) {
	edits := 160
	if testing.Short() {
		edits = 12
	}
	if text := os.Getenv("QUARRY_EDITS"); text != "" {
		fmt.Sscan(text, &edits)
	}
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for i, folder := range folders {
		if testing.Short() && filepath.Base(folder) != "go" {
			continue // what runs concurrently is the same for all
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			archives, err := filepath.Glob(folder + "/*.txtar")
			if err != nil || len(archives) == 0 {
				t.Skip("no cases")
			}
			testEdits(t, archives, uint64(i), max(6, edits/len(folders)), 0)
		})
	}
	t.Run("mixed", func(t *testing.T) { testEdits(t, mixed(t, 4), 77, max(4, edits/8), 0) })
	t.Run("shrunk", func(t *testing.T) { testEdits(t, mixed(t, 3), 78, max(4, edits/8), 1) })
	t.Run("bound", func(t *testing.T) { testEdits(t, mixed(t, 3), 79, max(4, edits/8), 200<<10) })
}

// project is a set of files that is edited.
type project struct {
	files  map[string][]byte
	gone   map[string][]byte
	random *rand.Rand
}

func testEdits(t *testing.T, archives []string, seed uint64, edits int, bound int64) {
	p := languages.NewParser()
	defer p.Close()
	made := project{files: unpacked(t, archives), gone: map[string][]byte{}, random: rand.New(rand.NewPCG(seed, 7))}
	g := graph.New()
	for name, text := range made.files {
		put(g, p, name, text)
	}
	// As in a project too large to be kept: what an update needs is lowered again.
	g.Reload(lowering(p, made.files), 1)
	g.Bound(bound)
	g.Resolve()
	for n := range edits {
		what, changed := made.edit()
		for _, name := range changed {
			if text, ok := made.files[name]; ok {
				g.Remove(name) // a text that has nothing any more is taken out
				put(g, p, name, text)
			} else {
				g.Remove(name)
			}
		}
		g.Resolve()
		fresh := graph.New()
		for name, text := range made.files {
			put(fresh, p, name, text)
		}
		fresh.Resolve()
		got, want := described(g), described(fresh)
		if !slices.Equal(got, want) {
			t.Errorf("after edit %d (%s):", n, what)
			difference(t, got, want)
			if t.Failed() {
				return
			}
		}
		if !bytes.Equal(saved(g), saved(fresh)) {
			t.Fatalf("after edit %d (%s): the graphs are saved in two ways", n, what)
		}
	}
}

// lowering lowers files again.
func lowering(p *syntax.Parser, files map[string][]byte) func(name string, spare *ir.Spare) *ir.File {
	var mu sync.Mutex
	return func(name string, spare *ir.Spare) *ir.File {
		mu.Lock()
		defer mu.Unlock()
		text := files[name]
		f, tree := p.ParseTree(source.Language(name, text), text)
		low := lower.File(&f, tree)
		if low == nil {
			return nil
		}
		return ir.Restore(snapshot.NewDecoder(coded(low)), spare)
	}
}

// described is all that a graph says, one line each.
func described(g *graph.Graph) []string {
	var out []string
	g.Each(func(e edge.Edge) bool {
		out = append(out, fmt.Sprintf("%s %s %s %s %s %d:%d", label(g, e.From), e.Kind, label(g, e.To), e.Confidence, e.Rule, e.Pos.Line(), e.Pos.Column()))
		return true
	})
	g.EachSite(func(s edge.Site) bool {
		out = append(out, fmt.Sprintf("%s ?? %s %s %d:%d", label(g, s.From), s.Name, s.Reason, s.Pos.Line(), s.Pos.Column()))
		return true
	})
	// What the indexes say must be the same again.
	seen := map[edge.ID]bool{}
	g.Each(func(e edge.Edge) bool {
		if !seen[e.To] {
			seen[e.To] = true
			for in := range into(g, e.To) {
				out = append(out, fmt.Sprintf("in %s %s %s %d:%d", label(g, in.To), in.Kind, label(g, in.From), in.Pos.Line(), in.Pos.Column()))
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

func difference(t *testing.T, got, want []string) {
	t.Helper()
	shown := 0
	for _, line := range got {
		if _, ok := slices.BinarySearch(want, line); !ok && shown < 12 {
			t.Logf("updated only: %s", line)
			shown++
		}
	}
	for _, line := range want {
		if _, ok := slices.BinarySearch(got, line); !ok && shown < 24 {
			t.Logf("fresh only:   %s", line)
			shown++
		}
	}
}

var (
	words    = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{2,}`)
	importer = regexp.MustCompile(`(?m)^\s*(import|from|use|using|require|require_relative|#include|mod)\b.*$`)
)

// edit changes the project; it returns what it did and the paths it touched.
func (p *project) edit() (what string, changed []string) {
	names := slices.Sorted(maps.Keys(p.files))
	name := names[p.random.IntN(len(names))]
	text := p.files[name]
	switch p.random.IntN(9) {
	case 0, 1: // rename in one file
		if all := words.FindAll(text, -1); len(all) > 0 {
			word := string(all[p.random.IntN(len(all))])
			p.files[name] = swapWord(text, word, p.other(word))
			return fmt.Sprintf("rename %s in %s", word, name), []string{name}
		}
	case 2: // rename in the files of the same project
		if all := words.FindAll(text, -1); len(all) > 0 {
			word := string(all[p.random.IntN(len(all))])
			to := p.other(word)
			dir, _, _ := strings.Cut(name, "/")
			for _, n := range names {
				if strings.HasPrefix(n, dir+"/") {
					if next := swapWord(p.files[n], word, to); !bytes.Equal(next, p.files[n]) {
						p.files[n] = next
						changed = append(changed, n)
					}
				}
			}
			return fmt.Sprintf("rename %s to %s below %s", word, to, dir), changed
		}
	case 3: // delete
		if len(names) > 5 {
			p.gone[name] = text
			delete(p.files, name)
			return "delete " + name, []string{name}
		}
	case 4: // bring back
		for _, n := range slices.Sorted(maps.Keys(p.gone)) {
			p.files[n] = p.gone[n]
			delete(p.gone, n)
			return "bring back " + n, []string{n}
		}
	case 5: // move
		to := path.Join(path.Dir(name), "moved"+fmt.Sprint(p.random.IntN(3)), path.Base(name))
		if p.random.IntN(2) == 0 {
			to = path.Join(path.Dir(path.Dir(name)), path.Base(name))
		}
		if _, ok := p.files[to]; !ok && to != name {
			p.files[to] = text
			delete(p.files, name)
			return "move " + name + " to " + to, []string{name, to}
		}
	case 6: // change an import
		if at := importer.FindAllIndex(text, -1); len(at) > 0 {
			i := at[p.random.IntN(len(at))]
			line := string(text[i[0]:i[1]])
			next := ""
			if p.random.IntN(2) == 0 {
				if all := words.FindAllString(line, -1); len(all) > 1 {
					word := all[1+p.random.IntN(len(all)-1)]
					next = strings.Replace(line, word, p.other(word), 1)
				}
			}
			p.files[name] = slices.Concat(text[:i[0]], []byte(next), text[i[1]:])
			return fmt.Sprintf("import in %s: %q to %q", name, line, next), []string{name}
		}
	case 7: // swap two lines
		lines := bytes.SplitAfter(text, []byte("\n"))
		if len(lines) > 3 {
			i, j := p.random.IntN(len(lines)-1), p.random.IntN(len(lines)-1)
			lines[i], lines[j] = lines[j], lines[i]
			p.files[name] = bytes.Join(lines, nil)
			return fmt.Sprintf("swap lines %d and %d of %s", i, j, name), []string{name}
		}
	case 8: // break off, or add a line at the top
		if p.random.IntN(2) == 0 {
			p.files[name] = slices.Clone(text[:p.random.IntN(len(text)+1)])
			return "break off " + name, []string{name}
		}
		p.files[name] = append([]byte("\n"), text...)
		return "line before " + name, []string{name}
	}
	return "nothing", nil
}

// other returns another name: one that the project has, or a new one.
func (p *project) other(word string) string {
	names := slices.Sorted(maps.Keys(p.files))
	if p.random.IntN(2) == 0 {
		all := words.FindAllString(string(p.files[names[p.random.IntN(len(names))]]), -1)
		if len(all) > 0 {
			return all[p.random.IntN(len(all))]
		}
	}
	return word + "X"
}

func swapWord(text []byte, word, to string) []byte {
	return words.ReplaceAllFunc(text, func(w []byte) []byte {
		if string(w) == word {
			return []byte(to)
		}
		return w
	})
}

func into(g *graph.Graph, id edge.ID) func(yield func(edge.Edge) bool) {
	return func(yield func(edge.Edge) bool) { g.In(id, yield) }
}

// TestEditOfABody has an edit of a function's body evaluate the units of its file and of those
// that see another value by it, and not of all files that mention what the file's types take
// over from others.
func TestEditOfABody(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files := map[string][]byte{
		"go.mod":       []byte("module example.com/m\n"),
		"lock/lock.go": []byte("package lock\n\ntype Mutex struct{}\n\nfunc (m *Mutex) Lock() {}\n"),
		"job.go": []byte("package m\n\ntype Job interface{ Run() }\n\ntype A struct{}\n\nfunc (A) Run() {}\n\n" +
			"type B struct{}\n\nfunc (B) Run() {}\n\nfunc start(j Job) Job { j.Run(); return j }\n"),
		"store.go": []byte("package m\n\nimport \"example.com/m/lock\"\n\ntype Store struct{ lock.Mutex }\n\n" +
			"func (s *Store) Put() Job { s.Lock(); return start(A{}) }\n\nfunc log() {}\n"),
		"last.go": []byte("package m\n\nfunc last(s *Store) { s.Put().Run() }\n"),
	}
	for i := range 100 {
		files[fmt.Sprintf("user%d.go", i)] = fmt.Appendf(nil, "package m\n\nfunc use%d(s *Store) { s.Lock() }\n", i)
	}
	g := graph.New()
	steps := 0
	g.Between(func() func() { return func() { steps++ } })
	for name, text := range files {
		put(g, p, name, text)
	}
	g.Resolve()
	if steps < 100 {
		t.Fatalf("the first solve took %d steps", steps)
	}
	for _, edit := range []struct{ from, to string }{
		{"s.Lock();", "log(); s.Lock();"}, // a call
		{"A{}", "B{}"},                    // another value, which goes to another file and comes back
		{"start(B{})", "A{}"},             // one that goes nowhere any more
	} {
		files["store.go"] = bytes.Replace(files["store.go"], []byte(edit.from), []byte(edit.to), 1)
		steps = 0
		put(g, p, "store.go", files["store.go"])
		g.Resolve()
		if steps == 0 || steps > 50 {
			t.Errorf("%s instead of %s took %d steps", edit.to, edit.from, steps)
		}
		fresh := graph.New()
		for name, text := range files {
			put(fresh, p, name, text)
		}
		fresh.Resolve()
		if !bytes.Equal(saved(g), saved(fresh)) {
			t.Errorf("%s instead of %s leads to another graph than a build", edit.to, edit.from)
		}
	}
}

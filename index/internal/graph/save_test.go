package graph_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/graph/edge"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/snapshot"
)

func saved(g *graph.Graph) []byte {
	var e snapshot.Encoder
	g.Save(&e)
	return e.Bytes()
}

func restored(data []byte) (*graph.Graph, error) {
	d := snapshot.NewDecoder(data)
	g, err := graph.Restore(d)
	if err == nil {
		err = d.End()
	}
	return g, err
}

// nodeText is all that is known of a node, but for its number.
func nodeText(g *graph.Graph, id edge.ID) string {
	n := g.Node(id)
	return fmt.Sprintf("%d %s:%s %s %d %d %d:%d %d-%d in %q", n.Kind, n.Path, n.Name, n.Language, n.Flags, n.ClassKind,
		n.Pos.Line(), n.Pos.Column(), n.Start, n.End, label(g, n.Outer))
}

func edgeText(g *graph.Graph, e edge.Edge) string {
	return fmt.Sprintf("%s %s %s %s %s %d:%d", nodeText(g, e.From), e.Kind, nodeText(g, e.To), e.Confidence, e.Rule, e.Pos.Line(), e.Pos.Column())
}

func siteText(g *graph.Graph, s edge.Site) string {
	return fmt.Sprintf("%s %q %s %d:%d", nodeText(g, s.From), s.Name, s.Reason, s.Pos.Line(), s.Pos.Column())
}

// listed is a sorted list of what a query gives.
func listed[T any](g *graph.Graph, text func(*graph.Graph, T) string, query func(yield func(T) bool)) string {
	return sortedLines(inOrder(g, text, query))
}

func inOrder[T any](g *graph.Graph, text func(*graph.Graph, T) string, query func(yield func(T) bool)) []string {
	var out []string
	query(func(x T) bool {
		out = append(out, text(g, x))
		return true
	})
	return out
}

func sortedLines(list []string) string {
	slices.Sort(list)
	return strings.Join(list, "\n\t")
}

// nodesOf lists nodes.
func nodesOf(g *graph.Graph, ids []edge.ID) []string {
	var out []string
	for _, id := range ids {
		out = append(out, nodeText(g, id))
	}
	return out
}

func plain(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// nodes yields the IDs of all nodes of all families, and 0 of each, which is none.
func nodes(g *graph.Graph) iter.Seq[edge.ID] {
	return func(yield func(edge.ID) bool) {
		for n := range edge.ID(graph.MaxFamilies) {
			for id := n * graph.MaxNodes; id == n*graph.MaxNodes || g.Node(id).ID != 0; id++ {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// everything is what all queries say, in no order where they promise none.
func everything(g *graph.Graph, files map[string][]byte) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	names := map[string]bool{"": true, "nobody": true}
	for path, text := range files {
		say("file %s %t %s", path, g.Has(path), nodeText(g, g.File(path)))
		for n := range bytes.Count(text, []byte("\n")) + 2 {
			say("at %s:%d %s", path, n, nodeText(g, g.At(path, n)))
		}
		own := map[string]bool{path: true, "": true, "nobody": true}
		for _, w := range words.FindAllString(string(text), -1) {
			own[w], names[w] = true, true
		}
		in := g.NamedIn(path)
		for w := range own {
			all := g.Named(path, w, 0)
			say("named %s %s %q", path, w, nodesOf(g, all))
			for _, id := range all {
				line := g.Node(id).Pos.Line()
				at := g.Named(path, w, line)
				say("named %s %s %d %q", path, w, line, nodesOf(g, at))
				if here := in[graph.Spot{Name: w, Line: line}]; line > 0 && w != "" && !slices.Equal(here, at) {
					say("of all that are named in %s, %s %d are %q", path, w, line, nodesOf(g, here))
				}
			}
		}
	}
	say("file nowhere %t %d %d %d", g.Has("nowhere"), g.File("nowhere"), g.At("nowhere", 1), g.Named("nowhere", "x", 0))
	// Nodes of no file count only where something leads to them, and so do variables
	// that C has twice, as members of an enum and next to it.
	for id := range nodes(g) {
		n := g.Node(id)
		if n.ID == 0 || n.Path == "" || n.Kind == edge.VarNode && !slices.Contains(g.Named(n.Path, plain(n.Name), 0), id) {
			continue
		}
		text := nodeText(g, id)
		say("node %s %s", text, g.PathOf(id))
		if edges := inOrder(g, edgeText, func(yield func(edge.Edge) bool) { g.Out(id, yield) }); len(edges) > 0 {
			say("out %s %q", text, edges)
		}
		if edges := listed(g, edgeText, func(yield func(edge.Edge) bool) { g.In(id, yield) }); edges != "" {
			say("in %s %s", text, edges)
		}
		if sites := inOrder(g, siteText, func(yield func(edge.Site) bool) { g.Sites(id, yield) }); len(sites) > 0 {
			say("sites %s %q", text, sites)
		}
		if members := nodesOf(g, g.Members(id)); len(members) > 0 {
			say("members %s %s", text, sortedLines(members))
		}
	}
	for n := range names {
		if sites := listed(g, siteText, func(yield func(edge.Site) bool) { g.Open(n, yield) }); sites != "" {
			say("open %q %s", n, sites)
		}
	}
	say("each %s", listed(g, edgeText, g.Each))
	say("sites %s", listed(g, siteText, g.EachSite))
	say("stats %+v", g.Stats())
	slices.Sort(out)
	return slices.Compact(out)
}

// TestSave checks that a restored graph answers as the saved one does.
func TestSave(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	all := projects(t)
	all["nothing"] = nil
	for name, files := range all {
		t.Run(name, func(t *testing.T) {
			g := built(p, files)
			data := saved(g)
			h, err := restored(data)
			if err != nil {
				t.Fatal(err)
			}
			if g.Shrunk() || h.Shrunk() != (len(files) > 0) {
				t.Error("Shrunk is wrong")
			}
			got, want := everything(h, files), everything(g, files)
			if !slices.Equal(got, want) {
				for _, line := range got {
					if _, ok := slices.BinarySearch(want, line); !ok {
						t.Errorf("restored only: %.2000s", line)
						break
					}
				}
				for _, line := range want {
					if _, ok := slices.BinarySearch(got, line); !ok {
						t.Errorf("saved only: %.2000s", line)
						break
					}
				}
			}
			testOut(t, h)
			if !bytes.Equal(saved(h), data) {
				t.Error("a restored graph is saved in another way")
			}
		})
	}
}

// TestRestoredChange checks that a restored graph refuses to be changed.
func TestRestoredChange(t *testing.T) {
	g, err := restored(saved(graph.New()))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"Put": func() { g.Put("a.go", nil) }, "Remove": func() { g.Remove("a.go") },
		"Config": func() { g.Config("go.mod", nil) }, "Resolve": func() { g.Resolve() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			change()
		}()
	}
}

// small is a project with everything that is saved.
var small = map[string][]byte{
	"a/a.go": []byte(`package a

type Writer interface{ Write(p []byte) int }
type One struct{}
type Two struct{}
type Three struct{ next Writer }

func (One) Write(p []byte) int    { return len(p) }
func (*Two) Write(p []byte) int   { return unknown.call(p) }
func (t Three) Write(p []byte) int { return t.next.Write(p) }

func Run(w Writer, f func()) {
	f()
	w.Write(nil)
	func() { Run(w, f) }()
}
`),
	"b/b.rb": []byte("module M\n  class A\n    def run(x)\n      x.go(1)\n      walk\n    end\n    def walk; end\n  end\nend\n"),
	"c/c.rb": []byte("module M\n  class A\n    def more\n      walk\n    end\n  end\nend\n"),
}

// ask uses every query on every node, as far as the answers are not too long.
func ask(g *graph.Graph) {
	left := 100000
	see := func(e edge.Edge) bool {
		left--
		_, _, _ = e.Kind.String(), e.Confidence.String(), e.Rule.String()
		return left > 0
	}
	site := func(s edge.Site) bool {
		left--
		_ = s.Reason.String()
		g.PathOf(s.From)
		return left > 0
	}
	g.Each(see)
	g.EachSite(site)
	for id := range nodes(g) {
		if left <= 0 {
			break
		}
		n := g.Node(id)
		g.Out(id, see)
		g.In(id, see)
		g.Sites(id, site)
		g.Members(id)
		g.Has(n.Path)
		g.At(n.Path, n.Pos.Line())
		g.Named(n.Path, n.Name, 0)
		g.Open(n.Name, site)
	}
	g.Stats()
}

// TestRestoreDamaged checks that bytes that were cut or changed give an error or a
// graph, and that the errors are those of the package snapshot.
func TestRestoreDamaged(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	data := saved(built(p, small))
	for n := range data {
		if _, err := restored(data[:n]); !errors.Is(err, snapshot.ErrDamaged) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	for n := range data {
		for bit := range 9 {
			changed := slices.Clone(data)
			if changed[n] ^= 1 << bit; bit == 8 {
				changed[n] = ^changed[n]
			}
			if g, err := restored(changed); err == nil {
				ask(g)
				saved(g)
			} else if !errors.Is(err, snapshot.ErrDamaged) {
				t.Fatalf("byte %d: %v", n, err)
			}
		}
	}
}

func FuzzRestore(f *testing.F) {
	p := languages.NewParser()
	defer p.Close()
	f.Add(saved(graph.New()))
	f.Add(saved(built(p, small)))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := restored(data)
		if err != nil {
			return
		}
		ask(g)
		again := saved(g)
		h, err := restored(again)
		if err != nil {
			t.Fatalf("what was restored cannot be restored again: %v", err)
		}
		if !bytes.Equal(saved(h), again) {
			t.Fatal("what was restored is saved in two ways")
		}
	})
}

// allCases is the graph of all cases together.
func allCases(b *testing.B) *graph.Graph {
	p := languages.NewParser()
	defer p.Close()
	all := map[string][]byte{}
	for dir, files := range projects(b) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			all[dir+"/"+name] = files[name]
		}
	}
	return built(p, all)
}

func BenchmarkSave(b *testing.B) {
	g := allCases(b)
	b.SetBytes(int64(len(saved(g))))
	for b.Loop() {
		saved(g)
	}
}

func BenchmarkRestore(b *testing.B) {
	data := saved(allCases(b))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := restored(data); err != nil {
			b.Fatal(err)
		}
	}
}

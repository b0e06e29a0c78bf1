package graph_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	languages "github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// twoFamilies is a small tree whose imports a configuration file decides.
func twoFamilies() (files, configs map[string][]byte) {
	return map[string][]byte{
			"a/a.go": []byte("package a\n\nimport \"example.com/shop/b\"\n\nfunc A() { b.B() }\n"),
			"b/b.go": []byte("package b\n\nfunc B() { unknown() }\n"),
			"c.py":   []byte("import d\n\ndef c():\n    d.d()\n"),
			"d.py":   []byte("def d():\n    pass\n"),
		}, map[string][]byte{
			"go.mod": []byte("module example.com/shop\n"),
		}
}

// withConfigs is built with configuration files.
func withConfigs(p *syntax.Parser, files, configs map[string][]byte) *graph.Graph {
	all := maps.Clone(files)
	maps.Copy(all, configs)
	return built(p, all)
}

// TestRestoredEdit changes a graph that was restored: only the family of what has changed
// is made again, with the configuration that it had.
func TestRestoredEdit(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files, configs := twoFamilies()
	g, err := restored(saved(withConfigs(p, files, configs)))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	load := lowering(p, files)
	g.Configured(configs)
	g.Reload(func(name string, spare *ir.Spare) *ir.File {
		asked = append(asked, name)
		return load(name, spare)
	}, 0)
	check := func(what string, want ...string) {
		t.Helper()
		g.Resolve()
		slices.Sort(asked)
		if !slices.Equal(asked, want) {
			t.Errorf("%s: asked for %q, want %q", what, asked, want)
		}
		asked = nil
		if fresh := withConfigs(p, files, configs); !bytes.Equal(saved(g), saved(fresh)) {
			t.Errorf("%s: not what a fresh graph has", what)
			difference(t, described(g), described(fresh))
		}
	}
	check("nothing has changed")
	put(g, p, "go.mod", configs["go.mod"])
	check("the same configuration")
	files["b/b.go"] = []byte("package b\n\nfunc B() { C() }\n\nfunc C() {}\n")
	put(g, p, "b/b.go", files["b/b.go"])
	check("a file of Go", "a/a.go")
	put(g, p, "b/b.go", files["b/b.go"])
	check("the same once more")
	delete(files, "d.py")
	g.Remove("d.py")
	check("a file of Python", "c.py")
	if !g.Shrink() || !g.Shrunk() || g.Shrink() {
		t.Error("it does not shrink once")
	}
	configs["go.mod"] = []byte("module example.com/store\n")
	put(g, p, "go.mod", configs["go.mod"])
	check("a configuration", "a/a.go", "b/b.go")
	delete(files, "c.py")
	g.Remove("c.py")
	check("the last file of Python")
}

// TestShrinkOfGrown has a family grow by edits until it is to be made again.
func TestShrinkOfGrown(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files, _ := twoFamilies()
	for m := range 400 { // of what changes in most of its files all is made afresh
		files["e.py"] = fmt.Appendf(files["e.py"], "def e%d():\n    pass\n", m)
	}
	g := built(p, files)
	if g.Shrink() {
		t.Error("it shrinks, and could not be made again")
	}
	g.Reload(lowering(p, files), 0)
	for n := range 200 {
		text := []byte("def d():\n    pass\n")
		for m := range 300 {
			text = append(text, "def x"+string(rune('a'+m%26))+string(rune('a'+m/26))+string(rune('0'+n%10))+string(rune('0'+n/10))+"():\n    d()\n"...)
		}
		files["d.py"] = text
		put(g, p, "d.py", text)
		g.Resolve()
		if g.Shrunk() {
			if fresh := built(p, files); !bytes.Equal(saved(g), saved(fresh)) {
				t.Error("not what a fresh graph has")
			}
			return
		}
	}
	t.Errorf("it grows to %d bytes", g.Bytes())
}

// TestBound has more whole families than there may be: those are shrunk that have not
// changed, and of others the largest.
func TestBound(t *testing.T) {
	p := languages.NewParser()
	defer p.Close()
	files := map[string][]byte{
		"a.go": []byte("package a\n\nfunc a() {}\n"),
		"b.rb": []byte("def b\nend\n"),
		"c.py": []byte("def c():\n    pass\n"),
	}
	for i := range 50 {
		files["c.py"] = fmt.Appendf(files["c.py"], "\n\ndef c%d():\n    c()\n", i)
	}
	whole := func(g *graph.Graph) (sum int64, names []string) {
		for name, bytes := range g.Whole() {
			sum += bytes
			names = append(names, name)
		}
		slices.Sort(names)
		return sum, names
	}
	all, _ := whole(built(p, files))
	g := graph.New()
	for name, text := range files {
		put(g, p, name, text)
	}
	g.Reload(lowering(p, files), 0)
	g.Bound(all - 1)
	check := func(what string, want ...string) {
		t.Helper()
		g.Resolve()
		if sum, names := whole(g); sum >= all || !slices.Equal(names, want) {
			t.Errorf("%s: %q are whole, want %q", what, names, want)
		}
	}
	check("all are new", "go", "ruby")
	files["b.rb"] = []byte("def b\nend\n\ndef c\n  b\nend\n")
	put(g, p, "b.rb", files["b.rb"])
	check("there is room", "go", "ruby")
	files["c.py"] = append(files["c.py"], "\n\ndef d():\n    c()\n"...)
	put(g, p, "c.py", files["c.py"])
	check("the largest has changed", "go", "python") // Ruby has more than Go
	put(g, p, "c.py", files["c.py"])
	put(g, p, "b.rb", files["b.rb"])
	check("so have two", "python", "ruby")
	if fresh := built(p, files); !bytes.Equal(saved(g), saved(fresh)) {
		t.Error("not what a fresh graph has")
		difference(t, described(g), described(fresh))
	}
}

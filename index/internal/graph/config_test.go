package graph_test

import (
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/internal/graph"
	languages "github.com/quarry-search/quarry/index/internal/lang"
)

// FuzzConfig has anything stand in the files that say where modules lie: the graph is
// made all the same, soon, and the same again.
func FuzzConfig(f *testing.F) {
	names := []string{"go.mod", "package.json", "tsconfig.json", "Cargo.toml", "web/package.json", "web/tsconfig.json"}
	f.Add(uint8(0), []byte("module example.com/shop\n\ngo 1.24\nreplace a => ./b\n"))
	f.Add(uint8(1), []byte(`{"name":"shop","main":"./src/a.ts","exports":{".":{"import":"./src/a.ts"},"./*":["./src/*.ts"]},"imports":{"#x":"./src/b.ts"},"workspaces":["web"]}`))
	f.Add(uint8(2), []byte(`{"extends":"./tsconfig.json","compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}} /* why */, }`))
	f.Add(uint8(3), []byte("[package]\nname = \"shop\"\n[lib]\npath = \"src/lib.rs\"\n[dependencies]\nweb = { path = \"web\" }\n"))
	f.Add(uint8(4), []byte(`{"exports":{"./**":"../../../**","./*/*":"*"}}`))
	f.Add(uint8(5), []byte(`{"extends":["../tsconfig.json","./tsconfig.json"],"compilerOptions":{"paths":{"*":["*","**"],"":[""]}}}`))
	f.Add(uint8(2), []byte("[[[[[{{{{"))
	p := languages.NewParser()
	f.Cleanup(p.Close)
	files := map[string][]byte{
		"src/a.ts":     []byte("import { b } from '#x'\nimport w from 'web'\nimport { c } from '@/b'\nexport function a() { b(); c(); w() }\n"),
		"src/b.ts":     []byte("export function b() {}\nexport function c() { b() }\n"),
		"web/index.ts": []byte("import { a } from 'shop/a'\nexport default function w() { a() }\n"),
		"main.go":      []byte("package main\n\nimport \"example.com/shop/b\"\n\nfunc main() { b.B() }\n"),
		"b/b.go":       []byte("package b\n\nfunc B() {}\n"),
		"src/lib.rs":   []byte("mod x;\nuse web::f;\npub fn l() { f(); x::y(); crate::x::y() }\n"),
		"src/x.rs":     []byte("pub fn y() { super::l() }\n"),
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		if len(text) > 8<<10 {
			return
		}
		name := names[int(n)%len(names)]
		made := func() *graph.Graph {
			g := graph.New()
			for path, src := range files {
				put(g, p, path, src)
			}
			g.Config("package.json", []byte(`{"name":"shop"}`))
			g.Config(name, text)
			g.Resolve()
			return g
		}
		g := made()
		if got, want := described(made()), described(g); !slices.Equal(got, want) {
			difference(t, got, want)
			t.Errorf("%s %q: a second graph differs", name, text)
		}
		g.Config(name, nil)
		g.Resolve()
	})
}

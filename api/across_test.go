package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/links"
)

// chain is four projects: tool calls app, app calls lib, lib's own command calls tool;
// stranger has the names of lib.
const chain = `
-- lib/go.mod --
module example.com/lib
-- lib/lib.go --
package lib

type Store struct{}

func New() *Store { return &Store{} }

func (s *Store) Put(k string) { s.check(k) }

func (s *Store) check(k string) {}
-- lib/cmd/main.go --
package main

import "example.com/tool"

func main() { tool.Run() }
-- app/go.mod --
module example.com/app
-- app/app.go --
package app

import "example.com/lib"

func Save() { save() }

func save() {
	s := lib.New()
	s.Put("a")
	s.Put("b")
}
-- app/app_test.go --
package app

import "testing"

func TestSave(t *testing.T) { Save() }
-- tool/go.mod --
module example.com/tool
-- tool/tool.go --
package tool

import "example.com/app"

func Run() { app.Save() }
-- stranger/go.mod --
module example.com/stranger
-- stranger/lib.go --
package lib

type Store struct{}

func New() *Store { return nil }

func (s *Store) Put(k string) {}
`

// acrossProjects returns the projects of an archive, in the order of their files.
func acrossProjects(t *testing.T, text string) *fakes {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range txtar.Parse([]byte(text)).Files {
		file := filepath.Join(base, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		if name, _, _ := strings.Cut(f.Name, "/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	ps := &fakes{}
	for _, name := range names {
		x, err := index.Open(filepath.Join(base, name), index.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		ps.list = append(ps.list, Project{Name: name, Index: x})
	}
	return ps
}

func placeText(p wire.AcrossPlace) string {
	return strings.TrimPrefix(fmt.Sprintf("%s/%s:%d %s", p.Project, p.File, p.Line, p.Symbol), "/")
}

func TestCallsAcross(t *testing.T) {
	ps := acrossProjects(t, chain)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"target=New&direction=callers&project=lib", []string{"app/app.go:7 save -> lib.go:5 New :8 exact 1"}},
		{"target=Store&direction=callers&project=lib", []string{
			"app/app.go:7 save -> lib.go:7 Store.Put :9 scoped 1", "app/app.go:7 save -> lib.go:7 Store.Put :10 scoped 1",
		}},
		{"target=Store.check&direction=callers&project=lib", nil},
		{"target=Store.check&direction=callers&depth=2&project=lib", []string{
			"app/app.go:7 save -> lib.go:7 Store.Put :9 scoped 2", "app/app.go:7 save -> lib.go:7 Store.Put :10 scoped 2",
		}},
		{"target=Save&project=app", nil},
		{"target=Save&depth=2&project=app", []string{
			"app.go:7 save -> lib/lib.go:5 New :8 exact 2", "app.go:7 save -> lib/lib.go:7 Store.Put :9 scoped 2", "app.go:7 save -> lib/lib.go:7 Store.Put :10 scoped 2",
		}},
		{"target=Save&direction=both&project=app", []string{"tool/tool.go:5 Run -> app.go:5 Save :5 exact 1"}},
		{"target=cmd/main.go&project=lib", []string{"cmd/main.go:5 main -> tool/tool.go:5 Run :5 exact 1"}},
		{"target=lib.go&direction=callers&project=stranger", nil},
		{"project=tool", []string{"tool.go:5 Run -> app/app.go:5 Save :5 exact 0"}},
	} {
		var got wire.CallsResponse
		c.get(h, "/calls?"+tc.query).decode(t, &got)
		if got.Across == nil {
			t.Fatalf("%s: nothing across", tc.query)
		}
		var lines []string
		for _, e := range got.Across.Calls {
			lines = append(lines, fmt.Sprintf("%s -> %s :%d %s %d", placeText(e.From), placeText(e.To), e.Line, e.Confidence, e.Depth))
		}
		if diff := cmp.Diff(tc.want, lines); diff != "" {
			t.Errorf("%s: %s", tc.query, diff)
		}
		if a := got.Across; !a.Complete || a.Truncated || a.Total != len(lines) || a.Unasked != nil {
			t.Errorf("%s: %+v", tc.query, a.AcrossMeta)
		}
	}
	var got wire.CallsResponse
	c.get(h, "/calls?target=Save&depth=2&project=app&limit=2").decode(t, &got)
	if a := got.Across; len(a.Calls) != 2 || a.Total != 3 || !a.Truncated {
		t.Errorf("%+v", got.Across)
	}
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
}

func TestImpactAcross(t *testing.T) {
	ps := acrossProjects(t, chain)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	all := []string{
		"2 app/app.go:7 save -> lib/lib.go:7 Store.Put [9 10] scoped",
		"3 app/app.go:5 Save -> app/app.go:7 save [5] scoped",
		"4 app/app_test.go:5 TestSave -> app/app.go:5 Save [5] scoped",
		"4 tool/tool.go:5 Run -> app/app.go:5 Save [5] scoped",
		"5 lib/cmd/main.go:5 main -> tool/tool.go:5 Run [5] scoped",
	}
	for _, tc := range []struct {
		query string
		want  []string
		tests []string
	}{
		{"target=Store.check&depth=9&project=lib", all, []string{"app_test.go"}},
		{"target=Store.check&depth=9&project=lib&include_tests=false", []string{all[0], all[1], all[3], all[4]}, []string{"app_test.go"}},
		{"target=Store.check&depth=3&project=lib", all[:2], nil},
		{"target=Store.check&depth=1&project=lib", nil, nil},
		{"target=Store.Put&depth=9&project=stranger", nil, nil},
	} {
		var got wire.ImpactResponse
		c.get(h, "/impact?"+tc.query).decode(t, &got)
		var lines []string
		for _, e := range got.Across.Callers {
			lines = append(lines, fmt.Sprintf("%d %s -> %s %v %s", e.Depth, placeText(wire.AcrossPlace{Project: e.Project, Symbol: e.Symbol, File: e.File, Line: e.Line}), placeText(e.Via), e.CallSites, e.Confidence))
		}
		if diff := cmp.Diff(tc.want, lines); diff != "" {
			t.Errorf("%s: %s", tc.query, diff)
		}
		for _, p := range got.Across.Projects {
			if p.Project == "app" && !cmp.Equal(p.Tests, append([]string{}, tc.tests...)) {
				t.Errorf("%s: tests %v", tc.query, p.Tests)
			}
		}
		if a := got.Across; a.Complete == strings.Contains(tc.query, "depth=3") || a.Total != len(lines) {
			t.Errorf("%s: %+v", tc.query, a.AcrossMeta)
		}
	}

	// What a diff changes, and a bound.
	var got wire.ImpactResponse
	c.post(h, "/impact", `{"project":"lib","limit":1,"diff":"--- a/lib.go\n+++ b/lib.go\n@@ -5 +5 @@\n-func New() *Store { return nil }\n+func New() *Store { return &Store{} }\n"}`).decode(t, &got)
	if a := got.Across; len(a.Callers) != 1 || !a.Truncated || a.Callers[0].Symbol != "save" || a.Callers[0].Depth != 1 || a.Callers[0].Confidence != "exact" {
		t.Errorf("%+v", got.Across)
	}
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
}

// A project that is on disk or being indexed is not asked, and that is said.
func TestAcrossUnasked(t *testing.T) {
	ps := acrossProjects(t, chain)
	ps.full = "app"
	fresh := newFake(t)
	fresh.state.State = answer.Indexing
	ps.list = append(ps.list, Project{Name: "new", Index: fresh})
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	for _, target := range []string{"/calls?direction=callers&target=New", "/impact?target=New", "/calls"} {
		var got struct {
			Across wire.AcrossMeta `json:"across"`
		}
		c.get(h, target).decode(t, &got)
		if a := got.Across; a.Complete || !cmp.Equal(a.Unasked, []string{"app", "new"}) {
			t.Errorf("%s: %+v", target, a)
		}
	}

	// A server with one project has nothing of the kind.
	h = newServer(t, ps.list[0].Index, Options{}).Handler()
	for _, target := range []string{"/calls?target=New", "/impact?target=New"} {
		if r := c.get(h, target); r.status != 200 || strings.Contains(string(r.body), `"across"`) {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
}

// counting counts how often links are sought.
type counting struct {
	Index
	n *int
}

func (c counting) Links(ctx context.Context, to links.Library) (links.LinksAnswer, error) {
	*c.n++
	return c.Index.Links(ctx, to)
}

func TestLinksAreKept(t *testing.T) {
	ps := acrossProjects(t, chain)
	n := 0
	ps.list[1].Index = counting{ps.list[1].Index, &n}
	s := newServer(t, nil, Options{Projects: ps})
	c := newChecker(t)
	ask := func() {
		t.Helper()
		if r := c.get(s.Handler(), "/calls?project=app&target=save"); r.status != 200 || !strings.Contains(string(r.body), `"lib.go"`) {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	ask()
	ask()
	if n != 3 {
		t.Errorf("links to 3 projects were sought %d times", n)
	}
	lib := ps.list[0].Index.(*index.Index)
	file := filepath.Join(lib.Root(), "lib.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append([]byte("\n\n"), text...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Update(t.Context(), []string{"lib.go"}); err != nil {
		t.Fatal(err)
	}
	ask()
	if n != 4 {
		t.Errorf("after a change of one of them: %d times", n)
	}
	if r := c.do(s.Handler(), request("DELETE", "/projects/lib", "")); r.status != 204 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if n := s.service.Across().Pairs(); n != 2 {
		t.Errorf("%d pairs are kept of the two others", n)
	}
}

// Answers go on while the projects change.
func TestAcrossWhileUpdating(t *testing.T) {
	ps := acrossProjects(t, chain)
	h := newServer(t, nil, Options{Projects: ps}).Handler()
	var wg sync.WaitGroup
	for _, target := range []string{"/calls?target=Save&project=app&direction=both&depth=2", "/impact?target=Store.check&project=lib&depth=9"} {
		wg.Go(func() {
			for range 20 {
				if r := newChecker(t).get(h, target); r.status != 200 {
					t.Errorf("%s: %d %s", target, r.status, r.body)
				}
			}
		})
	}
	for _, at := range []struct{ project, file string }{{"lib", "lib.go"}, {"app", "app.go"}, {"lib", "lib.go"}, {"tool", "tool.go"}} {
		p, done, err := ps.Acquire(t.Context(), at.project)
		if err != nil {
			t.Fatal(err)
		}
		x := p.Index.(*index.Index)
		f, err := os.OpenFile(filepath.Join(x.Root(), at.file), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.WriteString("\n// changed\n"); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		if _, err := x.Update(t.Context(), []string{at.file}); err != nil {
			t.Error(err)
		}
		done()
	}
	wg.Wait()
}

package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/trace"
)

var generations = regexp.MustCompile(`"generation": [0-9]+`)

// everything asks an index all that an overlay is for, and returns the answers as text
// that can be compared: without generation, root and times.
func everything(t testing.TB, x *Index, questions, targets []string) string {
	t.Helper()
	var b strings.Builder
	show := func(what string, answer any, checked answer.Checked, err error) {
		text, failed := json.MarshalIndent(answer, "", " ")
		if failed != nil {
			t.Fatal(failed)
		}
		fmt.Fprintf(&b, "%s: %v %+v\n%s\n", what, err, checked, text)
	}
	for _, text := range questions {
		for _, mode := range []search.Mode{search.Hybrid, search.Semantic, search.Lexical, search.Symbol, search.Regex} {
			a, err := x.Search(t.Context(), search.Query{Text: text, Mode: mode, Limit: 20})
			show(fmt.Sprintf("search %s %q", mode, text), a, a.Checked, err)
		}
	}
	for _, target := range targets {
		c, err := x.Context(t.Context(), brief.ContextQuery{Target: target, Depth: 2, MaxTokens: 2000})
		show("context "+target, c, c.Checked, err)
		d, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Both, Depth: 2, External: true})
		show("calls "+target, d, d.Checked, err)
		i, err := x.Impact(t.Context(), impact.Query{Target: target, Depth: 3})
		show("impact "+target, i, i.Checked, err)
		tr, err := x.Trace(t.Context(), trace.Query{Target: target, Depth: 1})
		show("trace "+target, tr, tr.Checked, err)
		e, err := x.Extract(t.Context(), outline.ExtractQuery{Target: target})
		show("extract "+target, e, e.Checked, err)
		r, err := x.Related(t.Context(), strings.Split(target, ":")[0], 1, search.Query{Limit: 5})
		show("related "+target, r, r.Checked, err)
	}
	s, err := x.Structure(t.Context(), outline.StructureQuery{Limit: 1000})
	show("structure", s, answer.Checked{}, err)
	k, err := x.Skeleton(t.Context(), outline.SkeletonQuery{Path: ".", Limit: 10})
	show("skeleton", k, k.Checked, err)
	all, err := x.Calls(t.Context(), calls.CallsQuery{Limit: 1000})
	show("all calls", all, all.Checked, err)
	text := strings.ReplaceAll(b.String(), x.Root(), "ROOT")
	return generations.ReplaceAllString(text, `"generation": N`)
}

// An edit is what is to be saved: by path, nil for a file that is deleted.
type edit struct {
	name  string
	files map[string]*string
}

func (e *edit) overlay() []Overlay {
	var list []Overlay
	for path, text := range e.files {
		if text == nil {
			list = append(list, Overlay{Path: path, Deleted: true})
		} else {
			list = append(list, Overlay{Path: path, Content: *text})
		}
	}
	return list
}

// save writes an edit to the disk and has an index see it.
func (e *edit) save(t testing.TB, y *Index) {
	t.Helper()
	var paths []string
	for path, text := range e.files {
		paths = append(paths, path)
		if text != nil {
			write(t, y.Root(), path, *text)
		} else if err := os.Remove(filepath.Join(y.Root(), path)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if _, err := y.Update(t.Context(), paths); err != nil {
		t.Fatal(err)
	}
}

// undo is the edit that takes an edit back.
func (e *edit) undo(saved map[string]string) *edit {
	back := &edit{"undo", map[string]*string{}}
	for path := range e.files {
		if text, ok := saved[path]; ok {
			back.files[path] = &text
		} else {
			back.files[path] = nil
		}
	}
	return back
}

// edits are changes of all kinds of a tree, made of its own files.
func edits(files map[string]string, symbol string, of int) []edit {
	var paths []string
	for path, text := range files {
		if strings.Contains(text, "(") && !strings.HasSuffix(path, ".mod") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	some := func(text string) *string { return &text }
	var list []edit
	for i := 0; i < len(paths); i += max(1, len(paths)/of) {
		p, q := paths[i], paths[(i+1)%len(paths)]
		text := files[p]
		list = append(list,
			edit{"moved " + p, map[string]*string{p: some("\n\n" + text)}},
			edit{"renamed " + p, map[string]*string{p: some(strings.ReplaceAll(text, symbol, symbol+"Again"))}},
			edit{"halved " + p, map[string]*string{p: some(text[:len(text)/2])}},
			edit{"deleted " + p, map[string]*string{p: nil}},
			edit{"doubled " + p, map[string]*string{filepath.ToSlash(filepath.Join(filepath.Dir(p), "twin_"+filepath.Base(p))): some(text)}},
			edit{"swapped " + p, map[string]*string{p: some(files[q]), q: some(text)}},
			edit{"moved away " + p, map[string]*string{p: nil, "far/away/" + filepath.Base(p): some(text)}},
			edit{"binary " + p, map[string]*string{p: some("a\x00b")}},
			edit{"empty " + p, map[string]*string{p: some("")}},
			edit{"unchanged " + p, map[string]*string{p: some(text)}},
		)
	}
	return list
}

// TestOverlayIsASave holds the answers with an overlay, and all that is indexed, against
// those of an index after a save, to the last byte, and sees to it that the base answers as
// before.
func TestOverlayIsASave(t *testing.T) {
	for _, project := range []struct {
		archive, symbol    string
		questions, targets []string
	}{
		{"testdata/search.txtar", "Retry", []string{"retry a request", "parse the configuration", "Config"}, []string{"Retry", "twin_retry.go"}},
		{"testdata/calls.txtar", "Total", []string{"save the cart", "Total", "price.*Of"}, []string{"Total", "Checkout", "cart/cart.go", "cart/cart.go:Add"}},
		{"testdata/outline.txtar", "Server", []string{"start the server", "Server"}, []string{"Server"}},
	} {
		if testing.Short() && project.archive != "testdata/calls.txtar" {
			continue // what runs concurrently is the same for all
		}
		t.Run(filepath.Base(project.archive), func(t *testing.T) {
			archive, err := txtar.ParseFile(project.archive)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				if f.Name != "ask" {
					files[f.Name] = string(f.Data)
				}
			}
			x, y := build(t, unpack(t, project.archive)), build(t, unpack(t, project.archive))
			ask := func(x *Index) string { return everything(t, x, project.questions, project.targets) }
			before, bytes, state, event := ask(x), portable(t, x), x.State(), after(t, x, answer.Event{})
			if diff := gocmp.Diff(before, ask(y)); diff != "" {
				t.Fatalf("two indexes of one tree: %s", diff)
			}
			different := 0
			for _, e := range edits(files, project.symbol, 2) {
				e.save(t, y)
				want := ask(y)
				v, err := x.With(t.Context(), e.overlay())
				if err != nil {
					t.Fatalf("%s: %v", e.name, err)
				}
				if got := ask(v.Index); got != want {
					t.Errorf("%s: saved (-) and with an overlay (+): %s", e.name, gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
				} else if got != before {
					different++
				}
				v.Index.Graph.Wait()
				if string(portable(t, v.Index)) != string(portable(t, y)) {
					t.Errorf("%s: a snapshot with the overlay is not the one after a save", e.name)
				}
				if got := v.Index.State().Generation; got != state.Generation {
					t.Errorf("%s: generation %d, the base has %d", e.name, got, state.Generation)
				}
				v.Release()
				e.undo(files).save(t, y)
				if t.Failed() {
					break
				}
			}
			if different < 10 {
				t.Errorf("only %d of the overlays made a difference", different)
			}
			if got := ask(x); got != before {
				t.Errorf("the base has changed: %s", gocmp.Diff(strings.Split(before, "\n"), strings.Split(got, "\n")))
			}
			if got := x.State(); got != state {
				t.Errorf("the state was %+v, is %+v", state, got)
			}
			if string(portable(t, x)) != string(bytes) {
				t.Error("the snapshot is another one")
			}
			quiet(t, x, event)
		})
	}
}

// TestOverlayFollowsSaves asks with an overlay while files are saved alongside it: the answer
// is the one of the saved files with the overlay, whatever came in which order.
func TestOverlayFollowsSaves(t *testing.T) {
	x, y := build(t, unpack(t, "testdata/calls.txtar")), build(t, unpack(t, "testdata/calls.txtar"))
	ask := func(x *Index) string {
		return everything(t, x, []string{"save the cart", "later"}, []string{"Total", "cart/cart.go"})
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(x.Root(), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	some := func(text string) *string { return &text }
	cart := read("cart/cart.go")
	over := edit{"over", map[string]*string{"cart/cart.go": some(cart + "\nfunc later() int { return (&Cart{}).Total() }\n")}}
	for i, save := range []edit{
		{"nearby", map[string]*string{"cart/more.go": some("package cart\n\nfunc more() { unused() }\n")}},
		{"the same file, otherwise", map[string]*string{"cart/cart.go": some(strings.ReplaceAll(cart, "unused", "used"))}},
		{"as the overlay", over.files},
		{"gone below it", map[string]*string{"cart/cart.go": nil}},
		{"and next to it", map[string]*string{"cart/more.go": nil}},
		{"back", map[string]*string{"cart/cart.go": some(cart)}},
		{"many", map[string]*string{}},
	} {
		if save.name == "many" { // more than a draft follows one by one
			for n := range maxFollowed + 1 {
				save.files[fmt.Sprintf("many/f%d.go", n)] = some(fmt.Sprintf("package many\n\nfunc f%d() {}\n", n))
			}
		}
		save.save(t, x)
		save.save(t, y)
		saved := edit{files: map[string]*string{}}
		for path := range over.files {
			saved.files[path] = nil
			if text, err := os.ReadFile(filepath.Join(y.Root(), path)); err == nil {
				saved.files[path] = some(string(text))
			}
		}
		over.save(t, y)
		want := ask(y)
		v, err := x.With(t.Context(), over.overlay())
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(v.Index); got != want {
			t.Errorf("%d, %s: %s", i, save.name, gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
		if got, want := v.Index.State().Generation, x.State().Generation; got != want {
			t.Errorf("%d, %s: generation %d, want %d", i, save.name, got, want)
		}
		v.Release()
		saved.save(t, y)
	}
}

// TestOverlayOfRealCode is TestOverlayIsASave on the code of this package, with edits as
// people make them.
func TestOverlayOfRealCode(t *testing.T) {
	if testing.Short() {
		t.Skip("two indexes of some 130 files")
	}
	files := map[string]string{"go.mod": "module github.com/quarry-search/quarry\n\ngo 1.25\n"}
	roots := [2]string{t.TempDir(), t.TempDir()}
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != "." {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			files[filepath.ToSlash(filepath.Join("index", path))] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range files {
		write(t, roots[0], path, text)
		write(t, roots[1], path, text)
	}
	x, y := build(t, roots[0]), build(t, roots[1])
	ask := func(x *Index) string {
		return everything(t, x, []string{"copy the table", "committer", `func \(t \*table\)`}, []string{"table.enter", "Index.Update", "index/commit.go"})
	}
	some := func(text string) *string { return &text }
	commit, table := files["index/commit.go"], files["index/table.go"]
	before, bytes := ask(x), portable(t, x)
	for _, e := range []edit{
		{"a comment", map[string]*string{"index/commit.go": some("// Typed.\n" + commit)}},
		{"a call more", map[string]*string{"index/commit.go": some(strings.Replace(commit, "x.publish(changes)", "x.publish(changes)\n\t\tx.table.enter(nil)", 1))}},
		{"half a word", map[string]*string{"index/commit.go": some(strings.Replace(commit, "x.publish(changes)", "x.publ", 1))}},
		{"two files", map[string]*string{
			"index/table.go":  some(strings.ReplaceAll(table, "enter(", "put(")),
			"index/commit.go": some(strings.ReplaceAll(commit, "purge", "clean")),
		}},
		{"gone and new", map[string]*string{"index/table.go": nil, "index/tables/table.go": some(table)}},
		{"another go.mod", map[string]*string{"go.mod": some("module example.org/other\n\ngo 1.25\n")}},
	} {
		e.save(t, y)
		want := ask(y)
		v, err := x.With(t.Context(), e.overlay())
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
		v.draft.solve()
		v.Index.Graph.Wait() // on a busy machine it may take longer than a request waits
		if got := ask(v.Index); got != want {
			t.Errorf("%s: %s", e.name, gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		} else if got == before {
			t.Errorf("%s makes no difference", e.name)
		}
		v.Release()
		e.undo(files).save(t, y)
	}
	if got := ask(x); got != before || string(portable(t, x)) != string(bytes) {
		t.Error("the base has changed")
	}
}

package index

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/trace"
)

// TestChangedIsTold edits files behind the back of the index.
func TestChangedIsTold(t *testing.T) {
	const text = "package a\n\nfunc Alpha() { Beta() }\n"
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	stamp := func(root, name string, at time.Time) {
		if err := os.Chtimes(filepath.Join(root, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name    string
		young   bool // the file was written just before it was indexed
		edit    func(root string)
		changed bool
	}{
		{"nothing", false, func(string) {}, false},
		{"nothing, young", true, func(string) {}, false},
		{"longer", false, func(root string) { write(t, root, "dir/a.go", text+"\n// more\n") }, true},
		{"same size", false, func(root string) { write(t, root, "dir/a.go", strings.Replace(text, "Beta", "Zeta", 1)) }, true},
		{"same size and time, young", true, func(root string) {
			info, err := os.Stat(filepath.Join(root, "dir/a.go"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, root, "dir/a.go", strings.Replace(text, "Beta", "Zeta", 1))
			stamp(root, "dir/a.go", info.ModTime())
		}, true},
		{"touched", false, func(root string) { stamp(root, "dir/a.go", time.Now()) }, false},
		{"gone", false, func(root string) { os.Remove(filepath.Join(root, "dir/a.go")) }, true},
		{"a folder", false, func(root string) {
			os.Remove(filepath.Join(root, "dir/a.go"))
			os.Mkdir(filepath.Join(root, "dir/a.go"), 0o755)
		}, true},
		{"a link to the same", false, func(root string) {
			os.Rename(filepath.Join(root, "dir/a.go"), filepath.Join(root, "b.txt"))
			os.Symlink("../b.txt", filepath.Join(root, "dir/a.go"))
		}, true},
		{"below a link", false, func(root string) {
			os.Rename(filepath.Join(root, "dir"), root+"-elsewhere")
			os.Symlink(root+"-elsewhere", filepath.Join(root, "dir"))
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			write(t, root, "dir/a.go", text)
			write(t, root, "same.go", "package a\n\n// Beta is called by Alpha.\nfunc Beta() {}\n")
			if !tc.young {
				stamp(root, "dir/a.go", old)
			}
			x := build(t, root)
			tc.edit(root)
			want := 0
			if tc.changed {
				want = 1
			}
			a, err := x.Search(t.Context(), search.Query{Text: "Alpha Beta", Mode: search.Lexical})
			if err != nil || len(a.Results) != 2 || a.Checked != (answer.Checked{Changed: want}) {
				t.Fatalf("%+v, %v", a, err)
			}
			for _, r := range a.Results {
				if r.Changed != (tc.changed && r.File == "dir/a.go") {
					t.Errorf("%s: changed %v", r.File, r.Changed)
				}
			}
		})
	}
}

// TestChangedIsToldEverywhere asks everything that names files.
func TestChangedIsToldEverywhere(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() { Beta() }\n")
	write(t, root, "b.go", "package a\n\nfunc Beta() { Gamma() }\n")
	write(t, root, "c.go", "package a\n\nfunc Gamma() {}\n")
	x := build(t, root)
	ctx := t.Context()
	ask := map[string]func() (store.Marker, answer.Checked, error){
		"search": func() (store.Marker, answer.Checked, error) {
			a, err := x.Search(ctx, search.Query{Text: "Alpha", Mode: search.Symbol})
			return &a, a.Checked, err
		},
		"lines": func() (store.Marker, answer.Checked, error) {
			a, err := x.Search(ctx, search.Query{Text: "Alpha", Mode: search.Regex})
			return &a, a.Checked, err
		},
		"related": func() (store.Marker, answer.Checked, error) {
			a, err := x.Related(ctx, "b.go", 3, search.Query{})
			return &a, a.Checked, err
		},
		"outline": func() (store.Marker, answer.Checked, error) {
			a, err := x.Extract(ctx, outline.ExtractQuery{Target: "a.go"})
			return &a, a.Checked, err
		},
		"extract": func() (store.Marker, answer.Checked, error) {
			a, err := x.Extract(ctx, outline.ExtractQuery{Target: "Beta"})
			return &a, a.Checked, err
		},
		"skeleton": func() (store.Marker, answer.Checked, error) {
			a, err := x.Skeleton(ctx, outline.SkeletonQuery{})
			return &a, a.Checked, err
		},
		"calls": func() (store.Marker, answer.Checked, error) {
			a, err := x.Calls(ctx, calls.CallsQuery{})
			return &a, a.Checked, err
		},
		"impact": func() (store.Marker, answer.Checked, error) {
			a, err := x.Impact(ctx, impact.Query{Target: "Gamma"})
			return &a, a.Checked, err
		},
		"context": func() (store.Marker, answer.Checked, error) {
			a, err := x.Context(ctx, brief.ContextQuery{Target: "Beta"})
			return &a, a.Checked, err
		},
		"references": func() (store.Marker, answer.Checked, error) {
			a, err := x.References(ctx, references.Query{Target: "Beta"})
			return &a, a.Checked, err
		},
		"trace": func() (store.Marker, answer.Checked, error) {
			a, err := x.Trace(ctx, trace.Query{Target: "Beta"})
			return &a, a.Checked, err
		},
		"paths": func() (store.Marker, answer.Checked, error) {
			a, err := x.Trace(ctx, trace.Query{Target: "Alpha", To: "Gamma"})
			return &a, a.Checked, err
		},
	}
	for _, edited := range []bool{false, true} {
		if edited {
			write(t, root, "a.go", "package a\n\nfunc Other() {}\n")
		}
		for name, f := range ask {
			a, sum, err := f()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if want := map[bool]int{true: 1}[edited]; sum != (answer.Checked{Changed: want}) {
				t.Errorf("%s: edited %v, %+v", name, edited, sum)
			}
			places, marks := 0, 0
			a.Places(func(file string, changed *bool) {
				places++
				if *changed {
					marks++
				}
				if *changed != (edited && file == "a.go") {
					t.Errorf("%s: %s, changed %v", name, file, *changed)
				}
			})
			if places == 0 || edited && marks == 0 {
				t.Errorf("%s: %d places, %d marks", name, places, marks)
			}
		}
	}
}

// TestChecksAreBounded has an answer with more files than are looked at.
func TestChecksAreBounded(t *testing.T) {
	root := t.TempDir()
	for i := range store.MaxChecked + 5 {
		write(t, root, fmt.Sprintf("%03d.go", i), fmt.Sprintf("package a\n\nfunc F%d() {}\n", i))
	}
	x := build(t, root)
	a, err := x.Skeleton(t.Context(), outline.SkeletonQuery{Limit: 200})
	if err != nil || a.Checked != (answer.Checked{Unchecked: 5}) {
		t.Errorf("%+v, %v", a.Checked, err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	a, err = x.Skeleton(t.Context(), outline.SkeletonQuery{Limit: 200})
	if err != nil || a.Checked != (answer.Checked{Changed: store.MaxChecked, Unchecked: 5}) {
		t.Errorf("without the root: %+v, %v", a.Checked, err)
	}
}

// TestReadingIsBounded compares young files, whose time says nothing.
func TestReadingIsBounded(t *testing.T) {
	root := t.TempDir()
	paths := []string{"a.go", "b.go", "c.go"}
	for _, p := range paths {
		write(t, root, p, "package a\n")
	}
	x := build(t, root)
	files := make([]store.Look, len(paths))
	for i, p := range paths {
		r := x.Table.Files[p]
		files[i] = store.Look{Record: r, Was: source.File{Path: p, Size: r.Size, ModTime: r.ModTime}, Sure: r.Settled()}
	}
	x.Compare(paths, files, 25)
	for i, want := range []bool{true, true, false} {
		if f := files[i]; f.Checked != want || f.Changed || f.Sure {
			t.Errorf("%s: %+v", paths[i], f)
		}
	}
}

// TestCommitDuringAnAnswer replaces a record between an answer and its check: its
// text is not what the file has, even though the index has that by now.
func TestCommitDuringAnAnswer(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	x := build(t, root)
	a, err := search.SearchUnchecked(t.Context(), x.Writer.View, search.Query{Text: "Alpha", Mode: search.Symbol})
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "a.go", "package a\n\nfunc Alpha() { panic(1) }\n")
	if _, err := x.Update(t.Context(), []string{"a.go"}); err != nil {
		t.Fatal(err)
	}
	if sum := x.Check(&a, a.State.Generation); sum.Changed != 1 || !a.Results[0].Changed {
		t.Errorf("%+v %+v", sum, a.Results)
	}
}

// TestYoungTimesAreBelievedLater indexes a file as soon as it is written, as after a
// checkout: it is read for answers until its time stamp is old enough, and once more.
func TestYoungTimesAreBelievedLater(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	x := build(t, root)
	settled := func() bool {
		x.Mu.RLock()
		defer x.Mu.RUnlock()
		return x.Table.Files["a.go"].Settled()
	}
	if settled() {
		t.Skip("the machine is too slow: the file is old already")
	}
	written := time.Now()
	for deadline := written.Add(20 * time.Second); !settled() && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, err := x.Search(t.Context(), search.Query{Text: "Alpha", Mode: search.Lexical}); err != nil {
			t.Fatal(err)
		}
	}
	if !settled() || time.Since(written) < store.Racy/2 {
		t.Errorf("settled %v, after %v", settled(), time.Since(written))
	}
	// From here on the time is all that is looked at.
	info, err := os.Stat(filepath.Join(root, "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "a.go", "package a\n\nfunc Omega() {}\n")
	for _, tc := range []struct {
		at      time.Time
		changed bool
	}{{time.Now(), true}, {info.ModTime(), false}} {
		if err := os.Chtimes(filepath.Join(root, "a.go"), tc.at, tc.at); err != nil {
			t.Fatal(err)
		}
		a, err := x.Search(t.Context(), search.Query{Text: "Alpha", Mode: search.Lexical})
		if err != nil || len(a.Results) != 1 || a.Results[0].Changed != tc.changed {
			t.Errorf("changed %v: %+v, %v", tc.changed, a, err)
		}
	}
}

package index

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/trace"
)

// TestRestoreHostile changes the sections of a snapshot everywhere, and computes the
// hashes again, as somebody would who wants to end or hang a server: it is refused, or
// taken over, asked in every way, brought in line with files that have all changed, asked
// again and saved. What it has of a text is that of the disk, or is not there.
func TestRestoreHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	root := unpack(t, "testdata/calls.txtar")
	write(t, root, "go.mod", "module example.org/calls\n")
	aged(t, root)
	_, path := saved(t, root, false)
	whole := sections(t, path)
	edited := map[string][]byte{}
	for _, name := range append(names(t, root), "go.mod") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		edited[name] = text
	}
	const places = 8 // of each section; of 24, all are as well
	taken, refused, round := 0, 0, 0
	for _, section := range allSections {
		was := whole[section]
		step := max(len(was)/places, 1)
		for at := 0; at < len(was); at += step {
			for _, change := range []func(b []byte) []byte{
				func(b []byte) []byte { b[at] ^= 1; return b },
				func(b []byte) []byte { b[at] ^= 0x7f; return b },
				func(b []byte) []byte { // the largest number
					return slices.Concat(b[:at], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, b[at+1:])
				},
				func(b []byte) []byte { return b[:at] },
			} {
				all := maps.Clone(whole)
				all[section] = change(slices.Clone(was))
				x := open(t, root)
				if err := x.Restore(resealed(t, all)); err != nil {
					if !errors.Is(err, ErrSnapshot) || len(x.Table.Files) > 0 {
						t.Fatalf("%s changed at %d: %v", section, at, err)
					}
					refused++
					continue
				}
				taken++
				for path, r := range x.Table.Files {
					if want := edited[path]; want != nil && round == 0 && string(r.Text.All()) != string(want) {
						t.Errorf("%s changed at %d: %s has another text", section, at, path)
					}
				}
				askAll(t, x)
				round++
				for name, text := range edited {
					write(t, root, name, string(text)+"\n\n"[:round%2+1])
				}
				if _, err := x.BuildAll(t.Context(), nil, true); err != nil {
					t.Fatalf("%s changed at %d: %v", section, at, err)
				}
				if s := x.State(); s.State != answer.Ready {
					t.Errorf("%s changed at %d: %+v", section, at, s)
				}
				asOnDisk(t, x)
				askAll(t, x)
				if err := x.Save(t.Context(), filepath.Join(t.TempDir(), "again"), true); err != nil {
					t.Fatalf("%s changed at %d: %v", section, at, err)
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if taken < refused/20 || refused < taken/20 {
		t.Errorf("%d were taken over and %d refused: that shows little", taken, refused)
	}
	t.Logf("%d taken over, %d refused", taken, refused)
}

// askAll asks an index all kinds of questions about all that it has. They may fail.
func askAll(t *testing.T, x *Index) {
	t.Helper()
	ctx := t.Context()
	for _, mode := range []search.Mode{"", search.Lexical, search.Semantic, search.Symbol, search.Regex} {
		_, _ = x.Search(ctx, search.Query{Text: "handle", Mode: mode, Limit: 20, Explain: true})
	}
	if g, err := x.Grep(ctx, grep.GrepQuery{Pattern: "func|def"}); err == nil {
		_, _, _ = x.Lines(ctx, g, 0, 100)
	}
	_, _ = x.Structure(ctx, outline.StructureQuery{})
	_, _ = x.SymbolLines(ctx, false)
	_, _ = x.FileLines(ctx)
	_, _ = x.Startup(ctx, brief.StartupQuery{Task: "handle a request"})
	_ = x.Status(9)
	files, targets := []string{}, []string{"main", "Handle"}
	x.Mu.RLock()
	for path, r := range x.Table.Files {
		files = append(files, path)
		targets = append(targets, path, path+":3")
		if len(r.Symbols) > 0 {
			targets = append(targets, r.Symbols[len(r.Symbols)/2].Qualified())
		}
	}
	x.Mu.RUnlock()
	slices.Sort(targets)
	for _, target := range targets {
		_, _ = x.Extract(ctx, outline.ExtractQuery{Target: target})
		_, _ = x.Calls(ctx, calls.CallsQuery{Target: target})
		_, _ = x.Impact(ctx, impact.Query{Target: target})
		_, _ = x.Context(ctx, brief.ContextQuery{Target: target})
		_, _ = x.Trace(ctx, trace.Query{Target: target})
		_, _ = x.References(ctx, references.Query{Target: target})
	}
	for _, file := range files {
		_, _ = x.Related(ctx, file, 3, search.Query{Limit: 5})
		_, _ = x.Skeleton(ctx, outline.SkeletonQuery{Path: file})
		_, _ = x.Imports(ctx, outline.ImportsQuery{Path: file})
		_, _ = x.Summarize(ctx, brief.SummaryQuery{Paths: []string{file}})
		_, _ = x.Read(ctx, grep.ReadQuery{Path: file})
	}
}

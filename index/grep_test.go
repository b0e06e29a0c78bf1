package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

func update(t *testing.T, x *Index, paths ...string) {
	t.Helper()
	if _, err := x.Update(t.Context(), paths); err != nil {
		t.Fatal(err)
	}
}

// grepAll returns all lines of a Grep, which must be the same in pages of several sizes.
func grepAll(t *testing.T, x *Index, g *grep.GrepAnswer) []grep.GrepLine {
	t.Helper()
	whole, gone, err := x.Lines(t.Context(), g, 0, g.Matches)
	if err != nil || gone != 0 {
		t.Fatalf("%d lines are gone, %v", gone, err)
	}
	for _, page := range []int{1, 2, 3, 7} {
		var parts []grep.GrepLine
		for at := 0; at < g.Matches; at += page {
			lines, _, err := x.Lines(t.Context(), g, at, page)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, lines...)
		}
		if diff := gocmp.Diff(whole, parts); diff != "" && len(whole)+len(parts) > 0 {
			t.Fatalf("in pages of %d (-whole +pages):\n%s", page, diff)
		}
	}
	return whole
}

func grepText(lines []grep.GrepLine) string {
	var b strings.Builder
	section := ""
	for _, l := range lines {
		if l.Section != section {
			section = l.Section
			fmt.Fprintf(&b, "== %s\n", section)
		}
		fmt.Fprintf(&b, "%s:%d:%s", l.File, l.Line, l.Text)
		if l.Symbol != "" {
			fmt.Fprintf(&b, "  [%s %s]", l.Kind, l.Symbol)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestGrepOrder(t *testing.T) {
	x := build(t, unpack(t, "testdata/grep/ranked.txtar"))
	for _, c := range []struct {
		name string
		q    grep.GrepQuery
		want string
	}{
		{"definitions first, hot zone, tests last", grep.GrepQuery{Pattern: "database_connection"}, `hot zone tools/rag/ (70%)
== definitions
tools/rag/database.py:4:def database_connection():  [function database_connection]
== hot zone
tools/rag/service.py:1:from .database import database_connection
tools/rag/service.py:5:    with database_connection() as c:  [function search]
tools/rag/service.py:10:    database_connection().close()  [function stop]
tools/rag/pool.py:1:from .database import database_connection
tools/rag/pool.py:3:POOL = [database_connection() for _ in range(4)]  [constant POOL]
tools/rag/database.py:8:# database_connection is not pooled
== code
main.py:1:from tools.rag.database import database_connection
== docs
README.md:3:Call database_connection first. The angle is φ.  [heading Notes]
== tests
tests/test_database.py:4:    mock_database_connection = None  [function test_connects]
`},
		{"a word, in any case", grep.GrepQuery{Pattern: "DATABASE", Word: true, IgnoreCase: true}, `== code
main.py:1:from tools.rag.database import database_connection
tools/rag/pool.py:1:from .database import database_connection
tools/rag/service.py:1:from .database import database_connection
`},
		{"blank lines", grep.GrepQuery{Pattern: "^$", Path: "README.md"}, `== docs
README.md:2:  [heading Notes]
`},
		{"a text", grep.GrepQuery{Pattern: "c.x(", Literal: true}, `== code
tools/rag/service.py:6:        c.x("select 1")  [function search]
`},
		{"a folder and globs", grep.GrepQuery{Pattern: "import", Path: "tools", Glob: []string{"!pool.py"}}, `== code
tools/rag/service.py:1:from .database import database_connection
`},
		{"generated", grep.GrepQuery{Pattern: "GENERATED_TABLE"}, `== generated
tools/table.py:2:GENERATED_TABLE = 1
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := x.Grep(t.Context(), c.q)
			if err != nil {
				t.Fatal(err)
			}
			got := grepText(grepAll(t, x, g))
			if g.HotZone != nil {
				got = fmt.Sprintf("hot zone %s (%.0f%%)\n", g.HotZone.Dir, 100*g.HotZone.Share) + got
			}
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			sum := 0
			for _, s := range g.Sections {
				sum += s.Matches
			}
			if sum != g.Matches {
				t.Errorf("the sections have %d matches, not %d", sum, g.Matches)
			}
		})
	}
}

// plainGrep is what GrepRaw must write: every line of every file that matches.
func plainGrep(t *testing.T, root string, re *regexp.Regexp) string {
	t.Helper()
	var files []string
	if err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			p, err = filepath.Rel(root, p)
			files = append(files, p)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var out strings.Builder
	for _, f := range files {
		src, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(strings.TrimSuffix(string(src), "\n"), "\n") {
			if re.MatchString(l) {
				fmt.Fprintf(&out, "%s:%d:%s\n", filepath.ToSlash(f), i+1, l)
			}
		}
	}
	return out.String()
}

// What is found is what package regexp finds in every file, three times: before the
// index is built, when the filters are made, and when they are used.
func TestGrepIsComplete(t *testing.T) {
	root := unpack(t, "testdata/grep/ranked.txtar")
	fresh, x := open(t, root), build(t, root)
	for _, pattern := range []string{"database", "c", "connection|import", `^\s+\S`, "[α-ω]", "nothing of this", "", "(?i)CALL", "GENERATED"} {
		want := plainGrep(t, root, regexp.MustCompile(pattern))
		for try, one := range []*Index{fresh, x, x} {
			var got bytes.Buffer
			n, err := one.GrepRaw(t.Context(), grep.GrepQuery{Pattern: pattern}, grep.RawOptions{}, &got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got.String()); diff != "" || n.Matches != strings.Count(want, "\n") {
				t.Errorf("%q, try %d, %d matches (-want +got):\n%s", pattern, try, n.Matches, diff)
			}
			g, err := one.Grep(t.Context(), grep.GrepQuery{Pattern: pattern})
			if err != nil {
				t.Fatal(err)
			}
			for limit := 1; limit <= n.Matches+1; limit++ {
				var first bytes.Buffer
				if _, err := one.GrepRaw(t.Context(), grep.GrepQuery{Pattern: pattern}, grep.RawOptions{Limit: limit}, &first); err != nil {
					t.Fatal(err)
				}
				if want := strings.Join(strings.SplitAfter(want, "\n")[:min(limit, n.Matches)], ""); first.String() != want {
					t.Errorf("%q, the first %d: %q", pattern, limit, first.String())
				}
			}
			if g.Matches != n.Matches || g.Bytes != int64(got.Len()) {
				t.Errorf("%q, try %d: %d matches in %d bytes, want %d in %d", pattern, try, g.Matches, g.Bytes, n.Matches, got.Len())
			}
			var lines []string
			for _, l := range grepAll(t, one, g) {
				lines = append(lines, fmt.Sprintf("%s:%d:%s\n", l.File, l.Line, l.Text))
			}
			slices.Sort(lines)
			all := strings.SplitAfter(want, "\n")
			slices.Sort(all)
			if diff := gocmp.Diff(strings.Join(all, ""), strings.Join(lines, "")); diff != "" {
				t.Errorf("%q, try %d, in order of rank:\n%s", pattern, try, diff)
			}
		}
	}
	if x.Memory().Words <= x.Table.Words.Bytes() {
		t.Error("the filters are not counted in the memory")
	}
}

// A secret is not searched, whatever is asked.
func TestGrepKeepsSecrets(t *testing.T) {
	root := unpack(t, "testdata/grep/ranked.txtar")
	write(t, root, ".env", "database_password = 1\n")
	write(t, root, "id_rsa", "database\n")
	write(t, root, "picture.bin", "database\x00\n")
	for name, x := range map[string]*Index{"built": build(t, root), "fresh": open(t, root)} {
		var got bytes.Buffer
		if _, err := x.GrepRaw(t.Context(), grep.GrepQuery{Pattern: "database"}, grep.RawOptions{}, &got); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{".env", "id_rsa", "picture.bin"} {
			if strings.Contains(got.String(), bad) {
				t.Errorf("%s: %s is searched", name, bad)
			}
		}
	}
}

// Lines of a file that has changed since are not given, and counted.
func TestGrepLinesGone(t *testing.T) {
	root := unpack(t, "testdata/grep/ranked.txtar")
	x := build(t, root)
	g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "database_connection"})
	if err != nil {
		t.Fatal(err)
	}
	before := grepAll(t, x, g)
	write(t, root, "tools/rag/service.py", "nothing = 1\n")
	update(t, x, "tools/rag/service.py")
	after, gone, err := x.Lines(t.Context(), g, 0, g.Matches)
	if err != nil {
		t.Fatal(err)
	}
	left := slices.DeleteFunc(before, func(l grep.GrepLine) bool { return l.File == "tools/rag/service.py" })
	if diff := gocmp.Diff(left, after); diff != "" || gone != g.Matches-len(left) {
		t.Errorf("%d are gone (-left of before +after):\n%s", gone, diff)
	}
}

// Edits change what is found, of indexed files and of those on disk.
func TestGrepFollowsEdits(t *testing.T) {
	root := unpack(t, "testdata/grep/ranked.txtar")
	x := build(t, root)
	count := func() int {
		g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "brand_new_name"})
		if err != nil {
			t.Fatal(err)
		}
		return g.Matches
	}
	if n := count(); n != 0 {
		t.Fatalf("%d matches", n)
	}
	write(t, root, "main.py", "brand_new_name = 1\n")
	write(t, root, "tools/table.py", "# Code generated by a program. DO NOT EDIT.\nbrand_new_name = 2\n")
	update(t, x, "main.py", "tools/table.py")
	if n := count(); n != 2 {
		t.Errorf("%d matches, want 2", n)
	}
}

func TestGrepErrors(t *testing.T) {
	x := build(t, unpack(t, "testdata/grep/ranked.txtar"))
	var bad *answer.PatternError
	if _, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "a("}); !errors.As(err, &bad) || bad.Pattern != "a(" {
		t.Errorf("%v", err)
	}
	if _, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "a", Glob: []string{"["}}); !errors.As(err, &bad) {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Grep(gone, grep.GrepQuery{Pattern: "a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if g, err := x.Grep(late, grep.GrepQuery{Pattern: "a"}); err != nil || !g.Cut {
		t.Errorf("%+v, %v", g, err)
	}
	full := errors.New("full")
	if _, err := x.GrepRaw(t.Context(), grep.GrepQuery{Pattern: "a"}, grep.RawOptions{}, failing{full}); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Many at once, alongside updates: for the race detector.
func TestGrepBesideUpdates(t *testing.T) {
	root := unpack(t, "testdata/grep/ranked.txtar")
	x := build(t, root)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for range 20 {
				g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: []string{"database", "c", "(?i)IMPORT", "[α-ω]"}[i]})
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := x.Lines(t.Context(), g, 0, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 20 {
		write(t, root, "main.py", fmt.Sprintf("from tools.rag.database import database_connection\nx = %d\n", n))
		update(t, x, "main.py")
	}
	group.Wait()
}

// Of a very long line, what is shown holds the match.
func TestGrepShowsTheMatch(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.py", "x = '"+strings.Repeat("é", 3000)+"' + needle + '"+strings.Repeat("y", 3000)+"'\nneedle = 1\n")
	x := build(t, root)
	g, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	lines := grepAll(t, x, g)
	if len(lines) != 2 {
		t.Fatalf("%+v", lines)
	}
	for _, l := range lines {
		if !strings.HasPrefix(l.Text[l.At:], "needle") || len(l.Text) > search.MaxLine {
			t.Errorf("at %d of %q", l.At, l.Text)
		}
	}
}

package syntax

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// TestMatcherAgainstCursor compares the matches with those of the library's own
// cursor, on the sources of all languages and on every file below the folder that
// QUARRY_CORPUS names.
func TestMatcherAgainstCursor(t *testing.T) {
	c := newComparison(t)
	archives, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(archives) < 20 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			c.compare(t, name+":"+f.Name, filepath.Base(filepath.Dir(name)), f.Data)
		}
	}
	if len(c.matches) < 20 {
		t.Errorf("only %d languages compared", len(c.matches))
	}
	root := os.Getenv("QUARRY_CORPUS")
	if root == "" {
		return
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 2<<20 {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil {
			c.compare(t, path, source.Language(path, src), src)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, language := range slices.Sorted(maps.Keys(c.matches)) {
		t.Logf("%s: %d files, %d matches", language, c.files[language], c.matches[language])
	}
	for _, pattern := range slices.Sorted(maps.Keys(c.differences)) {
		t.Logf("%d differences in %s", c.differences[pattern], pattern)
	}
}

// A comparison holds what two ways of matching need.
type comparison struct {
	parser      *Parser
	cursor      *sitter.QueryCursor
	queries     map[string]*sitter.Query
	files       map[string]int
	matches     map[string]int
	differences map[string]int // by language and pattern
}

func newComparison(t *testing.T) *comparison {
	c := &comparison{parser: NewParser(), cursor: sitter.NewQueryCursor(), queries: map[string]*sitter.Query{},
		files: map[string]int{}, matches: map[string]int{}, differences: map[string]int{}}
	t.Cleanup(c.parser.Close)
	t.Cleanup(c.cursor.Close)
	return c
}

func (c *comparison) compare(t *testing.T, path, language string, src []byte) {
	g, ok := grammars[language]
	if !ok || g.load == nil || len(strings.TrimSpace(string(src))) == 0 {
		return
	}
	own, err := g.load()
	if err != nil {
		t.Fatal(err)
	}
	q := c.queries[language]
	if q == nil {
		if q, err = sitter.NewQuery([]byte(g.text), own.grammar.Language()); err != nil {
			t.Fatalf("%s: %v", language, err)
		}
		c.queries[language] = q
	}
	tree, err := c.parser.glr.Tree(own.grammar, g.rules.masked(src))
	if err != nil {
		return
	}
	defer tree.Close()
	flat := &c.parser.flat
	*flat = Tree{src, glr.Copy(flat.nodes, tree.RootNode()), own.grammar}
	if flat.beyondCursor() {
		return
	}
	want, got := map[string]bool{}, map[string]bool{}
	show := func(name string, begin, end int) string { return fmt.Sprintf("%s %d-%d", name, begin, end) }
	c.exec(q, tree, func(pattern uint16, captures string) { want[fmt.Sprint(pattern, ": ", captures)] = true }, show)
	c.match(own.query, func(pattern uint16, captures string) { got[fmt.Sprint(pattern, ": ", captures)] = true }, show)
	c.files[language]++
	c.matches[language] += len(want)
	for key := range want {
		if !got[key] {
			c.differ(t, path, language, "lost", key)
		}
	}
	for key := range got {
		if !want[key] {
			c.differ(t, path, language, "more", key)
		}
	}
}

// beyondCursor reports whether the tree holds an error of very many tokens. The
// cursor looks, at each child of an error, through the children after it for one
// with a name: a megabyte of brackets would take it hours.
func (t *Tree) beyondCursor() bool {
	for n := range t.nodes[1:] {
		tokens := 0
		if n := Node(n + 1); t.nodes[n].Kind == glr.Error {
			for c := range t.Children(n) {
				if !t.Named(c) {
					tokens++
				}
			}
		}
		if tokens > 10_000 {
			return true
		}
	}
	return false
}

// exec runs the library's cursor; show says how a capture is written.
func (c *comparison) exec(q *sitter.Query, tree *sitter.Tree, yield func(uint16, string), show func(name string, begin, end int) string) {
	c.cursor.Exec(q, tree.RootNode())
	for {
		m, ok := c.cursor.NextMatch()
		if !ok {
			return
		}
		var list []string
		for _, n := range m.Captures {
			list = append(list, show(q.CaptureNameForId(n.Index), int(n.Node.StartByte()), int(n.Node.EndByte())))
		}
		yield(m.PatternIndex, strings.Join(list, " "))
	}
}

// match runs the matcher over the tree that was copied last.
func (c *comparison) match(q *query.Query, yield func(uint16, string), show func(name string, begin, end int) string) {
	flat := &c.parser.flat
	c.parser.matcher.Match(flat.nodes, q, func(pattern uint16, captures []query.Captured) {
		var list []string
		for _, n := range captures {
			list = append(list, show(q.Captures[n.Index], flat.Start(Node(n.Node)), flat.End(Node(n.Node))))
		}
		yield(pattern, strings.Join(list, " "))
	})
}

// differ tells of the first differences of each pattern.
func (c *comparison) differ(t *testing.T, path, language, what, key string) {
	pattern, _, _ := strings.Cut(key, ":")
	pattern = language + " " + pattern + " " + what
	if c.differences[pattern]++; c.differences[pattern] <= 3 {
		t.Errorf("%s: %s: %s %s", path, language, what, key)
	}
}

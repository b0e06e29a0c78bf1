package query_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// TestMatcherAgainstCursor compares the matches with those of the library's own
// cursor, on the sources of all languages and on every file below the folder that
// QUARRY_CORPUS names.
func TestMatcherAgainstCursor(t *testing.T) {
	c := newComparison(t)
	archives, err := filepath.Glob("../../lang/*/testdata/symbols/*/*.txtar")
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
	parser      *glr.Parser
	matcher     query.Matcher
	tree        []glr.Node // that was copied last
	cursor      *sitter.QueryCursor
	languages   map[string]*language
	files       map[string]int
	matches     map[string]int
	differences map[string]int // by language and pattern
}

// A language has its query for the matcher and for the library's cursor.
type language struct {
	grammar *glr.Grammar
	mask    func([]byte) []byte
	own     *query.Query
	library *sitter.Query
}

func newComparison(t *testing.T) *comparison {
	c := &comparison{parser: glr.NewParser(), cursor: sitter.NewQueryCursor(), languages: map[string]*language{},
		files: map[string]int{}, matches: map[string]int{}, differences: map[string]int{}}
	t.Cleanup(c.parser.Close)
	c.parser.Limit = time.Minute // the library's is that of the clock on the wall
	t.Cleanup(c.cursor.Close)
	return c
}

// language returns what is needed of one, nil if it has no grammar.
func (c *comparison) language(t *testing.T, name string) *language {
	if l, ok := c.languages[name]; ok {
		return l
	}
	known, _ := lang.All().Language(name)
	if known.Grammar == nil {
		return nil
	}
	l := &language{mask: known.Rules.Mask}
	var err error
	if l.grammar, err = glr.Load(name, known.Grammar()); err != nil {
		t.Fatal(err)
	}
	if l.own, err = query.Compile(known.Query, l.grammar); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	whole, err := l.grammar.Language()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if l.library, err = sitter.NewQuery([]byte(known.Query), whole); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c.languages[name] = l
	return l
}

func (c *comparison) compare(t *testing.T, path, name string, src []byte) {
	l := c.language(t, name)
	if l == nil || len(strings.TrimSpace(string(src))) == 0 {
		return
	}
	if l.mask != nil {
		src = l.mask(src)
	}
	tree, err := c.parser.Tree(l.grammar, src)
	if err != nil {
		return
	}
	defer tree.Close()
	c.tree = glr.Copy(c.tree, tree.RootNode())
	if c.beyondCursor() {
		return
	}
	want, got := map[string]bool{}, map[string]bool{}
	show := func(name string, begin, end int) string { return fmt.Sprintf("%s %d-%d", name, begin, end) }
	c.exec(l.library, tree, func(pattern uint16, captures string) { want[fmt.Sprint(pattern, ": ", captures)] = true }, show)
	c.match(l.own, func(pattern uint16, captures string) { got[fmt.Sprint(pattern, ": ", captures)] = true }, show)
	c.files[name]++
	c.matches[name] += len(want)
	for key := range want {
		if !got[key] {
			c.differ(t, path, name, "lost", key)
		}
	}
	for key := range got {
		if !want[key] {
			c.differ(t, path, name, "more", key)
		}
	}
}

// beyondCursor reports whether the tree holds an error of very many tokens. The
// cursor looks, at each child of an error, through the children after it for one
// with a name: a megabyte of brackets would take it hours.
func (c *comparison) beyondCursor() bool {
	for n := range c.tree[1:] {
		if parent := c.tree[n+1]; parent.Kind == glr.Error {
			tokens := 0
			for k := n + 2; k <= int(parent.Next); k = int(c.tree[k].Next) + 1 {
				if c.tree[k].Flags&glr.Named == 0 {
					tokens++
				}
			}
			if tokens > 10_000 {
				return true
			}
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
	c.matcher.Match(c.tree, q, func(pattern uint16, captures []query.Captured) {
		var list []string
		for _, n := range captures {
			list = append(list, show(q.Captures[n.Index], int(c.tree[n.Node].Start), int(c.tree[n.Node].End)))
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

package lang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// TestTree compares the copied tree with a walk over the library's own, node for
// node, on the sources of all languages.
func TestTree(t *testing.T) {
	files, err := filepath.Glob("*/testdata/symbols/*/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	p := NewParser()
	defer p.Close()
	library := glr.NewParser()
	defer library.Close()
	seen := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		language := filepath.Base(filepath.Dir(name))
		l, g := grammar(t, language)
		if g == nil {
			continue
		}
		for _, f := range txtar.Parse(text).Files {
			_, tree := p.ParseTree(language, f.Data)
			if tree == nil {
				continue
			}
			want, err := library.Tree(g, masked(l, f.Data))
			if err != nil {
				t.Fatal(err)
			}
			n := syntax.Node(0)
			cursor := sitter.NewTreeCursor(want.RootNode())
			var walk func()
			walk = func() {
				n++
				at := cursor.CurrentNode()
				if int(n) > tree.Len() {
					return
				}
				if tree.Kind(n) != at.Type() || tree.Start(n) != int(at.StartByte()) || tree.End(n) != int(at.EndByte()) ||
					tree.Named(n) != at.IsNamed() || tree.Missing(n) != at.IsMissing() || tree.Field(n) != cursor.CurrentFieldName() {
					t.Fatalf("%s: node %d: %s %s, want %s %s", name, n, tree.Kind(n), tree.Field(n), at.Type(), cursor.CurrentFieldName())
				}
				children := 0
				for range tree.Children(n) {
					children++
				}
				if children != int(at.ChildCount()) {
					t.Fatalf("%s: node %d (%s): %d children, want %d", name, n, at.Type(), children, at.ChildCount())
				}
				for more := cursor.GoToFirstChild(); more; more = cursor.GoToNextSibling() {
					walk()
				}
				if children > 0 {
					cursor.GoToParent()
				}
			}
			walk()
			cursor.Close()
			if int(n) != tree.Len() {
				t.Errorf("%s: %d nodes, want %d", name, tree.Len(), n)
			}
			want.Close()
			seen[language]++
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d languages compared", len(seen))
	}
}

package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/impact"
)

// TestPrepare asks who calls each function, of code in several languages and of the tree
// that it is in: with postings the answers are the same as without, also after an edit.
func TestPrepare(t *testing.T) {
	for name, every := range map[string]int{"../testdata/complete.txtar": 1, "../testdata/calls.txtar": 1, "../internal/graph": 20} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			root := name
			if filepath.Ext(name) == ".txtar" {
				root = t.TempDir()
				a, err := txtar.ParseFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range a.Files {
					write(t, root, f.Name, f.Data)
				}
			}
			x, err := index.Open(root, index.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if _, err := x.Build(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n, all, err := calls.ToRead(t.Context(), x.View, "nothing"); err != nil || n != all {
				t.Errorf("%d of %d files are looked at without postings: %v", n, all, err)
			}
			same(t, x, every)
			if root == name {
				return // nothing is written into it
			}
			write(t, root, "new/edit.py", []byte("from shop import total\n\ndef added(x):\n    return total(x) + push(x)\n"))
			if _, err := x.Build(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n, all, err := calls.ToRead(t.Context(), x.View, "nothing"); err != nil || n != all {
				t.Errorf("%d of %d files are looked at with postings of before the edit: %v", n, all, err)
			}
			same(t, x, every)
		})
	}
}

// A server makes postings once it was asked, and ends while it does.
func TestPrecompute(t *testing.T) {
	for _, wait := range []bool{true, false} {
		x, err := index.Open("../internal/graph", index.Options{Background: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Build(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		x.Graph.Wait()
		for {
			n, all, err := calls.ToRead(t.Context(), x.View, "nothing")
			if err != nil {
				t.Fatal(err)
			}
			if n < all || !wait {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, root, name string, text []byte) {
	t.Helper()
	p := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// same compares the answers about each function, or some of them, before and after Prepare.
func same(t *testing.T, x *index.Index, every int) {
	t.Helper()
	before := answers(t, x, every)
	calls.Prepare(t.Context(), x.View)
	if n, all, err := calls.ToRead(t.Context(), x.View, "nothing"); err != nil || n > all/4 {
		t.Errorf("%d of %d files are looked at with postings: %v", n, all, err)
	}
	after := answers(t, x, every)
	if len(before) == 0 {
		t.Fatal("nothing was asked")
	}
	for target, want := range before {
		if got := after[target]; got != want {
			t.Errorf("%s\n%s\nand with postings\n%s", target, want, got)
		}
	}
}

func answers(t *testing.T, x *index.Index, every int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, r := range x.Table.Files {
		for i := 0; i < len(r.Symbols); i += every {
			target := fmt.Sprintf("%s:%d", path, r.Symbols[i].NameLine)
			a, err := x.Calls(t.Context(), calls.CallsQuery{Target: target, Direction: calls.Callers, Limit: 1000})
			b, failed := x.Impact(t.Context(), impact.Query{Target: target, Limit: 1000})
			all[target] = fmt.Sprintf("%d %+v %v, %d %+v %v", a.Total, a.Completeness, err, b.Total, b.Completeness, failed)
		}
	}
	return all
}

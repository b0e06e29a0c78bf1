package walk_test

import (
	"testing"

	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/lower/walk"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// walker walks a Go text of two names.
func walker(t *testing.T) (*walk.Walker, []syntax.Node) {
	t.Helper()
	p := lang.NewParser()
	t.Cleanup(p.Close)
	_, tree := p.ParseTree("go", []byte("package a\nvar x = y\n"))
	w := walk.New("go", tree)
	var names []syntax.Node
	for n := syntax.Node(1); int(n) <= tree.Len(); n++ {
		if tree.Kind(n) == "identifier" {
			names = append(names, n)
		}
	}
	if len(names) != 2 {
		t.Fatalf("%d names", len(names))
	}
	return &w, names
}

// TestDepth: as many levels are entered as there may be, and left again.
func TestDepth(t *testing.T) {
	w, names := walker(t)
	if w.Enter(0) {
		t.Error("none is entered")
	}
	for range 2 {
		levels := 0
		for w.Enter(names[0]) && levels <= walk.MaxDepth {
			levels++
		}
		if levels != walk.MaxDepth {
			t.Errorf("%d levels are entered", levels)
		}
		for range levels {
			w.Leave()
		}
	}
}

// TestLists: a list that is made while another one is does not disturb it.
func TestLists(t *testing.T) {
	w, _ := walker(t)
	outer := w.Mark()
	w.Push(w.Free("a", 0))
	inner := w.Mark()
	w.Push(w.Free("b", 0))
	w.Push(0) // nothing
	if list := w.Take(inner); len(list) != 1 {
		t.Errorf("%d in the inner list", len(list))
	}
	w.Push(w.Free("c", 0))
	if list := w.Take(outer); len(list) != 2 || w.OpOf(list[0].X) != ir.Name {
		t.Errorf("%v in the outer list", list)
	}
	if x := w.TakeOpaque(w.Mark()); x != 0 {
		t.Errorf("an empty list is %d", x)
	}
	if a, b := w.Literal("int"), w.Literal("int"); a != b || !w.Inert(a) || !w.IsLiteral(a, "int") || w.IsLiteral(0, "string") {
		t.Error("a literal is not one")
	}
}

// TestEnclosing: a field of a class in a function hides a variable of the function, and
// one of a class around does not.
func TestEnclosing(t *testing.T) {
	w, names := walker(t)
	n := names[0]
	f := w.OpenFunc(n, "f", 0, 0)
	x, y := w.Declare("x", 0), w.Declare("y", 0)
	v := w.LocalClass("C", 0)
	c := w.EnterClass(n, "C", ir.PlainClass, 0, func() map[string]bool { return map[string]bool{"x": true} })
	m := w.OpenFunc(n, "m", 0, ir.Static)
	if w.Variable("x") != 0 || w.Variable("y") != y {
		t.Errorf("in the class x is %d and y is %d", w.Variable("x"), w.Variable("y"))
	}
	if w.OpOf(w.TypeName("C", 0)) != ir.Local || w.OpOf(w.TypeName("y", 0)) != ir.Name {
		t.Error("types and variables are told apart by their names")
	}
	w.Narrow("y", y, w.Local(y, 0), w.Free("T", 0), 0)
	if outer, ok := w.Widened(w.Lookup("y")); outer != y || !ok {
		t.Errorf("a narrowed y stands for %d", outer)
	}
	w.EndFunc(w.End(n))
	w.DefineFunc(m, true, false, 0)
	w.LeaveClass(n)
	w.Bind(w.Local(v, 0), w.ClassX(c, 0))
	if w.Variable("x") != x {
		t.Errorf("after the class x is %d", w.Variable("x"))
	}
	w.EndFunc(w.End(n))
	w.DefineFunc(f, false, true, 0)
	want := "exported func f() at 1:1\n"
	if got := ir.Dump(w.File()); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got\n%s", got)
	}
}

func TestSplitLast(t *testing.T) {
	for path, want := range map[string][2]string{"a": {"", "a"}, "a.b.c": {"a.b", "c"}, "": {"", ""}} {
		if before, last := walk.SplitLast(path); before != want[0] || last != want[1] {
			t.Errorf("%q: %q and %q", path, before, last)
		}
	}
}

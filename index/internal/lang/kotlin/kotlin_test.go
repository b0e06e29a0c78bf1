package kotlin

import (
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// TestMaskKotlin checks which parentheses at the beginning of a line begin a
// statement: a semicolon is put before those.
func TestMaskKotlin(t *testing.T) {
	cases := []struct {
		before string
		own    bool
	}{
		{"val b = a", true},
		{"a.b()", true},
		{"val c = \"x\"", true},
		{"}", true},
		{"val b =", false},
		{"a +", false},
		{"foo(", false},
		{"x,", false},
		{"if (a)", false},
		{"} else", false},
		{"else", false},
		{"return", false},
		{"a to", false},
		{"a // b", false},
		{"class A", false},
		{"@Named", false},
		{"", false},
	}
	for _, c := range cases {
		src := "fun f() {\n  " + c.before + "\n  (x as D).e()\n}\n"
		got := string(maskKotlin([]byte(src)))
		want := src
		if c.own {
			want = strings.Replace(src, "\n  (x", "\n ;(x", 1)
		}
		if got != want {
			t.Errorf("after %q: got %q", c.before, got)
		}
	}
	p := syntax.NewLanguages(Language()).NewParser()
	defer p.Close()
	_, tree := p.ParseTree("kotlin", []byte("fun f() {\n    val b = a\n    (x as D).e()\n}\n"))
	calls := 0
	for n := syntax.Node(1); int(n) <= tree.Len(); n++ {
		if tree.Kind(n) == "call_expression" {
			calls++
			if text := tree.Text(n); text != "(x as D).e()" {
				t.Errorf("call %q", text)
			}
		}
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// TestMaskConstructor checks that a class whose constructor has annotations on lines
// of their own is one class with a body.
func TestMaskConstructor(t *testing.T) {
	p := syntax.NewLanguages(Language()).NewParser()
	defer p.Close()
	for _, head := range []string{
		"class A\n  @Inject\n  constructor(val a: Int)",
		"class A\n  @Throws(B::class) internal constructor(\n    val a: Int,\n  )",
		"class A<T>\n  private constructor(a: Int)",
		"class A\n  constructor(a: Int)",
		"class A\n  constructor(a: suspend B.C.D.(Int) -> Unit)",
	} {
		f, tree := p.ParseTree("kotlin", []byte(head+" : C {\n  fun f() {}\n}\n"))
		if f.Errors {
			t.Errorf("%q has errors", head)
		}
		class := tree.ChildOf(tree.Root(), "class_declaration")
		if tree.ChildOf(class, "primary_constructor") == 0 || tree.ChildOf(class, "class_body") == 0 {
			t.Errorf("%q has no constructor or body", head)
		}
	}
}

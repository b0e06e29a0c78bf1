package syntax

import (
	"strings"
	"testing"
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
	p := NewParser()
	defer p.Close()
	_, tree := p.ParseTree("kotlin", []byte("fun f() {\n    val b = a\n    (x as D).e()\n}\n"))
	calls := 0
	for n := Node(1); int(n) <= tree.Len(); n++ {
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

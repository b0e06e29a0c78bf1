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

// TestMaskRust checks which macros are hidden: those around items.
func TestMaskRust(t *testing.T) {
	const hidden = `
          
    #[doc = "}"]
    pub(crate) mod a;
    fn f<'x>() -> char { '}' } // }
 
              
                      
        use b::c;
                                 
        mod d { /* } */ }
            
        const R: &str = r#"}"#;
     
 
            { let x = 1; }
`
	const shown = `
cfg_rt! { 
    #[doc = "}"]
    pub(crate) mod a;
    fn f<'x>() -> char { '}' } // }
}
cfg_if::cfg_if! {
    if #[cfg(unix)] { 
        use b::c;
    } else if #[cfg(windows)] {
        mod d { /* } */ }
    } else {
        const R: &str = r#"}"#;
    }
}
select! {   { let x = 1; }
`
	lines := func(s string) (out []string) {
		for line := range strings.Lines(s) {
			out = append(out, strings.TrimRight(line, " \n"))
		}
		return out
	}
	got, want := lines(string(maskRust([]byte(shown)))), lines(hidden)
	want[15] = "select! {   { let x = 1; }"
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, got[min(i, len(got)-1)], want[i])
		}
	}
	for _, same := range []string{
		"lazy_static! {\n    static ref X: T = T::new();\n}\n",
		"quote! {\n    fn f() {}\n}\n",
		"methods_of! {\n    impl<> T {}\n}\n",
		"let x = call! { mod a; };\n",
		"cfg_rt! {\n    mod a;\n",
		"cfg_if! {\n    if x { mod a; }\n}\n",
		"map! {\n    a => b,\n}\n",
	} {
		if got := string(maskRust([]byte(same))); got != same {
			t.Errorf("%q: %q", same, got)
		}
	}
	// Braces that never close do not make it slow.
	maskRust([]byte(strings.Repeat("a! {\nmod b;\n", 100_000)))
}

// TestMaskConstructor checks that a class whose constructor has annotations on lines
// of their own is one class with a body.
func TestMaskConstructor(t *testing.T) {
	p := NewParser()
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

// TestMaskProtobuf hides ranges of extensions, over several lines too, and no prose that
// begins with the word.
func TestMaskProtobuf(t *testing.T) {
	for src, want := range map[string]string{
		"message A {\n  extensions 4,\n    9 to max;\n  optional B b = 1;\n}\n": "message A {\n               \n             \n           B b = 1;\n}\n",
		"/*\n extensions are taken\n */\nmessage A {\n  string a = 1;\n}\n":     "/*\n extensions are taken\n */\nmessage A {\n  string a = 1;\n}\n",
		"extensions ": "extensions ",
	} {
		if got := string(maskProtobuf([]byte(src))); got != want {
			t.Errorf("%q became %q, want %q", src, got, want)
		}
	}
}

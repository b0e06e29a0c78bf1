package rust

import (
	"strings"
	"testing"
)

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

package train

import (
	"testing"

	"github.com/quarry-search/quarry/index/outline"
)

func TestQuestion(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Returns the pool's size. It never blocks.", "Returns the pool's size. It never blocks."},
		{"Returns the number of idle connections. It never blocks.", "Returns the number of idle connections"},
		{"Opens the file.\n\nMore of it.", "Opens the file."},
		{"Opens the file.\n@param path the path", "Opens the file."},
		{"<summary>\nGets the name of <see cref=\"X\"/> here\n</summary>", "Gets the name of here"},
		{"@brief Adds two large numbers", "Adds two large numbers"},
		{"two words", ""},
		{"TODO: make this faster some day", ""},
		{"Copyright 2024 by the authors of it", ""},
	} {
		got, ok := question(c.text)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("question(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSubject(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Count the waiters of a pool (#123)", "Count the waiters of a pool"},
		{"Fix the pool", ""},
		{"Bump the version of all the things", ""},
		{"Merge branch a into branch b again", ""},
	} {
		got, ok := subject(c.text)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("subject(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.go": "go", "a.h": "c", "vendor/a.go": "", "src/_vendor/a.py": "", "third_party/x/a.c": "", "a.min.js": "", "src/vendors.js": "javascript", "README.md": "",
	} {
		if got := language(name); got != want {
			t.Errorf("language(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNameQuestion(t *testing.T) {
	long := "func x() {\n\ta()\n\tb()\n\tc()\n}"
	for _, c := range []struct{ kind, parent, name, text, want string }{
		{"function", "", "keepAlive", long, "keep alive"},
		{"method", "net.ConnectionPool", "evict_idle", long, "connection pool evict idle"},
		{"class", "", "HTTPServer", long, "http server"},
		{"method", "Pool", "close", long, ""},
		{"field", "Pool", "idleCount", long, ""},
		{"method", "Pool", "getSize", "func getSize() {\n\treturn 1\n}", ""},
		{"method", "Pool", "getSize", long, "pool get size"},
		{"method", "Pool", "getIdleSize", "func getIdleSize() {\n\treturn 1\n}", "pool get idle size"},
		{"function", "", "TestKeepAlive", long, ""},
		{"function", "", "test_keep_alive", long, ""},
		{"function", "", "testifyKeepAlive", long, "testify keep alive"},
	} {
		got, ok := nameQuestion(outline.Part{Kind: c.kind, Parent: c.parent, Name: c.name, Text: c.text})
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s %q in %q: %q, want %q", c.kind, c.name, c.parent, got, c.want)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"func foo(a) { foofoo foo_ x.foo() foo }", "func (a) { foofoo foo_ x.()  }"},
		{"foo", ""},
		{"foofoo", "foofoo"},
		{"foofoofoo foo", "foofoofoo "},
		{"afoo.foo", "afoo."},
		{"foo.foo", "."},
		{"föfoo", "föfoo"},
		{"nothing", "nothing"},
	} {
		if got := without(c.code, "foo"); got != c.want {
			t.Errorf("without(%q) = %q, want %q", c.code, got, c.want)
		}
	}
}

package train

import "testing"

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

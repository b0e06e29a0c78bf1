package jdk

import "testing"

func TestFind(t *testing.T) {
	for _, tc := range []struct{ name, file, want string }{
		{"Iterable", "", "java.lang"},
		{"List", "", ""},
		{"List", "import java.util.List;\n", "java.util"},
		{"List", "import java.util.*;\nimport other.*;\n", "java.util"},
		{"List", "import java.util.*;\n  import other.List;\n", ""},
		{"Iterable", "import other.Iterable;\n", ""},
		{"Entry", "import java.util.Map;\n", "java.util.Map"},
		{"Unheard", "import java.util.*;\n", ""},
	} {
		got := ""
		if found := Find(tc.name, []byte(tc.file)); found != nil {
			got = found.pkg
		}
		if got != tc.want {
			t.Errorf("%s after %q: %q, want %q", tc.name, tc.file, got, tc.want)
		}
	}
}

func TestType(t *testing.T) {
	list := Find("ArrayList", []byte("import java.util.ArrayList;\n"))
	for method, want := range map[string]bool{"add": true, "spliterator": true, "forEach": true, "toString": true, "getFirst": true, "shelve": false} {
		if got := list.Calls(method); got != want {
			t.Errorf("a list may call %s: %v", method, got)
		}
	}
	for name, want := range map[string]bool{"ArrayList": true, "Collection": true, "Iterable": true, "Object": true, "Map": false, "String": false} {
		if got := list.Below(name); got != want {
			t.Errorf("a list may be a %s: %v", name, got)
		}
	}
}

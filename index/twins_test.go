package index

import (
	"bytes"
	"testing"
)

// Files of the same text, in one language and in several, are indexed as if each were the
// only one: what an index has of them is the same to the last byte whether they came
// together or one by one.
func TestTwins(t *testing.T) {
	root := t.TempDir()
	code := "class Order:\n    def add(self, n):\n        return total(n)\n\ndef total(n):\n    return n\n"
	files := map[string]string{
		"a/order.py": code, "b/order.py": code, "b/copy.py": code, "c/order.rb": code, "d/order.txt": code,
		"a/package.json": `{"name": "twin"}`, "b/package.json": `{"name": "twin"}`,
		"a/empty.py": "", "b/empty.py": "", "c/same_size.py": "x" + code[1:],
	}
	var paths []string
	for name, text := range files {
		write(t, root, name, text)
		paths = append(paths, name)
	}
	together, apart := open(t, root), open(t, root)
	together.Opt.Workers = 1 // two may parse a text at the same time
	if _, err := together.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range paths {
		if _, err := apart.Update(t.Context(), []string{name}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := apart.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if w := together.Work(); w.Reused != 3 || w.Parsed != uint64(len(files)-3) {
		t.Errorf("%d files were taken over and %d parsed; want two of the code and an empty one to be taken over", w.Reused, w.Parsed)
	}
	if w := apart.Work(); w.Reused != 0 {
		t.Errorf("%d files were taken over that came one by one", w.Reused)
	}
	if !bytes.Equal(portable(t, together), portable(t, apart)) {
		t.Error("what is indexed of files of the same text depends on whether they came together")
	}
}

package model

import (
	"math"
	"testing"
)

func TestSplitPath(t *testing.T) {
	for _, c := range []struct{ path, folder, stem string }{
		{"", "", ""},
		{"main.go", "", "main"},
		{"cmd/quarry/main.go", "cmd/quarry", "main"},
		{"web/user.service.spec.ts", "web", "user"},
		{"docs.d/README", "docs.d", "README"},
		{"a/.gitignore", "a", ".gitignore"},
		{".eslintrc.js", "", ".eslintrc"},
		{"a/..", "a", "."},
		{"a/.", "a", "."},
		{"a/b/", "a/b", ""},
		{"/a.go", "", "a"},
	} {
		if folder, stem := SplitPath(c.path); folder != c.folder || stem != c.stem {
			t.Errorf("%q: folder %q and stem %q, want %q and %q", c.path, folder, stem, c.folder, c.stem)
		}
	}
}

func TestDocumentIsASumOfUnitLength(t *testing.T) {
	w := Weights{Text: 1, Names: 0.5, Folder: 0.25, Stem: 2}
	x, y, none := []float32{1, 0}, []float32{0, 1}, []float32{0, 0}
	for _, c := range []struct {
		name                      string
		text, names, folder, stem []float32
		want                      [2]float64 // before it has unit length
	}{
		{"nothing", none, none, none, none, [2]float64{0, 0}},
		{"text", x, none, none, none, [2]float64{1, 0}},
		{"names", none, y, none, none, [2]float64{0, 1}},
		{"text and names", x, y, none, none, [2]float64{1, 0.5}},
		{"path", none, none, x, y, [2]float64{0.25, 2}},
		{"all", x, x, y, y, [2]float64{1.5, 2.25}},
		{"opposites", none, []float32{0, -1}, none, []float32{0, 0.25}, [2]float64{0, 0}},
	} {
		got, path := make([]float32, 2), make([]float32, 2)
		w.Path(path, c.folder, c.stem)
		w.Document(got, c.text, c.names, path)
		length := max(math.Hypot(c.want[0], c.want[1]), 1e-9)
		for i := range got {
			if math.Abs(float64(got[i])-c.want[i]/length) > 1e-6 {
				t.Errorf("%s: got %g, want %g times %g", c.name, got, c.want, 1/length)
				break
			}
		}
	}
}

func TestWeightsOfNoUse(t *testing.T) {
	nan := float32(math.NaN())
	for _, w := range []Weights{{}, {Names: 1}, {Text: 1, Stem: -1}, {Text: nan}, {Text: 1, Folder: nan}, {Text: 1, Names: 1e9}} {
		if w.check() == nil {
			t.Errorf("no error for %+v", w)
		}
	}
	if err := (Weights{Text: 1}).check(); err != nil {
		t.Errorf("a text alone: %v", err)
	}
}

package fit

import (
	"bytes"
	"testing"
)

// FuzzWeights: what was read is written in a form that is read as the same.
func FuzzWeights(f *testing.F) {
	f.Add("# why\nname 1.5\n\n# score\nscore.bias -2 # so\nscore.name 1e-3\n")
	f.Add("a NaN\n")
	f.Add("score. 1\nscore 1\n")
	f.Add("a 1e308\na\u0085b 2\n")
	f.Add("#\n#\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ReadWeights(bytes.NewReader([]byte(text)))
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		if err := w.Write(&once); err != nil {
			t.Fatal(err)
		}
		again, err := ReadWeights(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, once.Bytes(), err)
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%q is written as %q, and that as %q (%v)", text, once.Bytes(), twice.Bytes(), err)
		}
	})
}

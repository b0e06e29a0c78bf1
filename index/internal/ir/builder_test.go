package ir

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPos compares positions, asked for in any order, with counting from the
// beginning of the text.
func TestPos(t *testing.T) {
	src := "\n\none line\n" + strings.Repeat("x", 5000) + "\n\nlast"
	b := NewBuilder("go", []byte(src))
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		at := r.IntN(len(src) + 1)
		before := src[:at]
		want := At(strings.Count(before, "\n")+1, at-strings.LastIndex(before, "\n"))
		if got := b.Pos(at); got != want {
			t.Fatalf("Pos(%d) = %d:%d, want %d:%d", at, got.Line(), got.Column(), want.Line(), want.Column())
		}
	}
}

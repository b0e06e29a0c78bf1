package model

import (
	"fmt"
	"math"
	"strings"
)

// Weights says how much the parts of a document count in its vector:
//
//	unit(Text*unit(text) + Names*unit(names) + Folder*unit(folder) + Stem*unit(stem))
//
// where each part is a bag of sub-words of its own and unit brings a vector to
// length 1. A part without a known word is the zero vector and adds nothing.
//
// It is a sum of unit vectors and not one bag of all words because a name must count the
// same in a short chunk and in a long one: in one bag the three words of a function's name
// are lost among two hundred of its body.
type Weights struct {
	Text   float32 `json:"text"`
	Names  float32 `json:"names"`  // of the symbols in the piece
	Folder float32 `json:"folder"` // the path without the file's name
	Stem   float32 `json:"stem"`   // the file's name up to its first dot
}

// check returns an error unless the text counts and nothing counts against a
// document.
func (w Weights) check() error {
	for _, x := range [...]float32{w.Text, w.Names, w.Folder, w.Stem} {
		if !(x >= 0 && x <= 1e3) {
			return fmt.Errorf("the weights of the fields are %+v, not numbers from 0 to 1000", w)
		}
	}
	if w.Text == 0 {
		return fmt.Errorf("the text of a document has no weight")
	}
	return nil
}

// Path writes to dst what a document's path adds to its sum: the part that is the same for
// all chunks of a file. Folder and stem are unit or zero vectors of the length of dst.
func (w Weights) Path(dst, folder, stem []float32) {
	folder, stem = folder[:len(dst)], stem[:len(dst)]
	for i := range dst {
		dst[i] = w.Folder*folder[i] + w.Stem*stem[i]
	}
}

// Document writes the vector of a document to dst: of length 1, or zero if
// nothing is known of it. Text and names are unit or zero vectors, path is what
// Path wrote; all have the length of dst, which may be one of them.
func (w Weights) Document(dst, text, names, path []float32) {
	text, names, path = text[:len(dst)], names[:len(dst)], path[:len(dst)]
	var square float32 // of at most (Text+Names+Folder+Stem)^2: float32 is enough
	for i := range dst {
		x := w.Text*text[i] + w.Names*names[i] + path[i]
		dst[i] = x
		square += x * x
	}
	if square == 0 {
		return
	}
	norm := float32(1 / math.Sqrt(float64(square)))
	for i := range dst {
		dst[i] *= norm
	}
}

// SplitPath returns the two parts of a slash-separated path that count: its
// folder, "" for a file in the root, and the file's name up to the first dot
// after its first byte (".eslintrc.js" has the stem ".eslintrc").
func SplitPath(path string) (folder, stem string) {
	stem = path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, stem = path[:i], path[i+1:]
	}
	if len(stem) > 1 {
		if i := strings.IndexByte(stem[1:], '.'); i >= 0 {
			stem = stem[:i+1]
		}
	}
	return folder, stem
}

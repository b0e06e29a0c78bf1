package rerank

import _ "embed" // for the files below

var (
	//go:embed model.onnx
	onnxFile []byte

	//go:embed vocab.txt
	vocabFile []byte
)

// ONNX returns the built-in model: 22 MB, 6 layers of 384 numbers, with weights of 8 bits. It
// is the program's own memory, not a copy: the caller must not change it. MODEL.md next to
// it says how it was made.
func ONNX() []byte { return onnxFile }

// Words returns the vocabulary of the built-in model, a sub-word a line, as NewVocabulary
// reads it. It is the program's own memory, as above.
func Words() []byte { return vocabFile }

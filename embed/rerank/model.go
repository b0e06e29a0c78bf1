package rerank

import _ "embed" // for the file below

//go:embed model.onnx
var onnxFile []byte

// ONNX returns the built-in model: 22 MB, 6 layers of 384 numbers, with weights of 8 bits. Its
// words are those of wordpiece.Builtin. It is the program's own memory, not a copy: the caller
// must not change it. A small program has it compressed with zstd. MODEL.md next to it says
// how it was made.
func ONNX() []byte { return onnxFile }

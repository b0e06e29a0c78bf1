package contextual

import _ "embed" // for the file below

//go:embed model.onnx
var onnxFile []byte

// sum is the SHA-256 of the model file, in hexadecimal; a test compares it.
const sum = "744898f9b8e80e676a42f482ff20a24369c2b047eafab25ffe20c095dc21cb49"

// ONNX returns the encoder: 14.5 MB, 2 layers of 384 numbers, with weights of 8 bits. Its words
// are those of wordpiece.Builtin. It is the program's own memory, not a copy: the caller must
// not change it. MODEL.md next to it says how it was made.
func ONNX() []byte { return onnxFile }

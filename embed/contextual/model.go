package contextual

import _ "embed" // for the file below

//go:embed model.onnx
var onnxFile []byte

// sum is the SHA-256 of the model file, in hexadecimal; a test compares it.
const sum = "acea9ad8739e051c4f02cb89618ec1a5013da3a28d21191ffe500f2dc9a21c0b"

// ONNX returns the encoder: 14.6 MB, 2 layers of 384 numbers, with weights of 8 bits. Its words
// are those of wordpiece.Builtin. It is the program's own memory, not a copy: the caller must
// not change it. A small program has it compressed with zstd. MODEL.md next to it says how it
// was made.
func ONNX() []byte { return onnxFile }

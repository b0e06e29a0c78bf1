package onnx

import (
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// outputShape returns the shape of an output of a model, 0 for a length that is not fixed; nil
// where the model has no such output, or is none. ONNX Runtime tells the same of a session that
// it opens for that, which takes as long as opening the model. Numbers of fields are those of
// onnx.proto.
func outputShape(model []byte, name string) (shape []int) {
	for graph := range under(model, 7) {
		for output := range under(graph, 12) {
			for label := range under(output, 1) {
				if string(label) != name {
					continue
				}
				for dim := range under(output, 2, 1, 2, 1) { // type, tensor_type, shape, dim
					shape = append(shape, fixed(dim))
				}
				return shape
			}
		}
	}
	return nil
}

// under returns the values that a message has under a path of fields, as far as it can be read.
func under(message []byte, path ...protowire.Number) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { visit(message, path, yield) }
}

func visit(message []byte, path []protowire.Number, yield func([]byte) bool) bool {
	if len(path) == 0 {
		return yield(message)
	}
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return true
		}
		message = message[n:]
		n = protowire.ConsumeFieldValue(field, kind, message)
		if n < 0 {
			return true
		}
		if field == path[0] && kind == protowire.BytesType {
			if value, m := protowire.ConsumeBytes(message); m > 0 && !visit(value, path[1:], yield) {
				return false
			}
		}
		message = message[n:]
	}
	return true
}

// fixed returns the length that a dimension says, 0 where it is a name.
func fixed(dim []byte) int {
	field, kind, n := protowire.ConsumeTag(dim)
	if n < 0 || field != 1 || kind != protowire.VarintType {
		return 0
	}
	length, n := protowire.ConsumeVarint(dim[n:])
	if n < 0 || length > 1<<20 {
		return 0
	}
	return int(length)
}

package train

import "encoding/binary"

// message is a protocol-buffer message under construction. An ONNX file needs
// two kinds of field only.
type message []byte

func (m *message) int(field int, x int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(x))
}

func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// node is a NodeProto.
func node(op string, in []string, out string, attributes ...message) message {
	var n message
	for _, name := range in {
		n.text(1, name)
	}
	n.text(2, out)
	n.text(4, op)
	for _, a := range attributes {
		n.bytes(5, a)
	}
	return n
}

// attribute is an AttributeProto that holds a whole number.
func attribute(name string, x int64) message {
	const isInt = 2
	var a message
	a.text(1, name)
	a.int(3, x)
	a.int(20, isInt)
	return a
}

// tensor is a TensorProto with raw data.
func tensor(name string, kind int64, dims []int64, raw []byte) message {
	var t message
	for _, d := range dims {
		t.int(1, d)
	}
	t.int(2, kind)
	t.text(8, name)
	t.bytes(9, raw)
	return t
}

// value is a ValueInfoProto: a tensor with named dimensions.
func value(name string, kind int64, dims ...string) message {
	var shape, tensorType, typ, v message
	for _, d := range dims {
		var dim message
		dim.text(2, d)
		shape.bytes(1, dim)
	}
	tensorType.int(1, kind)
	tensorType.bytes(2, shape)
	typ.bytes(1, tensorType)
	v.text(1, name)
	v.bytes(2, typ)
	return v
}

package train

import (
	"encoding/binary"
	"math"
)

// table is the model as it is shipped: signed bytes with a scale for each row.
type table struct {
	dim    int
	rows   []int8
	scales []float32
	fields [fields]float64
}

// quantize rounds each row to 127 steps on both sides of zero.
func (m *model) quantize() *table {
	n := len(m.rows) / m.dim
	t := &table{dim: m.dim, rows: make([]int8, len(m.rows)), scales: make([]float32, n), fields: m.fields}
	spread(n, 1024, func(from, to int) {
		for i := from; i < to; i++ {
			row, most := m.row(uint16(i)), float32(0)
			for _, x := range row {
				most = max(most, float32(math.Abs(float64(x))))
			}
			s := most / 127
			if s == 0 {
				s = 1e-9
			}
			t.scales[i] = s
			for k, x := range row {
				t.rows[i*m.dim+k] = int8(math.Round(float64(x / s)))
			}
		}
	})
	return t
}

// model returns the rows as the engines see them.
func (t *table) model() *model {
	m := &model{dim: t.dim, rows: make([]float32, len(t.rows)), fields: t.fields}
	for i, q := range t.rows {
		m.rows[i] = float32(q) * t.scales[i/t.dim]
	}
	return m
}

// onnx returns the model as an ONNX file, opset 17: the weighted sum of rows,
// brought to unit length.
//
//	input   ids       int64   [B, L]  token ids, padded with 0
//	input   weights   float32 [B, L]  their weights, 0 for padding
//	output  embedding float32 [B, D]
//
// The fields of the messages are numbered as in onnx.proto.
func (t *table) onnx() []byte {
	n, dim := int64(len(t.scales)), int64(t.dim)
	rows := make([]byte, len(t.rows))
	for i, q := range t.rows {
		rows[i] = byte(q)
	}
	var scales []byte
	for _, s := range t.scales {
		scales = binary.LittleEndian.AppendUint32(scales, math.Float32bits(s))
	}
	const float32Type, int8Type, int64Type = 1, 3, 7
	var g message
	g.bytes(1, node("Gather", []string{"E", "ids"}, "rows8"))
	g.bytes(1, node("Gather", []string{"S", "ids"}, "sc"))
	g.bytes(1, node("Cast", []string{"rows8"}, "rows", attribute("to", float32Type)))
	g.bytes(1, node("Mul", []string{"sc", "weights"}, "w"))
	g.bytes(1, node("Unsqueeze", []string{"w", "ax1"}, "w3"))
	g.bytes(1, node("MatMul", []string{"w3", "rows"}, "sum3"))
	g.bytes(1, node("Squeeze", []string{"sum3", "ax1"}, "sum"))
	g.bytes(1, node("LpNormalization", []string{"sum"}, "embedding", attribute("axis", -1), attribute("p", 2)))
	g.text(2, "static")
	g.bytes(5, tensor("E", int8Type, []int64{n, dim}, rows))
	g.bytes(5, tensor("S", float32Type, []int64{n}, scales))
	g.bytes(5, tensor("ax1", int64Type, []int64{1}, []byte{1, 0, 0, 0, 0, 0, 0, 0}))
	g.bytes(11, value("ids", int64Type, "B", "L"))
	g.bytes(11, value("weights", float32Type, "B", "L"))
	g.bytes(12, value("embedding", float32Type, "B", "D"))
	var opset, m message
	opset.int(2, 17)
	m.int(1, 8) // the version of the format
	m.bytes(7, g)
	m.bytes(8, opset)
	return m
}

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

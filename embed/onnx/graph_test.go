package onnx

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// message is a protocol-buffer message being written.
type message []byte

func (m *message) number(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) bytes(field int, data []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(data)))
	*m = append(*m, data...)
}

// graph writes an ONNX graph. Names of fields are in comments, after onnx.proto.
type graph struct{ message }

func (g *graph) node(op, output string, attributes map[string]int64, inputs ...string) {
	var n message
	for _, in := range inputs {
		n.bytes(1, []byte(in)) // input
	}
	n.bytes(2, []byte(output))
	n.bytes(4, []byte(op)) // op_type
	for name, v := range attributes {
		var a message
		a.bytes(1, []byte(name))
		a.number(3, v)  // i
		a.number(20, 2) // type: INT
		n.bytes(5, a)
	}
	g.bytes(1, n)
}

func (g *graph) tensor(name string, kind int64, raw []byte, dims ...int) {
	var t message
	for _, d := range dims {
		t.number(1, int64(d))
	}
	t.number(2, kind) // data_type
	t.bytes(8, []byte(name))
	t.bytes(9, raw)
	g.bytes(5, t)
}

func (g *graph) floats(name string, data []float32, dims ...int) {
	var raw []byte
	for _, x := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	g.tensor(name, 1, raw, dims...)
}

// value declares an input (field 11) or output (field 12). A dimension that is hiddenDim is
// fixed.
func (g *graph) value(field int, name string, kind int64, dims ...string) {
	var shape, tensor, typ, value message
	for _, d := range dims {
		var dim message
		if d == hiddenDim {
			dim.number(1, hidden) // dim_value
		} else {
			dim.bytes(2, []byte(d)) // dim_param
		}
		shape.bytes(1, dim)
	}
	tensor.number(1, kind)
	tensor.bytes(2, shape)
	typ.bytes(1, tensor)
	value.bytes(1, []byte(name))
	value.bytes(2, typ)
	g.bytes(field, value)
}

func (g *graph) file() []byte {
	g.bytes(2, []byte("tiny"))
	var opset, m message
	opset.number(2, 17)
	m.number(1, 8) // ir_version
	m.bytes(7, g.message)
	m.bytes(8, opset)
	return m
}

const (
	vocabulary = 64
	hidden     = 8
	hiddenDim  = "8"
)

// tiny is a transformer of one attention layer: rows of words and types are
// added and normalized, each token looks at the others that are no padding,
// and what it sees goes through a matrix and is added to it.
type tiny struct {
	words, types []float32 // vocabulary x hidden, 2 x hidden
	gain, bias   []float32 // hidden
	matrix       []float32 // hidden x hidden
}

func newTiny() *tiny {
	rnd := rand.New(rand.NewPCG(5, 6))
	random := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rnd.NormFloat64())
		}
		return v
	}
	return &tiny{words: random(vocabulary * hidden), types: random(2 * hidden), gain: random(hidden), bias: random(hidden), matrix: random(hidden * hidden)}
}

// file writes the model as ONNX. It takes token types if types is true; the
// output has the name output, and holds the first token's vector alone if that
// is sentence_embedding.
func (m *tiny) file(types bool, output string) []byte {
	var g graph
	g.floats("words", m.words, vocabulary, hidden)
	g.floats("types", m.types, 2, hidden)
	g.floats("gain", m.gain, hidden)
	g.floats("bias", m.bias, hidden)
	g.floats("matrix", m.matrix, hidden, hidden)
	g.floats("one", []float32{1})
	g.floats("far", []float32{-1e4})
	g.tensor("axis1", 7, []byte{1, 0, 0, 0, 0, 0, 0, 0}, 1)
	g.tensor("zero", 7, make([]byte, 8))

	g.node("Gather", "word", nil, "words", "input_ids")
	if types {
		g.node("Gather", "type", nil, "types", "token_type_ids")
		g.node("Add", "x", nil, "word", "type")
	} else {
		g.node("Gather", "type", nil, "types", "zero")
		g.node("Add", "x", nil, "word", "type")
	}
	g.node("LayerNormalization", "y", map[string]int64{"axis": -1}, "x", "gain", "bias")
	// Transposing needs a list of ints, which node does not write.
	var n, a message
	n.bytes(1, []byte("y"))
	n.bytes(2, []byte("yT"))
	n.bytes(4, []byte("Transpose"))
	a.bytes(1, []byte("perm"))
	for _, p := range []int64{0, 2, 1} {
		a.number(8, p) // ints
	}
	a.number(20, 7) // type: INTS
	n.bytes(5, a)
	g.bytes(1, n)
	g.node("Cast", "mask", map[string]int64{"to": 1}, "attention_mask")
	g.node("Sub", "padding", nil, "one", "mask")
	g.node("Mul", "distance", nil, "padding", "far")
	g.node("Unsqueeze", "away", nil, "distance", "axis1")
	g.node("MatMul", "scores", nil, "y", "yT")
	g.node("Add", "masked", nil, "scores", "away")
	g.node("Softmax", "attention", map[string]int64{"axis": -1}, "masked")
	g.node("MatMul", "seen", nil, "attention", "y")
	g.node("MatMul", "z", nil, "seen", "matrix")
	last := output
	if output == "sentence_embedding" {
		last = "last"
	}
	g.node("Add", last, nil, "x", "z")
	if last != output {
		g.node("Gather", output, map[string]int64{"axis": 1}, last, "zero")
	}
	g.value(11, "input_ids", 7, "batch", "length")
	g.value(11, "attention_mask", 7, "batch", "length")
	if types {
		g.value(11, "token_type_ids", 7, "batch", "length")
	}
	if last == output {
		g.value(12, output, 1, "batch", "length", "hidden")
	} else {
		g.value(12, output, 1, "batch", "hidden")
	}
	return g.file()
}

// vector evaluates the model in plain Go for the tokens of one text.
func (m *tiny) vector(ids []int64, pool pooling) []float64 {
	x, y := make([][]float64, len(ids)), make([][]float64, len(ids))
	for i, id := range ids {
		x[i], y[i] = make([]float64, hidden), make([]float64, hidden)
		var mean, variance float64
		for c := range hidden {
			x[i][c] = float64(m.words[int(id)*hidden+c]) + float64(m.types[c])
			mean += x[i][c] / hidden
		}
		for c := range hidden {
			variance += (x[i][c] - mean) * (x[i][c] - mean) / hidden
		}
		for c := range hidden {
			y[i][c] = (x[i][c]-mean)/math.Sqrt(variance+1e-5)*float64(m.gain[c]) + float64(m.bias[c])
		}
	}
	out := make([]float64, hidden)
	for i := range ids {
		if pool == clsPooling && i > 0 {
			break
		}
		weights := make([]float64, len(ids))
		highest, total := math.Inf(-1), 0.0
		for j := range ids {
			for c := range hidden {
				weights[j] += y[i][c] * y[j][c]
			}
			highest = max(highest, weights[j])
		}
		for j := range ids {
			weights[j] = math.Exp(weights[j] - highest)
			total += weights[j]
		}
		for c := range hidden {
			out[c] += x[i][c]
			for j := range ids {
				for d := range hidden {
					out[c] += weights[j] / total * y[j][d] * float64(m.matrix[d*hidden+c])
				}
			}
		}
	}
	var square float64
	for _, v := range out {
		square += v * v
	}
	for c := range out {
		out[c] /= math.Sqrt(square)
	}
	return out
}

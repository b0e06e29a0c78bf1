package static

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// table is what the model computes with: n rows of dim signed bytes, and a
// float32 scale for each row.
type table struct {
	rows   []byte // part of the ONNX file
	scales []float32
	dim    int
}

// The names of the two tensors in the ONNX file.
const (
	rowsName   = "E"
	scalesName = "S"
)

// readTable finds the two tensors in an ONNX file. The rest of the graph is
// taken for granted: the checksum of the built-in file is tested, and a test
// compares the result with that of the graph.
//
// An ONNX file is a protocol-buffer message ModelProto. These fields matter:
//
//	ModelProto.graph        = 7  message
//	GraphProto.initializer  = 5  message, repeated
//	TensorProto.dims        = 1  varint, repeated, or packed
//	TensorProto.data_type   = 2  varint: 1 float32, 3 int8
//	TensorProto.name        = 8  string
//	TensorProto.raw_data    = 9  bytes, little-endian
func readTable(file []byte) (*table, error) {
	var rows, scales *tensor
	err := fields(file, func(num int, _ uint64, graph []byte) error {
		if num != 7 || graph == nil {
			return nil
		}
		return fields(graph, func(num int, _ uint64, init []byte) error {
			if num != 5 || init == nil {
				return nil
			}
			t, err := readTensor(init)
			switch t.name {
			case rowsName:
				rows = &t
			case scalesName:
				scales = &t
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if rows == nil || scales == nil {
		return nil, fmt.Errorf("no tensors %s and %s", rowsName, scalesName)
	}
	return newTable(rows, scales)
}

func newTable(rows, scales *tensor) (*table, error) {
	const float32Type, int8Type = 1, 3
	if rows.kind != int8Type || len(rows.dims) != 2 {
		return nil, fmt.Errorf("tensor %s has type %d and shape %d, not int8 and two dimensions", rowsName, rows.kind, rows.dims)
	}
	n, dim := rows.dims[0], rows.dims[1]
	// Bounds before products: the sizes come from the file.
	if n < 1 || n > math.MaxInt32 || dim < block || dim > 1<<16 || dim%block != 0 {
		return nil, fmt.Errorf("tensor %s has shape %d", rowsName, rows.dims)
	}
	if uint64(len(rows.raw)) != n*dim {
		return nil, fmt.Errorf("tensor %s has %d bytes, not %d", rowsName, len(rows.raw), n*dim)
	}
	if scales.kind != float32Type || len(scales.dims) != 1 || scales.dims[0] != n || uint64(len(scales.raw)) != 4*n {
		return nil, fmt.Errorf("tensor %s has type %d, shape %d and %d bytes, not %d numbers of type float32", scalesName, scales.kind, scales.dims, len(scales.raw), n)
	}
	t := &table{rows: rows.raw, scales: make([]float32, n), dim: int(dim)}
	for i := range t.scales {
		s := math.Float32frombits(binary.LittleEndian.Uint32(scales.raw[4*i:]))
		if !(s >= 0 && s <= math.MaxFloat32) {
			return nil, fmt.Errorf("scale %d is %g", i, s)
		}
		t.scales[i] = s
	}
	return t, nil
}

type tensor struct {
	name string
	kind uint64
	dims []uint64
	raw  []byte
}

func readTensor(msg []byte) (tensor, error) {
	var t tensor
	err := fields(msg, func(num int, v uint64, data []byte) error {
		switch {
		case num == 1 && data == nil:
			t.dims = append(t.dims, v)
		case num == 1:
			for len(data) > 0 {
				d, n := binary.Uvarint(data)
				if n <= 0 {
					return errDamaged
				}
				t.dims = append(t.dims, d)
				data = data[n:]
			}
		case num == 2:
			t.kind = v
		case num == 8:
			t.name = string(data)
		case num == 9:
			t.raw = data
		}
		return nil
	})
	return t, err
}

var errDamaged = errors.New("damaged or cut off")

// fields calls f for each field of a protocol-buffer message: with the value
// of a varint and nil, or with 0 and the bytes (not nil, not copied) of a
// length-delimited field. Fixed-size numbers are passed over; groups, which
// ONNX does not use, are an error.
func fields(msg []byte, f func(num int, v uint64, data []byte) error) error {
	for len(msg) > 0 {
		tag, n := binary.Uvarint(msg)
		if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
			return errDamaged
		}
		msg = msg[n:]
		var v uint64
		var data []byte
		switch tag & 7 {
		case 0:
			if v, n = binary.Uvarint(msg); n <= 0 {
				return errDamaged
			}
		case 1:
			n = 8
		case 2:
			size, k := binary.Uvarint(msg)
			if k <= 0 || size > uint64(len(msg)-k) {
				return errDamaged
			}
			n = k + int(size)
			data = msg[k:n:n]
		case 5:
			n = 4
		default:
			return errDamaged
		}
		if n > len(msg) {
			return errDamaged
		}
		msg = msg[n:]
		if wire := tag & 7; wire == 0 || wire == 2 {
			if err := f(int(tag>>3), v, data); err != nil {
				return err
			}
		}
	}
	return nil
}

// row returns the signed bytes of a word.
func (t *table) row(id int32) []byte { return t.rows[int(id)*t.dim:][:t.dim] }

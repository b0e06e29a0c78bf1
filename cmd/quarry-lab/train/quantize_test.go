package train

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	builtin "github.com/quarry-search/quarry/embed/model"
)

// The graph is that of the built-in model, to the byte: its own table, written
// again, gives its own file.
func TestONNXIsThatOfTheBuiltinModel(t *testing.T) {
	file := builtin.ONNX()
	card, err := builtin.ReadCard()
	if err != nil {
		t.Fatal(err)
	}
	words := bytes.Count(builtin.Vocabulary(), []byte("\n"))
	tab := &table{dim: card.Dim}
	for _, x := range rawData(t, file, words*card.Dim) {
		tab.rows = append(tab.rows, int8(x))
	}
	scales := rawData(t, file, 4*words)
	for i := range words {
		tab.scales = append(tab.scales, math.Float32frombits(binary.LittleEndian.Uint32(scales[4*i:])))
	}
	if !bytes.Equal(tab.onnx(), file) {
		t.Error("the file differs")
	}
}

// rawData finds a tensor of the given size: field 9 of its message.
func rawData(t *testing.T, file []byte, size int) []byte {
	t.Helper()
	head := binary.AppendUvarint([]byte{9<<3 | 2}, uint64(size))
	at := bytes.Index(file, head)
	if at < 0 || at+len(head)+size > len(file) {
		t.Fatalf("no tensor of %d bytes in the model", size)
	}
	return file[at+len(head):][:size]
}

func TestQuantize(t *testing.T) {
	m := &model{dim: 16, rows: make([]float32, 48)}
	for k := range 16 {
		m.rows[k] = float32(k-8) / 3
		m.rows[16+k] = 1e-7 * float32(k)
	}
	got := m.quantize().model()
	for i, x := range m.rows {
		step := float32(8.0/3/127) / 2
		if i >= 16 {
			step = 15e-7 / 127 / 2
		}
		if d := got.rows[i] - x; d > step*1.001 || d < -step*1.001 {
			t.Errorf("number %d: %g for %g", i, got.rows[i], x)
		}
	}
}

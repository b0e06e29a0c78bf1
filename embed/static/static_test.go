package static

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

func builtin(tb testing.TB) *Model {
	tb.Helper()
	m, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// ../testdata/golden.json is written by the test of package embed, with an
// implementation of its own.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile("../testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name              string
		Query             bool
		Path, Names, Text string
		Repeat            int
		Vector            []float32
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	m := builtin(t)
	for _, c := range cases {
		text := strings.Repeat(c.Text, max(c.Repeat, 1))
		got := make([]float32, m.Info().Dim)
		if c.Query {
			got, err = m.Query(t.Context(), text)
		} else {
			err = m.Documents(t.Context(), []embed.Document{{Path: c.Path, Names: strings.Repeat(c.Names, max(c.Repeat, 1)), Text: text}}, got)
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := distance(got, c.Vector); !(d <= 1e-5) {
			t.Errorf("%s: numbers differ by up to %g", c.Name, d)
		}
	}
}

// distance is the largest difference between numbers of a and b, NaN if their
// lengths differ.
func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var d float64
	for i := range a {
		d = max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}

// The sum in words and the plain one agree on bags of every size, with weights
// far apart and with rows at both ends of the table.
func TestSumsAgree(t *testing.T) {
	m := builtin(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	fast, slow := make([]float32, m.table.dim), make([]float32, m.table.dim)
	var s sum
	for n := range 401 {
		bag := tokenizer.Bag{}
		for range n {
			bag.IDs = append(bag.IDs, rnd.Int32N(int32(m.tokens.Size())))
			bag.Weights = append(bag.Weights, float32(1+6*rnd.Float64()))
		}
		if n > 1 {
			bag.IDs[0], bag.IDs[1] = 0, int32(m.tokens.Size()-1)
			bag.Weights[0] = 1e-3
		}
		m.table.embed(fast, &bag, &s)
		m.table.embedSlowly(slow, &bag)
		if d := distance(fast, slow); !(d <= 1e-5) {
			t.Fatalf("%d tokens: numbers differ by up to %g", n, d)
		}
	}
}

// Every byte at its extreme, in a bag of the largest size, must not carry from
// one column into the next.
func TestSumDoesNotOverflow(t *testing.T) {
	const rows = 400
	for name, e := range map[string]int8{"lowest": -128, "highest": 127} {
		tab := &table{rows: make([]byte, rows*block), scales: make([]float32, rows), dim: block}
		var bag tokenizer.Bag
		for i := range rows {
			tab.scales[i] = 1
			for k := range block {
				if k%2 == 0 {
					tab.rows[i*block+k] = byte(e)
				}
			}
			bag.IDs = append(bag.IDs, int32(i))
			bag.Weights = append(bag.Weights, 1+float32(i)/7)
		}
		fast, slow := make([]float32, block), make([]float32, block)
		tab.embed(fast, &bag, new(sum))
		tab.embedSlowly(slow, &bag)
		if d := distance(fast, slow); !(d <= 1e-5) {
			t.Errorf("%s: numbers differ by up to %g", name, d)
		}
	}
}

func TestUnitLength(t *testing.T) {
	v, err := builtin(t).Query(t.Context(), "open the file")
	if err != nil {
		t.Fatal(err)
	}
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if math.Abs(square-1) > 1e-6 {
		t.Errorf("square of the length is %g", square)
	}
}

// What is kept of a path does not reach a document of another path.
func TestDocumentsOfManyFiles(t *testing.T) {
	m := builtin(t)
	var docs []embed.Document
	for _, path := range []string{"", "net/http/server.go", "net/http/server.go", "net/http/client.go", "cache/client.go", "", "cache/client.go"} {
		docs = append(docs, embed.Document{Path: path, Text: "open the file"}, embed.Document{Path: path, Names: "Open File"})
	}
	together := make([]float32, len(docs)*m.Info().Dim)
	if err := m.Documents(t.Context(), docs, together); err != nil {
		t.Fatal(err)
	}
	alone := make([]float32, m.Info().Dim)
	for i := range docs {
		if err := m.Documents(t.Context(), docs[i:i+1], alone); err != nil {
			t.Fatal(err)
		}
		if d := distance(together[i*len(alone):][:len(alone)], alone); d != 0 {
			t.Errorf("%+v: alone and among others the numbers differ by up to %g", docs[i], d)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	m := builtin(t)
	docs := benchDocuments(t)
	want := make([]float32, len(docs)*m.Info().Dim)
	if err := m.Documents(t.Context(), docs, want); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := make([]float32, len(want))
			for range 5 {
				if err := m.Documents(t.Context(), docs, got); err != nil {
					t.Error(err)
				}
				if d := distance(got, want); d != 0 {
					t.Errorf("numbers differ by up to %g", d)
				}
			}
		})
	}
	wg.Wait()
}

func TestArguments(t *testing.T) {
	m := builtin(t)
	if err := m.Documents(t.Context(), make([]embed.Document, 2), make([]float32, m.Info().Dim)); err == nil {
		t.Error("no error for a destination that is too short")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Query(ctx, "x"); err == nil {
		t.Error("Query: no error after the context ended")
	}
	if err := m.Documents(ctx, make([]embed.Document, 1), make([]float32, m.Info().Dim)); err == nil {
		t.Error("Documents: no error after the context ended")
	}
	if got := m.WithReason("no library").Info().Reason; got != "no library" {
		t.Errorf("Reason = %q", got)
	}
}

// tiny is a model file with two rows of 16 columns.
func tiny() []byte {
	field := func(msg []byte, num int, data []byte) []byte {
		msg = binary.AppendUvarint(msg, uint64(num)<<3|2)
		msg = binary.AppendUvarint(msg, uint64(len(data)))
		return append(msg, data...)
	}
	rows := []byte{1 << 3, 2, 1 << 3, 16, 2 << 3, 3} // shape 2, 16, type int8
	rows = field(rows, 8, []byte(rowsName))
	rows = field(rows, 9, []byte("0123456789abcdefghijklmnopqrstuv"))
	scales := []byte{1<<3 | 2, 1, 2, 2 << 3, 1} // shape 2, packed, type float32
	scales = field(scales, 8, []byte(scalesName))
	scales = field(scales, 9, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f}) // 1, 0.5
	graph := field(nil, 5, rows)
	graph = field(graph, 5, scales)
	return field([]byte{1 << 3, 8}, 7, graph)
}

func TestDamagedFiles(t *testing.T) {
	file := tiny()
	if _, err := newModel(file, []byte("open\nfile\n"), model.Weights{Text: 1}, embed.Info{Dim: 16}); err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if _, err := readTable(file[:n]); err == nil {
			t.Errorf("no error for the first %d of %d bytes", n, len(file))
		}
	}
	whole := model.ONNX()
	for _, n := range []int{0, 1, 100, len(whole) / 2, len(whole) - 1} {
		if _, err := newModel(whole[:n], model.Vocabulary(), model.Weights{Text: 1}, embed.Info{Dim: 256}); err == nil {
			t.Errorf("no error for the first %d bytes of the built-in model", n)
		}
	}
	for name, vocab := range map[string]string{"short": "open\n", "long": "open\nfile\nclose\n", "empty": "", "repeated": "open\nopen\n", "upper case": "open\nFile\n"} {
		if _, err := newModel(file, []byte(vocab), model.Weights{Text: 1}, embed.Info{Dim: 16}); err == nil {
			t.Errorf("no error for a vocabulary that is %s", name)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	file := tiny()
	f.Add(file)
	for i := range file {
		damaged := append([]byte(nil), file...)
		damaged[i] ^= 0x81
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tab, err := readTable(data)
		if err != nil {
			return
		}
		// What was accepted can be used.
		bag := tokenizer.Bag{IDs: []int32{0, int32(len(tab.scales) - 1)}, Weights: []float32{1, 2}}
		dst := make([]float32, tab.dim)
		tab.embed(dst, &bag, new(sum))
		for _, x := range dst {
			if !(x >= -1.001 && x <= 1.001) {
				t.Fatalf("%g is no number of a unit vector", x)
			}
		}
	})
}

package train

import (
	"context"
	"math"
	"testing"

	"github.com/quarry-search/quarry/embed"
)

// A table of vectors by text stands for an encoder. What is not in it has a vector that
// depends on the text alone.
type encoderTable struct {
	dim   int
	table map[string][]float32
}

func (e encoderTable) Info() embed.Info {
	return embed.Info{Name: "table", Dim: e.dim, SHA256: sum([]byte("table"))}
}
func (e encoderTable) Close() error { return nil }

func (e encoderTable) Query(_ context.Context, text string) ([]float32, error) {
	if v, ok := e.table[text]; ok {
		return v, nil
	}
	v := make([]float32, e.dim)
	for k := range v {
		v[k] = float32(hash(text, string(rune(k)))%1000)/1000 - 0.3
	}
	return v, nil
}

func (e encoderTable) Documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	for i, d := range docs {
		v, err := e.Query(ctx, d.Text)
		if err != nil {
			return err
		}
		copy(dst[i*e.dim:][:e.dim], v)
	}
	return nil
}

// The components are those of the spread about the mean, the widest first; each vector is
// brought to length 1 after that.
func TestReduce(t *testing.T) {
	for _, c := range []struct {
		name     string
		vectors  []float32
		from, to int
		want     []float32
	}{
		{"along one axis", []float32{5, 1, 7, 1, 9, 1}, 2, 1, []float32{-1, 0, 1}},
		{"the wider axis comes first", []float32{0, 4, 0, -4, 1, 0, -1, 0}, 2, 2, []float32{1, 0, -1, 0, 0, 1, 0, -1}},
		{"the narrow axis is left out", []float32{3, 4, 1, 3, -4, 1, -3, 4, -1, -3, -4, -1}, 3, 2, nil},
		{"all the same", []float32{2, 3, 2, 3}, 2, 1, []float32{0, 0}},
	} {
		got, err := reduce(c.vectors, c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(c.vectors)/c.from*c.to {
			t.Fatalf("%s: %d numbers", c.name, len(got))
		}
		for i := range c.want {
			if math.Abs(float64(got[i]-c.want[i])) > 1e-6 {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
				break
			}
		}
		if c.want == nil { // the angles are those in the plane of the two widest axes, x + z/3 and y
			x := math.Hypot(3, 1)
			if want, cos := (x*x-16)/(x*x+16), float64(dot(got[0:2], got[2:4])); math.Abs(cos-want) > 1e-6 {
				t.Errorf("%s: the cosine of the first two is %g, want %g", c.name, cos, want)
			}
		}
	}
	if _, err := reduce(make([]float32, 6), 2, 3); err == nil {
		t.Error("two dimensions become three")
	}
}

// A row begins as the reduced vector of its word, as long as the word is rare.
func TestStartFromWords(t *testing.T) {
	v := &vocabulary{words: []string{"open", "unlock", "ledger", "the"}, idf: []float32{1, 2, 3, 0.5}}
	encoder := encoderTable{4, map[string][]float32{"open": {1, 0, 0, 0}, "unlock": {0.9, 0.1, 0, 0}, "ledger": {0, 0, 1, 0}, "the": {0, 0, 0, 1}}}
	s := DefaultSettings()
	s.Dim, s.Start, s.Words = 2, 0.5, encoder
	m, err := start(t.Context(), v, s, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, idf := range v.idf {
		if n := math.Sqrt(float64(dot(m.row(uint16(i)), m.row(uint16(i))))); math.Abs(n-0.5*float64(idf)) > 1e-6 {
			t.Errorf("%s: length %g with the idf %g", v.words[i], n, idf)
		}
	}
	cos := func(a, b uint16) float64 {
		return float64(dot(m.row(a), m.row(b))) / float64(v.idf[a]*v.idf[b]) / (s.Start * s.Start)
	}
	if cos(0, 1) < 0.99 || cos(0, 2) > 0.5 || cos(0, 3) > 0.5 {
		t.Errorf("open: cosine %g with unlock, %g with ledger, %g with the", cos(0, 1), cos(0, 2), cos(0, 3))
	}
	s.Dim = 8
	if _, err := start(t.Context(), v, s, 1); err == nil {
		t.Error("an encoder of 4 dimensions begins rows of 8")
	}
}

package embed_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed/model"
)

var update = flag.Bool("update", false, "rewrite testdata/golden.json")

// golden is a text and its vector; both engines are tested against the file.
type golden struct {
	Name   string    `json:"name"`
	Query  bool      `json:"query,omitempty"`
	Path   string    `json:"path,omitempty"`
	Names  string    `json:"names,omitempty"`
	Text   string    `json:"text"`
	Repeat int       `json:"repeat,omitempty"` // the text is meant this many times over
	Vector []float64 `json:"vector"`
}

const goldenFile = "testdata/golden.json"

// The vectors of golden.json come from the oracle below, which shares no code
// with the engines: regular expressions, maps and sums in float64.
func TestGolden(t *testing.T) {
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []golden
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	o := newOracle(t)
	if *update {
		for i := range cases {
			cases[i].Vector = o.vector(cases[i])
		}
		writeGolden(t, cases)
		return
	}
	for _, c := range cases {
		want := o.vector(c)
		if len(c.Vector) != len(want) {
			t.Errorf("%s: %d numbers, want %d", c.Name, len(c.Vector), len(want))
			continue
		}
		for k, x := range c.Vector {
			if math.Abs(x-want[k]) > 1e-6 {
				t.Errorf("%s: number %d is %g, want %g", c.Name, k, x, want[k])
				break
			}
		}
	}
}

func writeGolden(t *testing.T, cases []golden) {
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, c := range cases {
		for k, x := range c.Vector {
			c.Vector[k] = math.Round(x*1e6) / 1e6
		}
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(line)
		if i < len(cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	if err := os.WriteFile(goldenFile, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// oracle computes vectors in the plainest way.
type oracle struct {
	ids    map[string]int
	rows   []byte
	scales []byte
}

func newOracle(t *testing.T) *oracle {
	o := &oracle{ids: map[string]int{}}
	for i, w := range strings.Fields(string(model.Vocabulary())) {
		o.ids[w] = i
	}
	// A tensor is told by its raw data: field 9, with the length it must have.
	n := len(o.ids)
	o.rows = rawData(t, model.ONNX(), n*dim)
	o.scales = rawData(t, model.ONNX(), n*4)
	return o
}

const dim = 256

func rawData(t *testing.T, file []byte, size int) []byte {
	t.Helper()
	head := binary.AppendUvarint([]byte{9<<3 | 2}, uint64(size))
	at := bytes.Index(file, head)
	if at < 0 || at+len(head)+size > len(file) {
		t.Fatalf("no tensor of %d bytes in the model", size)
	}
	return file[at+len(head):][:size]
}

// camel matches the parts of an identifier; Go's regular expressions have no
// lookahead, so the capital that begins the next part is cut off below.
var camel = regexp.MustCompile(`[A-Z]{2,}[a-z]?|[A-Z][a-z]*|[a-z]+`)

func parts(s string) []string {
	var list []string
	for {
		m := camel.FindStringIndex(s)
		if m == nil {
			return list
		}
		p := s[m[0]:m[1]]
		if len(p) > 2 && p[1] < 'a' && p[len(p)-1] >= 'a' {
			p = p[:len(p)-2] // URLs is UR and Ls
		}
		list = append(list, strings.ToLower(p))
		s = s[m[0]+len(p):]
	}
}

func (o *oracle) vector(c golden) []float64 {
	text := strings.Repeat(c.Text, max(c.Repeat, 1))
	if c.Query {
		return o.bag(text, 64)
	}
	// "a/b/" and "c" and ".d.e"
	m := regexp.MustCompile(`^(?s:(.*/)?(.[^.]*|)(.*))$`).FindStringSubmatch(c.Path)
	v := make([]float64, dim)
	for _, part := range []struct {
		weight float64
		bag    []float64
	}{
		{1, o.bag(text, 400)},
		{0.6, o.bag(strings.Repeat(c.Names, max(c.Repeat, 1)), 64)},
		{0.4, o.bag(m[1], 32)},
		{0.5, o.bag(m[2], 16)},
	} {
		for k, x := range part.bag {
			v[k] += part.weight * x
		}
	}
	return unit(v)
}

// bag returns the vector of the first tokens of a text.
func (o *oracle) bag(text string, limit int) []float64 {
	counts := map[int]int{}
	taken := 0
	for _, p := range parts(text) {
		id, ok := o.ids[p]
		if ok && len(p) >= 2 && len(p) <= 24 && taken < limit {
			counts[id]++
			taken++
		}
	}
	v := make([]float64, dim)
	for id, n := range counts {
		w := (1 + math.Log(float64(n))) * float64(math.Float32frombits(binary.LittleEndian.Uint32(o.scales[4*id:])))
		for k := range v {
			v[k] += w * float64(int8(o.rows[id*dim+k]))
		}
	}
	return unit(v)
}

func unit(v []float64) []float64 {
	var square float64
	for _, x := range v {
		square += x * x
	}
	if square > 0 {
		for k := range v {
			v[k] /= math.Sqrt(square)
		}
	}
	return v
}

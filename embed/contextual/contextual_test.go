package contextual

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/embed/static"
)

func TestModelFile(t *testing.T) {
	if got := sha256.Sum256(ONNX()); hex.EncodeToString(got[:]) != sum {
		t.Errorf("the model's sha256 is %x", got)
	}
}

// open returns the models with ONNX Runtime.
func open(tb testing.TB) *Model {
	tb.Helper()
	lib, tried, err := onnx.FindLibrary(onnx.LibraryOptions{Environment: os.Getenv("QUARRY_ONNXRUNTIME"), Executable: "../../quarry"})
	if err != nil {
		tb.Skipf("no ONNX Runtime library; make lib fetches it (looked in %s)", strings.Join(tried, ", "))
	}
	encoder, err := onnx.OpenEncoder(lib, ONNX())
	if err != nil {
		tb.Fatal(err)
	}
	return join(tb, encoder)
}

func join(tb testing.TB, encoder Encoder) *Model {
	tb.Helper()
	words, err := static.New()
	if err != nil {
		tb.Fatal(err)
	}
	m, err := New(words, encoder, "onnxruntime", "a test")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	})
	return m
}

// A fake encoder gives the vector (3, 4, 0, ...), or an error.
type fake struct{ err error }

func (f fake) Encode(_ context.Context, tokens []int64, dst []float32) error {
	dst[0], dst[1], dst[used] = 3, 4, 12
	return f.err
}

func (f fake) Close() error { return f.err }

const unknown = "zzqqy" // a word with sub-words of the encoder that the built-in model lacks

func TestJoin(t *testing.T) {
	m := join(t, fake{})
	if info := m.Info(); info.Name != "builtin+contextual" || info.Dim != 384 || m.Plain() != 256 || info.Backend != "onnxruntime" || info.Reason != "a test" || len(info.SHA256) != 64 || info.SHA256 == m.Words.Info().SHA256 || info.SHA256 == sum {
		t.Errorf("%+v, %d plain", info, m.Plain())
	}
	docs := []embed.Document{
		{Path: "q/q", Text: "parse the configuration"},
		{Path: "q/q", Text: unknown},
		{Path: "q/q", Text: "++"},
		{Path: "q/q", Text: "open a file"},
	}
	of := func(compute func(context.Context, []embed.Document, []float32) error, dim int) [][]float32 {
		dst := make([]float32, len(docs)*dim)
		for i := range dst {
			dst[i] = 9
		}
		if err := compute(t.Context(), docs, dst); err != nil {
			t.Fatal(err)
		}
		return slices.Collect(slices.Chunk(dst, dim))
	}
	words, plain, refined := of(m.Words.Documents, 256), of(m.Documents, 384), of(m.Refine, 384)
	encoded := make([]float32, 128)
	encoded[0], encoded[1] = 0.6, 0.8
	for i := range docs {
		a, b := math.Sqrt(1-share), math.Sqrt(share)
		if norm(words[i]) == 0 {
			a, b = 0, 1
		}
		want := slices.Concat(scaled(words[i], a), scaled(encoded, b))
		if i == 2 { // "q" is a word of the encoder's, too
			want = slices.Concat(make([]float32, 256), encoded)
		}
		if d := distance(plain[i], slices.Concat(words[i], make([]float32, 128))); d > 0 {
			t.Errorf("%q: the plain vector is %v away", docs[i].Text, d)
		}
		if d := distance(refined[i], want); d > 1e-6 {
			t.Errorf("%q: the refined vector is %v away", docs[i].Text, d)
		}
	}
	if norm(words[1]) != 0 {
		t.Errorf("%s is a word of the built-in model", unknown)
	}
	for text, want := range map[string]float64{"parse": 1, unknown: 1, "": 0, "++": 0} {
		if v, err := m.Query(t.Context(), text); err != nil || len(v) != 384 || math.Abs(norm(v)-want) > 1e-6 {
			t.Errorf("the question %q has a vector of length %v, %v", text, norm(v), err)
		}
	}
	for _, compute := range []func(context.Context, []embed.Document, []float32) error{m.Documents, m.Refine} {
		if err := compute(t.Context(), docs, make([]float32, 5)); err == nil {
			t.Error("5 numbers are enough for 4 vectors")
		}
	}
}

func scaled(v []float32, by float64) []float32 {
	v = slices.Clone(v)
	for i := range v {
		v[i] *= float32(by)
	}
	return v
}

func distance(a, b []float32) float64 {
	d := make([]float32, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return norm(d)
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	words, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(words, fake{broken}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	docs, dst := []embed.Document{{Text: "open"}}, make([]float32, 384)
	if _, err := m.Query(t.Context(), "open"); !errors.Is(err, broken) {
		t.Errorf("a question gives %v", err)
	}
	if err := m.Refine(t.Context(), docs, dst); !errors.Is(err, broken) {
		t.Errorf("refining gives %v", err)
	}
	if err := m.Documents(t.Context(), docs, dst); err != nil {
		t.Errorf("plain vectors need the encoder: %v", err)
	}
	if err := m.Close(); !errors.Is(err, broken) {
		t.Errorf("closing gives %v", err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := join(t, fake{}).Refine(over, docs, dst); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over gives %v", err)
	}
}

// questions and the documents that answer them, which share few words.
var questions = []string{"give up on a node that no longer answers", "mix two colours", "put things in order"}

var answers = []embed.Document{
	{Path: "net/peer.go", Names: "Conn.checkLiveness", Text: "func (c *Conn) checkLiveness() { if time.Since(c.lastPong) > c.timeout { c.close(errDead) } }"},
	{Path: "ui/palette.go", Names: "Palette.blend", Text: "func (p *Palette) blend(a, b RGB) RGB { return RGB{(a.R + b.R) / 2, (a.G + b.G) / 2} }"},
	{Path: "list/list.go", Names: "Sort", Text: "func Sort(list []int) { slices.SortFunc(list, func(a, b int) int { return a - b }) }"},
}

// TestEncoder: with the encoder, each question is nearest to its answer; vectors are of length
// 1 and the same whatever else is asked at the same time.
func TestEncoder(t *testing.T) {
	m := open(t)
	want := make([]float32, len(answers)*384)
	if err := m.Refine(t.Context(), answers, want); err != nil {
		t.Fatal(err)
	}
	for i, question := range questions {
		asked, err := m.Query(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		for k := range answers {
			of := want[k*384:][:384]
			if math.Abs(norm(of)-1) > 1e-6 || math.Abs(norm(asked)-1) > 1e-6 {
				t.Errorf("vectors of length %v and %v", norm(of), norm(asked))
			}
			if k != i && dot(asked[256:], of[256:]) >= dot(asked[256:], want[i*384:][256:384]) {
				t.Errorf("%q is nearer to %s than to %s", question, answers[k].Names, answers[i].Names)
			}
		}
	}
	var wait sync.WaitGroup
	for n := range 8 {
		wait.Go(func() {
			got := make([]float32, 384)
			for i := range answers {
				i = (i + n) % len(answers)
				if err := m.Refine(t.Context(), answers[i:i+1], got); err != nil || !slices.Equal(got, want[i*384:][:384]) {
					t.Errorf("%s has another vector, %v", answers[i].Names, err)
				}
				if _, err := m.Query(t.Context(), questions[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

func TestEncoderRefuses(t *testing.T) {
	m := open(t)
	lib, _, _ := onnx.FindLibrary(onnx.LibraryOptions{Environment: os.Getenv("QUARRY_ONNXRUNTIME"), Executable: "../../quarry"})
	if _, err := onnx.OpenEncoder(lib, []byte("no model")); err == nil {
		t.Error("a file that is no model is taken")
	}
	if err := m.encoder.Encode(t.Context(), []int64{2, 3}, make([]float32, 3)); err == nil {
		t.Error("a vector of 3 numbers is taken")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.encoder.Encode(over, []int64{2, 3}, make([]float32, outputs)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over gives %v", err)
	}
}

// Run: go test -run '^$' -bench . ./embed/contextual

func BenchmarkQuery(b *testing.B) {
	m := open(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Query(b.Context(), "where is the http response body parsed and closed after an error"); err != nil {
			b.Fatal(err)
		}
	}
}

// The unit is one document of 1,000 bytes.
func BenchmarkRefine(b *testing.B) {
	m := open(b)
	text, err := os.ReadFile("../onnx/transformer.go")
	if err != nil {
		b.Fatal(err)
	}
	var docs []embed.Document
	for n := range len(text) / 1000 {
		docs = append(docs, embed.Document{Path: "embed/onnx/transformer.go", Names: "transformer.documents", Text: string(text[n*1000:][:1000])})
	}
	dst := make([]float32, len(docs)*m.Info().Dim)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Refine(b.Context(), docs, dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(docs)), "us/doc")
}

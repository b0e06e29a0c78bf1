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

// A fake encoder gives the vector (3, 4, 0, ...), or an error. The vector of a token begins with
// its place in the row and its number, and its length does not follow either; [CLS] and [SEP]
// have the longest.
type fake struct {
	err error
	dim int
}

func (f fake) Encode(_ context.Context, row []int64, vector, tokens []float32) error {
	vector[0], vector[1], vector[used] = 3, 4, 12
	if f.dim == 0 {
		return f.err
	}
	for i, id := range row {
		v := tokens[i*f.dim:][:f.dim]
		v[0], v[1], v[2] = float32(i), float32(id), float32((i*37)%101)*1e6
		if i == 0 || i == len(row)-1 {
			v[2] = 1e9
		}
	}
	return f.err
}

func (f fake) TokenDim() int { return f.dim }

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
	refine := func(ctx context.Context, docs []embed.Document, dst []float32) error {
		return m.Refine(ctx, docs, dst, nil)
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
	words, plain, refined := of(m.Words.Documents, 256), of(m.Documents, 384), of(refine, 384)
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
	for _, compute := range []func(context.Context, []embed.Document, []float32) error{m.Documents, refine} {
		if err := compute(t.Context(), docs, make([]float32, 5)); err == nil {
			t.Error("5 numbers are enough for 4 vectors")
		}
	}
}

// TestTokens holds which tokens are given: all of a question between [CLS] and [SEP], of a
// document the longest ones, in their order.
func TestTokens(t *testing.T) {
	const dim = 4
	m, none := join(t, fake{dim: dim}), join(t, fake{})
	if got := m.Tokens(); got != (embed.Tokens{Count: kept, Dim: dim}) || none.Tokens() != (embed.Tokens{}) {
		t.Errorf("%+v and %+v", got, none.Tokens())
	}
	if a, b := m.Info().SHA256, join(t, fake{dim: dim + 4}).Info().SHA256; a == none.Info().SHA256 || a == b {
		t.Error("models with other tokens have the same checksum")
	}
	rowOf := func(tokens []float32) (places []int) {
		for v := range slices.Chunk(tokens, dim) {
			places = append(places, int(v[0]))
		}
		return places
	}
	vector, tokens, err := m.QueryTokens(t.Context(), "open a file")
	if alone, err := none.Query(t.Context(), "open a file"); err != nil || !slices.Equal(vector, alone) {
		t.Errorf("the vector is another one with tokens, %v", err)
	}
	if got := rowOf(tokens); err != nil || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("a question of three words has the tokens %v, %v", got, err)
	}
	for what, ask := range map[string]func() ([]float32, []float32, error){
		"no word":   func() ([]float32, []float32, error) { return m.QueryTokens(t.Context(), "++") },
		"no tokens": func() ([]float32, []float32, error) { return none.QueryTokens(t.Context(), "open a file") },
	} {
		if _, tokens, err := ask(); err != nil || len(tokens) != 0 {
			t.Errorf("%s: the tokens %v, %v", what, tokens, err)
		}
	}

	const long = "open close read write seek flush sync stat link copy move find sort list hash join split " +
		"parse print scan match count start stop wait lock send receive watch index query rank score merge"
	docs := []embed.Document{{Text: long}, {Text: "++"}, {Path: "list.go", Text: "sort"}}
	dst, of := make([]float32, len(docs)*384), slices.Repeat([]float32{9}, len(docs)*kept*dim)
	if err := m.Refine(t.Context(), docs, dst, of); err != nil {
		t.Fatal(err)
	}
	row := document(m.vocabulary, docs[0])
	if len(row)-2 <= kept {
		t.Fatalf("a row of only %d tokens", len(row))
	}
	want := make([]int, len(row)-2)
	for i := range want {
		want[i] = i + 1
	}
	slices.SortFunc(want, func(a, b int) int { return b*37%101 - a*37%101 })
	want = want[:kept]
	slices.Sort(want)
	if got := rowOf(of[:kept*dim]); !slices.Equal(got, want) {
		t.Errorf("of the row the tokens %v are kept, want %v", got, want)
	}
	if some := of[kept*dim:][:kept*dim]; slices.ContainsFunc(some, func(x float32) bool { return x != 0 }) {
		t.Errorf("a document without a word has the tokens %v", some)
	}
	if got := rowOf(of[2*kept*dim:]); !slices.Equal(got, append([]int{1, 2}, make([]int, kept-2)...)) {
		t.Errorf("a short row has the tokens %v", got)
	}
	if err := m.Refine(t.Context(), docs, dst, of[1:]); err == nil {
		t.Error("room for one number too few is taken")
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
	m, err := New(words, fake{err: broken}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	docs, dst := []embed.Document{{Text: "open"}}, make([]float32, 384)
	if _, err := m.Query(t.Context(), "open"); !errors.Is(err, broken) {
		t.Errorf("a question gives %v", err)
	}
	if err := m.Refine(t.Context(), docs, dst, nil); !errors.Is(err, broken) {
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
	if err := join(t, fake{}).Refine(over, docs, dst, nil); !errors.Is(err, context.Canceled) {
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
	want, numbers := make([]float32, len(answers)*384), m.Tokens().Numbers()
	if err := m.Refine(t.Context(), answers, want, make([]float32, len(answers)*numbers)); err != nil {
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
				if err := m.Refine(t.Context(), answers[i:i+1], got, make([]float32, numbers)); err != nil || !slices.Equal(got, want[i*384:][:384]) {
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
	if err := m.encoder.Encode(t.Context(), []int64{2, 3}, make([]float32, 3), make([]float32, 2*m.tokens.Dim)); err == nil {
		t.Error("a vector of 3 numbers is taken")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.encoder.Encode(over, []int64{2, 3}, make([]float32, outputs), make([]float32, 2*m.tokens.Dim)); !errors.Is(err, context.Canceled) {
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
	dst, tokens := make([]float32, len(docs)*m.Info().Dim), make([]float32, len(docs)*m.Tokens().Numbers())
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Refine(b.Context(), docs, dst, tokens); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(docs)), "us/doc")
}

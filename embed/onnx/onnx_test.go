package onnx

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/static"
)

// library finds the runtime for a test: where QUARRY_ONNXRUNTIME says, in lib/
// at the root of the repository, or in the system. Without it the test is
// skipped.
func library(tb testing.TB) string {
	tb.Helper()
	path, tried, err := FindLibrary(LibraryOptions{Environment: os.Getenv("QUARRY_ONNXRUNTIME"), Executable: "../../quarry"})
	if err != nil {
		tb.Skipf("no ONNX Runtime library; make lib fetches it (looked in %s)", strings.Join(tried, ", "))
	}
	return path
}

func builtin(tb testing.TB) *Model {
	tb.Helper()
	m, err := OpenBuiltin(library(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { closeModel(tb, m) })
	return m
}

func closeModel(tb testing.TB, m *Model) {
	tb.Helper()
	if err := m.Close(); err != nil {
		tb.Error(err)
	}
}

// unused fails the test unless all models are closed.
func unused(t *testing.T) {
	t.Helper()
	environment.Lock()
	defer environment.Unlock()
	if environment.users != 0 {
		t.Errorf("the library has %d users left", environment.users)
	}
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
		Vector            []float64
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	m := builtin(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
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
			near(t, got, c.Vector, 1e-5)
		})
	}
}

// The two engines must not be told apart by an index.
func TestSameAsStatic(t *testing.T) {
	m := builtin(t)
	plain, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	docs := randomDocuments(500)
	a, b := make([]float32, len(docs)*m.Info().Dim), make([]float32, len(docs)*m.Info().Dim)
	if err := m.Documents(t.Context(), docs, a); err != nil {
		t.Fatal(err)
	}
	if err := plain.Documents(t.Context(), docs, b); err != nil {
		t.Fatal(err)
	}
	near(t, a, wide(b), 1e-4)
	for _, d := range docs[:100] {
		p, err := m.Query(t.Context(), d.Text)
		if err != nil {
			t.Fatal(err)
		}
		q, err := plain.Query(t.Context(), d.Text)
		if err != nil {
			t.Fatal(err)
		}
		near(t, p, wide(q), 1e-4)
	}
	mi, pi := m.Info(), plain.Info()
	if mi.Name != pi.Name || mi.Dim != pi.Dim || mi.SHA256 != pi.SHA256 {
		t.Errorf("Info() differs: %+v, %+v", mi, pi)
	}
}

func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for i, x := range v {
		w[i] = float64(x)
	}
	return w
}

// randomDocuments makes texts of 0 to 700 words, known and unknown.
func randomDocuments(n int) []embed.Document {
	rnd := rand.New(rand.NewPCG(7, 8))
	vocab := strings.Fields(string(model.Vocabulary()))
	words := func(n int) string {
		var s strings.Builder
		for range n {
			w := vocab[rnd.IntN(1+rnd.IntN(len(vocab)))]
			switch rnd.IntN(6) {
			case 0:
				w = strings.ToUpper(w[:1]) + w[1:]
			case 1:
				w = "zq" + w + "qz"
			}
			s.WriteString(w)
			s.WriteByte(" _.\n"[rnd.IntN(4)])
		}
		return s.String()
	}
	docs := make([]embed.Document, n)
	for i := range docs {
		docs[i] = embed.Document{Path: words(rnd.IntN(5)) + "/" + words(rnd.IntN(3)), Names: words(rnd.IntN(1 + rnd.IntN(100))), Text: words(rnd.IntN(1 + rnd.IntN(700)))}
		if i > 0 && rnd.IntN(2) == 0 {
			docs[i].Path = docs[i-1].Path
		}
	}
	return docs
}

func TestConcurrentUse(t *testing.T) {
	m := builtin(t)
	docs := randomDocuments(100)
	want := make([]float32, len(docs)*m.Info().Dim)
	if err := m.Documents(t.Context(), docs, want); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			// Models come and go while others are at work.
			own, err := OpenBuiltin(m.Info().Reason)
			if err != nil {
				t.Error(err)
				return
			}
			defer closeModel(t, own)
			got := make([]float32, len(want))
			for range 3 {
				use := m
				if i%2 == 0 {
					use = own
				}
				if err := use.Documents(t.Context(), docs, got); err != nil {
					t.Error(err)
				}
				for k := range got {
					if got[k] != want[k] {
						t.Errorf("number %d is %g, was %g", k, got[k], want[k])
						break
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestOpenAgainAfterClose(t *testing.T) {
	lib := library(t)
	for range 3 {
		m, err := OpenBuiltin(lib)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Query(t.Context(), "open the file"); err != nil {
			t.Error(err)
		}
		closeModel(t, m)
		closeModel(t, m) // does nothing
		unused(t)
	}
}

func TestWrongLibrary(t *testing.T) {
	text := modelFolder(t, map[string]string{"libonnxruntime.so": "this is no library"}) + "/libonnxruntime.so"
	for _, lib := range []string{text, "/nowhere/libonnxruntime.so", "libm.so.6"} {
		if _, err := OpenBuiltin(lib); err == nil || !strings.Contains(err.Error(), lib) {
			t.Errorf("%s: error %v, want one that names it", lib, err)
		}
	}
	unused(t)
	m := builtin(t)
	if _, err := OpenBuiltin(text); err == nil || !strings.Contains(err.Error(), m.Info().Reason) {
		t.Errorf("error %v, want one that names the library in use", err)
	}
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
	if err := m.Documents(ctx, randomDocuments(3), make([]float32, 3*m.Info().Dim)); err == nil {
		t.Error("Documents: no error after the context ended")
	}
}

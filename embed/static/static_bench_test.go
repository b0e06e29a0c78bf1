package static

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// Run: go test -run '^$' -bench . ./embed/static

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Query(context.Background(), "where is the http response body parsed and closed after an error"); err != nil {
			b.Fatal(err)
		}
	}
}

// The unit is one document of 1,000 bytes with three names, four to a file, 32
// of them at a time.
func BenchmarkDocument(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	docs := benchDocuments(b)
	dst := make([]float32, len(docs)*m.info.Dim)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if err := m.Documents(context.Background(), docs, dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(docs)), "us/doc")
}

func BenchmarkSum(b *testing.B) {
	m, err := New()
	if err != nil {
		b.Fatal(err)
	}
	var bag tokenizer.Bag
	for i := range 200 {
		bag.IDs = append(bag.IDs, int32(i*7))
		bag.Weights = append(bag.Weights, 1+float32(i%3))
	}
	dst := make([]float32, m.info.Dim)
	b.Run("sum", func(b *testing.B) {
		var s sum
		for b.Loop() {
			m.table.embed(dst, &bag, &s)
		}
	})
	b.Run("plain", func(b *testing.B) {
		var s sum
		m.table.embed(dst, &bag, &s)
		for b.Loop() {
			m.table.addPlain(s.sums, s.rows, 0)
		}
	})
	b.Run("float32", func(b *testing.B) {
		for b.Loop() {
			m.table.embedSlowly(dst, &bag)
		}
	})
}

// benchDocuments cuts Go code of the repository into 32 pieces.
func benchDocuments(tb testing.TB) []embed.Document {
	var text []byte
	for _, name := range []string{"static.go", "table.go", "sum.go", "../tokenizer/identifiers.go", "../embed.go", "../model/model.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		text = append(text, b...)
	}
	docs := make([]embed.Document, 32)
	for i := range docs {
		at := i * 997 % (len(text) - 1000)
		docs[i] = embed.Document{
			Path:  fmt.Sprintf("embed/static/static%d.go", i/4),
			Names: "Model Documents Model part newScratch",
			Text:  string(text[at : at+1000]),
		}
	}
	return docs
}

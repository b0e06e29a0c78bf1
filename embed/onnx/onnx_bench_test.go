package onnx

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/quarry-search/quarry/embed"
)

// Run: go test -run '^$' -bench . ./embed/onnx

func BenchmarkOpen(b *testing.B) {
	lib := library(b)
	for b.Loop() {
		m, err := OpenBuiltin(lib)
		if err != nil {
			b.Fatal(err)
		}
		closeModel(b, m)
	}
}

func BenchmarkQuery(b *testing.B) {
	m := builtin(b)
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
	m := builtin(b)
	docs := benchDocuments(b)
	dst := make([]float32, len(docs)*m.info.Dim)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Documents(context.Background(), docs, dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(docs)), "us/doc")
}

// benchDocuments cuts Go code of the repository into 32 parts.
func benchDocuments(tb testing.TB) []embed.Document {
	var text []byte
	for _, name := range []string{"../static/static.go", "../static/table.go", "../static/sum.go", "../tokenizer/identifiers.go", "../embed.go", "../model/model.go"} {
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

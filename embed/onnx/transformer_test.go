package onnx

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

const wordpieceModel = "../tokenizer/testdata/wordpiece.json"

// modelFolder makes a model folder of files by name.
func modelFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const (
	meanConfig = `{"word_embedding_dimension": 8, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": false}`
	clsConfig  = `{"word_embedding_dimension": 8, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}`
)

func TestTransformer(t *testing.T) {
	lib := library(t)
	tiny := newTiny()
	words := readFile(t, wordpieceModel)
	for _, c := range []struct {
		name  string
		files map[string]string
		max   int // tokens
		pool  pooling
		query string // prompt
		doc   string
	}{
		{"mean", map[string]string{"model.onnx": string(tiny.file(true, "last_hidden_state")), "1_Pooling/config.json": meanConfig}, 512, meanPooling, "", ""},
		{"first token", map[string]string{"onnx/model.onnx": string(tiny.file(true, "last_hidden_state")), "1_Pooling/config.json": clsConfig}, 512, clsPooling, "", ""},
		{"no types, no configuration", map[string]string{"model_quantized.onnx": string(tiny.file(false, "last_hidden_state"))}, 512, meanPooling, "", ""},
		{"pooled by the graph", map[string]string{"onnx/model_int8.onnx": string(tiny.file(true, "sentence_embedding")), "1_Pooling/config.json": meanConfig}, 512, clsPooling, "", ""},
		{"short", map[string]string{
			"model.onnx":                string(tiny.file(true, "token_embeddings")),
			"sentence_bert_config.json": `{"max_seq_length": 6, "do_lower_case": false}`,
			"tokenizer_config.json":     `{"model_max_length": 1000000000000000019884624838656}`,
			"config.json":               `{"max_position_embeddings": 512}`,
		}, 6, meanPooling, "", ""},
		{"prompts", map[string]string{
			"model.onnx":                        string(tiny.file(true, "last_hidden_state")),
			"modules.json":                      `[{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Pooling"}]`,
			"config_sentence_transformers.json": `{"prompts": {"query": "search ( ", "document": "file "}}`,
		}, 512, meanPooling, "search ( ", "file "},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.files["tokenizer.json"] = words
			dir := modelFolder(t, c.files)
			m, err := OpenDir(lib, dir, DirOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer closeModel(t, m)
			if info := m.Info(); info.Dim != hidden || info.Name != dir || info.Backend != "onnxruntime" || info.Reason != lib || len(info.SHA256) != 64 {
				t.Errorf("Info() = %+v", info)
			}
			tokens, err := tokenizer.ReadHuggingFace(wordpieceModel, c.max)
			if err != nil {
				t.Fatal(err)
			}
			want := func(text string) []float64 {
				ids, err := tokens.Encode(text)
				if err != nil {
					t.Fatal(err)
				}
				return tiny.vector(ids, c.pool)
			}
			// Lengths from 1 to 70 in no order: 3 batches, each with padding.
			docs := make([]embed.Document, 70)
			for i := range docs {
				docs[i] = embed.Document{
					Path:  "get",
					Names: []string{"", "server open"}[i%2],
					Text:  strings.Repeat("open the file ", i*37%70/3) + []string{"close", "server error", "key = value"}[i%3],
				}
			}
			got := make([]float32, len(docs)*hidden)
			if err := m.Documents(t.Context(), docs, got); err != nil {
				t.Fatal(err)
			}
			for i, d := range docs {
				near(t, got[i*hidden:][:hidden], want(c.doc+d.Path+"\n"+strings.TrimPrefix(d.Names+"\n", "\n")+d.Text), 1e-5)
			}
			q, err := m.Query(t.Context(), "parse the request body")
			if err != nil {
				t.Fatal(err)
			}
			near(t, q, want(c.query+"parse the request body"), 1e-5)
		})
	}
}

// near fails the test unless got is want to a difference in each number.
func near(t *testing.T, got []float32, want []float64, most float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= most) {
			t.Fatalf("number %d is %g, want %g", i, got[i], want[i])
		}
	}
}

func TestTransformerOfNothing(t *testing.T) {
	dir := modelFolder(t, map[string]string{"model.onnx": string(newTiny().file(true, "last_hidden_state")), "tokenizer.json": readFile(t, wordpieceModel)})
	m, err := OpenDir(library(t), dir, DirOptions{Name: "tiny", Threads: 2, MaxTokens: 16})
	if err != nil {
		t.Fatal(err)
	}
	defer closeModel(t, m)
	if m.Info().Name != "tiny" {
		t.Errorf("Name = %q", m.Info().Name)
	}
	for _, text := range []string{"", " \n"} {
		v, err := m.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		near(t, v, make([]float64, hidden), 0)
	}
	if err := m.Documents(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := m.Query(t.Context(), strings.Repeat("open the file ", 5000)); err != nil {
		t.Error(err)
	}
}

func TestFolderErrors(t *testing.T) {
	lib := library(t)
	words := readFile(t, wordpieceModel)
	whole := newTiny().file(true, "last_hidden_state")
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no model", map[string]string{"tokenizer.json": words}, "holds none of model.onnx"},
		{"no tokenizer", map[string]string{"model.onnx": string(whole)}, "holds no tokenizer.json"},
		{"tokenizer of another kind", map[string]string{"model.onnx": string(whole), "tokenizer.json": `{"model": {"type": "Unigram", "vocab": []}}`}, "Unigram is not supported"},
		{"largest pooling", map[string]string{"model.onnx": string(whole), "tokenizer.json": words, "1_Pooling/config.json": `{"pooling_mode_max_tokens": true}`}, "pooling_mode_max_tokens"},
		{"two poolings", map[string]string{"model.onnx": string(whole), "tokenizer.json": words, "1_Pooling/config.json": `{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}`}, "only the mean"},
		{"dense layer", map[string]string{"model.onnx": string(whole), "tokenizer.json": words, "modules.json": `[{"type": "sentence_transformers.models.Dense"}]`}, "Dense layer"},
		{"damaged configuration", map[string]string{"model.onnx": string(whole), "tokenizer.json": words, "config.json": `{`}, "config.json"},
		{"damaged model", map[string]string{"model.onnx": string(whole[:len(whole)/2]), "tokenizer.json": words}, "model.onnx"},
		{"empty model", map[string]string{"model.onnx": "", "tokenizer.json": words}, "model.onnx"},
		{"another output", map[string]string{"model.onnx": string(newTiny().file(true, "logits")), "tokenizer.json": words}, `"logits"`},
		{"another input", map[string]string{"model.onnx": string(bytes.ReplaceAll(whole, []byte("token_type_ids"), []byte("token_type_idx"))), "tokenizer.json": words}, "token_type_idx"},
	} {
		m, err := OpenDir(lib, modelFolder(t, c.files), DirOptions{})
		if err == nil {
			closeModel(t, m)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := OpenDir(lib, filepath.Join(t.TempDir(), "none"), DirOptions{}); err == nil {
		t.Error("no error for a folder that does not exist")
	}
	if _, err := OpenDir(lib, wordpieceModel, DirOptions{}); err == nil {
		t.Error("no error for a file instead of a folder")
	}
	unused(t)
}

package onnx

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzFolder has anything stand in the files next to a model: the folder is refused, or
// says what can be computed.
func FuzzFolder(f *testing.F) {
	names := []string{"modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "tokenizer_config.json", "config.json", "config_sentence_transformers.json"}
	f.Add(uint8(0), []byte(`[{"type":"sentence_transformers.models.Transformer"},{"type":"a.Pooling"},{"type":"Normalize"}]`))
	f.Add(uint8(1), []byte(`{"word_embedding_dimension":8,"pooling_mode_mean_tokens":false,"pooling_mode_cls_token":true}`))
	f.Add(uint8(2), []byte(`{"max_seq_length":256}`))
	f.Add(uint8(3), []byte(`{"model_max_length":1e30}`))
	f.Add(uint8(4), []byte(`{"max_position_embeddings":-5}`))
	f.Add(uint8(5), []byte(`{"prompts":{"query":"search: ","document":null}}`))
	f.Add(uint8(5), []byte(`[{`))
	dir := f.TempDir()
	for _, name := range []string{"model.onnx", "tokenizer.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "1_Pooling"), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		path := filepath.Join(dir, filepath.FromSlash(names[int(which)%len(names)]))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		got, err := readFolder(dir)
		if err != nil {
			return
		}
		if got.maxTokens < 1 || got.maxTokens > 1<<20 || got.pooling != meanPooling && got.pooling != clsPooling {
			t.Errorf("%s %q: %+v", path, text, got)
		}
	})
}

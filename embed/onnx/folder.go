package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A folder is what the files next to a transformer say about it. The names are
// those of sentence-transformers.
type folder struct {
	model     string // path of the ONNX file
	tokenizer string // path of tokenizer.json
	pooling   pooling
	maxTokens int    // of a text, its special tokens included
	query     string // put before every query
	document  string // put before every document
}

// pooling is the way from the vectors of tokens to that of a text.
type pooling int

const (
	meanPooling pooling = iota // of all tokens
	clsPooling                 // the first token's
)

// modelNames are tried in this order: full precision before 8 bits.
var modelNames = [...]string{
	"model.onnx", "onnx/model.onnx",
	"model_quantized.onnx", "onnx/model_quantized.onnx",
	"model_int8.onnx", "onnx/model_int8.onnx",
	"model_qint8.onnx", "onnx/model_qint8.onnx",
}

// defaultMaxTokens is what BERT takes, for folders that do not say.
const defaultMaxTokens = 512

func readFolder(dir string) (*folder, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", dir)
	}
	f := &folder{tokenizer: filepath.Join(dir, "tokenizer.json")}
	for _, name := range modelNames {
		if path := filepath.Join(dir, filepath.FromSlash(name)); isFile(path) {
			f.model = path
			break
		}
	}
	if f.model == "" {
		return nil, fmt.Errorf("%s holds none of %s", dir, strings.Join(modelNames[:], ", "))
	}
	if !isFile(f.tokenizer) {
		return nil, fmt.Errorf("%s holds no tokenizer.json", dir)
	}
	return f, errors.Join(f.readPooling(dir), f.readMaxTokens(dir), f.readPrompts(dir))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// readOptional decodes a JSON file into v, and does nothing if it is missing.
func readOptional(dir, name string, v any) error {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s in %s: %w", name, dir, err)
	}
	return nil
}

func (f *folder) readPooling(dir string) error {
	var modules []struct {
		Type string `json:"type"`
	}
	if err := readOptional(dir, "modules.json", &modules); err != nil {
		return err
	}
	for _, m := range modules {
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer", "Pooling", "Normalize":
		default:
			return fmt.Errorf("%s has a %s layer after the transformer, which is not supported", dir, kind)
		}
	}
	// pooling_mode_mean_tokens and its kin, each true or false.
	var modes map[string]any
	if err := readOptional(dir, "1_Pooling/config.json", &modes); err != nil {
		return err
	}
	var on []string
	for name, value := range modes {
		if value == true && strings.HasPrefix(name, "pooling_mode_") {
			on = append(on, name)
		}
	}
	switch {
	case modes == nil || len(on) == 1 && on[0] == "pooling_mode_mean_tokens":
		f.pooling = meanPooling
	case len(on) == 1 && on[0] == "pooling_mode_cls_token":
		f.pooling = clsPooling
	default:
		return fmt.Errorf("1_Pooling/config.json in %s asks for %q; only the mean of the tokens or the first token is supported", dir, on)
	}
	return nil
}

// readMaxTokens takes the smallest of the lengths in the folder: each of them
// is a limit. Tokenizers without one say 1e30.
func (f *folder) readMaxTokens(dir string) error {
	var sentence struct {
		Max float64 `json:"max_seq_length"`
	}
	var tokenizer struct {
		Max float64 `json:"model_max_length"`
	}
	var model struct {
		Max float64 `json:"max_position_embeddings"`
	}
	err := errors.Join(
		readOptional(dir, "sentence_bert_config.json", &sentence),
		readOptional(dir, "tokenizer_config.json", &tokenizer),
		readOptional(dir, "config.json", &model),
	)
	limit := 0.0
	for _, n := range []float64{sentence.Max, tokenizer.Max, model.Max} {
		if n >= 1 && n <= 1<<20 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	f.maxTokens = defaultMaxTokens
	if limit > 0 {
		f.maxTokens = int(limit)
	}
	return err
}

// readPrompts reads what the model was trained to see before a text.
func (f *folder) readPrompts(dir string) error {
	var config struct {
		Prompts map[string]string `json:"prompts"`
	}
	err := readOptional(dir, "config_sentence_transformers.json", &config)
	f.query = config.Prompts["query"]
	f.document = config.Prompts["document"]
	return err
}

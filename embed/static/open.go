package static

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// Open returns the model in a folder: model.onnx, vocab.txt and model.json, as
// package cmd/quarry-lab/train writes them. It is named after the folder.
//
// What a test checks for the built-in model is checked here each time: the files have the
// card's checksums, the table its dimension and a row for each word, and the model was
// trained with this program's rules for words.
func Open(dir string) (*Model, error) {
	m, err := readModel(dir)
	if err != nil {
		return nil, fmt.Errorf("static: cannot use the model in %s: %w", dir, err)
	}
	return m, nil
}

func readModel(dir string) (*Model, error) {
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return nil, err
	}
	card, err := model.ParseCard(text)
	if err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	if t := card.Tokens; t.Rules != tokenizer.Rules || t.QueryLimit != tokenizer.QueryLimit || t.DocumentLimit != tokenizer.TextLimit {
		return nil, fmt.Errorf("model.json asks for the tokens %+v; here the rules are %d and the limits %d and %d",
			t, tokenizer.Rules, tokenizer.QueryLimit, tokenizer.TextLimit)
	}
	onnx, err := readSummed(dir, "model.onnx", card.SHA256.ONNX)
	if err != nil {
		return nil, err
	}
	vocab, err := readSummed(dir, "vocab.txt", card.SHA256.Vocabulary)
	if err != nil {
		return nil, err
	}
	return newModel(onnx, vocab, card.Fields, newInfo(dir, card))
}

// readSummed reads a file that must have a checksum, in hexadecimal.
func readSummed(dir, name, want string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		return nil, fmt.Errorf("the sha256 of %s is %s; model.json says %q", name, got, want)
	}
	return data, nil
}

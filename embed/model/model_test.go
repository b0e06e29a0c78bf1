package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// The checksum names the vectors of an index, so it must be that of the file
// in the program.
func TestCardDescribesTheFiles(t *testing.T) {
	card, err := model.ReadCard()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		name string
		data []byte
		want string
	}{
		{"model.onnx", model.ONNX(), card.SHA256.ONNX},
		{"vocab.txt", model.Vocabulary(), card.SHA256.Vocabulary},
	} {
		sum := sha256.Sum256(f.data)
		if got := hex.EncodeToString(sum[:]); got != f.want {
			t.Errorf("sha256 of %s is %s; model.json says %s", f.name, got, f.want)
		}
	}
	if card.Name == "" || card.Dim <= 0 {
		t.Errorf("card lacks a name or a dimension: %+v", card)
	}
	if card.Tokens.Rules != tokenizer.Rules || card.Tokens.QueryLimit != tokenizer.QueryLimit || card.Tokens.DocumentLimit != tokenizer.TextLimit {
		t.Errorf("card asks for %+v; the tokenizer has rules %d and the limits %d and %d",
			card.Tokens, tokenizer.Rules, tokenizer.QueryLimit, tokenizer.TextLimit)
	}
}

func TestVocabulary(t *testing.T) {
	vocab := model.Vocabulary()
	if !bytes.HasSuffix(vocab, []byte("\n")) {
		t.Error("vocab.txt does not end in a newline")
	}
	ids, err := tokenizer.NewIdentifiers(vocab)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ids.Size(), bytes.Count(vocab, []byte("\n")); got != want {
		t.Errorf("Size() = %d, want %d", got, want)
	}
}

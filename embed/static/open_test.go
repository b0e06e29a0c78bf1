package static

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/model"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// copyModel puts the files of the built-in model into a new folder.
func copyModel(t *testing.T) (dir string) {
	t.Helper()
	card, err := os.ReadFile("../model/model.json")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, data := range map[string][]byte{"model.onnx": model.ONNX(), "vocab.txt": model.Vocabulary(), "model.json": card} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenGivesTheVectorsOfNew(t *testing.T) {
	dir := copyModel(t)
	opened, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := builtin(t)
	info := want.Info()
	info.Name = dir
	if got := opened.Info(); got != info {
		t.Errorf("Info() = %+v, want %+v", got, info)
	}
	docs := append(benchDocuments(t), embed.Document{Path: "net/http/server.go", Names: "Server Serve", Text: "accept a connection"})
	a, b := make([]float32, len(docs)*info.Dim), make([]float32, len(docs)*info.Dim)
	for m, dst := range map[*Model][]float32{want: a, opened: b} {
		if err := m.Documents(t.Context(), docs, dst); err != nil {
			t.Fatal(err)
		}
	}
	if d := distance(a, b); d != 0 {
		t.Errorf("numbers of documents differ by up to %g", d)
	}
	for _, text := range []string{"open the file", "parseHTTPHeader", ""} {
		a, err := want.Query(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := opened.Query(t.Context(), text); err != nil || distance(a, b) != 0 {
			t.Errorf("%q: numbers differ by up to %g, error %v", text, distance(a, b), err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	flip := func(data []byte) []byte {
		data = bytes.Clone(data)
		data[len(data)/2] ^= 1
		return data
	}
	instead := func(old, new string) func([]byte) []byte {
		return func(data []byte) []byte {
			if !bytes.Contains(data, []byte(old)) {
				t.Fatalf("no %s to replace", old)
			}
			return bytes.Replace(data, []byte(old), []byte(new), 1)
		}
	}
	for name, c := range map[string]struct {
		file   string
		change func([]byte) []byte // nil: the file is removed
		want   string
	}{
		"no card":            {"model.json", nil, "model.json: "},
		"no table":           {"model.onnx", nil, "model.onnx: "},
		"no vocabulary":      {"vocab.txt", nil, "vocab.txt: "},
		"a bit of the table": {"model.onnx", flip, "the sha256 of model.onnx is"},
		"a bit of a word":    {"vocab.txt", flip, "the sha256 of vocab.txt is"},
		"half a table":       {"model.onnx", func(b []byte) []byte { return b[:len(b)/2] }, "the sha256 of model.onnx is"},
		"half a card":        {"model.json", func(b []byte) []byte { return b[:len(b)/2] }, "model.json: unexpected end of JSON"},
		"another dimension":  {"model.json", instead(fmt.Sprintf(`"dim": %d`, builtin(t).Info().Dim), `"dim": 16`), "and the card the dimension 16"},
		"other rules":        {"model.json", instead(fmt.Sprintf(`"rules": %d`, tokenizer.Rules), `"rules": 99`), "model.json asks for the tokens {Rules:99"},
		"no weight":          {"model.json", instead(`"text": 1`, `"text": 0`), "model.json: the text of a document has no weight"},
		"no sum":             {"model.json", instead(`"vocab.txt"`, `"words.txt"`), `the sha256 of vocab.txt is`},
	} {
		dir := copyModel(t)
		at := filepath.Join(dir, c.file)
		data, err := os.ReadFile(at)
		if err == nil && c.change == nil {
			err = os.Remove(at)
		} else if err == nil {
			err = os.WriteFile(at, c.change(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "static: cannot use the model in "+dir) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

package tokenizer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vocabulary returns the tokens of a file by id.
func vocabulary(t *testing.T, path string) map[int64]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Model struct {
			Vocab map[string]int64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	list := map[int64]string{}
	for w, id := range file.Model.Vocab {
		list[id] = w
	}
	return list
}

func TestHuggingFace(t *testing.T) {
	for _, c := range []struct {
		file, text, want string
		max              int
	}{
		{"wordpiece.json", "Open the FILE", "[CLS] open the file [SEP]", 32},
		{"wordpiece.json", "searcher parsing indexed", "[CLS] search ##er pars ##ing index ##ed [SEP]", 32},
		{"wordpiece.json", "parser", "[CLS] [UNK] [SEP]", 32}, // the longest beginning is taken, parse, and no ##r
		{"wordpiece.json", "http.get(key)", "[CLS] http . get ( key ) [SEP]", 32},
		{"wordpiece.json", "openfile files", "[CLS] open ##file files [SEP]", 32},
		{"wordpiece.json", "zzz Café", "[CLS] [UNK] cafe [SEP]", 32},
		{"wordpiece.json", "open the file of the server", "[CLS] open the [SEP]", 4},
		{"wordpiece.json", "open [SEP] close", "[CLS] open [SEP] close [SEP]", 32}, // as everywhere: special tokens in a text are special
		{"wordpiece.json", "", "", 32},
		{"wordpiece.json", " \n\t", "", 32},
		{"bpe.json", "parse file", "<s> p ar se Ġfile </s>", 32},
		{"bpe.json", "open parse\nfile", "<s> open Ġparse Ċ file </s>", 32},
		{"bpe.json", "café", "<s> c a f Ã © </s>", 32},
		{"bpe.json", "open open open open", "<s> open Ġ open </s>", 5},
		{"bpe.json", "", "", 32},
	} {
		path := filepath.Join("testdata", c.file)
		h, err := ReadHuggingFace(path, c.max)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := h.Encode(c.text)
		if err != nil {
			t.Errorf("%s: %q: %v", c.file, c.text, err)
			continue
		}
		vocab := vocabulary(t, path)
		var got []string
		for _, id := range ids {
			got = append(got, vocab[id])
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", c.file, c.text, diff)
		}
	}
}

func TestHuggingFacePad(t *testing.T) {
	for file, want := range map[string]int64{"wordpiece.json": 0, "bpe.json": 1} {
		h, err := ReadHuggingFace(filepath.Join("testdata", file), 16)
		if err != nil {
			t.Fatal(err)
		}
		if h.Pad() != want || h.Max() != 16 {
			t.Errorf("%s: pad %d, max %d", file, h.Pad(), h.Max())
		}
	}
}

func TestHuggingFaceConcurrentUse(t *testing.T) {
	for _, file := range []string{"wordpiece.json", "bpe.json"} {
		h, err := ReadHuggingFace(filepath.Join("testdata", file), 64)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{"open the file", "parse file open", "get(key) of cache", strings.Repeat("open ", 100)}
		var want [][]int64
		for _, s := range texts {
			ids, err := h.Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, ids)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 40 {
					ids, err := h.Encode(texts[i%len(texts)])
					if diff := cmp.Diff(want[i%len(texts)], ids); err != nil || diff != "" {
						t.Errorf("%q: %v\n%s", texts[i%len(texts)], err, diff)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Files that cannot be used give an error that names the reason; none may end
// the process, as the library would.
func TestHuggingFaceErrors(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"no json", "open the file", "invalid character"},
		{"cut off", `{"model": {"type": "WordPiece"`, "unexpected end"},
		{"no model", `{}`, "no model"},
		{"null model", `{"model": null}`, "no model"},
		{"no vocabulary", `{"model": {"type": "WordPiece"}}`, "no model with a vocabulary"},
		{"unigram", `{"model": {"type": "Unigram", "vocab": [["a", -1.5]]}}`, "Unigram is not supported"},
		{"word level", `{"model": {"type": "WordLevel", "vocab": {"a": 0}}}`, "WordLevel is not supported"},
		{"bpe of characters", `{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "pre_tokenizer": {"type": "Metaspace"}}`, "not byte-level"},
		{"list for vocabulary", `{"model": {"type": "WordPiece", "vocab": ["a"]}}`, "not an object"},
		{"words for ids", `{"model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": "b"}}}`, "unexpected content"},
		{"number for a normalizer", `{"model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 0}}, "normalizer": {"type": 7}}`, "unexpected content"},
		{"unknown token missing", `{"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"x": 0}}, "pre_tokenizer": {"type": "BertPreTokenizer"}}`, "[UNK]"},
	} {
		_, err := newHuggingFace([]byte(c.file), 32)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	if _, err := ReadHuggingFace("testdata/none.json", 32); err == nil {
		t.Error("no error for a missing file")
	}
	if _, err := ReadHuggingFace("testdata/wordpiece.json", 2); err == nil {
		t.Error("no error for a length without room for a token")
	}
}

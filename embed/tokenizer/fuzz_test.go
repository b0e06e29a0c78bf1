package tokenizer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzHuggingFace has anything stand for a tokenizer.json: it is refused, or it gives at
// most as many tokens as were asked for, and the same ones again.
func FuzzHuggingFace(f *testing.F) {
	for _, name := range []string{"wordpiece.json", "bpe.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, "open the file")
		f.Add(text, "caf\u00e9 \xff")
		for _, change := range [][2]string{{`"model"`, `"mode1"`}, {`[`, `{`}, {`1`, `-1`}, {`"type"`, `"t"`}, {`true`, `null`}} {
			f.Add([]byte(strings.Replace(string(text), change[0], change[1], 1)), "a")
			f.Add([]byte(strings.ReplaceAll(string(text), change[0], change[1])), "a")
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		if len(file) > 8<<10 || len(text) > 1000 {
			return
		}
		h, err := newHuggingFace(file, 16)
		if err != nil {
			return
		}
		ids, err := h.Encode(text)
		if err != nil {
			return
		}
		if len(ids) > h.Max() {
			t.Errorf("%d tokens of %q by %s", len(ids), text, file)
		}
		if again, err := h.Encode(text); err != nil || !slices.Equal(again, ids) {
			t.Errorf("%d, then %d (%v) of %q by %s", ids, again, err, text, file)
		}
	})
}

// FuzzVocabulary: a vocabulary that is taken finds its words.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte("get\nhttp\nresponse\n"))
	f.Add([]byte("a\n"))
	f.Add([]byte("get\r\nhttp"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, vocab []byte) {
		ids, err := NewIdentifiers(vocab)
		if err != nil {
			return
		}
		words := strings.Split(strings.TrimSuffix(string(vocab), "\n"), "\n")
		if ids.Size() != len(words) {
			t.Fatalf("%d words of %q", ids.Size(), vocab)
		}
		for i, w := range words {
			if got := ids.lookup(makeKey(w, 0, len(w))); got != int32(i) {
				t.Errorf("%q is %d, not %d", w, got, i)
			}
		}
		var b Bag
		ids.Part(&b, string(vocab), TextLimit)
	})
}

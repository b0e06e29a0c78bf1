package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	sugarme "github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/normalizer"
	"github.com/sugarme/tokenizer/pretrained"
)

// HuggingFace runs the tokenizer of a transformer from its tokenizer.json: WordPiece (BERT
// and related models) or byte-level BPE (RoBERTa and related models). It does not change
// and is safe for concurrent use.
type HuggingFace struct {
	library *sugarme.Tokenizer
	before  []int64 // special tokens at the beginning of every text
	after   []int64 // and at its end
	pad     int64
	max     int
	accents bool // are stripped, before the library sees the text
}

// maxTokenBytes bounds the text that is looked at, at this many bytes for each
// token that will be kept: far above any real text, and low enough that a
// minified megabyte costs no more than a page.
const maxTokenBytes = 64

// huggingFaceFile is what is checked of a tokenizer.json before the library
// sees it: the library ends the process, or guesses, where it cannot go on.
type huggingFaceFile struct {
	Model *struct {
		Type   string          `json:"type"`
		Vocab  json.RawMessage `json:"vocab"`
		Merges json.RawMessage `json:"merges"`
	} `json:"model"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer"`
	Padding      *struct {
		PadID int64 `json:"pad_id"`
	} `json:"padding"`
}

// ReadHuggingFace reads a tokenizer.json. Texts are cut to maxTokens tokens,
// the special ones included; the lengths in the file are not used. It is an
// error if the file holds a kind of tokenizer that is not supported, such as
// Unigram.
func ReadHuggingFace(path string, maxTokens int) (*HuggingFace, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := newHuggingFace(data, maxTokens)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w", path, err)
	}
	return t, nil
}

func newHuggingFace(data []byte, maxTokens int) (*HuggingFace, error) {
	var file huggingFaceFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if err := file.check(); err != nil {
		return nil, err
	}
	t := &HuggingFace{max: maxTokens}
	if err := t.load(data); err != nil {
		return nil, err
	}
	if err := t.findSpecial(); err != nil {
		return nil, err
	}
	if maxTokens <= len(t.before)+len(t.after) {
		return nil, fmt.Errorf("a text of %d tokens has no room besides its %d special ones", maxTokens, len(t.before)+len(t.after))
	}
	if file.Padding != nil {
		t.pad = file.Padding.PadID
	} else {
		for _, name := range []string{"[PAD]", "<pad>"} {
			if id, ok := t.library.TokenToId(name); ok {
				t.pad = int64(id)
				break
			}
		}
	}
	return t, nil
}

func (f *huggingFaceFile) check() error {
	if f.Model == nil || len(f.Model.Vocab) == 0 {
		return errors.New("no model with a vocabulary")
	}
	kind := f.Model.Type
	if kind == "" { // older files leave it out; only BPE has merges
		kind = "WordPiece"
		if len(f.Model.Merges) > 0 {
			kind = "BPE"
		}
	}
	switch kind {
	case "WordPiece":
	case "BPE":
		if !bytes.Contains(f.PreTokenizer, []byte(`"ByteLevel"`)) {
			return errors.New("a BPE model that is not byte-level is not supported")
		}
	default:
		return fmt.Errorf("a model of type %s is not supported, only WordPiece and byte-level BPE", kind)
	}
	if f.Model.Type == "" {
		return fmt.Errorf("the model has no type; add \"type\": %q to it", kind)
	}
	if !bytes.HasPrefix(bytes.TrimSpace(f.Model.Vocab), []byte("{")) {
		return errors.New("the vocabulary is not an object")
	}
	return nil
}

// load hands the file to the library, which panics on a field of an unexpected
// type; that is an error of the file.
func (t *HuggingFace) load(data []byte) (err error) {
	defer recoverTo(&err, "unexpected content")
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	// Texts are cut and padded here.
	delete(file, "truncation")
	delete(file, "padding")
	var normalize any
	if raw, ok := file["normalizer"]; ok {
		if err := json.Unmarshal(raw, &normalize); err != nil {
			return err
		}
	}
	t.accents = stripsAccents(normalize)
	if data, err = json.Marshal(file); err != nil {
		return err
	}
	t.library, err = pretrained.FromReader(bytes.NewReader(data))
	return err
}

// stripsAccents reports whether a normalizer, or one of a sequence, is a
// BertNormalizer that strips accents. One that does not say does so if it
// lower-cases.
func stripsAccents(normalize any) bool {
	n, _ := normalize.(map[string]any)
	if n["type"] == "BertNormalizer" {
		return n["strip_accents"] == true || n["strip_accents"] == nil && n["lowercase"] == true
	}
	list, _ := n["normalizers"].([]any)
	return slices.ContainsFunc(list, stripsAccents)
}

// withoutAccents takes letters apart and drops the marks. The library's
// BertNormalizer drops marks but does not take letters apart.
func withoutAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, normalizer.NewNormalizedFrom(text).NFD().GetNormalized())
}

func recoverTo(err *error, what string) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %v", what, r)
	}
}

// findSpecial learns which tokens the file puts around a text by encoding one
// with them and without.
func (t *HuggingFace) findSpecial() error {
	const probe = "a b"
	bare, err := t.encode(probe, false)
	if err != nil {
		return err
	}
	whole, err := t.encode(probe, true)
	if err != nil {
		return err
	}
	for i := 0; len(bare) > 0 && i+len(bare) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(bare)], bare) {
			t.before, t.after = whole[:i], whole[i+len(bare):]
			return nil
		}
	}
	return fmt.Errorf("the text %q has the tokens %d alone and %d with the special ones around it", probe, bare, whole)
}

func (t *HuggingFace) encode(text string, special bool) (ids []int64, err error) {
	defer recoverTo(&err, "tokenizing failed")
	enc, err := t.library.EncodeSingle(text, special)
	if err != nil {
		return nil, err
	}
	ids = make([]int64, len(enc.Ids))
	for i, id := range enc.Ids {
		ids[i] = int64(id)
	}
	return ids, nil
}

// Encode returns the tokens of a text with the special ones around them, at
// most Max of them, or none if the text has no token of its own.
func (t *HuggingFace) Encode(text string) ([]int64, error) {
	if most := t.max * maxTokenBytes; len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	if t.accents {
		text = withoutAccents(text)
	}
	ids, err := t.encode(text, false)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	ids = ids[:min(len(ids), t.max-len(t.before)-len(t.after))]
	return slices.Concat(t.before, ids, t.after), nil
}

// Max returns the largest number of tokens of a text.
func (t *HuggingFace) Max() int { return t.max }

// Pad returns the token that fills short texts of a batch.
func (t *HuggingFace) Pad() int64 { return t.pad }

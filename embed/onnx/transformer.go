package onnx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/tokenizer"
)

// DirOptions adjusts a model read from a folder. The zero value works.
type DirOptions struct {
	// Name is Info().Name; default the folder's path as given.
	Name string

	// Threads is the number of threads one call may use; default 1, which is
	// best where many calls run at a time.
	Threads int

	// MaxTokens cuts texts shorter than the model itself would; default, and at
	// most, what the folder says.
	MaxTokens int
}

// transformer runs a sentence-embedding model: its graph takes token ids, a
// mask of those that are no padding and, perhaps, types, and gives a vector
// for each text or for each token.
type transformer struct {
	*session
	folder *folder
	tokens *tokenizer.HuggingFace
	inputs []string
	pooled bool // the graph gives a vector for each text
	dim    int
}

// Names of inputs and outputs, as exported by Hugging Face's tools.
const (
	idsInput   = "input_ids"
	maskInput  = "attention_mask"
	typesInput = "token_type_ids"
)

var (
	textOutputs  = [...]string{"sentence_embedding"}
	tokenOutputs = [...]string{"last_hidden_state", "token_embeddings"}
)

// OpenDir loads a sentence-embedding transformer from a folder in the layout
// of sentence-transformers: model.onnx (also under onnx/, also quantized),
// tokenizer.json (WordPiece or byte-level BPE) and, if they are there,
// 1_Pooling/config.json (mean or first token; default mean), the
// configurations with the largest length (default 512), and
// config_sentence_transformers.json with prompts for queries and documents. A
// document is one text: its path, its names if it has any, and its text, each
// after a newline. Lib is the runtime's library.
func OpenDir(lib, dir string, opt DirOptions) (*Model, error) {
	t, err := openTransformer(lib, dir, opt)
	if err != nil {
		return nil, fmt.Errorf("onnx: model folder: %w", err)
	}
	sum, err := fileSHA256(t.folder.model)
	if err != nil {
		return nil, fmt.Errorf("onnx: model folder: %w", errors.Join(err, t.Close()))
	}
	name := opt.Name
	if name == "" {
		name = dir
	}
	return &Model{
		info:   embed.Info{Name: name, Dim: t.dim, Backend: "onnxruntime", Reason: lib, SHA256: sum},
		engine: t,
	}, nil
}

func fileSHA256(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func openTransformer(lib, dir string, opt DirOptions) (_ *transformer, err error) {
	f, err := readFolder(dir)
	if err != nil {
		return nil, err
	}
	if opt.MaxTokens > 0 {
		f.maxTokens = min(f.maxTokens, opt.MaxTokens)
	}
	// Held while opening, so that the library is not unloaded between the look
	// at the model and its session.
	if err := acquire(lib); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	t := &transformer{folder: f}
	if t.tokens, err = tokenizer.ReadHuggingFace(f.tokenizer, f.maxTokens); err != nil {
		return nil, err
	}
	output, err := t.readSignature()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(f.model), err)
	}
	t.session, err = newSession(lib, source{path: f.model}, t.inputs, []string{output}, max(opt.Threads, 1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(f.model), err)
	}
	// A trial tells the dimension, and tells now what could not be run later.
	v, err := t.vectors([][]int64{{t.tokens.Pad()}}, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(f.model), errors.Join(err, t.Close()))
	}
	t.dim = len(v)
	return t, nil
}

// readSignature finds out which inputs the model takes, and chooses an output.
func (t *transformer) readSignature() (output string, err error) {
	ins, outs, err := ort.GetInputOutputInfo(t.folder.model)
	if err != nil {
		return "", err
	}
	for _, in := range ins {
		switch in.Name {
		case idsInput, maskInput, typesInput:
		default:
			return "", fmt.Errorf("the model wants an input %q; only %s, %s and %s are supported", in.Name, idsInput, maskInput, typesInput)
		}
		if in.DataType != ort.TensorElementDataTypeInt64 {
			return "", fmt.Errorf("the input %q is of type %s, not int64", in.Name, in.DataType)
		}
		t.inputs = append(t.inputs, in.Name)
	}
	if !slices.Contains(t.inputs, idsInput) {
		return "", fmt.Errorf("the model has no input %q", idsInput)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(outs, func(o ort.InputOutputInfo) bool {
			return o.Name == name && o.DataType == ort.TensorElementDataTypeFloat
		})
	}
	for _, name := range textOutputs {
		if has(name) {
			t.pooled = true
			return name, nil
		}
	}
	for _, name := range tokenOutputs {
		if has(name) {
			return name, nil
		}
	}
	var names []string
	for _, o := range outs {
		names = append(names, o.Name)
	}
	return "", fmt.Errorf("the model gives %q, and neither %s nor %s as float32", names, textOutputs[0], tokenOutputs[0])
}

func (t *transformer) query(ctx context.Context, text string, dst []float32) error {
	return t.embed(ctx, []string{t.folder.query + text}, dst)
}

func (t *transformer) documents(ctx context.Context, docs []embed.Document, dst []float32) error {
	// Sorting by length pays within a few batches; more would only hold more
	// tokens in memory.
	const group = 8 * batchSize
	for docs := range slices.Chunk(docs, group) {
		texts := make([]string, len(docs))
		for i, d := range docs {
			names := d.Names
			if names != "" {
				names += "\n"
			}
			texts[i] = t.folder.document + d.Path + "\n" + names + d.Text
		}
		n := len(docs) * t.dim
		if err := t.embed(ctx, texts, dst[:n]); err != nil {
			return err
		}
		dst = dst[n:]
	}
	return ctx.Err()
}

func (t *transformer) embed(ctx context.Context, texts []string, dst []float32) error {
	tokens := make([][]int64, len(texts))
	lengths := make([]int, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		ids, err := t.tokens.Encode(text)
		if err != nil {
			return err
		}
		tokens[i], lengths[i] = ids, len(ids)
	}
	clear(dst)
	return inBatches(ctx, lengths, func(batch []int, longest int) error {
		rows := make([][]int64, len(batch))
		for row, i := range batch {
			rows[row] = tokens[i]
		}
		vectors, err := t.vectors(rows, longest)
		if err != nil {
			return err
		}
		if len(vectors) != len(batch)*t.dim {
			return fmt.Errorf("the model gave %d numbers for %d texts, not %d for each", len(vectors), len(batch), t.dim)
		}
		for row, i := range batch {
			copy(dst[i*t.dim:][:t.dim], vectors[row*t.dim:])
		}
		return nil
	})
}

// vectors runs a batch, padded to the longest of its rows, and returns the
// rows' unit vectors one after the other.
func (t *transformer) vectors(rows [][]int64, longest int) ([]float32, error) {
	n := len(rows) * longest
	ids, mask := make([]int64, n), make([]int64, n)
	for row, tokens := range rows {
		at := ids[row*longest:][:longest]
		for k := range at {
			at[k] = t.tokens.Pad()
		}
		copy(at, tokens)
		for k := range tokens {
			mask[row*longest+k] = 1
		}
	}
	inputs := make([]ort.Value, len(t.inputs))
	defer destroy(inputs)
	for i, name := range t.inputs {
		data := map[string][]int64{idsInput: ids, maskInput: mask, typesInput: nil}[name]
		if data == nil {
			data = make([]int64, n)
		}
		tensor, err := ort.NewTensor(ort.NewShape(int64(len(rows)), int64(longest)), data)
		if err != nil {
			return nil, err
		}
		inputs[i] = tensor
	}
	outputs := []ort.Value{nil}
	defer destroy(outputs) // reads outputs[0] after run has set it
	if err := t.run(inputs, outputs); err != nil {
		return nil, err
	}
	out, ok := outputs[0].(*ort.Tensor[float32])
	if !ok {
		return nil, errors.New("the output is not a tensor of float32")
	}
	return t.pool(out.GetData(), out.GetShape(), rows, longest)
}

// pool makes one unit vector of each row's part of the output.
func (t *transformer) pool(out []float32, shape ort.Shape, rows [][]int64, longest int) ([]float32, error) {
	want := 3
	if t.pooled {
		want = 2
	}
	if len(shape) != want || shape[0] != int64(len(rows)) || !t.pooled && shape[1] != int64(longest) {
		return nil, fmt.Errorf("the output has the shape %v for %d texts of %d tokens", shape, len(rows), longest)
	}
	dim := int(shape[want-1])
	vectors := make([]float32, len(rows)*dim)
	for row, tokens := range rows {
		v := vectors[row*dim:][:dim]
		switch {
		case t.pooled:
			copy(v, out[row*dim:])
		case t.folder.pooling == clsPooling:
			copy(v, out[row*longest*dim:])
		default:
			for k := range tokens { // the sum; the length is made one anyway
				for c, x := range out[(row*longest+k)*dim:][:dim] {
					v[c] += x
				}
			}
		}
		normalize(v)
	}
	return vectors, nil
}

// normalize brings v to unit length, if it has one.
func normalize(v []float32) {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	norm := float32(1 / math.Sqrt(square))
	for i := range v {
		v[i] *= norm
	}
}

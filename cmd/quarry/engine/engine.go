// Package engine opens indexes as the settings say: with the model that computes vectors,
// the processes that parse, and what the data folder keeps.
package engine

import (
	"errors"
	"path/filepath"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/contextual"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
)

// Open opens the root's index, with vectors or without, and the model
// behind it. noModel says why there is none. stop closes both.
func Open(s config.Settings, root string, vectors bool, opt index.Options) (x *index.Index, noModel string, stop func() error, err error) {
	noModel = "no vectors are needed"
	closeModel := func() error { return nil }
	if vectors {
		var closeVectors, closeReranker func() error
		if opt.Embedder, noModel, closeVectors, err = OpenModel(s); err != nil {
			return nil, "", nil, err
		}
		opt.Reranker, closeReranker = OpenReranker(s)
		closeModel = func() error { return errors.Join(closeReranker(), closeVectors()) }
	}
	if opt.Parsers, err = OpenParsers(&s, opt.Workers, opt.Logger); err != nil {
		return nil, "", nil, errors.Join(err, closeModel())
	}
	closeParsers := func() {
		if opt.Parsers != nil {
			opt.Parsers.Close()
		}
	}
	x, err = index.Open(root, Options(&s, opt))
	if err != nil {
		closeParsers()
		return nil, "", nil, errors.Join(err, closeModel())
	}
	return x, noModel, func() error {
		defer closeParsers()
		return errors.Join(x.Close(), closeModel())
	}, nil
}

// Use opens a root's index, with vectors or without, and closes it after use.
func Use(s config.Settings, root string, vectors bool, use func(*index.Index) error) error {
	return useWith(s, root, vectors, index.Options{}, use)
}

func useWith(s config.Settings, root string, vectors bool, opt index.Options, use func(*index.Index) error) (err error) {
	x, _, stop, err := Open(s, root, vectors, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return use(x)
}

// OpenModel opens what computes the vectors: nil, with the reason, where they are turned
// off.
func OpenModel(s config.Settings) (model embed.Embedder, none string, stop func() error, err error) {
	if s.Embed.Backend == "none" {
		return nil, "vectors are turned off: the backend is none", func() error { return nil }, nil
	}
	if model, err = openEmbedder(s); err != nil {
		return nil, "", nil, err
	}
	return model, "", model.Close, nil
}

// Options puts what the user has set into the options of an index.
func Options(s *config.Settings, opt index.Options) index.Options {
	opt.Program = "quarry " + version.Release
	opt.MaxFileBytes = s.Index.MaxFileBytes
	opt.KeepSecrets = !s.Server.MaskSecrets
	opt.LibraryParser = s.Index.LibraryParser
	for _, own := range []string{s.DataDir, s.Server.TokenFile} {
		if abs, err := filepath.Abs(own); own != "" && err == nil {
			opt.Private = append(opt.Private, abs)
		}
	}
	if s.Index.Workers > 0 {
		opt.Workers = s.Index.Workers
	}
	return opt
}

// openEmbedder chooses what computes the vectors. Where ONNX Runtime's library is found and
// loads it is the built-in model with the encoder that improves its vectors, or the built-in
// model alone if that is off; else the built-in model in plain Go. What the user asked for by name is not replaced by
// something else. The Reason in the model's Info says why it was chosen.
func openEmbedder(s config.Settings) (embed.Embedder, error) {
	if s.Embed.Backend == "go" {
		return openStatic("the go backend was asked for")
	}
	byName := s.Embed.Backend == "onnx" || s.Embed.ONNXRuntime != "" || s.Embed.Model != ""
	model, err := openONNX(s)
	if err == nil {
		return model, nil
	}
	if byName {
		return nil, err
	}
	return openStatic(err.Error())
}

func openONNX(s config.Settings) (embed.Embedder, error) {
	lib, _, err := onnx.FindLibrary(onnx.LibraryOptions{Explicit: s.Embed.ONNXRuntime})
	if err != nil {
		return nil, err
	}
	if s.Embed.Model == "" && s.Embed.Contextual != "off" {
		return openContextual(lib)
	}
	var m *onnx.Model // not returned as it is: a nil one is no nil Embedder
	if s.Embed.Model != "" {
		m, err = onnx.OpenDir(lib, s.Embed.Model, onnx.DirOptions{})
	} else {
		m, err = onnx.OpenBuiltin(lib)
	}
	if err != nil {
		return nil, err
	}
	if s.Embed.Model != "" {
		return m, nil
	}
	words, err := static.New()
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return comparing{m, words}, nil
}

// openContextual opens the built-in model, in plain Go, which is the faster engine for it, and
// the encoder.
func openContextual(lib string) (embed.Embedder, error) {
	words, err := static.New()
	if err != nil {
		return nil, err
	}
	encoder, err := onnx.OpenEncoder(lib, contextual.ONNX())
	if err != nil {
		return nil, err
	}
	m, err := contextual.New(words, encoder, "onnxruntime", lib)
	if err != nil {
		return nil, errors.Join(err, encoder.Close())
	}
	return m, nil
}

// comparing computes vectors with one engine and compares words with another of the same
// model, which has its words in memory.
type comparing struct {
	embed.Embedder
	embed.Comparer
}

func openStatic(why string) (embed.Embedder, error) {
	m, err := static.New()
	if err != nil {
		return nil, err
	}
	return m.WithReason(why), nil
}

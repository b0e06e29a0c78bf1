package command

import (
	"context"
	"errors"

	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/embed/static"
	"github.com/quarry-search/quarry/index"
)

// An engine is what the commands need of *index.Index.
type engine interface {
	Build(ctx context.Context, progress func(index.Progress)) (index.Report, error)
	Search(ctx context.Context, q index.Query) (index.Answer, error)
	Status(skipped int) index.Status
	Root() string
}

var _ engine = (*index.Index)(nil)

// openIndex opens the root's index, with vectors or without, and the model
// behind it. noModel says why there is none. stop closes both.
func openIndex(s settings, root string, vectors bool, opt index.Options) (x *index.Index, noModel string, stop func() error, err error) {
	var model embed.Embedder
	switch {
	case !vectors:
		noModel = "no vectors are needed"
	case s.Embed.Backend == "none":
		noModel = "vectors are turned off: the backend is none"
	default:
		if model, err = openEmbedder(s); err != nil {
			return nil, "", nil, err
		}
		opt.Embedder = model
	}
	closeModel := func() error {
		if model == nil {
			return nil
		}
		return model.Close()
	}
	opt.MaxFileBytes = s.Index.MaxFileBytes
	if s.Index.Workers > 0 {
		opt.Workers = s.Index.Workers
	}
	x, err = index.Open(root, opt)
	if err != nil {
		return nil, "", nil, errors.Join(err, closeModel())
	}
	return x, noModel, func() error { return errors.Join(x.Close(), closeModel()) }, nil
}

// openEmbedder chooses what computes the vectors: ONNX Runtime where its
// library is found and loads, else the built-in model in plain Go, which gives
// the same vectors. What the user asked for by name is not replaced by
// something else. The Reason in the model's Info says why it was chosen.
func openEmbedder(s settings) (embed.Embedder, error) {
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

func openONNX(s settings) (embed.Embedder, error) {
	lib, _, err := onnx.FindLibrary(onnx.LibraryOptions{Explicit: s.Embed.ONNXRuntime, DataDir: s.DataDir})
	if err != nil {
		return nil, err
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
	return m, nil
}

func openStatic(why string) (embed.Embedder, error) {
	m, err := static.New()
	if err != nil {
		return nil, err
	}
	return m.WithReason(why), nil
}

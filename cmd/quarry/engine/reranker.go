package engine

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/embed/onnx"
	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index"
)

// OpenReranker returns what takes a second look at results, nil where ONNX Runtime is not
// found or not wanted. The model is loaded when it is first asked: it takes some 0.1 s and
// 60 MB.
func OpenReranker(s config.Settings) (r index.Reranker, stop func() error) {
	nothing := func() error { return nil }
	if s.Embed.Backend == "go" || s.Embed.Backend == "none" {
		return nil, nothing
	}
	lib, _, err := onnx.FindLibrary(onnx.LibraryOptions{Explicit: s.Embed.ONNXRuntime})
	if err != nil {
		return nil, nothing
	}
	l := &lateReranker{lib: lib}
	return l, l.close
}

// lateReranker opens a reranker when it is needed.
type lateReranker struct {
	lib   string
	mu    sync.Mutex
	model *onnx.Reranker
	ended bool
}

func (l *lateReranker) open() (*onnx.Reranker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return nil, errors.New("the reranker is closed")
	}
	if l.model == nil {
		m, err := onnx.OpenReranker(l.lib, rerank.ONNX(), min(runtime.GOMAXPROCS(0), mostThreads))
		if err != nil {
			return nil, err
		}
		l.model = m
	}
	return l.model, nil
}

// mostThreads bounds the threads of one second look: others ask at the same time.
const mostThreads = 4

// Rerank implements index.Reranker.
func (l *lateReranker) Rerank(ctx context.Context, question string, passages []rerank.Passage) ([]float32, error) {
	m, err := l.open()
	if err != nil {
		return nil, err
	}
	return m.Rerank(ctx, question, passages)
}

func (l *lateReranker) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.model == nil {
		return nil
	}
	return l.model.Close()
}

// Package train makes the built-in model from clones of public repositories.
//
//	clones -> Extract -> pairs -> vocabulary -> bags -> fit -> quantize -> model.onnx
//	                       |                                                vocab.txt
//	                     cache                                              MODEL.md
//
// A pair is a question and the chunk of a file that answers it: a doc comment
// and the code under it, a commit's subject and what it changed, the doc of a
// type and the names in its file, the words of a name and the code that has it,
// a question as people ask and the function that it was written about.
// The pairs are found with the syntax trees of the index. The model is a table
// of word vectors (see embed/model), trained so that a question is nearer to its
// own chunk than to the others of its batch: symmetric InfoNCE, with half a
// batch taken from one repository so that the others are hard to tell apart.
//
// What it promises: the same revisions and settings give the same bytes,
// whatever the number of cores, on one architecture and with one version of Go
// and git. Every sum is in a fixed order; goroutines share work only where they
// write apart from each other. What it does not: a parser that is stopped after
// two seconds on a broken file might get further on a faster machine; files are
// kept so small that this has not been seen.
//
// On two cores of a Xeon of 2023, the 1,020,000 pairs of the pinned list take
// 90 s an epoch, ten seconds before it for the vocabulary and the bags, and
// 0.9 GB of memory; extracting them takes about twelve minutes, once.
package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Model extracts pairs, trains a model and writes it to the folder out, which
// is made: model.onnx, vocab.txt, model.json and the card MODEL.md. With an
// empty e.Cache the pairs are kept in a folder below out that is removed in the
// end.
func Model(ctx context.Context, e Extraction, s Settings, out string) (_ HoldOut, err error) {
	if err := s.check(); err != nil {
		return HoldOut{}, err
	}
	switch {
	case s.Start > 0:
	case s.Words != nil:
		s.Start = wordsStart
	default:
		s.Start = randomStart
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return HoldOut{}, fmt.Errorf("make the output folder: %w", err)
	}
	if e.Cache == "" {
		e.Cache, err = os.MkdirTemp(out, ".pairs-")
		if err != nil {
			return HoldOut{}, fmt.Errorf("make a folder for the pairs: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(e.Cache)) }()
	}
	files, err := Extract(ctx, e)
	if err != nil {
		return HoldOut{}, err
	}
	var trained [kinds]int
	for _, k := range s.Kinds {
		trained[k] = 1
		if k == QuestionPair {
			trained[k] = s.Repeat
		}
	}
	began := time.Now()
	v, err := countWords(ctx, files, s.Vocabulary, e.Workers, func(i int, p *Pair) bool {
		return trained[p.Kind] > 0 && !isHeld(e.Repositories[i].Name, p)
	})
	if err != nil {
		return HoldOut{}, err
	}
	e.Log("vocabulary: %d words, %.0f s", len(v.words), time.Since(began).Seconds())
	began = time.Now()
	var use [fields]bool
	for f, w := range s.Fields {
		use[f] = w > 0
	}
	d, err := loadPairs(ctx, files, e.Repositories, v, use, trained, e.Workers)
	if err != nil {
		return HoldOut{}, err
	}
	e.Log("pairs: %d to train with, %d held out, %.0f s", len(d.train), len(d.held), time.Since(began).Seconds())
	began = time.Now()
	m, err := start(ctx, v, s, e.Workers)
	if err != nil {
		return HoldOut{}, fmt.Errorf("train: %w", err)
	}
	if s.Words != nil {
		e.Log("words: begun from %s, %.0f s", s.Words.Info().SHA256[:12], time.Since(began).Seconds())
	}
	if err := fit(ctx, m, d, s, e.Log); err != nil {
		return HoldOut{}, fmt.Errorf("train: %w", err)
	}
	t := m.quantize()
	c := card{
		settings: s, repositories: e.Repositories, leftOut: e.LeftOut, excluded: len(e.Excluded), data: d, words: len(v.words), fields: m.fields,
		held: measure(t.model(), d, s.Seed), onnx: t.onnx(), vocab: v.bytes(),
	}
	e.Log("held out: first %.4f and MRR %.4f in mixed pools, %.4f and %.4f in near ones",
		c.held.Mixed.First, c.held.Mixed.MRR, c.held.Near.First, c.held.Near.MRR)
	return c.held, c.write(out)
}

// write puts the files of the model into a folder.
func (c *card) write(out string) error {
	text, err := c.json()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"model.onnx", c.onnx}, {"vocab.txt", c.vocab}, {"model.json", text}, {"MODEL.md", c.markdown()}} {
		if err := os.WriteFile(filepath.Join(out, f.name), f.data, 0o644); err != nil {
			return fmt.Errorf("write the model: %w", err)
		}
	}
	return nil
}

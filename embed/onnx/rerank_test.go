package onnx

import (
	"context"
	"errors"
	"testing"

	"github.com/quarry-search/quarry/embed/rerank"
)

func TestRerank(t *testing.T) {
	r, err := OpenReranker(library(t), rerank.ONNX(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	passages := []rerank.Passage{
		{Names: "colour Palette.blend", Text: "func (p *Palette) blend(a, b RGB) RGB { return RGB{(a.R + b.R) / 2} }"},
		{Names: "peer Conn.checkLiveness", Text: "func (c *Conn) checkLiveness() { if time.Since(c.lastPong) > c.timeout { c.close(errDead) } }"},
		{Names: "list Sort", Doc: "Sort sorts the list.", Text: "func Sort(list []int) { slices.Sort(list) }"},
	}
	scores, err := r.Rerank(t.Context(), "give up on a node that no longer answers", passages)
	if err != nil {
		t.Fatal(err)
	}
	if len(scores) != 3 || scores[1] <= scores[0] || scores[1] <= scores[2] {
		t.Errorf("the scores are %v", scores)
	}
	// What is in a batch together does not change a score by much: rows are padded, and
	// weights of eight bits scale numbers by the batch. Scores span ten or more.
	for i, p := range passages {
		alone, err := r.Rerank(t.Context(), "give up on a node that no longer answers", []rerank.Passage{p})
		if err != nil {
			t.Fatal(err)
		}
		if d := alone[0] - scores[i]; d > 1 || d < -1 {
			t.Errorf("passage %d has %v alone and %v among others", i, alone[0], scores[i])
		}
	}
	if none, err := r.Rerank(t.Context(), "anything", nil); err != nil || len(none) != 0 {
		t.Errorf("no passages give %v, %v", none, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Rerank(over, "anything", passages); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over gives %v", err)
	}
}

func TestOpenRerankerRefuses(t *testing.T) {
	if _, err := OpenReranker(library(t), []byte("no model"), 1); err == nil {
		t.Error("a file that is no model is taken")
	}
}

package index

import (
	"context"
	"fmt"

	"github.com/quarry-search/quarry/index/answer"
)

// A Candidate is a file that a Build would read.
type Candidate struct {
	Path string `json:"path"` // relative to the root
	Size int64  `json:"size"` // in bytes
}

// Candidates lists, by path, the files that a Build would read now, and those
// that it would leave out for their names and sizes. It reads no file: what a
// look inside will leave out later (binary or generated text, for example) is
// still among the candidates. It is safe for concurrent use.
func (x *Index) Candidates(ctx context.Context) ([]Candidate, []answer.SkippedFile, error) {
	files, skips, err := x.Tree.Walk(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("index: %w", err)
	}
	candidates := make([]Candidate, len(files))
	for i, f := range files {
		candidates[i] = Candidate{f.Path, f.Size}
	}
	skipped := make([]answer.SkippedFile, len(skips))
	for i, s := range skips {
		skipped[i] = answer.SkippedFile{Path: s.Path, Reason: string(s.Reason), Detail: s.Detail}
	}
	return candidates, skipped, nil
}

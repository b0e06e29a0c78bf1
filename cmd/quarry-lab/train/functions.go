package train

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/outline"
)

// An Example is a function as a reader of one result sees it, apart from its comments, and
// what its author says of it: a reranker learns from these.
type Example struct {
	Repository string `json:"repository"`
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Name       string `json:"name"` // after those of what it stands in, joined by "."
	Language   string `json:"language"`
	Doc        string `json:"doc,omitempty"`      // as prose
	Question   string `json:"question,omitempty"` // its first sentence, if that can be a question
	Text       string `json:"text"`               // without comments
}

// minExample is how many lines a function has that can be told from others.
const minExample = 3

// Functions writes at most most functions of each repository, a JSON object a line, those
// with a doc comment first: which ones is decided by a hash.
func Functions(ctx context.Context, clones string, list []Repository, excluded []string, most int, out io.Writer) (n int, err error) {
	if err := refuse(list, excluded); err != nil {
		return 0, err
	}
	w := json.NewEncoder(out)
	w.SetEscapeHTML(false)
	for _, r := range list {
		dir, err := locate(clones, r)
		if err != nil {
			return n, err
		}
		var all []Example
		pick := func(o *outline.Outliner, path string, src []byte, _ func(Pair)) {
			if testPath.MatchString(path) {
				return
			}
			for _, p := range o.Outline(path, src).Parts {
				if !isFunction(p.Kind) || p.EndLine-p.Line+1 < minExample || len(p.Text) < minCode || testName.MatchString(p.Name) {
					continue
				}
				e := Example{Repository: r.Name, Path: path, Line: p.Line, Name: strings.TrimPrefix(p.Parent+"."+p.Name, "."), Language: language(path), Doc: p.Doc, Text: p.Text}
				if q, ok := question(p.Doc); ok {
					e.Question = q
				}
				all = append(all, e)
			}
		}
		if err := (git{dir}).outlines(ctx, r, pick, nil); err != nil {
			return n, fmt.Errorf("read %s: %w", r.Name, err)
		}
		lot := func(e Example) int64 {
			h := int64(hash("function", e.Repository, e.Path, e.Name) >> 2)
			if e.Question == "" {
				h |= 1 << 62
			}
			return h
		}
		slices.SortStableFunc(all, func(a, b Example) int { return cmp.Compare(lot(a), lot(b)) })
		for _, e := range all[:min(len(all), most)] {
			if err := w.Encode(e); err != nil {
				return n, fmt.Errorf("write a function: %w", err)
			}
			n++
		}
	}
	return n, nil
}

package index

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/quarry-search/quarry/index/internal/rank"
)

// A Mode says which evidence ranks the results of a Query.
type Mode string

// The modes.
const (
	Hybrid   Mode = "hybrid"   // words, symbols and vectors; for a name that is defined, vectors only order what words and symbols find; the default
	Lexical  Mode = "lexical"  // words and symbols
	Semantic Mode = "semantic" // vectors
)

// Roles of a result.
const (
	RoleDefinition = "definition"
	RoleTest       = "test"
	RoleConfig     = "config"
)

// A Query is a question to the index.
type Query struct {
	Text     string
	Limit    int     // results at most; 0: 10
	Path     string  // only below this file or folder, relative to the root; "": everywhere
	Lang     string  // only this language, as in Result.Lang; "": all
	Role     string  // only this role; "": all
	Symbol   string  // only chunks that define this name, case folded; "": all
	Mode     Mode    // "": Hybrid
	MinScore float64 // only results with at least this score, 0..1
	PerFile  int     // results of one file at most; 0: 1

	Explain bool     // fill Result.Explain
	Without []string // signals, by name, that shall not count; for measuring what each is worth
}

// A Result is one place that answers a Query.
type Result struct {
	File      string  `json:"file"`     // relative to the root, with slashes
	Line      int     `json:"line"`     // 1-based, where Content begins
	EndLine   int     `json:"end_line"` // 1-based, inclusive
	Content   string  `json:"content"`  // source text, at most 2,000 bytes, never empty; begins with the signature's line
	Score     float64 `json:"score"`    // (0,1], falling along the list
	Role      string  `json:"role,omitempty"`
	Signature string  `json:"signature"` // one line, never empty
	Symbol    string  `json:"symbol,omitempty"`
	Kind      string  `json:"kind,omitempty"`
	Lang      string  `json:"lang,omitempty"`

	Explain []Signal `json:"explain,omitempty"` // what the ranking was made of, if the query asked
}

// An Answer is what a Query gives.
type Answer struct {
	Results   []Result // never nil
	Matches   int      // files that matched at all, before Limit
	Truncated bool     // there were more results than Limit
	State     State    // of the index the answer was computed on
}

// candidates is how many chunks each of words and vectors may put forward.
const candidates = 100

// Search answers a query from what is indexed at this moment. It is safe for
// concurrent use. It returns ErrClosed after Close.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = 10
	}
	perFile := max(q.PerFile, 1)
	mode := cmp.Or(q.Mode, Hybrid)
	asked := rank.Parse(q.Text)
	var meaning []float32
	if mode != Lexical && x.dim > 0 {
		var err error
		if meaning, err = x.opt.Embedder.Query(ctx, q.Text); err != nil {
			return Answer{}, fmt.Errorf("index: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}

	s := x.inquiries.Get().(*inquiry)
	defer x.inquiries.Put(s)
	s.reset(asked, q, max(candidates, 3*limit))
	x.mu.RLock()
	if x.closed {
		x.mu.RUnlock()
		return Answer{}, ErrClosed
	}
	s.table = x.table
	s.gather(mode, meaning)
	s.ordered = rank.Rank(s.ordered, asked, s.evidence, s.files, mode == Semantic)
	answer := Answer{State: x.State(), Results: []Result{}}
	var chosen []hit
	taken := make([]int, len(s.files))
	for _, c := range s.ordered {
		taken[c.File]++
		if taken[c.File] == 1 {
			answer.Matches++
		}
		if taken[c.File] > perFile {
			continue
		}
		if len(chosen) == limit {
			answer.Truncated = true
			continue
		}
		chosen = append(chosen, s.hit(c))
	}
	x.mu.RUnlock()

	// Records do not change, so the texts are unpacked outside the lock.
	top := 0.0
	for i, h := range chosen {
		if i == 0 {
			top = h.score.Score
		}
		r := h.result(asked)
		r.Score = scale(h, top, s.confidence)
		if r.Score < q.MinScore {
			break // scores fall
		}
		answer.Results = append(answer.Results, r)
	}
	return answer, nil
}

// scale turns a ranking's score into one in (0,1]: the confidence in the best
// result, times the share of the best result's score.
func scale(h hit, top, confidence float64) float64 {
	if top <= 0 {
		return 0.01
	}
	return math.Round(max(confidence*h.score.Score/top, 0.0001)*1e4) / 1e4
}

// Package search answers queries: ranked by words, symbols and vectors together, by words
// and symbols, or by vectors; or exactly, by symbol names and by regular expressions. It
// finds what is like a place, says what a result is made of, and packs results into a
// budget of tokens.
package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/quarry-search/quarry/embed/rerank"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Mode says which evidence ranks the results of a Query.
type Mode string

// The modes.
const (
	Hybrid   Mode = "hybrid"   // words, symbols and vectors; for a name that is defined, vectors only order what words and symbols find; the default
	Lexical  Mode = "lexical"  // words and symbols
	Semantic Mode = "semantic" // vectors
	Symbol   Mode = "symbol"   // symbols, by name: complete, in the order of how well the names match; also what is only like a name that none has
	Regex    Mode = "regex"    // lines that match a regular expression: exact and complete, by path and line
)

// A Query is a question to the index.
type Query struct {
	Text     string   // words, a name or a question; with Regex, RE2 syntax
	Limit    int      // results at most; 0: 10
	Path     string   // only below this file or folder, relative to the root; "": everywhere
	Glob     []string // only files that one of these globs matches, and none of those that begin with "!"; none: all
	Lang     []string // only these languages, as in Result.Lang, case folded; none: all
	Kind     []string // only results whose symbol is of one of these Kinds; none: all
	Role     string   // only this role; "": all
	Tests    string   // answer.WithoutTests or OnlyTests: code that is not, or is, test code; else all
	Symbol   string   // only chunks that define this name, case folded; "": all
	Mode     Mode     // "": Hybrid
	MinScore float64  // only results with at least this score, 0..1
	PerFile  int      // results of one file at most; 0: 1, of a question that is a sentence 3, more where fewer files matched than Limit, with Symbol and Regex all

	// MaxTokens is what the results may cost together, as Tokens counts it; 0:
	// any. The budget is filled as Pack says; in the mode Regex, lines are left out
	// from the end.
	MaxTokens int
	// Sent is what the reader has: with MaxTokens, results of which that has all
	// lines become references. nil: nothing.
	Sent *answer.Sent

	// Rerank has the first Reranked chunks looked at again by the index's Reranker; for the
	// modes that rank.
	Rerank bool

	Explain bool     // fill Result.Explain
	Why     bool     // fill Result.Why; not with Regex, where nothing but the expression puts a line there
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
	Project   string  `json:"project,omitempty"` // of a search over several; an Index leaves it empty
	Changed   bool    `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since
	Brief     bool    `json:"brief,omitempty"`   // Content is the signature's lines only, for want of tokens or, in a Context, of a score
	Sent      bool    `json:"sent,omitempty"`    // the reader has the lines up to EndLine; Content is the signature's

	FileHash   uint64 `json:"-"` // of the file's content, as in Lines
	FileTokens int    `json:"-"` // of the file, whole

	Explain []Signal        `json:"explain,omitempty"` // what the ranking was made of, if the query asked
	Passage *rerank.Passage `json:"-"`                 // of an explained result: what a reranker reads of it
	Why     *Why            `json:"why,omitempty"`     // the same in short, as above
}

// An Answer is what a Query gives.
type Answer struct {
	Results []Result // never nil
	// Places that the question found below what its filters say, before MinScore, PerFile, Limit and
	// MaxTokens: with Symbol symbols, with Regex lines, else chunks that words, symbols or vectors
	// put forward. It does not depend on these bounds.
	Matches   int
	Truncated bool         // Results has fewer than Matches, or not all of one, or Matches does not count all
	Cuts      []answer.Cut // what left something out; none unless Truncated
	State     answer.State // of the index the answer was computed on
	answer.Checked
}

// cut notes that something was left out.
func (a *Answer) cut(c answer.Cut) {
	a.Truncated = true
	if !slices.Contains(a.Cuts, c) {
		a.Cuts = append(a.Cuts, c)
	}
}

// belowScore notes that the scores, which fall, end the results: what a limit leaves out is not
// what was asked for, nor is anything where there are none.
func (a *Answer) belowScore() {
	if len(a.Results) == 0 {
		a.Cuts = nil
	}
	a.Cuts = slices.DeleteFunc(a.Cuts, func(c answer.Cut) bool { return c == answer.CutLimit })
	a.cut(answer.CutScore)
}

// Candidates is how many chunks each of words and vectors may put forward, more only where the
// limit is higher: what an answer counts does not depend on how much of it is asked for.
const Candidates = 150

// DefaultLimit is how many results are given when nobody says.
const DefaultLimit = 10

// Search answers a query from what is indexed at this moment. It is safe for
// concurrent use. It returns ErrClosed after Close, a PatternError for a glob or
// a regular expression that cannot be used, a SignalError for an unknown name in
// Without, ErrNoVectors for Semantic where there are none, and so ErrNoReranker for Rerank. When the deadline of ctx ends a search by Regex, what was found
// until then is the answer; all others return the error of ctx.
func Search(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a, err := SearchUnchecked(ctx, x, q)
	if err == nil {
		a.Checked = x.Check(&a, a.State.Generation)
	}
	return a, err
}

func SearchUnchecked(ctx context.Context, x *store.View, q Query) (Answer, error) {
	if err := cmp.Or(store.CheckGlobs(q.Glob), checkSignals(q.Without)); err != nil {
		return Answer{}, err
	}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	switch q.Mode {
	case Regex:
		return searchLines(ctx, x, q)
	case Symbol:
		return searchNames(ctx, x, q)
	case Semantic:
		if x.Dim == 0 {
			return Answer{}, ErrNoVectors
		}
	}
	if q.Rerank && x.Opt.Reranker == nil {
		return Answer{}, ErrNoReranker
	}
	return searchRanked(ctx, x, q)
}

// vectorsOf returns a question's vector and those of its tokens. Reading words in their order
// tells nothing more of a topic, which has none: it is found as a sum of words. Its tokens are
// compared all the same, with those of the chunks that are read. A name alone is no text.
func vectorsOf(ctx context.Context, x *store.View, asked rank.Query) (meaning, tokens []float32, err error) {
	switch {
	case x.Refiner == nil:
		meaning, err = x.Opt.Embedder.Query(ctx, asked.Text)
	case asked.Sentence == 0:
		if meaning, err = x.Refiner.PlainQuery(ctx, asked.Text); err == nil && x.Vectors.Tokens > 0 && asked.Symbol == "" {
			_, tokens, err = x.Refiner.QueryTokens(ctx, asked.Text)
		}
	default:
		meaning, tokens, err = x.Refiner.QueryTokens(ctx, asked.Text)
	}
	return meaning, tokens, err
}

// searchRanked answers in the modes that rank chunks.
func searchRanked(ctx context.Context, x *store.View, q Query) (Answer, error) {
	limit := q.Limit
	mode := cmp.Or(q.Mode, Hybrid)
	asked := rank.Parse(q.Text)
	var meaning, tokens []float32
	if mode != Lexical && x.Dim > 0 {
		var err error
		if meaning, tokens, err = vectorsOf(ctx, x, asked); err != nil {
			return Answer{}, fmt.Errorf("index: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}

	pool := store.Kept[inquiries](x)
	s, ok := pool.Get().(*inquiry)
	if !ok {
		s = newInquiry()
	}
	defer pool.Put(s)
	s.reset(asked, q, max(Candidates, limit))
	found, chosen, err := rankChunks(ctx, x, s, q, mode, meaning, tokens, asked)
	if err != nil {
		return Answer{}, err
	}

	// Records do not change, so the texts are unpacked outside the lock.
	if q.rereads(asked) {
		if chosen, err = secondLook(ctx, x.Opt.Reranker, asked, q, chosen); err != nil {
			return Answer{}, err
		}
	}
	why := q.reasons()
	for _, h := range chosen {
		r := h.result(asked)
		r.Why = why.of(&h, &r)
		r.Score = math.Round(max(h.score.Chance, 0.0001)*1e4) / 1e4
		r.Explain = h.explain
		if q.Explain {
			p := h.passage(&r)
			r.Passage = &p
		}
		if r.Score < q.MinScore {
			found.belowScore()
			break
		}
		found.Results = append(found.Results, r)
	}
	if len(found.Results) < found.Matches && !found.Truncated {
		found.cut(answer.CutPerFile) // after the second look
	}
	found.pack(q)
	return found, nil
}

// rankChunks gathers what may answer, puts it in order and chooses, under the lock.
func rankChunks(ctx context.Context, x *store.View, s *inquiry, q Query, mode Mode, meaning, tokens []float32, asked rank.Query) (Answer, []hit, error) {
	limit := q.Limit
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	if x.Closed {
		return Answer{}, nil, answer.ErrClosed
	}
	s.table = x.Table
	s.gather(mode, meaning)
	defer s.let()
	if err := ctx.Err(); err != nil { // among very many vectors it takes some time
		return Answer{}, nil, err
	}
	without := q.without(mode)
	look, done := s.comparing(x, meaning, tokens)
	defer done()
	opt := rank.Options{PerFile: q.PerFile, Limit: limit, Without: without, Matcher: &s.matcher, Look: look, LookAt: lookAt}
	opt.Exact, opt.Within = s.cosine, s.within
	if q.Explain {
		opt.LookAt = max(lookAt, fitLookAt*limit) // whoever fits weights needs all signals of all results
	}
	most := limit
	if q.rereads(asked) {
		most, opt.PerFile = max(limit, Reranked), max(q.PerFile, rerankedOfFile)
	}
	ordered := s.ranker.Rank(asked, s.evidence, s.files, opt)
	answer.Note(ctx, func(p *answer.Plan) {
		p.Mode = string(mode)
		p.Searches++
		p.Bytes += len(q.Text)
		p.Candidates += len(s.marks)
		p.Weighed += len(s.evidence)
		p.Matches += s.ranker.Found()
		if s.compared {
			p.Vectors += int(x.Counters.Embedded.Load())
		}
	})
	a := Answer{State: x.State(), Results: []Result{}, Matches: s.ranker.Found()}
	var chosen []hit
	if fewer := len(ordered) < a.Matches; fewer && (q.PerFile > 0 || len(s.files) < limit) {
		a.cut(answer.CutPerFile)
	} else if fewer {
		a.cut(answer.CutLimit)
	}
	if len(ordered) > limit {
		a.cut(answer.CutLimit)
	}
	for i := range ordered[:min(len(ordered), most)] {
		h := s.hit(ordered[i])
		h.kinds = q.Kind
		if q.Explain {
			h.explain = explain(asked, &ordered[i], s.ranker.Weights(), opt.PerFile)
		}
		chosen = append(chosen, h)
	}
	return a, chosen, nil
}

func (a *Answer) Places(visit func(string, *bool)) {
	for i := range a.Results {
		visit(a.Results[i].File, &a.Results[i].Changed)
	}
}

package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/tokens"
)

// What a request of /summarize can be about, how its tokens are counted, and who makes the
// summary.
const (
	kindContext = "context"
	kindHandoff = "handoff"
	kindRecall  = "recall"
	kindCode    = "code"

	tokenizerEstimate = "estimate"

	engineLocal = "local"
	engineLLM   = "llm"
)

// Summarized are the fields of which a request of /summarize has one.
func Summarized() []string {
	return []string{"content", "handoff", "recall", "path", "paths", "symbol", "query", "target"}
}

// summarizeResponse is an answer to /summarize.
type summarizeResponse struct {
	wire.SummarizeResponse
	count func(string) int
}

// trim cuts the summary, which only a text that is given back as it is can need.
func (b *summarizeResponse) trim(share float64) bool {
	most := int(share * 0.9 * float64(b.TokensOut))
	if most < 1 || b.Summary == "" {
		return false
	}
	b.Summary = summary.Truncate(b.Summary, most, b.count)
	b.TokensOut, b.Truncated = b.count(b.Summary), true
	cut(&b.Meta, cutSize)
	return true
}

func (b *summarizeResponse) short() bool { return b.Meta.Truncated }

func (b *summarizeResponse) wire() any {
	body := b.SummarizeResponse
	return &body
}

// A summarizing is a request of /summarize at work.
type summarizing struct {
	*wire.SummarizeRequest
	kind    string
	code    brief.SummaryQuery
	level   summary.Level
	clamped []string
}

// Summarize answers with what a text, some notes or some code come to.
func (s *Service) Summarize(ctx context.Context, c *Call, request *wire.SummarizeRequest) (*wire.SummarizeResponse, error) {
	s.fill(c, request)
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, time.Duration(request.TimeoutMS)*time.Millisecond)
	defer cancel()
	q, err := s.summarizing(c, request)
	if err != nil {
		return nil, err
	}
	c.reader = &session.Reader{ID: request.SessionID}
	d, err := s.summarizeHere(ctx, c, q)
	if err == nil && q.Engine == engineLLM {
		// Not in a slot: it waits for somebody else.
		if s.summarizeThere(ctx, c, q, d); whole.Err() != nil {
			err = whole.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	return as[wire.SummarizeResponse](s.made(c, d, d.Index.Generation))
}

// summarizing finds out what a request is about, and who makes the summary.
func (s *Service) summarizing(c *Call, request *wire.SummarizeRequest) (*summarizing, error) {
	own := *request
	q := &summarizing{SummarizeRequest: &own, kind: kindCode, level: summary.Level(own.Level), clamped: c.Clamped}
	q.Tokenizer = cmp.Or(q.Tokenizer, tokenizerEstimate)
	given := "content"
	switch {
	case q.Handoff != nil:
		q.kind, given = kindHandoff, "handoff"
	case q.Recall != nil:
		q.kind, given = kindRecall, "recall"
	case q.Path != "":
		q.code.Paths, given = []string{q.Path}, "path"
	case q.Paths != nil:
		q.code.Paths, given = q.Paths, "paths"
	case q.Symbol != "":
		q.code.Symbol, given = q.Symbol, "symbol"
	case q.Query != "":
		q.code.Query, given = q.Query, "query"
	case q.Kind == kindHandoff || q.Kind == kindRecall:
		q.kind = q.Kind
		if err := q.readContent(); err != nil {
			return nil, err
		}
	default:
		q.kind = kindContext
	}
	if q.Kind != "" && q.Kind != "auto" && q.Kind != q.kind {
		return nil, wire.Problemf(wire.CodeInvalidRequest, "the kind %s does not go with %s", q.Kind, given)
	}
	return q, q.chooseEngine(s.opt.LLM != nil, s.opt.LLMByDefault)
}

// readContent reads a handoff or a recall that is there as JSON.
func (q *summarizing) readContent() error {
	var v any
	if dec := json.NewDecoder(strings.NewReader(q.Content)); strings.TrimSpace(q.Content) != "" && dec.Decode(&v) != nil {
		return wire.Problemf(wire.CodeInvalidRequest, "content must be JSON for the kind %s", q.kind)
	}
	if q.kind == kindHandoff {
		if q.Handoff, _ = v.(map[string]any); q.Handoff == nil && v != nil {
			return wire.Problemf(wire.CodeInvalidRequest, "content must be a JSON object for the kind handoff")
		}
		return nil
	}
	var ok bool
	if q.Recall, ok = recallOf(v); !ok {
		return wire.Problemf(wire.CodeInvalidRequest, "content must be a list of objects")
	}
	return nil
}

// recallOf reads a list of objects; null is none.
func recallOf(v any) (all []map[string]any, ok bool) {
	list, ok := v.([]any)
	for _, e := range list {
		m, isObject := e.(map[string]any)
		ok = ok && isObject
		all = append(all, m)
	}
	return all, ok || v == nil
}

// chooseEngine decides who makes the summary. Only texts are given away: handoffs and
// recalls are a matter of form, and of code a model would lose the names.
func (q *summarizing) chooseEngine(configured, byDefault bool) error {
	switch {
	case q.Engine == engineLLM && q.kind != kindContext:
		return wire.Problemf(wire.CodeInvalidRequest, "the engine llm is for content only, not for the kind %s", q.kind)
	case q.Engine == engineLLM && !configured:
		return wire.Problemf(wire.CodeNoLLM, "no language model is configured: the only engine is local")
	case q.Engine == "" && configured && byDefault && q.kind == kindContext:
		q.Engine = engineLLM
	case q.Engine == "":
		q.Engine = engineLocal
	}
	return nil
}

// summarizeHere makes the summary without anybody's model, in a slot.
func (s *Service) summarizeHere(ctx context.Context, c *Call, q *summarizing) (d *summarizeResponse, err error) {
	p, done, err := s.project(ctx, c, q.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	class := heavyIf(len(q.code.Paths) > 0 || len(q.Content) > heavyText) // a path may be a folder's
	err = s.inSlot(ctx, c, class, func() (err error) {
		count := tokens.Estimate
		if q.Tokenizer != tokenizerEstimate {
			counter, err := tokens.Encoding(q.Tokenizer)
			if err != nil {
				return err
			}
			count = counter.Count
		}
		d, err = q.local(ctx, p.Index, count)
		return err
	})
	return d, err
}

// local asks the index, or forms what needs none.
func (q *summarizing) local(ctx context.Context, x Index, count func(string) int) (*summarizeResponse, error) {
	var a brief.Summary
	var err error
	switch q.kind {
	case kindContext:
		a, err = x.SummarizeText(ctx, brief.TextQuery{Text: q.Content, Level: q.level, MaxTokens: q.MaxTokens, Count: count})
	case kindHandoff:
		a, err = formed(x, summary.Handoff(q.Handoff, q.level, q.MaxTokens, count), q.Handoff, len(q.Handoff), count)
	case kindRecall:
		a, err = formed(x, summary.Recall(q.Recall, q.level, q.MaxTokens, count), q.Recall, len(q.Recall), count)
	default:
		q.code.Paths = slices.Clone(q.code.Paths)
		for i := range q.code.Paths {
			if err := resolve(x, &q.code.Paths[i]); err != nil {
				return nil, err
			}
		}
		q.code.Level, q.code.MaxTokens, q.code.Count = q.level, q.MaxTokens, count
		a, err = x.Summarize(ctx, q.code)
	}
	if err != nil {
		return nil, err
	}
	d := &summarizeResponse{count: count, SummarizeResponse: wire.SummarizeResponse{
		Summary: a.Text, Level: string(a.Level), Kind: q.kind, TokensIn: a.TokensIn, TokensOut: a.TokensOut, Tokenizer: q.Tokenizer, Engine: engineLocal,
		Truncated: a.Truncated, Chunks: max(a.Chunks, 1), Files: a.Files, Alternatives: Each(a.Others, placeIn), Index: indexOf(a.State),
		Meta: wire.Meta{V: 1, Command: "summarize", Matches: len(a.Files), Clamped: q.clamped, Changed: a.Changed, Unchecked: a.Unchecked},
	}}
	if a.Truncated {
		cut(&d.Meta, answer.CutTokens)
	}
	return d, nil
}

// formed puts what needs no index into the form of what one answers. Nothing costs
// nothing, else the input costs what its JSON does.
func formed(x Index, r summary.Result, in any, n int, count func(string) int) (brief.Summary, error) {
	a := brief.Summary{Text: r.Text, Level: r.Level, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks, State: x.State()}
	a.Files = r.Files[:min(len(r.Files), maxSummaryFiles)]
	if n > 0 {
		buf, err := Encode(in)
		defer Release(buf)
		if err != nil {
			return a, fmt.Errorf("api: tokens of the input: %w", err)
		}
		a.TokensIn = count(strings.TrimSpace(buf.String()))
	}
	return a, nil
}

// maxSummaryFiles bounds the files of a response.
const maxSummaryFiles = 100

// summarizeThere has the configured model make the summary; where it cannot, the local one
// stays.
func (s *Service) summarizeThere(ctx context.Context, c *Call, q *summarizing, d *summarizeResponse) {
	local := summary.Result{
		Text: d.Summary, Level: summary.Level(d.Level), TokensIn: d.TokensIn, TokensOut: d.TokensOut, Truncated: d.Truncated, Chunks: d.Chunks,
	}
	got, by, why := s.opt.LLM.Replace(ctx, q.Content, local, q.MaxTokens, d.count)
	if why != nil {
		s.log.WarnContext(ctx, "the local summary stands in for the model's", "request_id", c.ID, "err", why)
	}
	d.Summary, d.TokensOut, d.Truncated, d.Chunks = got.Text, got.TokensOut, got.Truncated, got.Chunks
	d.Engine, d.Fallback = by, why != nil
	d.Meta.Truncated, d.Meta.TruncatedBy = false, nil
	if got.Truncated {
		cut(&d.Meta, answer.CutTokens)
	}
}

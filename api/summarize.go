package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

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

// summarized are the fields of which a request of /summarize has one.
var summarized = [...]string{"content", "handoff", "recall", "path", "paths", "symbol", "query"}

// summarizeBody is the response of /summarize.
type summarizeBody struct {
	Summary      string         `json:"summary"`
	Level        summary.Level  `json:"level"`
	Kind         string         `json:"kind"`
	TokensIn     int            `json:"tokens_in"`
	TokensOut    int            `json:"tokens_out"`
	Tokenizer    string         `json:"tokenizer"`
	Engine       string         `json:"engine"`
	Fallback     bool           `json:"fallback"`
	Truncated    bool           `json:"truncated"`
	Chunks       int            `json:"chunks"`
	Files        []string       `json:"files,omitempty"`
	Alternatives []answer.Place `json:"alternatives,omitempty"`
	Index        wire.Index     `json:"index"`
	Meta         searchMeta     `json:"meta"`

	count func(string) int
}

// trim cuts the summary, which only a text that is given back as it is can need.
func (b *summarizeBody) trim(share float64) bool {
	most := int(share * 0.9 * float64(b.TokensOut))
	if most < 1 || b.Summary == "" {
		return false
	}
	b.Summary = summary.Truncate(b.Summary, most, b.count)
	b.TokensOut, b.Truncated = b.count(b.Summary), true
	b.Meta.cut(cutSize)
	return true
}

// A summarizing is a request of /summarize.
type summarizing struct {
	kind      string
	content   string
	handoff   map[string]any
	recall    []map[string]any
	code      brief.SummaryQuery
	level     summary.Level
	maxTokens int
	tokenizer string
	engine    string
	clamped   []string
}

// summarize answers with what a text, some notes or some code come to.
func (s *Server) summarize(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	d := s.decode(w, r)
	d.refuseOverlay()
	q := s.summarizing(d)
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	q.clamped = d.clamped
	body, waited, err := s.summarizeHere(ctx, d, q)
	if err == nil && q.engine == engineLLM {
		// Not in a slot: it waits for somebody else.
		err = s.summarizeThere(ctx, r, w, q, body)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.respond(w, r, &reader{id: d.session}, body, body.Index.Generation, start, waited)
}

// summarizing reads the fields of a request. What is wrong with them is in d.err.
func (s *Server) summarizing(d *decoder) *summarizing {
	q := &summarizing{
		kind:      d.oneOf("kind", "auto", kindContext, kindHandoff, kindRecall, kindCode),
		level:     summary.Level(d.oneOf("level", string(summary.Auto), string(summary.L0), string(summary.L1), string(summary.L2), string(summary.L3))),
		maxTokens: d.count("max_tokens", 1, 0, maxTokens),
		tokenizer: d.oneOf("tokenizer", tokenizerEstimate, tokens.CL100K, tokens.O200K),
		engine:    d.oneOf("engine", engineLocal, engineLLM),
	}
	if q.tokenizer == "" {
		q.tokenizer = tokenizerEstimate
	}
	given := ""
	for _, name := range summarized {
		switch {
		case !d.has(name):
		case given != "":
			d.failf("%s and %s cannot both be given", given, name)
		default:
			given = name
		}
	}
	kind := kindCode
	switch given {
	case "":
		d.failf("one of %s is needed", strings.Join(summarized[:], ", "))
	case "content":
		kind = q.readContent(d, int(s.limits.Body))
	case "handoff":
		kind = kindHandoff
		if q.handoff, _ = d.fields["handoff"].(map[string]any); q.handoff == nil {
			d.failf("handoff must be an object")
		}
	case "recall":
		kind = kindRecall
		q.readRecall(d, d.fields["recall"], "recall")
	case "path":
		q.code.Paths = []string{d.text("path", maxPath)}
	case "paths":
		if q.code.Paths = d.texts("paths", maxPath); len(q.code.Paths) == 0 || len(q.code.Paths) > maxList {
			d.failf("paths must be 1 to %d", maxList)
		}
	case "symbol":
		q.code.Symbol = d.target("symbol")
	case "query":
		if q.code.Query = d.text("query", s.limits.Query); strings.TrimSpace(q.code.Query) == "" {
			d.failf("query is missing or empty")
		}
	}
	if q.kind != "" && q.kind != "auto" && q.kind != kind {
		d.failf("the kind %s does not go with %s", q.kind, given)
	}
	q.kind = kind
	q.chooseEngine(d, s.opt.LLM != nil, s.opt.LLMByDefault)
	d.jsonOnly()
	return q
}

// readContent reads the field content, and returns its kind: handoffs and recalls may be
// there as JSON.
func (q *summarizing) readContent(d *decoder, most int) string {
	q.content = d.text("content", most)
	if q.kind != kindHandoff && q.kind != kindRecall || d.err != nil {
		return kindContext
	}
	var v any
	if dec := json.NewDecoder(strings.NewReader(q.content)); strings.TrimSpace(q.content) != "" && dec.Decode(&v) != nil {
		d.failf("content must be JSON for the kind %s", q.kind)
		return q.kind
	}
	if q.kind == kindRecall {
		q.readRecall(d, v, "content")
	} else if q.handoff, _ = v.(map[string]any); q.handoff == nil && v != nil {
		d.failf("content must be a JSON object for the kind handoff")
	}
	return q.kind
}

// readRecall reads a list of objects.
func (q *summarizing) readRecall(d *decoder, v any, name string) {
	list, ok := v.([]any)
	for _, e := range list {
		m, isObject := e.(map[string]any)
		ok = ok && isObject
		q.recall = append(q.recall, m)
	}
	if !ok && v != nil {
		d.failf("%s must be a list of objects", name)
	}
}

// chooseEngine decides who makes the summary. Only texts are given away: handoffs and
// recalls are a matter of form, and of code a model would lose the names.
func (q *summarizing) chooseEngine(d *decoder, configured, byDefault bool) {
	switch {
	case q.engine == engineLLM && q.kind != kindContext:
		d.failf("the engine llm is for content only, not for the kind %s", q.kind)
	case q.engine == engineLLM && !configured && d.err == nil:
		d.err = problemf(codeNoLLM, "no language model is configured: the only engine is local")
	case q.engine == "" && configured && byDefault && q.kind == kindContext:
		q.engine = engineLLM
	case q.engine == "":
		q.engine = engineLocal
	}
}

// summarizeHere makes the summary without anybody's model, in a slot.
func (s *Server) summarizeHere(ctx context.Context, d *decoder, q *summarizing) (body *summarizeBody, waited time.Duration, err error) {
	p, done, err := s.project(ctx, d)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	d.heavily(len(q.code.Paths) > 0 || len(q.content) > heavyText) // a path may be a folder's
	waited, err = s.inSlot(ctx, d.class, func() (err error) {
		count := tokens.Estimate
		if q.tokenizer != tokenizerEstimate {
			counter, err := tokens.Encoding(q.tokenizer)
			if err != nil {
				return err
			}
			count = counter.Count
		}
		body, err = q.local(ctx, p.Index, count)
		return err
	})
	return body, waited, err
}

// local asks the index, or forms what needs none.
func (q *summarizing) local(ctx context.Context, x Index, count func(string) int) (*summarizeBody, error) {
	var a brief.Summary
	var err error
	switch q.kind {
	case kindContext:
		a, err = x.SummarizeText(ctx, brief.TextQuery{Text: q.content, Level: q.level, MaxTokens: q.maxTokens, Count: count})
	case kindHandoff:
		a, err = formed(x, summary.Handoff(q.handoff, q.level, q.maxTokens, count), q.handoff, len(q.handoff), count)
	case kindRecall:
		a, err = formed(x, summary.Recall(q.recall, q.level, q.maxTokens, count), q.recall, len(q.recall), count)
	default:
		q.code.Paths = slices.Clone(q.code.Paths)
		for i := range q.code.Paths {
			if err := resolve(x, &q.code.Paths[i]); err != nil {
				return nil, err
			}
		}
		q.code.Level, q.code.MaxTokens, q.code.Count = q.level, q.maxTokens, count
		a, err = x.Summarize(ctx, q.code)
	}
	if err != nil {
		return nil, err
	}
	body := &summarizeBody{
		Summary: a.Text, Level: a.Level, Kind: q.kind, TokensIn: a.TokensIn, TokensOut: a.TokensOut, Tokenizer: q.tokenizer, Engine: engineLocal,
		Truncated: a.Truncated, Chunks: max(a.Chunks, 1), Files: a.Files, Alternatives: a.Others, Index: newIndexBody(a.State), count: count,
		Meta: searchMeta{V: 1, Cmd: "summarize", Matches: len(a.Files), Clamped: q.clamped, Changed: a.Changed, Unchecked: a.Unchecked},
	}
	if a.Truncated {
		body.Meta.cut(answer.CutTokens)
	}
	return body, nil
}

// formed puts what needs no index into the form of what one answers. Nothing costs
// nothing, else the input costs what its JSON does.
func formed(x Index, r summary.Result, in any, n int, count func(string) int) (brief.Summary, error) {
	a := brief.Summary{Text: r.Text, Level: r.Level, TokensOut: r.TokensOut, Truncated: r.Truncated, Chunks: r.Chunks, State: x.State()}
	a.Files = r.Files[:min(len(r.Files), maxSummaryFiles)]
	if n > 0 {
		buf, err := encode(in)
		defer release(buf)
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
// stays. It fails only when the client has gone.
func (s *Server) summarizeThere(ctx context.Context, r *http.Request, w http.ResponseWriter, q *summarizing, body *summarizeBody) error {
	local := summary.Result{
		Text: body.Summary, Level: body.Level, TokensIn: body.TokensIn, TokensOut: body.TokensOut, Truncated: body.Truncated, Chunks: body.Chunks,
	}
	got, by, why := s.opt.LLM.Replace(ctx, q.content, local, q.maxTokens, body.count)
	if err := r.Context().Err(); err != nil {
		return err
	}
	if why != nil {
		s.log.WarnContext(ctx, "the local summary stands in for the model's", "request_id", w.Header().Get("X-Request-Id"), "err", why)
	}
	body.Summary, body.TokensOut, body.Truncated, body.Chunks = got.Text, got.TokensOut, got.Truncated, got.Chunks
	body.Engine, body.Fallback = by, why != nil
	body.Meta.Truncated, body.Meta.Cuts = false, nil
	if got.Truncated {
		body.Meta.cut(answer.CutTokens)
	}
	return nil
}

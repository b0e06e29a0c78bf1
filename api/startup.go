package api

import (
	"context"
	"net/http"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
)

// Defaults of /startup.
const (
	defaultStartupTokens  = 1500
	defaultStartupResults = 5
)

// startupBody is the response of /startup.
type startupBody struct {
	brief.StartupAnswer
	Index wire.Index `json:"index"`
	Meta  searchMeta `json:"meta"`

	Receipt receipt `json:"receipt"`
}

// trim does nothing: the budget bounds the response.
func (b *startupBody) trim(float64) bool { return false }

func (b *startupBody) bill() *bill { return packBill(b.Tokens, b.TokensRaw, b.References, b.Given) }

func (b *startupBody) stamp(r receipt) {
	r.Files = b.Files
	b.Receipt = r
}

// startup answers with what somebody should know who begins a task.
func (s *Server) startup(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	// What is in the text is there by itself, too, and escaped.
	most := max(1, s.limits.Response/16)
	q := brief.StartupQuery{
		Task:      d.text("task", s.limits.Query),
		Limit:     d.count("limit", 1, min(defaultStartupResults, s.limits.Limit), s.limits.Limit),
		MaxTokens: d.count("max_tokens", 1, min(defaultStartupTokens, most), most),
	}
	for _, name := range []string{"entry_point", "entry"} {
		if q.Entry == "" && d.text(name, maxTarget) != "" {
			q.Entry = d.target(name)
		}
	}
	d.heavily(true)
	d.jsonOnly()
	s.answerReader(w, r, d, func(ctx context.Context, x Index, sent *answer.Sent) (trimmer, answer.State, error) {
		q.Sent = sent
		a, err := x.Startup(ctx, q)
		if err != nil {
			return nil, a.State, err
		}
		meta := metaOf("startup", &a.Page, d)
		meta.Tokens = a.Tokens
		return &startupBody{StartupAnswer: a, Index: newIndexBody(a.State), Meta: meta}, a.State, nil
	})
}

package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// searchBody is the response to a search.
type searchBody struct {
	Results  []search.Result     `json:"results"`
	Index    wire.Index          `json:"index"`
	Projects []wire.ProjectState `json:"projects,omitempty"`
	Meta     searchMeta          `json:"meta"`
	Receipt  *receipt            `json:"receipt,omitempty"`

	receipted bool // it has a receipt: there is a budget, or a session
	osgrep    bool // it is sent in that program's shape
}

// batchBody is the response to a search with several queries.
type batchBody struct {
	Answers  []batchAnswer       `json:"answers"`
	Index    wire.Index          `json:"index"` // that gave the last answer
	Projects []wire.ProjectState `json:"projects,omitempty"`
	Receipt  *receipt            `json:"receipt,omitempty"` // of all answers together

	receipted bool
}

type batchAnswer struct {
	Query   string          `json:"query"`
	Results []search.Result `json:"results"`
	Meta    searchMeta      `json:"meta"`
}

type searchMeta struct {
	V         int          `json:"v"`
	Cmd       string       `json:"cmd"`
	Matches   int          `json:"matches"`
	Truncated bool         `json:"truncated"`
	Cuts      []answer.Cut `json:"truncated_by,omitempty"`
	Tokens    int          `json:"tokens,omitempty"` // of the results, when a budget was given
	Clamped   []string     `json:"clamped,omitempty"`
	Unindexed bool         `json:"unindexed,omitempty"` // the index knows no file at or below the query's path
	Changed   int          `json:"changed,omitempty"`   // files of the answer that are no longer what was indexed
	Unchecked int          `json:"unchecked,omitempty"` // files of the answer that were not compared

	Overlay *overlayMeta `json:"overlay,omitempty"`

	Masked int `json:"masked,omitempty"` // secrets in the texts; noteMasks writes it, when the answer is encoded
}

// cutSize is the cut of Limits.Response.
const cutSize answer.Cut = "size"

// newIndexBody says, in every response, which index gave it.
func newIndexBody(s answer.State) wire.Index {
	return wire.Index{State: wire.State(s.State), Generation: s.Generation, Progress: s.Progress, Vectors: s.Vectors,
		Freshness: wire.Freshness(s.Freshness), Pending: s.Pending, Root: s.Root}
}

func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	d := s.decode(w, r)
	if d.fields["format"] == "te" {
		s.rag(w, r, d)
		return
	}
	osgrep := s.osgrepShape(r, d)
	queries, q := s.searchQuery(d)
	if d.readOverlay(); d.overlay != nil && d.has("projects") {
		d.failf("overlay is for a search of one project, and cannot be given with projects")
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	over, done, err := s.scope(ctx, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	if err := over.resolve(q.Path); err != nil {
		s.fail(w, r, err)
		return
	}
	rd, err := s.reader(ctx, d, over.roots())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer rd.release()
	rd.query = strings.Join(queries, " ")
	body := batchBody{Answers: make([]batchAnswer, 0, len(queries)), receipted: q.MaxTokens > 0 || rd.has()}
	d.heavily(q.Mode == search.Regex || len(queries)*len(over.projects) > heavySearches)
	waited, err := s.inSlot(ctx, d.class, func() error {
		x, done, err := d.see(ctx, over.projects[0].Index)
		if err != nil {
			return err
		}
		defer done()
		over.projects[0].Index = x
		for _, text := range queries {
			q.Text = text
			results, meta, err := over.search(ctx, q, d, rd)
			if err != nil {
				return err
			}
			body.Answers = append(body.Answers, batchAnswer{text, results, meta})
		}
		return nil
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	body.Index, body.Projects = over.states()
	if !d.has("queries") {
		one := body.Answers[0]
		s.respond(w, r, rd, &searchBody{
			Results: one.Results, Index: body.Index, Projects: body.Projects, Meta: one.Meta, receipted: body.receipted, osgrep: osgrep,
		}, body.Index.Generation, start, waited)
		return
	}
	s.respond(w, r, rd, &body, body.Index.Generation, start, waited)
}

// report puts an answer into the form of a response.
func report(x Index, cmd string, q search.Query, a search.Answer, d *decoder) ([]search.Result, searchMeta, error) {
	meta := searchMeta{V: 1, Cmd: cmd, Matches: a.Matches, Truncated: a.Truncated, Cuts: a.Cuts, Clamped: d.clamped,
		Changed: a.Changed, Unchecked: a.Unchecked, Overlay: d.overlaid(cmd)}
	if len(a.Results) == 0 {
		// Nothing below a path that is not there is not the same as no match.
		if d.deleted(q.Path) {
			return nil, meta, problemf(codeNotFound, "the path %q does not exist", q.Path)
		}
		var err error
		if meta.Unindexed, err = unindexed(x, q.Path); err != nil {
			return nil, meta, err
		}
	}
	if a.Results == nil {
		a.Results = []search.Result{}
	}
	if q.MaxTokens > 0 {
		meta.Tokens = cost(a.Results)
	}
	return a.Results, meta, nil
}

// respond sends the response to a reader, or says that the
// client has it. What is sent is counted, and noted in the session.
func (s *Server) respond(w http.ResponseWriter, r *http.Request, rd *reader, body trimmer, generation uint64, start time.Time, waited time.Duration) {
	searched := time.Now()
	buf, sum, err := s.encodeSearch(body, rd)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer release(buf)
	s.saw(endpoint(r), rd, body, sum)
	h := w.Header()
	h.Set("X-Index-Generation", strconv.FormatUint(generation, 10))
	h.Set("Server-Timing", fmt.Sprintf("queue;dur=%.3f, search;dur=%.3f, total;dur=%.3f",
		ms(waited), ms(searched.Sub(start)-waited), ms(time.Since(start))))
	// The receipt of a session is part of what the tag is of: an answer with references is
	// never taken for one without.
	if fresh(w, r, fmt.Sprintf(`"g%d-%016x"`, generation, xxhash.Sum64(buf.Bytes())^formOf(r).salt())) {
		return
	}
	if sum != nil && r.Method != http.MethodHead {
		rd.record(sum)
		s.metrics.endpoint(r).charge(sum)
	}
	s.metrics.endpoint(r).cut(body.short())
	rd.release() // the client may take its time
	send(w, r, http.StatusOK, buf)
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

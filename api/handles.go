package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
)

// handleBody is the response of /handles/{id}: one of matches, content, paths and results is
// there.
type handleBody struct {
	Handle      string            `json:"handle"`
	Chunk       int               `json:"chunk"`
	Chunks      int               `json:"chunks"`
	Matches     *[]wire.GrepMatch `json:"matches,omitempty"`
	Content     *string           `json:"content,omitempty"`
	Paths       *[]grep.FoundPath `json:"paths,omitempty"`
	Results     *[]search.Result  `json:"results,omitempty"`
	Breadcrumbs []string          `json:"breadcrumbs"`
	Clamped     []string          `json:"clamped,omitempty"`
	Index       wire.Index        `json:"index"`
	Meta        te.Meta           `json:"meta"`
}

// handle answers with a chunk of a stored result.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdHandle)
	e.close(e.answerHandle(chi.URLParam(r, "id")))
}

func (e *envelope) answerHandle(id string) error {
	n := e.d.count("chunk", 1, 1, maxOffset)
	if e.d.err != nil {
		return e.d.err
	}
	h, ok := e.handles.Load(id)
	if !ok {
		return problemf(codeHandleExpired, "there is no handle %q any more", id)
	}
	e.cmd = h.Cmd
	v := h.Value.(kept) // the server stores nothing else
	ctx, cancel := context.WithTimeout(e.r.Context(), e.timeout(e.d))
	defer cancel()
	p, done, err := e.projects.Acquire(ctx, v.project())
	if err != nil {
		return err
	}
	defer done()
	trailOf(ctx).project = p.Name
	most := e.opt.Envelope.GrepChars
	if h.Cmd == cmdCat {
		most = e.opt.Envelope.CatChars
	}
	budget := min(most, e.opt.Envelope.Budgets.Of(e.event.AgentID))
	var c chunk
	e.d.heavily(h.Cmd == cmdGrep)
	if _, err = e.inSlot(ctx, e.d.class, func() (err error) {
		c, err = v.chunk(ctx, p.Index, id, n, budget)
		return err
	}); err != nil {
		return err
	}
	if n > c.chunks {
		return problemf(codeInvalidRequest, "chunk must be a whole number from 1 to %d", c.chunks)
	}
	e.event.InputSize = c.size
	e.event.Truncated = n < c.chunks
	e.head(c.state.Generation, h.Matches)
	e.saw(coach.Action{Kind: coach.Retrieve, Handle: id})
	if e.text {
		e.send(http.StatusOK, c.text)
		return nil
	}
	c.body.Handle, c.body.Chunk, c.body.Chunks = id, n, c.chunks
	c.body.Clamped, c.body.Index = e.d.clamped, newIndexBody(c.state)
	return e.sendJSON(&c.body)
}

// listHandles names the handles of the caller's session, the newest first.
func (s *Server) listHandles(w http.ResponseWriter, r *http.Request) {
	e := s.envelope(w, r, cmdHandle)
	e.close(e.answerHandles())
}

func (e *envelope) answerHandles() error {
	if e.d.err != nil {
		return e.d.err
	}
	body := wire.HandlesResponse{Handles: []wire.HandleInfo{}}
	text := ""
	for _, h := range e.handles.List(e.event.SessionID) {
		age := time.Since(h.Created).Truncate(time.Second)
		body.Handles = append(body.Handles, wire.HandleInfo{Handle: h.ID, Command: h.Cmd, AgeSeconds: int(age.Seconds()), Matches: h.Matches})
		text += fmt.Sprintf("%s %s %d %s\n", h.ID, h.Cmd, h.Matches, age)
	}
	if e.text {
		e.send(http.StatusOK, text)
		return nil
	}
	return e.sendJSON(&body)
}

package service

import (
	"context"
	"fmt"
	"time"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/remainder"
	"github.com/quarry-search/quarry/api/wire"
)

// Handle answers with a chunk of a stored result; with nil where the answer is the call's
// text.
func (s *Service) Handle(ctx context.Context, c *Call, q *wire.HandleRequest) (*wire.HandleResponse, error) {
	s.fill(c, q)
	e := s.envelope(c, cmdHandle, q.Scope, q.TimeoutMS)
	h, ok := s.handles.Load(identity.Owner(ctx), q.Handle)
	if !ok {
		return nil, wire.Problemf(wire.CodeHandleExpired, "there is no handle %q any more", q.Handle)
	}
	c.cmd = h.Cmd
	v := h.Value.(remainder.Remainder) // the service stores nothing else
	e.scope.Project = v.Project()
	most := s.opt.Envelope.GrepChars
	if h.Cmd == cmdCat {
		most = s.opt.Envelope.CatChars
	}
	budget := min(most, s.opt.Envelope.Budgets.Of(q.AgentID))
	var part remainder.Chunk
	err := e.within(ctx, heavyIf(h.Cmd == cmdGrep), func(ctx context.Context, p Project) (err error) {
		part, err = v.Chunk(ctx, p.Index, q.Handle, q.Chunk, budget)
		return err
	})
	if err != nil {
		return nil, err
	}
	if q.Chunk > part.Chunks {
		return nil, wire.Problemf(wire.CodeInvalidRequest, "chunk must be a whole number from 1 to %d", part.Chunks)
	}
	c.event.InputSize = part.Size
	c.Cut = q.Chunk < part.Chunks
	e.head(part.State.Generation, h.Matches)
	e.saw(coach.Action{Kind: coach.Retrieve, Handle: q.Handle})
	if c.Form.TE {
		e.say(part.Text)
		return nil, nil
	}
	body := &part.Body
	body.Handle, body.Chunk, body.Chunks = q.Handle, q.Chunk, part.Chunks
	body.Clamped, body.Index = c.Clamped, indexOf(part.State)
	return encoded(c, body)
}

// ListHandles names the handles of the caller's session, the newest first.
func (s *Service) ListHandles(ctx context.Context, c *Call, q *wire.HandlesRequest) (*wire.HandlesResponse, error) {
	e := s.envelope(c, cmdHandle, q.Scope, 0)
	body := &wire.HandlesResponse{Handles: []wire.HandleInfo{}}
	text := ""
	for _, h := range s.handles.List(identity.Owner(ctx), q.SessionID) {
		age := time.Since(h.Created).Truncate(time.Second)
		body.Handles = append(body.Handles, wire.HandleInfo{Handle: h.ID, Command: h.Cmd, AgeSeconds: int(age.Seconds()), Matches: h.Matches})
		text += fmt.Sprintf("%s %s %d %s\n", h.ID, h.Cmd, h.Matches, age)
	}
	if c.Form.TE {
		e.say(text)
		return nil, nil
	}
	return encoded(c, body)
}

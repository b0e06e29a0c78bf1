package client

import (
	"context"
	"net/url"
	"strconv"
)

// Grep finds the lines that match. What the budget leaves out is behind Meta.Handle.
func (c *Client) Grep(ctx context.Context, req GrepRequest) (*GrepResponse, error) {
	req.Scope = c.among(req.Scope, req.Projects)
	return ask[GrepResponse](ctx, c, post("/grep", &req))
}

// Cat shows lines of a file. What the budget leaves out is behind Meta.Handle.
func (c *Client) Cat(ctx context.Context, req CatRequest) (*CatResponse, error) {
	return query[CatResponse](ctx, c, "/cat", &req, &req.Scope)
}

// Find finds paths. What the budget leaves out is behind Meta.Handle.
func (c *Client) Find(ctx context.Context, req FindRequest) (*FindResponse, error) {
	return query[FindResponse](ctx, c, "/find", &req, &req.Scope)
}

// Handle shows a chunk of what an answer left out. An *Error with
// CodeHandleExpired says that the server has forgotten it.
func (c *Client) Handle(ctx context.Context, req HandleRequest) (*HandleResponse, error) {
	q := c.asker(req.Scope)
	number(q, "chunk", req.Chunk)
	number(q, "timeout_ms", req.TimeoutMS)
	return ask[HandleResponse](ctx, c, get("/handles/"+url.PathEscape(req.Handle), q))
}

// Handles lists what the answers to a session left out, the newest first.
func (c *Client) Handles(ctx context.Context, s Scope) ([]HandleInfo, error) {
	r, err := ask[HandlesResponse](ctx, c, get("/handles", c.asker(s)))
	if err != nil {
		return nil, err
	}
	return r.Handles, nil
}

// asker has the agent and the session of a scope as the fields of a URL.
func (c *Client) asker(s Scope) url.Values {
	s = c.within(s)
	q := url.Values{}
	text(q, "agent_id", s.AgentID)
	text(q, "session_id", s.SessionID)
	return q
}

// text puts a field into a URL, unless it is empty.
func text(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

// number puts a field into a URL, unless it is 0.
func number(q url.Values, name string, value int) {
	if value != 0 {
		q.Set(name, strconv.Itoa(value))
	}
}

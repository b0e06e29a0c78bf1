package client

import (
	"context"
	"net/url"
	"strconv"
)

// A HandlesResponse lists the handles of a session.
type HandlesResponse struct {
	Handles []HandleInfo `json:"handles"` // the newest first
}

// A HandleInfo is a handle: what an answer left out.
type HandleInfo struct {
	Handle     string `json:"handle"`  // the handle
	Command    string `json:"cmd"`     // grep, cat, find, or rag, which is a search
	AgeSeconds int    `json:"age_s"`   // seconds since
	Matches    int    `json:"matches"` // in all: lines, or paths of find
}

// A HandleResponse is a chunk of what an answer left out. One of Matches, Content, Paths
// and Results is there, by the command.
type HandleResponse struct {
	Handle      string         `json:"handle"`            // the handle
	Chunk       int            `json:"chunk"`             // this one
	Chunks      int            `json:"chunks"`            // how many there are; about, where more than 50,000 lines are left
	Matches     []GrepMatch    `json:"matches,omitempty"` // lines of a grep
	Content     string         `json:"content,omitempty"` // a part of a file
	Paths       []FoundPath    `json:"paths,omitempty"`   // paths of a find
	Results     []SearchResult `json:"results,omitempty"` // of a search
	Breadcrumbs []string       `json:"breadcrumbs"`       // what is left out
	Clamped     []string       `json:"clamped,omitempty"` // fields of the request that were lowered to their maximum
	Index       Index          `json:"index"`
	Meta        EnvelopeMeta   `json:"meta"`
}

// A HandleRequest asks for a chunk of what an answer left out.
type HandleRequest struct {
	Handle    string // as in EnvelopeMeta
	Chunk     int    // from 1; 0: the first
	TimeoutMS int    // in milliseconds, by default and at most 30000

	// Scope has the agent and the session that asked. The handle knows its project.
	Scope
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

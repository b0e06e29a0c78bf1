package client

import (
	"context"
	"net/http"
	"net/url"
)

// A Health says that the server lives.
type Health struct {
	Status        string `json:"status"`
	Indexing      bool   `json:"indexing,omitempty"` // the first build runs
	Version       string `json:"version,omitempty"`
	Root          string `json:"root,omitempty"`
	Generation    uint64 `json:"generation,omitempty"` // grows with every commit to the index
	Files         int    `json:"files,omitempty"`
	Chunks        int    `json:"chunks,omitempty"`
	UptimeSeconds int    `json:"uptime_s,omitempty"` // seconds since the start
	// Why indexing of some project does not go on now; "": it does.
	Paused string `json:"paused,omitempty"`
	// Of all projects, where there are several; Root and the counts are the first one's.
	Roots []string `json:"roots,omitempty"`
	// A random word of the server's; only where it asks for a token that was not shown. Of
	// the other fields, Status alone is set then.
	Instance string `json:"instance,omitempty"`
}

// A Ready says whether answers come from whole indexes.
type Ready struct {
	Ready bool  `json:"ready"`
	Index Index `json:"index,omitzero"` // zero where the server asks for a token that was not shown
}

// A Version says what the program was built from.
type Version struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // that the program was built from
	Modified bool   `json:"modified,omitempty"` // it was built from changed files
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Health asks whether the server lives. It needs no token, but says more with it.
func (c *Client) Health(ctx context.Context) (*Health, error) {
	return ask[Health](ctx, c, get("/health", nil))
}

// Ready asks whether the first build has ended, of the project of the options or
// else of all. That it has not is an answer and no error. It needs no token where the options
// name no project, but says more with it.
func (c *Client) Ready(ctx context.Context) (*Ready, error) {
	q := url.Values{}
	text(q, "project", c.opt.Project)
	k := get("/ready", q)
	k.also = http.StatusServiceUnavailable
	return ask[Ready](ctx, c, k)
}

// Version asks what the program was built from.
func (c *Client) Version(ctx context.Context) (*Version, error) {
	return ask[Version](ctx, c, get("/version", nil))
}

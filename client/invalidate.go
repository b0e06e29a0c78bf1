package client

import (
	"cmp"
	"context"
)

// An InvalidateRequest says that files may have changed. One of Path, Paths, Pattern and
// All is needed; they add up.
type InvalidateRequest struct {
	Path      string   `json:"path,omitempty"`       // a file or folder
	Paths     []string `json:"paths,omitempty"`      // files or folders
	Pattern   string   `json:"pattern,omitempty"`    // a glob with ** over indexed paths
	All       bool     `json:"all,omitempty"`        // walk the whole root again
	Wait      bool     `json:"wait,omitempty"`       // answer when everything queued so far is indexed
	TimeoutMS int      `json:"timeout_ms,omitempty"` // in milliseconds, by default and at most 30000
	Project   string   `json:"project,omitempty"`    // by name or root; empty: the first
}

// An Invalidated says what was queued.
type Invalidated struct {
	Queued     int    `json:"queued"`     // paths queued
	Generation uint64 `json:"generation"` // grows with every commit to the index
}

// Invalidate says that files may have changed. The server watches the root by
// itself: this is for those who cannot wait for that. With Wait it returns when
// everything that was queued until then is indexed.
func (c *Client) Invalidate(ctx context.Context, req InvalidateRequest) (*Invalidated, error) {
	req.Project = cmp.Or(req.Project, c.opt.Project)
	return ask[Invalidated](ctx, c, post("/invalidate", req))
}

// A ReindexRequest has the root walked again.
type ReindexRequest struct {
	Reset   bool   `json:"reset,omitempty"`   // read and parse every file again, whatever its time
	Project string `json:"project,omitempty"` // by name or root; empty: the first
}

// A Reindexed says at which generation the index was.
type Reindexed struct {
	Generation uint64 `json:"generation"` // grows with every commit to the index
}

// Reindex queues the whole root and does not wait. The old index answers until
// the new one is there.
func (c *Client) Reindex(ctx context.Context, req ReindexRequest) (*Reindexed, error) {
	req.Project = cmp.Or(req.Project, c.opt.Project)
	k := post("/reindex", req)
	k.once = true // a second one would do all the work again
	return ask[Reindexed](ctx, c, k)
}

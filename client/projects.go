package client

import (
	"context"
	"net/http"
	"net/url"
)

// A ProjectInfo is a project of the server.
type ProjectInfo struct {
	Name string `json:"name"` // selects it, in the field Project
	Root string `json:"root"`
	// Its index is in memory; else the next request for it loads it from disk, and the state is
	// the last one known.
	Loaded      bool      `json:"loaded"`
	MemoryBytes int64     `json:"memory_bytes"` // what its index takes, about
	State       State     `json:"state"`
	Generation  uint64    `json:"generation"` // grows with every commit to the index
	Progress    float64   `json:"progress"`
	Vectors     float64   `json:"vectors"`
	Freshness   Freshness `json:"freshness"`
	Pending     int       `json:"pending"`
	Paused      string    `json:"paused,omitempty"` // why indexing does not go on now; "": it does
	Files       int       `json:"files"`
	Chunks      int       `json:"chunks"`
}

// A ProjectList has the projects of a server.
type ProjectList struct {
	Projects []ProjectInfo `json:"projects"` // the first one first
}

// Projects lists the projects of the server, the first one first.
func (c *Client) Projects(ctx context.Context) ([]ProjectInfo, error) {
	r, err := ask[ProjectList](ctx, c, get("/projects", nil))
	if err != nil {
		return nil, err
	}
	return r.Projects, nil
}

// An AddProjectRequest names a root to serve.
type AddProjectRequest struct {
	Root string `json:"root"`           // the absolute path of the folder
	Name string `json:"name,omitempty"` // empty: the last element of the root, with a number where that is taken
	// Until the root is served, in milliseconds, by default and at most 30000. Indexing goes on
	// after that.
	TimeoutMS int `json:"timeout_ms,omitempty"`
}

// AddProject has the server take on another root, below a folder that its operator
// allows. A root that is served already is no error.
func (c *Client) AddProject(ctx context.Context, req AddProjectRequest) (*ProjectInfo, error) {
	return ask[ProjectInfo](ctx, c, post("/projects", req))
}

// RemoveProject has the server let go of a project, by its name or root. Its index
// stays on disk.
func (c *Client) RemoveProject(ctx context.Context, project string) error {
	k := call{method: http.MethodDelete, path: "/projects/" + url.PathEscape(project)}
	k.once = true // the second time it is not found
	_, err := ask[struct{}](ctx, c, k)
	return err
}

package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Status asks for everything the server knows about itself.
func (c *Client) Status(ctx context.Context, req StatusRequest) (*Status, error) {
	q := url.Values{}
	text(q, "project", cmp.Or(req.Project, c.opt.Project))
	if req.Skipped != nil {
		q.Set("skipped", strconv.Itoa(*req.Skipped))
	}
	return ask[Status](ctx, c, get("/status", q))
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

// Invalidate says that files may have changed. The server watches the root by
// itself: this is for those who cannot wait for that. With Wait it returns when
// everything that was queued until then is indexed.
func (c *Client) Invalidate(ctx context.Context, req InvalidateRequest) (*Invalidated, error) {
	req.Project = cmp.Or(req.Project, c.opt.Project)
	return ask[Invalidated](ctx, c, post("/invalidate", req))
}

// Reindex queues the whole root and does not wait. The old index answers until
// the new one is there.
func (c *Client) Reindex(ctx context.Context, req ReindexRequest) (*Reindexed, error) {
	req.Project = cmp.Or(req.Project, c.opt.Project)
	k := post("/reindex", req)
	k.once = true // a second one would do all the work again
	return ask[Reindexed](ctx, c, k)
}

// Projects lists the projects of the server, the first one first.
func (c *Client) Projects(ctx context.Context) ([]ProjectInfo, error) {
	r, err := ask[ProjectList](ctx, c, get("/projects", nil))
	if err != nil {
		return nil, err
	}
	return r.Projects, nil
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

// verifyTime is what the server allows a verification.
const verifyTime = 10 * time.Minute

// Verify compares the index with one built afresh, which takes as long as a build.
func (c *Client) Verify(ctx context.Context, req VerifyRequest) (*Verification, error) {
	req.Project = cmp.Or(req.Project, c.opt.Project)
	k := post("/verify", req)
	k.more = verifyTime
	return ask[Verification](ctx, c, k)
}

// CoachReport asks which form of the answers to Grep, Cat and Find works best.
func (c *Client) CoachReport(ctx context.Context) (*CoachReport, error) {
	return ask[CoachReport](ctx, c, get("/coach/report", nil))
}

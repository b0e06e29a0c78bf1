package socket

import (
	"context"
	"time"

	"github.com/quarry-search/quarry/api/command"
)

// ping says who answers, without waking a project.
func (c *call) ping(ctx context.Context) (answer, error) {
	body, err := c.get(ctx, "/ready", fields{})
	if err != nil {
		return nil, err
	}
	index := body.object("index")
	return answer{
		"message": "pong", "version": c.opt.Version,
		"result": fields{"name": "quarry", "version": c.opt.Version, "capabilities": command.Names(func(command.Command) bool { return true }), "root": index["root"], "state": index["state"]},
	}, nil
}

// status says how the server is, in llm-tldr's words and, as result, in those of the
// endpoint. What has no meaning here is 0, empty or null; docs/socket.md says which.
func (c *call) status(ctx context.Context) (answer, error) {
	body, err := c.get(ctx, "/status", fields{"skipped": c.f["skipped"]})
	if err != nil {
		return nil, err
	}
	index := body.object("index")
	state := index.text("state")
	switch state {
	case "indexing", "failed":
	default:
		state = "ready" // it answers from a whole index
	}
	b := c.books.read(c.f.text("session"))
	var parsed, reused uint64
	if c.opt.Work != nil {
		parsed, reused = c.opt.Work(c.project)
	}
	changes := b.invalidations + body.object("watcher").number("events")
	return answer{
		"status": state, "uptime": time.Since(c.started).Seconds(), "files": index["files"], "project": body["root"],
		"salsa_stats": fields{
			"cache_hits": reused, "cache_misses": parsed, "invalidations": changes, "recomputations": parsed, "hits": reused, "misses": parsed,
		},
		"dedup_stats": fields{}, "session_stats": b.session, "all_sessions": b.sessions, "hook_stats": b.hooks,
		"result": body,
	}, nil
}

// shutdown ends the server, where its operator lets clients do that.
func (c *call) shutdown(ctx context.Context) (answer, error) {
	if c.opt.Shutdown == nil {
		return nil, failf(codeForbidden, "this server may not be shut down by its clients; quarry serve --allow-shutdown lets them")
	}
	c.after = c.opt.Shutdown
	return answer{"status": "shutting_down", "result": "shutting_down"}, nil
}

// warm says what is indexed: it was, or is being, before anybody asked.
func (c *call) warm(ctx context.Context) (answer, error) {
	body, err := c.get(ctx, "/status", fields{"skipped": 0})
	if err != nil {
		return nil, err
	}
	calls, err := c.get(ctx, "/calls", fields{"limit": 1})
	if err != nil {
		return nil, err
	}
	index := body.object("index")
	files, edges := index["files"], calls.object("counts")["edges"]
	return answer{"files": files, "edges": edges, "result": fields{"files": files, "edges": edges, "state": index["state"]}}.with(body), nil
}

// queued says what an invalidation has done. Every change is indexed as it comes, so
// there is no number of them that is waited for.
func (c *call) queued(ctx context.Context, body fields) (answer, error) {
	n := body.number("queued")
	c.books.invalidated(n)
	return answer{"result": body, "dirty_count": n, "threshold": 1, "reindex_triggered": n > 0, "generation": body["generation"]}, nil
}

// track counts what a hook has done.
func (c *call) track(ctx context.Context) (answer, error) {
	hook := c.f.text("hook")
	if hook == "" {
		return nil, failf(codeInvalidRequest, "Missing 'hook' field")
	}
	success := c.f["success"] == nil || c.f.flag("success")
	total, ok := c.books.track(hook, success, c.f.object("metrics"))
	if !ok {
		return nil, failf(codeRateLimited, "more than %d hooks are not counted", maxHooks)
	}
	return answer{"hook": hook, "total_invocations": total, "flushed": false, "result": fields{"hook": hook, "total_invocations": total}}, nil
}

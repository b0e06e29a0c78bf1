package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

const (
	name           = "quarry"
	defaultSkipped = 100 // skipped files in /status
)

// capabilities are what a client may rely on; one is added with its endpoint.
func capabilities() []string {
	return []string{
		"search", "related", "structure", "skeleton", "extract", "imports", "arch", "calls", "impact", "dead", "definition", "references", "cfg", "dfg", "diagnostics", "slice", "flows", "graph", "map", "context", "trace", "summarize", "startup", "grep", "cat", "find", "handles",
		"invalidate", "reindex", "status", "projects", "verify", "events", "coach/report", "rpc", "relay", "mcp", "tools",
	}
}

// ownEndpoints are those that tell of the server and its indexes.
func (s *Server) ownEndpoints() []service.Endpoint {
	return []service.Endpoint{
		service.Of("/health", s.tellHealth),
		service.Of("/ready", s.tellReady),
		service.Of("/status", s.tellStatus),
		service.Of("/verify", s.service.Verify),
		service.Of("/invalidate", s.invalidate),
		service.Of("/reindex", s.reindex),
	}
}

// health is for liveness. It says ok while the process serves: clients probe it
// once and never come back after a refusal.
func (s *Server) health(w http.ResponseWriter, r *http.Request, c *exchange) {
	if !s.trusts(r) {
		s.write(w, r, c, http.StatusOK, &wire.Health{Status: "ok", Instance: s.instance})
		return
	}
	body, _ := s.tellHealth(r.Context(), &c.Call, nil) // it does not fail
	s.setGeneration(w, body.Generation)
	s.write(w, r, c, http.StatusOK, body)
}

func (s *Server) tellHealth(ctx context.Context, _ *service.Call, _ *wire.HealthRequest) (*wire.Health, error) {
	body := &wire.Health{Status: "ok", Version: s.version, UptimeSeconds: int(s.uptime())}
	for i, p := range s.shown(ctx) {
		body.Roots = append(body.Roots, p.Root)
		body.Indexing = body.Indexing || p.State.State == answer.Indexing
		body.Paused = cmp.Or(body.Paused, p.State.Paused)
		if i == 0 {
			body.Root, body.Generation, body.Files, body.Chunks = p.Root, p.State.Generation, p.State.Files, p.State.Chunks
		}
	}
	if len(body.Roots) <= 1 {
		body.Roots = nil
	}
	return body, nil
}

// ready says whether answers come from whole indexes: not during a first build, and
// not after one that failed with nothing to show.
func (s *Server) ready(w http.ResponseWriter, r *http.Request, c *exchange) {
	_, denied := s.authorize(r)
	request := &wire.ReadyRequest{}
	if r.URL.Query().Has("project") {
		if denied != nil { // whether there is such a project is not for everybody
			s.fail(w, r, c, denied)
			return
		}
		d := s.decode(w, r)
		identify(d, r)
		if request.Project = d.Text("project", fields.MaxPath); d.Err != nil {
			s.fail(w, r, c, d.Err)
			return
		}
		request.One = true
	}
	body, err := s.tellReady(r.Context(), &c.Call, request)
	if err != nil {
		s.fail(w, r, c, err)
		return
	}
	body.Ready = body.Ready && s.unready() == nil
	if denied == nil {
		s.setGeneration(w, body.Index.Generation)
	} else {
		body.Index = wire.Index{}
	}
	if !body.Ready {
		w.Header().Set("Retry-After", "1")
	}
	s.write(w, r, c, statusOf(request, body), body)
}

// unready says why nothing can be asked yet; nil: it can.
func (s *Server) unready() error {
	if s.opt.Unready == nil {
		return nil
	}
	return s.opt.Unready()
}

// asksProjects reports whether a path is of something that is not of the server alone.
func asksProjects(path string) bool {
	return !openPath(path) && !slices.Contains([]string{"/metrics", "/version", "/openapi.yaml", "/tools"}, path)
}

// shown are the projects that are told of where nobody has asked for any: of many, those that are
// in memory.
func (s *Server) shown(ctx context.Context) []ProjectInfo {
	all := s.projects.List(ctx)
	if s.opt.Apart {
		all = slices.DeleteFunc(all, func(p ProjectInfo) bool { return !p.Loaded })
	}
	return all
}

func (s *Server) tellReady(ctx context.Context, _ *service.Call, q *wire.ReadyRequest) (*wire.Ready, error) {
	all := s.shown(ctx)
	if q.One || q.Project != "" {
		p, err := s.service.Info(ctx, q.Project)
		if err != nil {
			return nil, err
		}
		all = []ProjectInfo{p}
	}
	body := &wire.Ready{Ready: true}
	if len(all) == 0 { // whoever has projects apart from each other waits for none of them
		body.Index = service.IndexOf(answer.State{State: answer.Ready, Progress: 1, Freshness: answer.Unknown})
	}
	for i, p := range all {
		whole := p.State.State != answer.Indexing && (p.State.State != answer.Failed || p.State.Files > 0)
		if i == 0 || body.Ready && !whole {
			body.Index = service.IndexOf(p.State)
		}
		body.Ready = body.Ready && whole
	}
	return body, nil
}

func (s *Server) tellStatus(ctx context.Context, c *service.Call, q *wire.StatusRequest) (*wire.Status, error) {
	skipped := defaultSkipped
	if q.Skipped != nil {
		skipped = *q.Skipped
	}
	p, done, err := s.projects.Acquire(ctx, q.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	c.Project = p.Name
	st := p.Index.Status(skipped)
	l, m := s.limits, s.memory()
	body := &wire.Status{
		Name: name, Version: s.version, Capabilities: capabilities(), Root: st.Root, PID: os.Getpid(), UptimeSeconds: int(s.uptime()),
		URL: s.scheme() + c.Host, Sockets: []string{}, Index: service.StatusIndexOf(&st), Coverage: service.CoverageOf(&st.Coverage), Projects: projectList(s.shown(ctx)),
		Memory: wire.Memory{BudgetBytes: m.Budget, ResidentBytes: m.Resident, ParserBytes: m.Parsers, HeapBytes: m.Heap, FreeBytes: m.Free,
			EvictedTotal: m.Evicted, RefusedTotal: m.Refused},
		Limits: wire.Limits{BodyBytes: l.Body, QueryBytes: int64(l.Query), Limit: l.Limit, PerFile: wire.MaxPerFile, ResponseBytes: int64(l.Response),
			TimeoutMS: int(l.Timeout.Milliseconds()), Slots: l.Slots, HeavySlots: l.Heavy, Queue: l.Queue, Connections: l.Connections},
	}
	body.Sessions = s.sessionsOf(ctx, st.Root)
	if u := s.url.Load(); u != nil {
		body.URL = *u
	}
	if m := st.Model; m != nil {
		body.Model = &wire.Model{Name: m.Name, Dimension: m.Dim, Backend: m.Backend, Reason: m.Reason, SHA256: m.SHA256}
	} else {
		body.NoModel = cmp.Or(p.NoModel, "the index was opened without a model")
	}
	if !identity.Of(ctx).Operates() { // of the process as it works for others
		body.Memory = wire.Memory{}
	} else if s.opt.Descriptors != nil {
		body.Descriptors = s.opt.Descriptors()
	}
	if p.Watcher != nil {
		body.Watcher = p.Watcher()
	}
	if s.opt.Sockets != nil {
		body.Sockets = append(body.Sockets, s.opt.Sockets()...)
	}
	c.Generation, c.Generated = st.Generation, true
	return body, nil
}

// Bounds of what is shown of sessions. Whoever knows the whole name of one could ask as it.
const (
	mostSessions = 100
	sessionStart = 8 // characters
)

func (s *Server) sessionsOf(ctx context.Context, root string) []wire.SessionUse {
	all := []wire.SessionUse{}
	for _, u := range s.service.Sessions().Of(ctx, root, mostSessions) {
		id := []rune(u.ID)
		all = append(all, wire.SessionUse{ID: string(id[:min(len(id), sessionStart)]), TokensSent: u.Sent, TokensRaw: u.Raw, LastUsed: u.Last})
	}
	return all
}

func (s *Server) showVersion(w http.ResponseWriter, r *http.Request, c *exchange) {
	body := &wire.Version{Name: name, Version: s.version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, b := range info.Settings {
			switch b.Key {
			case "vcs.revision":
				body.Commit = b.Value
			case "vcs.modified":
				body.Modified = b.Value == "true"
			}
		}
	}
	buf, err := service.Encode(body)
	defer service.Release(buf)
	switch {
	case err != nil:
		s.fail(w, r, c, err)
	case !fresh(w, r, contentTag(buf.Bytes())):
		c.send(w, r, http.StatusOK, body, buf)
	}
}

// contentTag is the tag of what does not depend on the index.
func contentTag(text []byte) string { return fmt.Sprintf(`"%016x"`, xxhash.Sum64(text)) }

func (s *Server) document(w http.ResponseWriter, r *http.Request, _ *exchange) {
	if fresh(w, r, contentTag(quarry.OpenAPI)) {
		return
	}
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(quarry.OpenAPI)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(quarry.OpenAPI)
	}
}

// invalidate queues paths, and with wait answers when they are indexed.
func (s *Server) invalidate(ctx context.Context, c *service.Call, q *wire.InvalidateRequest) (*wire.Invalidated, error) {
	if q.Path == "" && len(q.Paths) == 0 && q.Pattern == "" && !q.All {
		return nil, wire.Problemf(wire.CodeInvalidRequest, "one of path, paths, pattern and all is needed")
	}
	inv := index.Invalidation{Paths: q.Paths, Pattern: q.Pattern, All: q.All}
	if q.Path != "" {
		inv.Paths = append(slices.Clip(inv.Paths), q.Path)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(q.TimeoutMS)*time.Millisecond)
	defer cancel()
	c.Lasts = q.Wait // as long as what it waits for
	project, done, err := s.projects.Acquire(ctx, q.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	c.Project = project.Name
	for _, p := range inv.Paths {
		if err := fields.CheckPath(p); err != nil {
			return nil, err
		}
	}
	queued, generation, err := project.Index.Invalidate(inv)
	if err != nil {
		return nil, err
	}
	if q.Wait {
		if err := project.Index.Flush(ctx); err != nil {
			return nil, err
		}
		generation = project.Index.State().Generation
	}
	c.Generation, c.Generated = generation, true
	return &wire.Invalidated{Queued: queued, Generation: generation}, nil
}

func (s *Server) reindex(ctx context.Context, c *service.Call, q *wire.ReindexRequest) (*wire.Reindexed, error) {
	project, done, err := s.projects.Acquire(ctx, q.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	c.Project = project.Name
	_, generation, err := project.Index.Invalidate(index.Invalidation{All: true, Reset: q.Reset})
	if err != nil {
		return nil, err
	}
	c.Generation, c.Generated = generation, true
	return &wire.Reindexed{Generation: generation}, nil
}

func (s *Server) setGeneration(w http.ResponseWriter, generation uint64) {
	w.Header().Set("X-Index-Generation", strconv.FormatUint(generation, 10))
}

func (s *Server) uptime() int64 { return int64(time.Since(s.started).Seconds()) }

// coachReport says which form of an answer has done how well.
func (s *Server) coachReport(w http.ResponseWriter, r *http.Request, c *exchange) {
	body := &wire.CoachReport{Enabled: s.opt.Coach != nil}
	if !body.Enabled {
		body.Message = "the coach is turned off: every answer has its default form, and none is scored"
	}
	for cmd, records := range s.opt.Coach.Report() {
		forms := make([]wire.CoachForm, len(records))
		for i, f := range records {
			forms[i] = wire.CoachForm{
				V: f.ID, Preview: f.Preview, HotZone: f.HotZone, Density: string(f.Density), N: f.N, Scored: f.Scored, Share: f.Share, Best: f.Best, Enough: f.Enough,
			}
			if f.Scored > 0 {
				forms[i].Mean = &f.Mean
			}
		}
		switch cmd {
		case "grep":
			body.Commands.Grep = forms
		case "cat":
			body.Commands.Cat = forms
		case "find":
			body.Commands.Find = forms
		}
	}
	s.write(w, r, c, http.StatusOK, body)
}

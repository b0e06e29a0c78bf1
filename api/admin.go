package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

const (
	name           = "quarry"
	defaultSkipped = 100    // skipped files in /status
	maxSkipped     = 10_000 // the same, when asked for
)

// capabilities are what a client may rely on; one is added with its endpoint.
func capabilities() []string {
	return []string{
		"search", "related", "structure", "skeleton", "extract", "imports", "calls", "impact", "context", "trace", "summarize", "startup", "grep", "cat", "find", "handles",
		"invalidate", "reindex", "status", "projects", "verify", "events", "coach/report", "rpc", "relay", "mcp",
	}
}

type healthBody struct {
	Status     string `json:"status"`
	Indexing   bool   `json:"indexing"`
	Version    string `json:"version"`
	Root       string `json:"root"` // of the first project, like what follows
	Generation uint64 `json:"generation"`
	Files      int    `json:"files"`
	Chunks     int    `json:"chunks"`
	Uptime     int64  `json:"uptime_s"`
	Paused     string `json:"paused,omitempty"` // why indexing does not go on

	Roots []string `json:"roots,omitempty"` // of all projects, where there are several
}

// openHealthBody is what /health says to a client that does not show the token: nothing of the
// projects, nor of the program.
type openHealthBody struct {
	Status   string `json:"status"`
	Instance string `json:"instance"`
}

// health is for liveness. It says ok while the process serves: clients probe it
// once and never come back after a refusal.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if !s.trusts(r) {
		s.write(w, r, http.StatusOK, openHealthBody{"ok", s.instance})
		return
	}
	body := healthBody{Status: "ok", Version: s.version, Uptime: s.uptime()}
	for i, p := range s.projects.List() {
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
	s.setGeneration(w, body.Generation)
	s.write(w, r, http.StatusOK, body)
}

type readyBody struct {
	Ready bool        `json:"ready"`
	Index *wire.Index `json:"index,omitempty"` // nil: for a client that does not show the token
}

// ready says whether answers come from whole indexes: not during a first build, and
// not after one that failed with nothing to show.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	var body readyBody
	body.Ready = true
	all := s.projects.List()
	trusted := s.trusts(r)
	if r.URL.Query().Has("project") {
		if !trusted { // whether there is such a project is not for everybody
			s.fail(w, r, s.authorize(r))
			return
		}
		p, err := s.info(s.decode(w, r))
		if err != nil {
			s.fail(w, r, err)
			return
		}
		all = []ProjectInfo{p}
	}
	var shown wire.Index
	for i, p := range all {
		whole := p.State.State != answer.Indexing && (p.State.State != answer.Failed || p.State.Files > 0)
		if i == 0 || body.Ready && !whole {
			shown = newIndexBody(p.State)
		}
		body.Ready = body.Ready && whole
	}
	if trusted {
		body.Index = &shown
		s.setGeneration(w, shown.Generation)
	}
	if !body.Ready {
		w.Header().Set("Retry-After", "1")
		s.write(w, r, http.StatusServiceUnavailable, body)
		return
	}
	s.write(w, r, http.StatusOK, body)
}

type statusBody struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Capabilities []string          `json:"capabilities"`
	Root         string            `json:"root"`
	PID          int               `json:"pid"`
	Uptime       int64             `json:"uptime_s"`
	URL          string            `json:"url"`
	Sockets      []string          `json:"sockets"`
	Index        statusIndex       `json:"index"`
	Coverage     index.Coverage    `json:"coverage"`
	Model        *wire.Model       `json:"model"`
	NoModel      string            `json:"no_model,omitempty"` // why model is null
	Watcher      any               `json:"watcher"`
	Projects     []projectBody     `json:"projects"`
	Memory       Memory            `json:"memory"`
	Descriptors  *wire.Descriptors `json:"descriptors"`
	Limits       wire.Limits       `json:"limits"`
}

type statusIndex struct {
	answer.State
	Symbols       int        `json:"symbols"`
	References    int        `json:"references"`
	Terms         int        `json:"terms"`
	SourceBytes   int64      `json:"source_bytes"`
	LastIndexedAt *time.Time `json:"last_indexed_at"`
	LastCommit    string     `json:"last_commit,omitempty"`
	LastError     string     `json:"last_error,omitempty"`
	BuildSeconds  float64    `json:"build_seconds"`

	Snapshot *answer.Origin `json:"snapshot"`
	Memory   answer.Memory  `json:"memory_bytes"`
}

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	skipped := d.count("skipped", 0, defaultSkipped, maxSkipped)
	p, done, err := s.project(r.Context(), d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	st := p.Index.Status(skipped)
	body := statusBody{
		Name: name, Version: s.version, Capabilities: capabilities(), Root: st.Root, PID: os.Getpid(), Uptime: s.uptime(),
		URL: s.scheme() + r.Host, Coverage: st.Coverage,
		Index: statusIndex{st.State, st.Symbols, st.References, st.Terms, st.SourceBytes,
			st.LastIndexedAt, st.LastCommit, st.LastError, st.BuildSeconds, st.Snapshot, st.Memory},
		Limits: wire.Limits{BodyBytes: s.limits.Body, QueryBytes: int64(s.limits.Query), Limit: s.limits.Limit, PerFile: maxPerFile, ResponseBytes: int64(s.limits.Response),
			TimeoutMS: int(s.limits.Timeout.Milliseconds()), Slots: s.limits.Slots, HeavySlots: s.limits.Heavy, Queue: s.limits.Queue, Connections: s.limits.Connections},
	}
	if u := s.url.Load(); u != nil {
		body.URL = *u
	}
	if m := st.Model; m != nil {
		body.Model = &wire.Model{Name: m.Name, Dimension: m.Dim, Backend: m.Backend, Reason: m.Reason, SHA256: m.SHA256}
	} else {
		body.NoModel = cmp.Or(p.NoModel, "the index was opened without a model")
	}
	body.Projects, body.Memory = s.projectBodies(), s.memory()
	if s.opt.Descriptors != nil {
		body.Descriptors = s.opt.Descriptors()
	}
	if p.Watcher != nil {
		body.Watcher = p.Watcher()
	}
	// Lists and tables are empty, never null.
	if s.opt.Sockets != nil {
		body.Sockets = s.opt.Sockets()
	}
	if body.Sockets == nil {
		body.Sockets = []string{}
	}
	if body.Coverage.Files == nil {
		body.Coverage.Files = []answer.SkippedFile{}
	}
	if body.Coverage.Reasons == nil {
		body.Coverage.Reasons = map[string]int{}
	}
	if body.Coverage.Unparsed == nil {
		body.Coverage.Unparsed = map[string]int{}
	}
	if body.Coverage.Texts == nil {
		body.Coverage.Texts = []answer.SkippedFile{}
	}
	if body.Coverage.Languages == nil {
		body.Coverage.Languages = map[string]int{}
	}
	s.setGeneration(w, st.Generation)
	s.write(w, r, http.StatusOK, body)
}

func (s *Server) showVersion(w http.ResponseWriter, r *http.Request) {
	body := wire.Version{Name: name, Version: s.version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
	buf, err := encode(body)
	defer release(buf)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case !fresh(w, r, contentTag(buf.Bytes())):
		send(w, r, http.StatusOK, buf)
	}
}

// contentTag is the tag of what does not depend on the index.
func contentTag(text []byte) string { return fmt.Sprintf(`"%016x"`, xxhash.Sum64(text)) }

func (s *Server) document(w http.ResponseWriter, r *http.Request) {
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
func (s *Server) invalidate(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	inv := index.Invalidation{
		Paths:   d.texts("paths", maxPath),
		Pattern: d.text("pattern", maxPath),
		All:     d.flag("all"),
	}
	if p := d.text("path", maxPath); p != "" {
		inv.Paths = append(inv.Paths, p)
	}
	wait, timeout := d.flag("wait"), s.timeout(d)
	if len(inv.Paths) == 0 && inv.Pattern == "" && !inv.All {
		d.failf("one of path, paths, pattern and all is needed")
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	trailOf(ctx).lasts = wait // as long as what it waits for
	project, done, err := s.project(ctx, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	x := project.Index
	for _, p := range inv.Paths {
		if err := checkPath(p); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	queued, generation, err := x.Invalidate(inv)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	status := http.StatusAccepted
	if wait {
		if err := x.Flush(ctx); err != nil {
			s.fail(w, r, err)
			return
		}
		status = http.StatusOK
		generation = x.State().Generation
	}
	s.setGeneration(w, generation)
	s.write(w, r, status, wire.Invalidated{Queued: queued, Generation: generation})
}

func (s *Server) reindex(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	inv := index.Invalidation{All: true, Reset: d.flag("reset")}
	project, done, err := s.project(r.Context(), d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	x := project.Index
	_, generation, err := x.Invalidate(inv)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.setGeneration(w, generation)
	s.write(w, r, http.StatusAccepted, wire.Reindexed{Generation: generation})
}

func (s *Server) setGeneration(w http.ResponseWriter, generation uint64) {
	w.Header().Set("X-Index-Generation", strconv.FormatUint(generation, 10))
}

func (s *Server) uptime() int64 { return int64(time.Since(s.started).Seconds()) }

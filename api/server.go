package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/brief"
	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/links"
	"github.com/quarry-search/quarry/index/outline"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/throttle"
	"github.com/quarry-search/quarry/index/verify"
)

// An Index is what the server asks. *index.Index is one; its documentation says
// what the methods promise. State must not wait for anything.
type Index interface {
	Search(ctx context.Context, q search.Query) (search.Answer, error)
	Related(ctx context.Context, file string, line int, q search.Query) (search.Answer, error)
	Structure(ctx context.Context, q outline.StructureQuery) (outline.StructureAnswer, error)
	Skeleton(ctx context.Context, q outline.SkeletonQuery) (outline.Skeletons, error)
	Extract(ctx context.Context, q outline.ExtractQuery) (outline.ExtractAnswer, error)
	Imports(ctx context.Context, q outline.ImportsQuery) (outline.ImportsAnswer, error)
	Calls(ctx context.Context, q calls.CallsQuery) (calls.CallsAnswer, error)
	Impact(ctx context.Context, q calls.ImpactQuery) (calls.ImpactAnswer, error)
	Context(ctx context.Context, q brief.ContextQuery) (brief.ContextAnswer, error)
	Trace(ctx context.Context, q calls.TraceQuery) (calls.TraceAnswer, error)
	Grep(ctx context.Context, q grep.GrepQuery) (*grep.GrepAnswer, error)
	Lines(ctx context.Context, g *grep.GrepAnswer, from, n int) (lines []grep.GrepLine, gone int, err error)
	GrepRaw(ctx context.Context, q grep.GrepQuery, o grep.RawOptions, w io.Writer) (matches int, err error)
	Read(ctx context.Context, q grep.ReadQuery) (grep.FileText, error)
	Find(ctx context.Context, q grep.FindQuery) (grep.Found, error)
	brief.Summarizer
	Startup(ctx context.Context, q brief.StartupQuery) (brief.StartupAnswer, error)
	Verify(ctx context.Context, opt verify.VerifyOptions) (verify.Verification, error)
	Links(ctx context.Context, to links.Library) (links.LinksAnswer, error)
	links.Library
	State() answer.State
	Work() answer.Work
	Status(skipped int) index.Status
	Invalidate(inv index.Invalidation) (queued int, generation uint64, err error)
	Flush(ctx context.Context) error
	Changes(ctx context.Context, last answer.Event) (answer.Event, error)
	With(ctx context.Context, files []index.Overlay) (*index.Overlaid, error)
	Resolve(path string) (string, error)
	Knows(path string) bool
	Exists(path string) bool
	Root() string
}

// Options configure a Server. Only Index or Projects is needed.
type Options struct {
	Index    Index                // the only one; nil: those of Projects
	Projects Projects             // nil: the Index
	Logger   *slog.Logger         // nil: nothing is logged
	Registry *prometheus.Registry // the metrics are registered here; nil: a new one with the Go runtime's metrics
	Version  string               // of the program; "": "dev"
	Limits   Limits

	// Sockets returns the paths of the Unix sockets that are served alongside HTTP, for
	// /status. nil: there are none.
	Sockets func() []string
	// Memory says where the memory goes, for /status. nil: what Go's runtime says.
	Memory func() Memory

	// Coach chooses the forms of answers, and is told what sessions do. nil: every
	// answer has its default form. Who opens it saves it, after Serve has returned.
	Coach *coach.Coach
	// LLM summarises the texts of requests that ask for its engine; nil: those are
	// answered no_llm. With LLMByDefault it summarises those that name no engine, too.
	LLM          *llm.Client
	LLMByDefault bool

	// Throttle is told when an answer is being made. nil: nobody needs to know.
	Throttle *throttle.Gate

	// Descriptors returns how many are open, for /status. nil: nobody knows.
	Descriptors func() *wire.Descriptors

	// Figures are more of what /metrics shows, and Meters what has been measured for it.
	Figures Figures
	Meters  *Meters // nil: those of nothing

	// AllowOrigins are the values of the Origin header that are not refused, such as
	// https://ide.example: pages from there may ask and read the answers. There is no
	// pattern for several. nil: none, and no header of CORS is ever sent.
	AllowOrigins []string
	// AllowHosts are names, without port, that are accepted in the Host header
	// besides localhost and the loopback addresses; "*" accepts all. With a Token
	// every name is accepted: a page that has its own name point to this machine
	// does not know the token.
	AllowHosts []string

	Envelope EnvelopeOptions

	// SlowQuery is from how long on a request is logged with what it has used of the
	// index: never with what was asked, or of which file. 0: none is.
	SlowQuery time.Duration
	// Pprof serves Go's profiles at /debug/pprof, to this machine only.
	Pprof bool

	// Osgrep has /search answer in the shape of osgrep's server, except where a request
	// names another.
	Osgrep bool

	// TLS, if there is one, has Serve speak HTTPS only; it needs a certificate or a
	// function that gets one. nil: plain HTTP.
	TLS *tls.Config

	// Token, if there is one, must be shown by every request, from this machine
	// too, as Authorization: Bearer TOKEN; others are answered 401. Only GET
	// /health and /ready are open, and say no more than how the server is. The
	// server keeps a hash of it.
	Token string
}

// Limits bound what a request may cost. A zero field takes its default.
type Limits struct {
	Body     int64         // bytes of a request's body; 1 MiB
	Query    int           // bytes of a query; 8 KiB
	Limit    int           // results of a search; 100
	Response int           // bytes of a search's response, beyond which its last results are left out; 1 MiB
	Timeout  time.Duration // of a request's work, queueing included; 30 s
	Slots    int           // cheap requests that are at work at once; the number of processors
	Heavy    int           // heavy requests that are at work at once; half of that, but 2 at least
	Queue    int           // requests of a class that wait for a slot before more are refused; 64

	// Connections that are open at once; 1024. For more, those without a request are
	// closed, the oldest first; where all have one, more are answered 429 and closed.
	Connections int

	HeaderTimeout time.Duration // for the arrival of a request's header; 5 s
	BodyTimeout   time.Duration // for the arrival of a request's body; 10 s
	WriteTimeout  time.Duration // for a slow reader to take its response; 30 s
	IdleTimeout   time.Duration // of a connection between two requests; 120 s
	Grace         time.Duration // for requests in flight, when the server is to end; 5 s
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:          cmp.Or(l.Body, 1<<20),
		Query:         cmp.Or(l.Query, 8<<10),
		Limit:         cmp.Or(l.Limit, 100),
		Response:      cmp.Or(l.Response, 1<<20),
		Timeout:       cmp.Or(l.Timeout, 30*time.Second),
		Slots:         cmp.Or(l.Slots, runtime.GOMAXPROCS(0)),
		Heavy:         cmp.Or(l.Heavy, max(2, runtime.GOMAXPROCS(0)/2)),
		Queue:         cmp.Or(l.Queue, 64),
		Connections:   cmp.Or(l.Connections, 1024),
		HeaderTimeout: cmp.Or(l.HeaderTimeout, 5*time.Second),
		BodyTimeout:   cmp.Or(l.BodyTimeout, 10*time.Second),
		WriteTimeout:  cmp.Or(l.WriteTimeout, 30*time.Second),
		IdleTimeout:   cmp.Or(l.IdleTimeout, 120*time.Second),
		Grace:         cmp.Or(l.Grace, 5*time.Second),
	}
}

// A Server answers HTTP requests from its projects. It is safe for concurrent use.
type Server struct {
	projects Projects
	log      *slog.Logger
	version  string
	limits   Limits
	opt      Options    // without the token
	token    *tokenHash // nil: none is asked for
	instance string     // see Instance
	metrics  *metrics
	slots    map[class]*slots
	commands map[string]command.Command
	links    linkCache
	handles  te.Store
	sessions *sessions
	started  time.Time
	url      atomic.Pointer[string] // where Serve listens
	streams  atomic.Int64           // of events, open

	connections connTable // of HTTP
	activity    activity
	router      chi.Router

	verifying atomic.Bool // a request for /verify runs
}

// New returns a Server. It fails when there is nothing to ask, a limit is negative,
// or the Registry already holds metrics of the same name.
func New(opt Options) (*Server, error) {
	if (opt.Index == nil) == (opt.Projects == nil) {
		return nil, errors.New("api: one of an index and projects is needed")
	}
	for _, o := range opt.AllowOrigins {
		if o == "null" || strings.Contains(o, "*") {
			return nil, fmt.Errorf("api: the origin %q names no site", o)
		}
	}
	l := opt.Limits.withDefaults()
	if l.Body < 0 || min(l.Query, l.Limit, l.Response, l.Slots, l.Heavy, l.Queue, l.Connections) < 0 ||
		min(l.Timeout, l.HeaderTimeout, l.BodyTimeout, l.WriteTimeout, l.IdleTimeout, l.Grace) < 0 {
		return nil, errors.New("api: negative limit")
	}
	s := &Server{
		projects: opt.Projects,
		log:      opt.Logger,
		version:  cmp.Or(opt.Version, "dev"),
		limits:   l,
		opt:      opt,
		token:    hashToken(opt.Token),
		instance: rand.Text(),
		slots: map[class]*slots{
			cheap:    newSlots(cheap, l.Slots, l.Queue),
			heavy:    newSlots(heavy, l.Heavy, l.Queue),
			streamed: newSlots(streamed, rawAnswers, l.Queue),
		},
		commands: command.All(),
		sessions: newSessions(),
		started:  time.Now(),
	}
	s.opt.Token = ""
	s.opt.Envelope = opt.Envelope.withDefaults()
	if opt.Index != nil {
		s.projects = single{Project{Name: filepath.Base(opt.Index.Root()), Index: opt.Index}}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if opt.Meters == nil {
		s.opt.Meters = NewMeters()
	}
	m, err := newMetrics(s, opt.Registry)
	if err != nil {
		return nil, fmt.Errorf("api: register metrics: %w", err)
	}
	s.metrics = m
	s.router = s.routes()
	return s, m.enumerate(s.router)
}

// Instance returns a random word that no other server has. /health says it to a client that does
// not show the token, so that other processes of the user, which are told it, know the
// server again.
func (s *Server) Instance() string { return s.instance }

// Handler returns the server's handler, with all its endpoints.
func (s *Server) Handler() http.Handler { return s.router }

func (s *Server) routes() chi.Router {
	r := chi.NewRouter()
	r.Use(s.active, s.observe, s.uncrowd)
	if len(s.opt.AllowOrigins) > 0 {
		r.Use(crossOrigin(s.opt.AllowOrigins))
	}
	r.Use(s.guard, withForm, middleware.GetHead)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed)

	for path, handler := range map[string]http.HandlerFunc{
		"/search":    s.search,
		"/related":   s.related,
		"/structure": s.structure,
		"/skeleton":  s.skeleton,
		"/extract":   s.extract,
		"/imports":   s.imports,
		"/calls":     s.calls,
		"/impact":    s.impact,
		"/context":   s.context,
		"/trace":     s.trace,
		"/grep":      s.grep,
		"/cat":       s.cat,
		"/find":      s.find,
		"/summarize": s.summarize,
		"/startup":   s.startup,
	} {
		handler = s.answering(handler)
		r.Get(path, handler)
		r.Post(path, handler)
	}
	r.Get("/handles", s.listHandles)
	r.Get("/handles/{id}", s.handle)
	r.Get("/health", s.health)
	r.Get("/ready", s.ready)
	r.Get("/status", s.status)
	r.Get("/events", s.events)
	r.Get("/version", s.showVersion)
	r.Get("/openapi.yaml", s.document)
	r.Get("/metrics", s.metrics.handler.ServeHTTP)
	r.Get("/coach/report", s.coachReport)
	r.Get("/projects", s.listProjects)
	r.Post("/projects", s.addProject)
	r.Delete("/projects/{name}", s.removeProject)
	r.Post("/invalidate", s.invalidate)
	r.Post("/reindex", s.reindex)
	r.Post("/verify", s.verify)
	r.Post("/rpc", s.rpc)
	r.Post("/relay", s.relay)
	r.Post("/mcp", s.mcp(s.newMCP()))
	if s.opt.Pprof {
		s.profiles(r)
	}
	return r
}

// Serve answers requests on the listeners until ctx ends or one of them fails,
// and closes them. When ctx ends it takes no new requests, ends the streams of
// events, gives the other requests in flight Limits.Grace to finish, then cancels
// them; it returns nil. It returns
// after everything it started has ended.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	if len(listeners) == 0 {
		return errors.New("api: no listeners")
	}
	// An address such as 0.0.0.0 names no machine; then each request's Host does.
	if a, ok := listeners[0].Addr().(*net.TCPAddr); !ok || !a.IP.IsUnspecified() {
		url := s.scheme() + listeners[0].Addr().String()
		s.url.Store(&url)
	}

	// Requests must survive the end of ctx by the grace period.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	base, endStreams := withEnding(base)
	defer endStreams()
	hs := s.httpServer(base)

	failed := make(chan error, len(listeners))
	var wg sync.WaitGroup
	for _, l := range listeners {
		wg.Go(func() {
			serve := hs.Serve
			if s.opt.TLS != nil { // hs.TLSConfig is set by Serve, too
				serve = func(l net.Listener) error { return hs.ServeTLS(l, "", "") }
			}
			if err := serve(s.bounded(l)); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("api: serve %s: %w", l.Addr(), err)
			}
		})
	}

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	endStreams()
	grace, stop := context.WithTimeout(context.WithoutCancel(ctx), s.limits.Grace)
	defer stop()
	if hs.Shutdown(grace) != nil { // some request is still running
		cancel()
		hs.Close()
	}
	wg.Wait()
	return err
}

// scheme is what the server's address begins with.
func (s *Server) scheme() string {
	if s.opt.TLS != nil {
		return "https://"
	}
	return "http://"
}

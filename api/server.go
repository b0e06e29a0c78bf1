package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quarry-search/quarry/api/analysis"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/command"
	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/service"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/throttle"
	"github.com/quarry-search/quarry/web"
)

// What the server answers from and how is the service's; here are its names for those who
// make a Server.
type (
	Index           = project.Index
	Project         = project.Project
	ProjectInfo     = project.Info
	Projects        = project.Projects
	ProjectError    = project.MissingError
	RootError       = project.RootError
	BusyError       = project.BusyError
	Limits          = service.Limits
	EnvelopeOptions = service.EnvelopeOptions
	Memory          = service.Memory
)

// FindProject returns which of n projects has a name, or a root that a path leads to; ""
// is the first one. -1: none.
func FindProject(n int, of func(i int) (name, root string), selector string) int {
	return project.Find(n, of, selector)
}

// Options configure a Server. Only Index or Projects is needed.
type Options struct {
	Index    Index                // the only one; nil: those of Projects
	Projects Projects             // nil: the Index
	Apart    bool                 // projects have nothing to do with each other, see service.Options
	Others   project.Others       // servers that have some of the projects, see service.Options
	Logger   *slog.Logger         // nil: nothing is logged
	Registry *prometheus.Registry // the metrics are registered here; nil: a new one with the Go runtime's metrics
	Version  string               // of the program; "": "dev"
	Limits   Limits

	// Unready says why nothing can be asked yet, as a *wire.Problem; its nil: it can. nil: there is
	// never a reason.
	Unready func() error

	// Around is put around the whole handler, such as to hand requests on; nil: nothing is.
	Around func(http.Handler) http.Handler

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

	// Diff says what has changed in the work tree of a root since a revision, for /impact; its
	// error is a sentence for the client. nil: nobody can ask git.
	Diff func(ctx context.Context, root, base string) (string, error)

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
	// Identify, if there is one, says who shows a token other than Token, and what there is for
	// them; whoever shows Token is the operator. Its error is a *wire.Problem.
	Identify func(ctx context.Context, token string) (*identity.Identity, error)
}

// A Server answers HTTP requests from its projects. It is safe for concurrent use.
type Server struct {
	service   *service.Service
	endpoints map[string]*service.Endpoint // by path
	projects  Projects
	log       *slog.Logger
	version   string
	limits    Limits
	opt       Options          // without the token
	token     *identity.Secret // nil: none is asked for
	instance  string           // see Instance
	metrics   *metrics
	page      *web.Page
	commands  map[string]command.Command
	started   time.Time
	url       atomic.Pointer[string] // where Serve listens
	streams   atomic.Int64           // of events, open

	connections connTable // of HTTP
	activity    activity
	router      chi.Router
	handler     http.Handler // the router, or what is around it
}

// New returns a Server. It fails when there is nothing to ask, a limit is negative,
// or the Registry already holds metrics of the same name.
func New(opt Options) (*Server, error) {
	for _, o := range opt.AllowOrigins {
		if o == "null" || strings.Contains(o, "*") {
			return nil, fmt.Errorf("api: the origin %q names no site", o)
		}
	}
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		log: opt.Logger, version: cmp.Or(opt.Version, "dev"), opt: opt, token: identity.NewSecret(opt.Token), instance: rand.Text(),
		commands: command.All(), started: time.Now(),
	}
	s.opt.Token = ""
	var err error
	if s.service, err = service.New(service.Options{
		Index: opt.Index, Projects: opt.Projects, Apart: opt.Apart, Others: opt.Others, Logger: opt.Logger, Limits: opt.Limits, Envelope: opt.Envelope, Memory: s.memory,
		Coach: opt.Coach, LLM: opt.LLM, LLMByDefault: opt.LLMByDefault, Osgrep: opt.Osgrep, Diff: opt.Diff,
	}); err != nil {
		return nil, err
	}
	s.projects, s.limits = s.service.Projects(), s.service.Limits()
	s.endpoints = map[string]*service.Endpoint{}
	for _, e := range slices.Concat(s.service.Endpoints(), analysis.Endpoints(s.service), s.ownEndpoints()) {
		s.endpoints[e.Path] = &e
	}
	if opt.Meters == nil {
		s.opt.Meters = NewMeters()
	}
	m, err := newMetrics(s, opt.Registry)
	if err != nil {
		return nil, fmt.Errorf("api: register metrics: %w", err)
	}
	s.metrics = m
	if s.page, err = web.New(); err != nil {
		return nil, err
	}
	s.router = s.routes()
	s.handler = s.router
	if opt.Around != nil {
		s.handler = opt.Around(s.router)
	}
	return s, m.enumerate(s.router)
}

// Instance returns a random word that no other server has. /health says it to a client that does
// not show the token, so that other processes of the user, which are told it, know the
// server again.
func (s *Server) Instance() string { return s.instance }

// Handler returns the server's handler, with all its endpoints.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) routes() chi.Router {
	r := chi.NewRouter()
	r.Use(middleware.GetHead)
	r.NotFound(s.handle(s.notFound))
	r.MethodNotAllowed(s.handle(s.methodNotAllowed))
	for path, e := range s.endpoints {
		if e.Gives {
			h := s.handle(s.asking(e))
			r.Get(path, h)
			r.Post(path, h)
		}
	}
	get := func(path string, h handler) { r.Get(path, s.handle(h)) }
	post := func(path string, h handler) { r.Post(path, s.handle(h)) }
	for _, path := range []string{"/handles", "/handles/{id}", "/status"} {
		get(path, s.asking(s.endpoints[path]))
	}
	for _, path := range []string{"/invalidate", "/reindex", "/verify"} {
		post(path, s.asking(s.endpoints[path]))
	}
	get("/version", s.taking(s.showVersion))
	get("/health", s.taking(s.health))
	get("/ready", s.taking(s.ready, "project"))
	get("/events", s.taking(s.events, "project"))
	get("/openapi.yaml", s.taking(s.document))
	get("/metrics", s.operators(standard(s.metrics.handler)))
	get("/coach/report", s.operators(s.taking(s.coachReport)))
	get("/projects", s.taking(s.listProjects))
	post("/projects", s.addProject)
	r.Delete("/projects/{name}", s.handle(s.taking(s.removeProject)))
	post("/rpc", s.rpc)
	post("/relay", s.relay)
	tools := s.newMCP()
	post("/mcp", s.mcp(tools.Handler(s.limits.Body)))
	get("/tools", s.taking(s.listTools))
	post("/tools/{name}", s.callTool(tools))
	if s.opt.Pprof {
		s.profiles(r)
	}
	get("/", s.front)
	get(web.Prefix+"*", s.view)
	return r
}

// front sends browsers to the page. There is nothing at / for other clients.
func (s *Server) front(w http.ResponseWriter, r *http.Request, c *exchange) {
	w.Header().Add("Vary", "Accept")
	if !web.WantsHTML(r) {
		s.notFound(w, r, c)
		return
	}
	http.Redirect(w, r, web.First, http.StatusSeeOther)
}

// view gives the page, and what it consists of.
func (s *Server) view(w http.ResponseWriter, r *http.Request, c *exchange) {
	if !s.page.Serve(w, r) {
		s.notFound(w, r, c)
	}
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

// Package service answers the questions of all transports: each endpoint is a method that
// takes a request of api/wire and gives its answer, or an error with a code.
//
// It is where a request is bounded: it waits for a slot of its class, sees the project and
// the overlay that it names, and is cut down until its answer fits. Sessions, handles and
// the links between projects are kept here. It knows nothing of HTTP: a transport makes a
// Call for each request, hands it on with the request, and sends what comes back.
//
// What it does not do: it does not ask who may ask, and it keeps no text of a query.
package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/api/across"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/throttle"
)

// What is asked is package project's; here are its names.
type (
	Index        = project.Index
	Project      = project.Project
	ProjectInfo  = project.Info
	Projects     = project.Projects
	ProjectError = project.MissingError
	RootError    = project.RootError
	BusyError    = project.BusyError
	Others       = project.Others
)

// Options configure a Service. Only Index or Projects is needed.
type Options struct {
	Index    Index    // the only one; nil: those of Projects
	Projects Projects // nil: the Index
	// Apart has projects be many, and have nothing to do with each other: no call is followed
	// from one into another, and no search is of all, unless there are Others.
	Apart bool
	// Others have searches over several projects be answered by several servers; nil: this one
	// has all projects.
	Others   Others
	Logger   *slog.Logger
	Limits   Limits
	Envelope EnvelopeOptions
	Memory   func() Memory // where the memory goes
	Coach    *coach.Coach  // nil: every answer has its default form

	// LLM summarises the texts of requests that ask for its engine; nil: those are
	// answered no_llm. With LLMByDefault it summarises those that name no engine, too.
	LLM          *llm.Client
	LLMByDefault bool

	// Diff says what has changed in the work tree of a root since a revision; its error is a
	// sentence for the client. nil: nobody can ask git.
	Diff func(ctx context.Context, root, base string) (string, error)

	// Throttle is told when an answer is being made. nil: nobody needs to know.
	Throttle *throttle.Gate

	// Osgrep has Search answer in the shape of osgrep's server, except where a request
	// names another, or is one of another endpoint.
	Osgrep bool
}

// Memory says where a process's memory goes, in bytes. 0: not known on this system.
type Memory struct {
	Budget   int64 // that was set; 0: none
	Resident int64
	Parsers  int64 // of the processes that parse files, besides that
	Heap     int64 // of Go: what is in use
	Free     int64 // of Go: held, and not in use
	Evicted  int64 // projects that were put on disk to make room
	Refused  int64 // requests that were refused for want of memory
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

// WithDefaults returns the limits with the default for each that is zero.
func (l Limits) WithDefaults() Limits {
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

// rawAnswers is how many answers are sent at once as they are found.
const rawAnswers = 4

// A Service answers requests from its projects. It is safe for concurrent use.
type Service struct {
	projects Projects
	log      *slog.Logger
	limits   Limits
	opt      Options
	bounds   fields.Bounds
	slots    map[slot.Class]*slot.Slots
	across   *across.Finder
	handles  te.Store
	sessions *session.Sessions

	verifying atomic.Bool // a request for /verify runs
}

// New returns a Service. It fails when there is nothing to ask, or a limit is negative.
func New(opt Options) (*Service, error) {
	if (opt.Index == nil) == (opt.Projects == nil) {
		return nil, errors.New("api: one of an index and projects is needed")
	}
	l := opt.Limits.WithDefaults()
	if l.Body < 0 || min(l.Query, l.Limit, l.Response, l.Slots, l.Heavy, l.Queue, l.Connections) < 0 ||
		min(l.Timeout, l.HeaderTimeout, l.BodyTimeout, l.WriteTimeout, l.IdleTimeout, l.Grace) < 0 {
		return nil, errors.New("api: negative limit")
	}
	s := &Service{
		projects: opt.Projects, log: opt.Logger, limits: l, opt: opt, sessions: session.New(),
		slots: map[slot.Class]*slot.Slots{
			slot.Cheap:    slot.New(slot.Cheap, l.Slots, l.Queue),
			slot.Heavy:    slot.New(slot.Heavy, l.Heavy, l.Queue),
			slot.Streamed: slot.New(slot.Streamed, rawAnswers, l.Queue),
		},
		bounds: fields.Bounds{
			Numbers: map[string]int{
				"body": int(l.Body), "query": l.Query, "results": l.Limit, "timeout": int(l.Timeout.Milliseconds()),
				"text": max(1, l.Response/16), // everything is there twice, as text and by itself, and escaped
			},
			Words: map[string][]string{"kinds": search.Kinds(), "langs": search.Languages()},
		},
	}
	s.opt.Envelope = opt.Envelope.WithDefaults()
	if opt.Index != nil {
		s.projects = project.Single(opt.Index)
	}
	s.across = across.New(s.projects)
	if opt.Apart {
		s.across = across.New(nobody{})
	}
	return s, nil
}

// nobody are no projects, to look for calls in.
type nobody struct{ Projects }

func (nobody) List(context.Context) []ProjectInfo { return nil }

// Projects returns those that are served.
func (s *Service) Projects() Projects { return s.projects }

// Limits returns those that hold.
func (s *Service) Limits() Limits { return s.limits }

// Coach returns what chooses the forms of answers; nil: nobody does.
func (s *Service) Coach() *coach.Coach { return s.opt.Coach }

// Handles returns how many handles are kept, and what they weigh, in bytes.
func (s *Service) Handles() (n int, weight int64) { return s.handles.Size() }

// Across returns what finds the links between projects.
func (s *Service) Across() *across.Finder { return s.across }

// AtWork returns how many requests have a slot, and whether one verifies an index.
func (s *Service) AtWork() (slots int, verifying bool) {
	for _, one := range s.slots {
		slots += one.Busy()
	}
	return slots, s.verifying.Load()
}

// Remove lets go of a project, and of what is known of it.
func (s *Service) Remove(ctx context.Context, selector string) error {
	if err := s.projects.Remove(ctx, selector); err != nil {
		return err
	}
	s.across.Keep(ctx)
	return nil
}

// project returns the project that a request is about.
func (s *Service) project(ctx context.Context, c *Call, selector string) (Project, func(), error) {
	p, release, err := s.projects.Acquire(ctx, selector)
	if err == nil {
		c.Project = p.Name
	}
	return p, release, err
}

// Info returns a project without loading anything.
func (s *Service) Info(ctx context.Context, selector string) (ProjectInfo, error) {
	all := s.projects.List(ctx)
	i := project.Find(len(all), func(i int) (name, root string) { return all[i].Name, all[i].Root }, selector)
	if i < 0 {
		return ProjectInfo{}, &ProjectError{Selector: selector, Have: all}
	}
	return all[i], nil
}

// Waiting returns how many requests of a class wait for a slot.
func (s *Service) Waiting(c slot.Class) int { return s.slots[c].Waiting() }

// Sessions returns what is remembered of readers.
func (s *Service) Sessions() *session.Sessions { return s.sessions }

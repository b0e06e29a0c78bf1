// Package server runs what quarry serve starts: the projects, HTTP, the Unix sockets, and
// what ends them.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/throttle"
)

// Options say what is served, and how.
type Options struct {
	Settings config.Settings
	Roots    []string   // absolute, links resolved
	Written  []string   // the roots as the user has them
	Given    host.Given // a snapshot to start with
	Wait     bool       // somebody waits for the first build, which does not pause
	Out      io.Writer  // for people, and the log
}

// A server is what Run opens, in the order of its fields, and closes in the other.
type server struct {
	Options
	onTerminal bool
	log        *slog.Logger
	token      string
	shown      *certificate.Certificate
	claims     []*registry.Claim

	summarizer *llm.Client
	gate       *throttle.Gate
	processors int
	collector  *collector.Collector
	listeners  []net.Listener
	address    string
	model      embed.Embedder
	reranker   index.Reranker
	noModel    string
	parsers    *index.ParserPool

	meters   *api.Meters
	sockets  *socketSet
	awaited  func() // is called at the end of each first build that somebody waits for
	projects *host.Host
	http     *api.Server

	ended   chan struct{} // is told when a client wants the end
	served  bool          // what answers closes its listeners itself
	closers []func() error
}

// Run serves until ctx ends, a client wants the end, or nobody has asked anything for long.
func Run(ctx context.Context, opt Options) (err error) {
	s := &server{
		Options: opt, onTerminal: terminal.IsTerminal(opt.Out), meters: api.NewMeters(), ended: make(chan struct{}, 1),
	}
	s.Out = &lockedWriter{w: opt.Out} // several goroutines write lines
	s.log = s.Settings.Logger(s.Out)
	s.sockets = &socketSet{settings: &s.Settings, log: s.log}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.claim(ctx); err != nil || len(s.claims) == 0 {
		return err
	}
	for _, open := range []func(context.Context) error{s.tune, s.listen, s.openModel, s.openProjects, s.openSockets, s.openHTTP} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return s.serve(ctx)
}

// onClose has something closed at the end, before all that was opened earlier.
func (s *server) onClose(f func() error) { s.closers = append(s.closers, f) }

// unlessServed is onClose for what those close who serve it.
func (s *server) unlessServed(f func() error) {
	s.onClose(func() error {
		if s.served {
			return nil
		}
		return f()
	})
}

func (s *server) close() (err error) {
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	return err
}

// serve answers, and says where.
func (s *server) serve(ctx context.Context) error {
	s.served = true
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.sockets.serve(ctx) })
	g.Go(func() error { return awaitShutdown(ctx, s.ended) })
	g.Go(func() error { return s.http.Serve(ctx, s.listeners...) })
	for _, c := range s.claims {
		s.announce(c, s.sockets.about(c.Root, c.Root == s.Roots[0]))
	}
	for _, p := range s.projects.List() {
		fmt.Fprintf(s.Out, "quarry: serving %s at %s%s (%s)\n", p.Root, s.shown.Scheme(), s.address, p.State.State)
	}
	g.Go(func() error { return s.projects.Run(ctx) })
	limit := time.Duration(s.Settings.Server.IdleTimeout)
	g.Go(func() error { return endWhenIdle(ctx, limit, s.http.Idle, s.projects.List) })
	switch err := g.Wait(); {
	case errors.Is(err, errIdle):
		fmt.Fprintf(s.Out, "quarry: ended, nobody has asked anything for %s\n", limit)
	case errors.Is(err, errShutdown):
		fmt.Fprintln(s.Out, "quarry: ended, a client has asked for that")
	default:
		return err
	}
	return nil
}

// announce has other commands find the server of a root.
func (s *server) announce(c *registry.Claim, sockets []string) {
	c.Announce(s.shown.Scheme()+registry.Reachable(s.address), s.http.Instance(), s.shown.Pin(), sockets...)
}

// label says of several projects which one a line is about.
func (s *server) label(name string) string {
	if len(s.projects.List()) == 1 {
		return ""
	}
	return name + ": "
}

// progress shows how a first build is going.
func (s *server) progress(name string) host.Progress {
	return terminal.NewProgress(s.Out, s.onTerminal && len(s.Roots) == 1, s.label(name))
}

// A lockedWriter lets several goroutines write to one writer.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

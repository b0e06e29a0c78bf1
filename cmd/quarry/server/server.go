// Package server runs what quarry serve starts: the projects, HTTP, the Unix sockets, and
// what ends them.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
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
	Base
	Roots, Written []string
	Given          host.Given
	Wait           bool
	onTerminal     bool
	claims         []*registry.Claim

	meters   *api.Meters
	sockets  *socketSet
	awaited  func() // is called at the end of each first build that somebody waits for
	projects *host.Host
	http     *api.Server

	ended chan struct{} // is told when a client wants the end
}

// Run serves until ctx ends, a client wants the end, or nobody has asked anything for long.
func Run(ctx context.Context, opt Options) (err error) {
	s := &server{
		Base: NewBase(opt.Settings, opt.Out), Roots: opt.Roots, Written: opt.Written, Given: opt.Given, Wait: opt.Wait,
		onTerminal: terminal.IsTerminal(opt.Out), meters: api.NewMeters(), ended: make(chan struct{}, 1),
	}
	s.sockets = &socketSet{settings: &s.Settings, log: s.Log}
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, stop, err := registry.Interruptible(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.Authorize(ctx); err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil || len(s.claims) == 0 {
		return err
	}
	for _, open := range []func(context.Context) error{s.Tune, s.Listen, s.OpenModel, s.openProjects, s.openSockets, s.openHTTP} {
		if err := open(ctx); err != nil {
			return err
		}
	}
	return s.serve(ctx)
}

// serve answers, and says where.
func (s *server) serve(ctx context.Context) error {
	s.Served = true
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.sockets.serve(ctx) })
	g.Go(func() error { return awaitShutdown(ctx, s.ended) })
	g.Go(func() error { return s.http.Serve(ctx, s.Listeners...) })
	for _, c := range s.claims {
		s.announce(c, s.sockets.about(c.Root, c.Root == s.Roots[0]))
	}
	for _, p := range s.projects.List(ctx) {
		fmt.Fprintf(s.Out, "quarry: serving %s at %s%s (%s)\n", p.Root, s.Shown.Scheme(), s.Address, p.State.State)
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
	c.Announce(s.Shown.Scheme()+registry.Reachable(s.Address), s.http.Instance(), s.Shown.Pin(), sockets...)
}

// label says of several projects which one a line is about.
func (s *server) label(name string) string {
	if len(s.projects.List(context.Background())) == 1 {
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

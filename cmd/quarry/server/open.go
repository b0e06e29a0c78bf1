package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/watcher"
)

// portRetries is how many ports after the configured one are tried.
const portRetries = 9

// claim takes the roots that no other server has, once it is clear that this one may listen.
func (s *server) claim(ctx context.Context) (err error) {
	if s.token, err = s.Settings.Token(); err != nil {
		return err
	}
	if s.token == "" && !s.Settings.Loopback() {
		return fmt.Errorf("cannot listen on %s without a token file: anyone who reaches it could read the code", s.Settings.Server.Bind)
	}
	if s.shown, err = certificate.Open(&s.Settings, s.log); err != nil {
		return err
	}
	s.claims, err = registry.ClaimAll(ctx, registry.Open(s.Settings), s.Roots, s.log, s.Out)
	for _, c := range s.claims {
		s.onClose(c.Release)
	}
	return err
}

// tune fits the process to the machine.
func (s *server) tune(context.Context) (err error) {
	if s.summarizer, err = s.Settings.LLM(); err != nil {
		return err
	}
	if s.gate, err = s.Settings.Gate(); err != nil {
		return err
	}
	var restore func()
	if s.processors, s.collector, restore, err = machine.Tune(s.Settings.Server.CPUs, int64(s.Settings.Server.Memory)); err != nil {
		return err
	}
	s.onClose(func() error { restore(); return nil })
	return nil
}

// listen opens the port: from here on clients wait, and are not refused.
func (s *server) listen(ctx context.Context) (err error) {
	bind, port, retries := s.Settings.Server.Bind, s.Settings.Server.Port, portRetries
	if s.Settings.PortGiven {
		retries = 0
	}
	s.listeners, s.address, err = api.Listen(ctx, bind, port, retries)
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && s.Settings.PortGiven:
		return fmt.Errorf("port %d is taken: name another one, or leave --port out for the next that is free", port)
	case err != nil:
		return fmt.Errorf("cannot listen on %s port %d: %w", bind, port, registry.DialReason(err))
	}
	for _, l := range s.listeners {
		s.unlessServed(l.Close)
	}
	return nil
}

// openModel opens what computes vectors, and what parses.
func (s *server) openModel(context.Context) (err error) {
	var stop func() error
	if s.model, s.noModel, stop, err = engine.OpenModel(s.Settings); err != nil {
		return err
	}
	s.onClose(stop)
	if s.reranker, stop = engine.OpenReranker(s.Settings); s.reranker != nil {
		s.onClose(stop)
	}
	if s.parsers, err = engine.OpenParsers(&s.Settings, s.processors, s.log); err != nil || s.parsers == nil {
		return err
	}
	s.onClose(func() error { s.parsers.Close(); return nil }) // when no index is left
	return nil
}

// openProjects opens the roots, with what was saved of their indexes.
func (s *server) openProjects(ctx context.Context) error {
	cache := engine.OpenCache(&s.Settings)
	of := index.Options{
		Embedder: s.model, Reranker: s.reranker, Logger: s.log, Workers: s.processors, Background: true, Throttle: s.gate, Observer: s.meters, CacheDir: cache.Packs(), Parsers: s.parsers,
	}
	if s.Settings.Server.Memory == 0 {
		of.Bulk = machine.Loosely(s.collector)
	}
	s.awaited = config.Expedite(s.gate, s.Wait, len(s.claims))
	watch := &s.Settings.Watch
	fetch, started := s.fetch(ctx)
	s.projects = host.New(host.Options{
		Open:  func(root string) (*index.Index, error) { return index.Open(root, engine.Options(&s.Settings, of)) },
		Claim: func(root string) (func() error, error) { return s.claimLater(ctx, root) },
		Dir:   func(root string) string { return engine.ProjectDir(&s.Settings, root) }, SnapshotKeys: s.Given.Keys, Fetch: fetch,
		Cache:   cache,
		Check:   folder.Check,
		Logger:  s.log,
		NoModel: s.noModel, Observer: s.meters,
		Watch: watcher.Options{
			Debounce: time.Duration(watch.Debounce), Poll: watch.Poll > 0, PollInterval: time.Duration(watch.Poll),
		},
		Allow:     realFolders(s.Settings.Server.AllowRoot),
		Budget:    int64(s.Settings.Server.Memory),
		Beside:    s.parserMemory(),
		Collector: s.collector,
		Build:     s.progress,
		Settled: func(name string, x *index.Index) {
			s.awaited()
			settled(s.Out, s.label(name), x)
		},
	})
	s.unlessServed(s.projects.Close)
	for _, c := range s.claims {
		if err := s.projects.Take(c.Root, "", s.Given.Path, c.Release); err != nil {
			return err
		}
	}
	started()
	return nil
}

// claimLater takes a root that a request has added, and has its sockets answer.
func (s *server) claimLater(ctx context.Context, root string) (release func() error, err error) {
	c, err := registry.ClaimOne(ctx, registry.Open(s.Settings), root)
	if err != nil {
		return nil, err
	}
	paths, end := s.sockets.add(ctx, root)
	s.announce(c, paths)
	return func() error { return errors.Join(end(), c.Release()) }, nil
}

// openSockets makes the Unix sockets of the roots.
func (s *server) openSockets(context.Context) error {
	s.unlessServed(s.sockets.close)
	return s.sockets.listen(s.claims, s.Written)
}

// openHTTP opens what answers, over HTTP and on the sockets.
func (s *server) openHTTP(context.Context) error {
	set := &s.Settings
	learning := OpenCoach(set, s.log)
	s.onClose(learning.Save) // when no request is left
	envelope := set.Envelope(s.log)
	s.onClose(envelope.Log.Close)
	if set.Server.Pprof {
		runtime.MemProfileRate = 512 << 10 // what Go's own default is
	}
	var err error
	s.http, err = api.New(api.Options{
		Projects: s.projects, Envelope: envelope, Coach: learning, Logger: s.log, Version: version.Release,
		Limits:    api.Limits{Slots: cmp.Or(set.Limits.CheapSlots, s.processors), Heavy: set.Limits.HeavySlots},
		SlowQuery: time.Duration(set.Log.SlowQuery), Pprof: set.Server.Pprof,
		TLS: s.shown.Config(), AllowOrigins: set.Server.AllowOrigin, AllowHosts: set.Server.AllowHost,
		Token: s.token, Memory: s.projects.Memory, Sockets: s.sockets.paths,
		LLM: s.summarizer, LLMByDefault: set.Summarize.Engine == "llm",
		Osgrep: set.Osgrep(), Throttle: s.gate, Meters: s.meters, Descriptors: api.OpenDescriptors,
		Diff: func(ctx context.Context, root, base string) (string, error) {
			return git.Changes(ctx, root, base, maxDiff, git.Options{Scratch: s.Settings.DataDir})
		},
		Figures: api.Figures{
			Departed: s.projects.Departed, Watches: s.projects.Watches, Watcher: s.projects.WatcherCounters,
			SocketConnections: s.sockets.connections, Parsers: s.parserCounts(),
		},
	})
	if err != nil {
		return err
	}
	s.sockets.server, err = s.socketServer()
	return err
}

// maxDiff is how many bytes git may say that there are between two trees: as many as a request
// may have.
const maxDiff = 900 << 10

// parserMemory returns what tells the memory of the processes that parse, nil where there
// are none.
func (s *server) parserMemory() func() int64 {
	if s.parsers == nil {
		return nil
	}
	return func() int64 { return s.parsers.Counts().Resident }
}

// parserCounts returns what tells of the processes that parse, nil where there are none.
func (s *server) parserCounts() func() index.ParserCounts {
	if s.parsers == nil {
		return nil
	}
	return s.parsers.Counts
}

// OpenCoach opens what learns which form of an answer works best, for all servers with
// this data folder together; nil where it is turned off.
func OpenCoach(s *config.Settings, log *slog.Logger) *coach.Coach {
	if !s.ToolEnvelope.Coach.Enabled {
		return nil
	}
	return coach.Open(coach.Options{Path: filepath.Join(s.DataDir, "coach.json"), Logger: log})
}

// realFolders resolves the links of folders. One that does not exist stays as it is:
// there is nothing below it.
func realFolders(dirs []string) []string {
	out := make([]string, len(dirs))
	for i, dir := range dirs {
		out[i] = dir
		if real, err := folder.Real(dir); err == nil {
			out[i] = real
		}
	}
	return out
}

package server

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/git"
	"github.com/quarry-search/quarry/watcher"
)

// claim takes the roots that no other server has, once it is clear that this one may listen.
func (s *server) claim(ctx context.Context) (err error) {
	s.claims, err = registry.ClaimAll(ctx, registry.Open(s.Settings), s.Roots, s.Log, s.Out)
	for _, c := range s.claims {
		s.OnClose(c.Release)
	}
	return err
}

// openProjects opens the roots, with what was saved of their indexes.
func (s *server) openProjects(ctx context.Context) error {
	cache := engine.OpenCache(&s.Settings)
	of := index.Options{
		Embedder: s.Model, Reranker: s.Reranker, Logger: s.Log, Workers: s.Processors, Background: true, Throttle: s.Gate, Observer: s.meters, CacheDir: cache.Packs(), Parsers: s.Parsers,
	}
	if s.Settings.Server.Memory == 0 {
		of.Bulk = machine.Loosely(s.Collector)
	}
	s.awaited = config.Expedite(s.Gate, s.Wait, len(s.claims))
	watch := &s.Settings.Watch
	fetch, started := s.fetch(ctx)
	s.projects = host.New(host.Options{
		Open: func(_ context.Context, root string) (*index.Index, error) {
			return index.Open(root, engine.Options(&s.Settings, of))
		},
		Claim: func(root string) (func() error, error) { return s.claimLater(ctx, root) },
		Dir:   func(root string) string { return engine.ProjectDir(&s.Settings, root) }, SnapshotKeys: s.Given.Keys, Fetch: fetch,
		Cache:   cache,
		Check:   folder.Check,
		Logger:  s.Log,
		NoModel: s.NoModel, Observer: s.meters,
		Watch: watcher.Options{
			Debounce: time.Duration(watch.Debounce), Poll: watch.Poll > 0, PollInterval: time.Duration(watch.Poll),
		},
		Allow:     realFolders(s.Settings.Server.AllowRoot),
		Budget:    int64(s.Settings.Server.Memory),
		Beside:    s.ParserMemory(),
		Collector: s.Collector,
		Build:     s.progress,
		Settled: func(name string, x *index.Index) {
			s.awaited()
			settled(s.Out, s.label(name), x)
		},
	})
	s.UnlessServed(s.projects.Close)
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
	s.UnlessServed(s.sockets.close)
	return s.sockets.listen(s.claims, s.Written)
}

// openHTTP opens what answers, over HTTP and on the sockets.
func (s *server) openHTTP(context.Context) error {
	set := &s.Settings
	learning := OpenCoach(set, s.Log)
	s.OnClose(learning.Save) // when no request is left
	envelope := set.Envelope(s.Log)
	s.OnClose(envelope.Log.Close)
	answering := s.Answering(s.projects)
	answering.Envelope, answering.Coach, answering.Meters, answering.Sockets = envelope, learning, s.meters, s.sockets.paths
	answering.Diff = func(ctx context.Context, root, base string) (string, error) {
		return git.Changes(ctx, root, base, maxDiff, git.Options{Scratch: s.Settings.DataDir})
	}
	answering.Figures = api.Figures{
		Departed: s.projects.Departed, Watches: s.projects.Watches, Watcher: s.projects.WatcherCounters,
		SocketConnections: s.sockets.connections, Parsers: s.ParserCounts(),
	}
	var err error
	s.http, err = api.New(answering)
	if err != nil {
		return err
	}
	s.sockets.server, err = s.socketServer()
	return err
}

// maxDiff is how many bytes git may say that there are between two trees: as many as a request
// may have.
const maxDiff = 900 << 10

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

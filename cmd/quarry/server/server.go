// Package server runs what quarry serve starts: the projects, HTTP, the Unix sockets, and
// what ends them.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/watcher"
)

// portRetries is how many ports after the configured one are tried.
const portRetries = 9

// Run runs everything for some roots until ctx ends. written are the roots as the user
// has them.
func Run(ctx context.Context, s config.Settings, roots, written []string, given host.Given, wait bool, out io.Writer) (err error) {
	token, err := s.Token()
	if err != nil {
		return err
	}
	if token == "" && !s.Loopback() {
		return fmt.Errorf("cannot listen on %s without a token file: anyone who reaches it could read the code", s.Server.Bind)
	}
	onTerminal := terminal.IsTerminal(out)
	out = &lockedWriter{w: out} // several goroutines write lines
	log := s.Logger(out)
	shown, err := certificate.Open(&s, log)
	if err != nil {
		return err
	}
	claims, err := registry.ClaimAll(ctx, registry.Open(s), roots, log, out)
	if err != nil || len(claims) == 0 {
		return err
	}
	defer func() {
		for _, c := range claims {
			err = errors.Join(err, c.Release())
		}
	}()

	summarizer, err := s.LLM()
	if err != nil {
		return err
	}
	gate, err := s.Gate()
	if err != nil {
		return err
	}
	processors, gc, restore, err := machine.Tune(s.Server.CPUs, int64(s.Server.Memory))
	if err != nil {
		return err
	}
	defer restore()
	listeners, address, err := api.Listen(ctx, s.Server.Bind, s.Server.Port, portRetries)
	if err != nil {
		return fmt.Errorf("cannot listen on %s port %d: %w", s.Server.Bind, s.Server.Port, registry.DialReason(err))
	}
	model, noModel, closeModel, err := engine.OpenModel(s)
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	parsers, err := engine.OpenParsers(&s, processors, log)
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	if parsers != nil {
		defer parsers.Close() // when no index is left
	}
	url, cache := shown.Scheme()+registry.Reachable(address), engine.OpenCache(&s)
	meters := api.NewMeters()
	sockets := &socketSet{settings: &s, log: log}
	var h *host.Host
	var server *api.Server              // set before a request can claim anything
	label := func(name string) string { // which of several projects a line is about
		if len(h.List()) == 1 {
			return ""
		}
		return name + ": "
	}
	awaited := config.Expedite(gate, wait, len(claims))
	var bulk index.Bulk
	if s.Server.Memory == 0 {
		bulk = machine.Loosely(gc)
	}
	h = host.New(host.Options{
		Open: func(root string) (*index.Index, error) {
			return index.Open(root, engine.Options(&s, index.Options{
				Embedder: model, Logger: log, Workers: processors, Background: true, Throttle: gate, Bulk: bulk, Observer: meters, CacheDir: cache.Packs(), Parsers: parsers,
			}))
		},
		Claim: func(root string) (func() error, error) {
			c, err := registry.ClaimOne(ctx, registry.Open(s), root)
			if err != nil {
				return nil, err
			}
			paths, end := sockets.add(ctx, root)
			c.Announce(url, server.Instance(), shown.Pin(), paths...)
			return func() error { return errors.Join(end(), c.Release()) }, nil
		},
		Dir: func(root string) string { return engine.ProjectDir(&s, root) }, SnapshotKeys: given.Keys,
		Cache:   cache,
		Check:   folder.Check,
		Logger:  log,
		NoModel: noModel, Observer: meters,
		Watch: watcher.Options{
			Debounce: time.Duration(s.Watch.Debounce), Poll: s.Watch.Poll > 0, PollInterval: time.Duration(s.Watch.Poll),
		},
		Allow:     realFolders(s.Server.AllowRoot),
		Budget:    int64(s.Server.Memory),
		Beside:    parserMemoryOf(parsers),
		Collector: gc,
		Build: func(name string) host.Progress {
			return terminal.NewProgress(out, onTerminal && len(roots) == 1, label(name))
		},
		Settled: func(name string, x *index.Index) {
			awaited()
			settled(out, label(name), x, wait)
		},
	})
	for _, c := range claims {
		if err := h.Take(c.Root, "", given.Path, c.Release); err != nil {
			return errors.Join(err, h.Close(), closeAll(listeners))
		}
	}
	if err := sockets.listen(claims, written); err != nil {
		return errors.Join(err, h.Close(), closeAll(listeners))
	}
	learning := OpenCoach(&s, log)
	defer func() { err = errors.Join(err, learning.Save()) }() // when no request is left
	envelope := s.Envelope(log)
	defer func() { err = errors.Join(err, envelope.Log.Close()) }()
	if s.Server.Pprof {
		runtime.MemProfileRate = 512 << 10 // what Go's own default is
	}
	server, err = api.New(api.Options{
		Projects: h, Envelope: envelope, Coach: learning, Logger: log, Version: version.Release,
		Limits:    api.Limits{Slots: cmp.Or(s.Limits.CheapSlots, processors), Heavy: s.Limits.HeavySlots},
		SlowQuery: time.Duration(s.Log.SlowQuery), Pprof: s.Server.Pprof,
		TLS: shown.Config(), AllowOrigins: s.Server.AllowOrigin, AllowHosts: s.Server.AllowHost,
		Token: token, Memory: h.Memory, Sockets: sockets.paths,
		LLM: summarizer, LLMByDefault: s.Summarize.Engine == "llm",
		Osgrep: s.Osgrep(), Throttle: gate, Meters: meters, Descriptors: api.OpenDescriptors,
		Figures: api.Figures{
			Departed: h.Departed, Watches: h.Watches, Watcher: h.WatcherCounters,
			SocketConnections: func() int { return sockets.server.Connections() }, Parsers: parserCounts(parsers),
		},
	})
	if err != nil {
		return errors.Join(err, h.Close(), closeAll(listeners), sockets.close())
	}
	ended := make(chan struct{}, 1)
	if sockets.server, err = socketServer(&s, server, h, log, ended); err != nil {
		return errors.Join(err, h.Close(), closeAll(listeners), sockets.close())
	}

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return sockets.serve(ctx) })
	g.Go(func() error { return awaitShutdown(ctx, ended) })
	g.Go(func() error { return server.Serve(ctx, listeners...) })
	for _, c := range claims {
		c.Announce(url, server.Instance(), shown.Pin(), sockets.about(c.Root, c.Root == roots[0])...)
	}
	for _, p := range h.List() {
		fmt.Fprintf(out, "quarry: serving %s at %s%s (%s)\n", p.Root, shown.Scheme(), address, p.State.State)
	}
	g.Go(func() error { return h.Run(ctx) })
	limit := time.Duration(s.Server.IdleTimeout)
	g.Go(func() error { return endWhenIdle(ctx, limit, server.Idle, h.List) })
	if err = g.Wait(); errors.Is(err, errIdle) {
		fmt.Fprintf(out, "quarry: ended, nobody has asked anything for %s\n", limit)
		err = nil
	} else if errors.Is(err, errShutdown) {
		fmt.Fprintln(out, "quarry: ended, a client has asked for that")
		err = nil
	}
	return err
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

func closeAll(ls []net.Listener) error {
	var err error
	for _, l := range ls {
		err = errors.Join(err, l.Close())
	}
	return err
}

// parserMemoryOf returns what tells the memory of the processes that parse, nil where there
// are none.
func parserMemoryOf(p *index.ParserPool) func() int64 {
	if p == nil {
		return nil
	}
	return func() int64 { return p.Counts().Resident }
}

// parserCounts returns what tells of the processes that parse, nil where there are none.
func parserCounts(p *index.ParserPool) func() index.ParserCounts {
	if p == nil {
		return nil
	}
	return p.Counts
}

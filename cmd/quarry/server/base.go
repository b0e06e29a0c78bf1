package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"runtime"
	"syscall"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/llm"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/embed"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/throttle"
)

// portRetries is how many ports after the configured one are tried.
const portRetries = 9

// A Base is what everything has that answers over HTTP, whatever it answers from. It is opened
// in the order of its fields, and closed in the other.
type Base struct {
	Settings config.Settings
	Out      io.Writer // for people, and the log; several goroutines write lines
	Log      *slog.Logger

	Identified bool // whoever asks says who they are, if not by Token
	Token      string
	Shown      *certificate.Certificate
	Summarizer *llm.Client
	Gate       *throttle.Gate
	Processors int
	Collector  *collector.Collector
	Listeners  []net.Listener
	Address    string
	Model      embed.Embedder
	Reranker   index.Reranker
	NoModel    string
	Parsers    *index.ParserPool

	Served  bool // what answers closes its listeners itself
	closers []func() error
}

// NewBase returns one of which nothing is open.
func NewBase(s config.Settings, out io.Writer) Base {
	out = &lockedWriter{w: out}
	return Base{Settings: s, Out: out, Log: s.Logger(out)}
}

// Authorize reads what clients are to show, and what is shown to them.
func (s *Base) Authorize(context.Context) (err error) {
	if s.Token, err = s.Settings.Token(); err != nil {
		return err
	}
	if s.Token == "" && !s.Identified && !s.Settings.Loopback() {
		return fmt.Errorf("cannot listen on %s without a token file: anyone who reaches it could read the code", s.Settings.Server.Bind)
	}
	s.Shown, err = certificate.Open(&s.Settings, s.Log)
	return err
}

// OnClose has something closed at the end, before all that was opened earlier.
func (s *Base) OnClose(f func() error) { s.closers = append(s.closers, f) }

// UnlessServed is OnClose for what those close who serve it.
func (s *Base) UnlessServed(f func() error) {
	s.OnClose(func() error {
		if s.Served {
			return nil
		}
		return f()
	})
}

// Close closes all.
func (s *Base) Close() (err error) {
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	return err
}

// Tune fits the process to the machine.
func (s *Base) Tune(context.Context) (err error) {
	if s.Summarizer, err = s.Settings.LLM(); err != nil {
		return err
	}
	if s.Gate, err = s.Settings.Gate(); err != nil {
		return err
	}
	var restore func()
	if s.Processors, s.Collector, restore, err = machine.Tune(s.Settings.Server.CPUs, int64(s.Settings.Server.Memory)); err != nil {
		return err
	}
	s.OnClose(func() error { restore(); return nil })
	return nil
}

// Listen opens the port: from here on clients wait, and are not refused.
func (s *Base) Listen(ctx context.Context) (err error) {
	bind, port, retries := s.Settings.Server.Bind, s.Settings.Server.Port, portRetries
	if s.Settings.PortGiven {
		retries = 0
	}
	s.Listeners, s.Address, err = api.Listen(ctx, bind, port, retries)
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && s.Settings.PortGiven:
		return fmt.Errorf("port %d is taken: name another one, or leave --port out for the next that is free", port)
	case err != nil:
		return fmt.Errorf("cannot listen on %s port %d: %w", bind, port, registry.DialReason(err))
	}
	for _, l := range s.Listeners {
		s.UnlessServed(l.Close)
	}
	return nil
}

// OpenModel opens what computes vectors, and what parses.
func (s *Base) OpenModel(context.Context) (err error) {
	var stop func() error
	if s.Model, s.NoModel, stop, err = engine.OpenModel(s.Settings); err != nil {
		return err
	}
	s.OnClose(stop)
	if s.Reranker, stop = engine.OpenReranker(s.Settings); s.Reranker != nil {
		s.OnClose(stop)
	}
	if s.Parsers, err = engine.OpenParsers(&s.Settings, s.Processors, s.Log); err != nil || s.Parsers == nil {
		return err
	}
	s.OnClose(func() error { s.Parsers.Close(); return nil }) // when no index is left
	return nil
}

// ParserMemory returns what tells the memory of the processes that parse, nil where there
// are none.
func (s *Base) ParserMemory() func() int64 {
	if s.Parsers == nil {
		return nil
	}
	return func() int64 { return s.Parsers.Counts().Resident }
}

// ParserCounts returns what tells of the processes that parse, nil where there are none.
func (s *Base) ParserCounts() func() index.ParserCounts {
	if s.Parsers == nil {
		return nil
	}
	return s.Parsers.Counts
}

// Answering returns how what a Base has answers of some projects.
func (s *Base) Answering(of *host.Host) api.Options {
	set := &s.Settings
	if set.Server.Pprof {
		runtime.MemProfileRate = 512 << 10 // what Go's own default is
	}
	return api.Options{
		Projects: of, Memory: of.Memory, Logger: s.Log, Version: version.Release,
		Limits:    api.Limits{Slots: cmp.Or(set.Limits.CheapSlots, s.Processors), Heavy: set.Limits.HeavySlots},
		SlowQuery: time.Duration(set.Log.SlowQuery), Pprof: set.Server.Pprof,
		TLS: s.Shown.Config(), AllowOrigins: set.Server.AllowOrigin, AllowHosts: set.Server.AllowHost, Token: s.Token,
		LLM: s.Summarizer, LLMByDefault: set.Summarize.Engine == "llm",
		Osgrep: set.Osgrep(), Throttle: s.Gate, Descriptors: api.OpenDescriptors,
	}
}

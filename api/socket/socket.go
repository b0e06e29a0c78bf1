// Package socket answers requests on Unix sockets, one JSON object a line: the
// protocol of llm-tldr's daemon and that of agent-relay's TldrBridge at once, so that
// clients of either work as they are. docs/socket.md says what is on the wire.
//
// A request with an id is answered with that id, in any order, and the connection
// stays; one without is answered, and the connection closed. What is asked goes to an
// Asker, which has the limits, the paths' gate and the metrics of the HTTP endpoints;
// this package knows neither HTTP nor an index, only the answers of api/wire.
package socket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// An Asker answers what the commands ask for. api.Asker is one; its Ask says what the
// parameters and the results are.
type Asker interface {
	Ask(ctx context.Context, endpoint string, fields map[string]any) (answer any, text string, err error)
}

// Options configure a Server. Only Asker is needed.
type Options struct {
	Asker   Asker
	Logger  *slog.Logger // nil: nothing is logged
	Version string       // of the program, for ping; "": "dev"
	Limits  Limits

	// Shutdown is called when a client asked for the shutdown of the server, and has
	// its answer. It must not wait for that end. nil: such requests are refused.
	Shutdown func()
	// Panicked is called with each panic that was caught here. nil: nobody counts them.
	Panicked func()
	// Work returns how many files of a project were parsed since the server began, and
	// how many were taken over as they had been kept; nil: status says 0.
	Work func(project string) (parsed, reused uint64)
}

// Limits bound what clients may cost. A zero field takes its default.
type Limits struct {
	Line        int           // bytes of a request, without the newline; 1 MiB
	InFlight    int           // requests of a connection; beyond, no more are read; 64
	Asks        int           // requests of all connections that are asked at once; others wait; 32
	Connections int           // at once; more are answered rate_limited; 256
	Arrival     time.Duration // of a line, from its first byte; 10 s. Between two lines a client may take its time
	Timeout     time.Duration // of a request, waiting included; 30 s
	Write       time.Duration // for a client to take a reply, before it is given up; 30 s
	Grace       time.Duration // for requests in flight, when the server is to end; 5 s
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Line:        cmp.Or(l.Line, 1<<20),
		InFlight:    cmp.Or(l.InFlight, 64),
		Asks:        cmp.Or(l.Asks, 32), // half of what may wait for a slot of the endpoints
		Connections: cmp.Or(l.Connections, 256),
		Arrival:     cmp.Or(l.Arrival, 10*time.Second),
		Timeout:     cmp.Or(l.Timeout, 30*time.Second),
		Write:       cmp.Or(l.Write, 30*time.Second),
		Grace:       cmp.Or(l.Grace, 5*time.Second),
	}
}

// A Server answers on sockets. It is safe for concurrent use.
type Server struct {
	opt     Options
	limits  Limits
	log     *slog.Logger
	asks    chan struct{} // has room for those that may ask
	open    atomic.Int64  // connections
	started time.Time
	books   books

	commands map[string]row
}

// New returns a Server. It fails when there is nobody to ask, or a limit is negative.
func New(opt Options) (*Server, error) {
	l := opt.Limits.withDefaults()
	switch {
	case opt.Asker == nil:
		return nil, errors.New("socket: no handler")
	case min(l.Line, l.InFlight, l.Asks, l.Connections) < 0 || min(l.Arrival, l.Timeout, l.Write, l.Grace) < 0:
		return nil, errors.New("socket: negative limit")
	}
	s := &Server{opt: opt, limits: l, log: opt.Logger, asks: make(chan struct{}, l.Asks), started: time.Now(), commands: table()}
	if s.opt.Panicked == nil {
		s.opt.Panicked = func() {}
	}
	s.opt.Version = cmp.Or(opt.Version, "dev")
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s, nil
}

// Connections returns how many are open.
func (s *Server) Connections() int { return int(s.open.Load()) }

// Serve answers on the sockets until ctx ends or one of them fails, and closes them.
// When ctx ends it reads no more requests, gives those in flight Limits.Grace to be
// answered, then cancels them, and ends all connections; it returns nil. It returns
// after everything it started has ended.
func (s *Server) Serve(ctx context.Context, sockets ...*Socket) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// Requests survive the end of ctx by the grace period.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()

	failed := make(chan error, len(sockets))
	var accepting, connections sync.WaitGroup
	for _, l := range sockets {
		accepting.Go(func() { failed <- s.accept(ctx, base, l, &connections) })
	}
	var err error
	for range sockets {
		if err = <-failed; err != nil || ctx.Err() != nil {
			break
		}
	}
	stop()
	accepting.Wait()
	ended := make(chan struct{})
	go func() {
		connections.Wait()
		close(ended)
	}()
	grace := time.NewTimer(s.limits.Grace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		cancel()
		<-ended
	}
	return err
}

// accept takes the connections of a socket until ctx ends, and closes it.
func (s *Server) accept(ctx, base context.Context, l *Socket, connections *sync.WaitGroup) error {
	closed := make(chan struct{})
	ended := context.AfterFunc(ctx, func() {
		defer close(closed)
		if err := l.Close(); err != nil {
			s.log.Warn("close a socket", "path", l.Path, "err", err)
		}
	})
	defer func() {
		if !ended() {
			<-closed
		}
	}()
	for pause := time.Millisecond; ; {
		nc, err := l.Accept()
		switch {
		case err == nil:
			pause = time.Millisecond
			connections.Go(func() { s.serve(ctx, base, nc, l.Project) })
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("socket: serve %s: %w", l.Path, err)
		default: // such as too many open files: it passes
			s.log.Warn("accept a connection", "path", l.Path, "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, time.Second)
		}
	}
}

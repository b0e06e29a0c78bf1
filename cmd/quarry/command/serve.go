package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/watcher"
)

const (
	// portRetries is how many ports after the configured one are tried.
	portRetries = 9
	// otherServerWait is how long a second server waits for the one that holds
	// the root's lock to answer: it may just be starting.
	otherServerWait = 5 * time.Second
	pollInterval    = 100 * time.Millisecond
	// watchHeadStart is how long the first build waits for the watcher, so that
	// no change falls between the two. A tree of 10,000 folders needs less.
	watchHeadStart = time.Second
)

func newServeCommand() *cobra.Command {
	var wait, behind bool
	var given string
	cmd := &cobra.Command{
		Use:     "serve [ROOT]",
		Aliases: []string{"daemon"},
		Short:   "Serve a project over HTTP and keep its index current",
		Long: `Serve listens first, then indexes ROOT (the working folder unless given), then
follows its changes until it is interrupted. It answers from the start: while
the first build runs, from what is there.

The index is kept in the data folder: after the first build, then whenever
changes have come to rest, and at the end. The next start takes it over, answers
at once, says "stale" until it has compared all files, and computes the
difference only. --snapshot takes one over that quarry index --output has made,
on this machine or another, of this folder or a copy, where the root has none of
its own that can be used. A snapshot that is damaged, or was made by another
version or model, is left alone, and the index built anew; the log says so.

One line on the error output says where it listens. If the port is taken, the
next nine are tried, so look at that line, or ask quarry ping. Other commands
find the server by its root. When a server already runs for the root, serve
prints its address and ends with exit code 0.

With --background the server runs on after the command, which returns when it
listens and says where it logs; quarry serve stop ends it.

With --bind it listens on another address than the loopback ones, and then
needs --token-file: every request must show the token, as Authorization: Bearer
TOKEN, except /health and /ready. The file must be open to its owner only. There
is no encryption: across a network you do not trust, put a proxy with TLS before
the server.

Exit codes: 0 after an interrupt or a termination signal, or if the root is
being served already; 1 an error.`,
		Example: `  quarry serve
  quarry serve ~/src/project --port 4000
  quarry serve stop                  end the server of this folder
  quarry serve --project /workspace --data-dir /cache --log-format json
  quarry serve --bind 0.0.0.0 --token-file ~/.quarry-token`,
		Args: atMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := loadSettings(cmd)
			if err != nil {
				return err
			}
			root, err := projectRoot(cmd, s, args)
			if err != nil {
				return err
			}
			if behind {
				return serveBehind(cmd, s, root)
			}
			return serve(cmd.Context(), s, root, given, wait, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&given, "snapshot", "", "a snapshot to begin with, where the root has none of its own (see quarry index --output)")
	cmd.Flags().BoolVar(&behind, "background", false, "start the server in the background, and return when it listens")
	cmd.Flags().BoolVar(&wait, "wait", false, "print a second line when the first build has ended")
	addFlags(cmd.Flags(), rootFlag|serverFlags|tokenFlag|indexFlags|watchFlags)
	cmd.AddCommand(newServersCommand(), newStopCommand())
	return cmd
}

// serve runs everything for one root until ctx ends.
func serve(ctx context.Context, s settings, root, given string, wait bool, out io.Writer) (err error) {
	token, err := s.token()
	if err != nil {
		return err
	}
	if token == "" && !s.loopback() {
		return fmt.Errorf("cannot listen on %s without a token file: anyone who reaches it could read the code", s.Server.Bind)
	}
	terminal := isTerminal(out)
	out = &lockedWriter{w: out} // several goroutines write lines
	log := newLogger(s, out)
	servers := openRegistry(s)
	unlock, held, err := servers.lock(root)
	switch {
	case err != nil: // it serves all the same; it is only harder to find
		log.Warn("other commands will not find this server", "err", err)
	case !held:
		return yield(ctx, servers, root, out)
	default:
		defer unlock()
	}

	processors, restore := tune()
	defer restore()
	listeners, address, err := api.Listen(ctx, s.Server.Bind, s.Server.Port, portRetries)
	if err != nil {
		return fmt.Errorf("cannot listen on %s port %d: %w", s.Server.Bind, s.Server.Port, dialReason(err))
	}
	x, noModel, closeIndex, err := openIndex(s, root, true, index.Options{Logger: log, Workers: processors, Background: true})
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	defer func() { err = errors.Join(err, closeIndex()) }()
	var keep *keeper
	if held {
		if keep, err = newKeeper(s, root, x, log); err != nil { // it serves all the same; the next start takes longer
			log.Warn("the index will not be kept", "err", err)
		}
	}
	own := ""
	if keep != nil {
		own = keep.path
	}
	if err := takeOver(x, log, own, given); err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	w, err := watcher.New(watcher.Options{
		Root: root, Ignore: x.Ignored, Logger: log,
		Debounce: time.Duration(s.Watch.Debounce),
		Poll:     s.Watch.Poll > 0, PollInterval: time.Duration(s.Watch.Poll),
	})
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	server, err := api.New(api.Options{
		Index: x, Logger: log, Version: release,
		Limits:          api.Limits{Slots: processors},
		Token:           token,
		NoModel:         noModel,
		Watcher:         func() any { return newWatcherStatus(w.Status()) },
		WatcherCounters: func() map[string]uint64 { return watcherCounters(w.Status()) },
	})
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}

	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return server.Serve(ctx, listeners...) })
	if held {
		remove, failed := servers.add(registration{
			PID: os.Getpid(), URL: "http://" + reachable(address), Root: root, Version: release, Started: time.Now().UTC(),
		})
		if failed != nil {
			log.Warn("other commands will not find this server", "err", failed)
		} else {
			defer func() { err = errors.Join(err, remove()) }()
		}
	}
	fmt.Fprintf(out, "quarry: serving %s at http://%s (%s)\n", root, address, x.State().State)
	g.Go(func() error { return w.Run(ctx, follow(x, w)) })
	g.Go(func() error {
		select {
		case <-w.Ready():
		case <-time.After(watchHeadStart):
			g.Go(func() error { return catchUp(ctx, x, w) })
		}
		return runIndex(ctx, x, newProgress(out, terminal))
	})
	g.Go(func() error { return settle(ctx, x, wait, out) })
	if keep != nil {
		g.Go(func() error { return keep.run(ctx) })
	}
	return g.Wait()
}

// reachable returns an address under which this machine reaches a listener: one
// on all addresses has none of its own, and one on [::] takes IPv4 too.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// yield finds the server that holds the root's lock and prints its address.
func yield(ctx context.Context, servers registry, root string, out io.Writer) error {
	reg, ok, err := servers.await(ctx, root, otherServerWait, nil)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("another process holds the lock of %s and does not answer", root)
	}
	fmt.Fprintf(out, "quarry: %s is already served at %s\n", root, reg.URL)
	return nil
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

func newLogger(s settings, out io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.Log.Level)); err != nil {
		level = slog.LevelInfo // check has refused everything else
	}
	opt := &slog.HandlerOptions{Level: level}
	if s.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, opt))
	}
	return slog.New(slog.NewTextHandler(out, opt))
}

func closeAll(ls []net.Listener) error {
	var err error
	for _, l := range ls {
		err = errors.Join(err, l.Close())
	}
	return err
}

// watcherStatus is how /status shows a watcher.
type watcherStatus struct {
	Mode      watcher.Mode `json:"mode"`
	Reason    string       `json:"reason,omitempty"`
	Watches   int          `json:"watches"`
	Polled    int          `json:"polled"`
	Events    uint64       `json:"events"`
	Batches   uint64       `json:"batches"`
	Failures  uint64       `json:"failures"`
	Overflows uint64       `json:"overflows"`
	LastEvent *time.Time   `json:"last_event"`
	LastError string       `json:"last_error,omitempty"`
}

func newWatcherStatus(s watcher.Status) watcherStatus {
	out := watcherStatus{
		Mode: s.Mode, Reason: s.Reason, Watches: s.Watches, Polled: s.Polled,
		Events: s.Events, Batches: s.Batches, Failures: s.Failures, Overflows: s.Overflows,
		LastError: s.LastError,
	}
	if !s.LastEvent.IsZero() {
		out.LastEvent = &s.LastEvent
	}
	return out
}

func watcherCounters(s watcher.Status) map[string]uint64 {
	return map[string]uint64{
		"events": s.Events, "batches": s.Batches, "failures": s.Failures, "overflows": s.Overflows,
	}
}

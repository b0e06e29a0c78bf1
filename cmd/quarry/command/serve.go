package command

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

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/coach"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
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
)

func newServeCommand() *cobra.Command {
	var wait, behind bool
	var given, keyFile string
	cmd := &cobra.Command{
		Use:     "serve [ROOT...]",
		Aliases: []string{"daemon"},
		Short:   "Serve projects over HTTP and keep their indexes current",
		Long: `Serve listens first, then indexes ROOT (by default the working folder), then
follows its changes until it is interrupted. It answers from the start: while the
first build runs, from what has been indexed so far.

Several roots are several projects of one server. A request is about the first one,
unless its field project names another by its name (the last element of its root) or
its root; a search over all of them has projects: "*". With --allow-root DIR,
requests may add roots below that folder: POST /projects.

--memory is a budget for the whole server: projects that receive no requests are
moved to disk, and the next request for one loads it again; if there is no room for
it, the answer is 503 with the time after which to try again.

The index is saved in the data folder: after the first build, then whenever changes
have settled, and at the end. The next start loads it, answers at once, says "stale"
until it has compared all files, and computes only the difference. --snapshot loads
a snapshot that quarry index --output has made, on this machine or another, of this
folder or a copy, if the root has none of its own that can be used. A snapshot that
is damaged, or was made by another version or model, is left alone, and the index is
rebuilt; the log says so. With --snapshot-public-key FILE, a snapshot that no key in
FILE has signed, or that was changed since, is an error: see quarry index --sign.

One line on standard error says where it listens. If the port is taken, the next
nine are tried, so look at that line, or ask quarry ping. Other commands find the
server by its root. If a server already runs for the root, serve prints its address
and ends with exit code 0.

With --background the server keeps running after the command, which returns when it
listens and says where it logs; quarry serve stop ends it.

Indexing yields to answers. --cpus limits the processors that the server uses. With
--nice, indexing pauses while the machine runs on battery, or other programs keep the
processors busy, unless somebody waits for it; /status then says paused, and why.

With --idle-timeout it ends by itself after that long without a request other than
/health, /ready and /metrics, once the first build has finished and while nobody
listens to /events.

With --coach some answers to grep, cat and find come in forms other than the default,
and the form after which sessions do best is used more often; GET /coach/report says
which that is. It judges by what a session asks next, so requests must name a session.

With --compat osgrep it replaces osgrep's server: it listens on that server's port,
4444, and answers searches in its shape unless a request names another.

It also listens on Unix sockets, where clients of llm-tldr look for its daemon: on
tldr-HASH.sock in the folder for temporary files, with a hash of the root as given
and of the root with its links resolved, unless --tldr-socket=false, and on each
--socket. Only its user may connect, unless --socket-mode says otherwise. With
--allow-shutdown a client may end the server with the command shutdown.
docs/socket.md has the protocol.

With --bind it listens on an address other than loopback, and then needs
--token-file: every request must send the token, as Authorization: Bearer TOKEN,
except /health and /ready, which only report the server's health. The file must be
readable by its owner only.

With --tls-cert and --tls-key it speaks only HTTPS, with TLS 1.2 or newer. A renewed
certificate is read within a second; one that cannot be used is logged, and the old
one kept. Commands on this machine recognise the server by its certificate, whoever
has signed it. Without these there is no encryption: across a network you do not
trust, use a certificate, or put a proxy with TLS in front of the server.

Pages in a browser are refused, except those of each --allow-origin. Without a token,
names in the header Host other than those of this machine are refused, except each
--allow-host.

Exit codes: 0 after an interrupt, a termination signal or the idle timeout, or if
the root is already being served; 1 an error.`,
		Example: `  quarry serve
  quarry serve ~/src/project --port 4000
  quarry serve ~/src/shop ~/src/depot --memory 600MiB
  quarry serve stop                  end the server of this folder
  quarry serve --project /workspace --data-dir /cache --log-format json
  quarry daemon --project /workspace --socket /tmp/tldr.sock
  quarry serve --bind 0.0.0.0 --token-file ~/.quarry-token`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			roots, err := projectRoots(cmd, s, args)
			if err != nil {
				return err
			}
			if given != "" && len(roots) > 1 {
				return errors.New("--snapshot is for one root, and there are several")
			}
			if keyFile != "" && given == "" {
				return errors.New("--snapshot-public-key needs --snapshot: it says who must have signed that file")
			}
			keys, err := publicKeys(keyFile)
			if err != nil {
				return err
			}
			if err := index.Signed(given, keys); err != nil {
				return err
			}
			if behind {
				return serveBehind(cmd, s, roots)
			}
			return serve(cmd.Context(), s, roots, writtenRoots(s, args), host.Given{Path: given, Keys: keys}, wait, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&given, "snapshot", "", "a snapshot to start with, if the root has none of its own (see quarry index --output)")
	cmd.Flags().StringVar(&keyFile, "snapshot-public-key", "", "a file of Ed25519 public keys in PEM, one of which must have signed the given snapshot")
	cmd.Flags().BoolVar(&behind, "background", false, "start the server in the background, and return when it listens")
	cmd.Flags().BoolVar(&wait, "wait", false, "print a second line when the first build has finished")
	config.AddFlags(cmd.Flags(), config.RootFlag|config.ServerFlags|config.TokenFlag|config.SocketFlags|config.IndexFlags|config.WatchFlags|config.CacheFlag|config.LLMFlags)
	cmd.AddCommand(newServersCommand(), newStopCommand())
	return cmd
}

// serve runs everything for some roots until ctx ends. written are the roots as the user
// has them.
func serve(ctx context.Context, s config.Settings, roots, written []string, given host.Given, wait bool, out io.Writer) (err error) {
	token, err := s.Token()
	if err != nil {
		return err
	}
	if token == "" && !s.Loopback() {
		return fmt.Errorf("cannot listen on %s without a token file: anyone who reaches it could read the code", s.Server.Bind)
	}
	terminal := isTerminal(out)
	out = &lockedWriter{w: out} // several goroutines write lines
	log := newLogger(s, out)
	shown, err := openCertificate(&s, log)
	if err != nil {
		return err
	}
	claims, err := claimAll(ctx, openRegistry(s), roots, log, out)
	if err != nil || len(claims) == 0 {
		return err
	}
	defer func() {
		for _, c := range claims {
			err = errors.Join(err, c.release())
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
		return fmt.Errorf("cannot listen on %s port %d: %w", s.Server.Bind, s.Server.Port, dialReason(err))
	}
	model, noModel, closeModel, err := openModel(s)
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	defer func() { err = errors.Join(err, closeModel()) }()
	parsers, err := openParsers(&s, processors, log)
	if err != nil {
		return errors.Join(err, closeAll(listeners))
	}
	if parsers != nil {
		defer parsers.Close() // when no index is left
	}
	url, cache := shown.scheme()+reachable(address), openCache(&s)
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
			return index.Open(root, openOptions(&s, index.Options{
				Embedder: model, Logger: log, Workers: processors, Background: true, Throttle: gate, Bulk: bulk, Observer: meters, CacheDir: cache.Packs(), Parsers: parsers,
			}))
		},
		Claim: func(root string) (func() error, error) {
			c, err := claimOne(ctx, openRegistry(s), root)
			if err != nil {
				return nil, err
			}
			paths, end := sockets.add(ctx, root)
			c.announce(url, server.Instance(), shown.pin(), paths...)
			return func() error { return errors.Join(end(), c.release()) }, nil
		},
		Dir: func(root string) string { return projectDir(&s, root) }, SnapshotKeys: given.Keys,
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
		Build:     func(name string) host.Progress { return newProgress(out, terminal && len(roots) == 1, label(name)) },
		Settled: func(name string, x *index.Index) {
			awaited()
			settled(out, label(name), x, wait)
		},
	})
	for _, c := range claims {
		if err := h.Take(c.root, "", given.Path, c.release); err != nil {
			return errors.Join(err, h.Close(), closeAll(listeners))
		}
	}
	if err := sockets.listen(claims, written); err != nil {
		return errors.Join(err, h.Close(), closeAll(listeners))
	}
	learning := openCoach(&s, log)
	defer func() { err = errors.Join(err, learning.Save()) }() // when no request is left
	envelope := s.Envelope(log)
	defer func() { err = errors.Join(err, envelope.Log.Close()) }()
	if s.Server.Pprof {
		runtime.MemProfileRate = 512 << 10 // what Go's own default is
	}
	server, err = api.New(api.Options{
		Projects: h, Envelope: envelope, Coach: learning, Logger: log, Version: release,
		Limits:    api.Limits{Slots: cmp.Or(s.Limits.CheapSlots, processors), Heavy: s.Limits.HeavySlots},
		SlowQuery: time.Duration(s.Log.SlowQuery), Pprof: s.Server.Pprof,
		TLS: shown.config(), AllowOrigins: s.Server.AllowOrigin, AllowHosts: s.Server.AllowHost,
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
		c.announce(url, server.Instance(), shown.pin(), sockets.about(c.root, c.root == roots[0])...)
	}
	for _, p := range h.List() {
		fmt.Fprintf(out, "quarry: serving %s at %s%s (%s)\n", p.Root, shown.scheme(), address, p.State.State)
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

// openCoach opens what learns which form of an answer works best, for all servers with
// this data folder together; nil where it is turned off.
func openCoach(s *config.Settings, log *slog.Logger) *coach.Coach {
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

func newLogger(s config.Settings, out io.Writer) *slog.Logger {
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

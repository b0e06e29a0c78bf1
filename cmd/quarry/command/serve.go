package command

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/server"
	"github.com/quarry-search/quarry/index"
)

func newServeCommand() *cobra.Command {
	var wait, behind bool
	var given string
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

With --snapshots PLACE, a root of which nothing is kept begins with the newest snapshot
that quarry index --put has put there: in a folder, or in a bucket of an S3-compatible
store. What has not changed since is neither parsed nor embedded. If there is none, or
it cannot be had within --snapshots-timeout or used, the log says why and the index is
built from scratch. Credentials are those of AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, or of AWS_PROFILE in ~/.aws/credentials.

One line on standard error says where it listens, and another when everything is
indexed. If the port is taken, the next nine are tried, so look at that line, or ask
quarry ping; one that --port names must be free. Other commands find the
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
except /health and /ready, which only report the server's health, and the page for
browsers, which asks for it. The file must be readable by its owner only.

With --tls-cert and --tls-key it speaks only HTTPS, with TLS 1.2 or newer. A renewed
certificate is read within a second; one that cannot be used is logged, and the old
one kept. Commands on this machine recognise the server by its certificate, whoever
has signed it. Without these there is no encryption: across a network you do not
trust, use a certificate, or put a proxy with TLS in front of the server.

Pages in a browser are refused, except the server's own and those of each
--allow-origin. Without a token, names in the header Host other than those of this
machine are refused, except each --allow-host.

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
			roots, err := invocation.ProjectRoots(cmd, s, args)
			if err != nil {
				return err
			}
			for _, root := range roots {
				if _, ok := registry.Open(s).Find(cmd.Context(), root); ok {
					continue // it asks for no more than it has
				}
				if err := invocation.Confirm(cmd, root); err != nil {
					return err
				}
			}
			if given != "" && len(roots) > 1 {
				return errors.New("--snapshot is for one root, and there are several")
			}
			if s.Snapshots.PublicKey != "" && given == "" && s.Snapshots.Place == "" {
				return errors.New("--snapshot-public-key needs --snapshot or --snapshots: it says who must have signed those")
			}
			keys, err := s.SnapshotKeys()
			if err != nil {
				return err
			}
			if given != "" {
				if err := index.Signed(given, keys); err != nil {
					return err
				}
			}
			if behind {
				return serveBehind(cmd, s, roots)
			}
			return server.Run(cmd.Context(), server.Options{
				Settings: s, Roots: roots, Written: invocation.WrittenRoots(s, args), Given: host.Given{Path: given, Keys: keys}, Wait: wait, Out: cmd.ErrOrStderr(),
			})
		},
	}
	cmd.Flags().StringVar(&given, "snapshot", "", "a snapshot to start with, if the root has none of its own (see quarry index --output)")
	cmd.Flags().BoolVar(&behind, "background", false, "start the server in the background, and return when it listens")
	cmd.Flags().BoolVar(&wait, "wait", false, "do not pause the first build for --nice: somebody waits for it")
	invocation.AddYesFlag(cmd.Flags())
	config.AddFlags(cmd.Flags(), config.RootFlag|config.ServerFlags|config.TokenFlag|config.SocketFlags|config.IndexFlags|config.WatchFlags|config.CacheFlag|config.LLMFlags|config.SnapshotFlags)
	cmd.AddCommand(newServersCommand(), newStopCommand("serve stop"))
	return cmd
}

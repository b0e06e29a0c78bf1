package command

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

func newMCPCommand() *cobra.Command {
	var noStart bool
	var session string
	cmd := &cobra.Command{
		Use:   "mcp [ROOT]",
		Short: "Serve an agent over the Model Context Protocol",
		Long: `Mcp is what an agent starts: it speaks the Model Context Protocol on standard input
and output, and offers tools to search and read the code of ROOT (by default the
working folder). It asks the server of that root, or of a folder around it; if there is
none it starts one in the background, as ensure does, with its own settings. That
happens at the first question: the agent gets its list of tools at once. If the server
has ended, the next question finds or starts another.

Nothing but the protocol goes to standard output. An agent that can speak HTTP needs
no such process: a running server has the same tools at /mcp.

Exit codes: 0 the agent has disconnected, 1 an error.`,
		Example: `  quarry mcp --root ~/src/project
  claude mcp add quarry -- quarry mcp
  npx @modelcontextprotocol/inspector --cli quarry mcp --method tools/list`,
		Args: invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, root, err := invocation.Load(cmd, args)
			if err != nil {
				return err
			}
			servers := registry.Open(s)
			if _, ok := servers.Containing(cmd.Context(), root); !ok && !noStart {
				if err := invocation.Confirm(cmd, root); err != nil {
					return err
				}
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			a := newProxy(servers, root, serveArgs(cmd, &s, args))
			a.token, a.session, a.noStart = token, session, noStart
			defer a.close()
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			return mcp.New(mcp.Options{Asker: mcp.Remote(a), Version: version.Read().Version, Logger: log}).
				Run(cmd.Context(), mcp.Lines(cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&noStart, "no-start", false, "start no server; questions fail until one runs")
	fs.StringVar(&session, "session-id", "", "send code that this session has received before as a reference: only for a model that forgets nothing")
	invocation.AddYesFlag(fs)
	config.AddFlags(fs, config.RootFlag|config.ServerFlags|config.TokenFlag)
	return cmd
}

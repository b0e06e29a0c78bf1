package command

import (
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/lsp"
	"github.com/quarry-search/quarry/api/mcp"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/folder"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
)

func newLSPCommand() *cobra.Command {
	var noStart bool
	cmd := &cobra.Command{
		Use:   "lsp [ROOT]",
		Short: "Serve an editor over the Language Server Protocol",
		Long: `Lsp is what an editor starts: it speaks the Language Server Protocol on standard input
and output. It answers where symbols are defined, named, implemented and called, what they
do, and what is wrong with a file, in all languages of the index. Files that are open and not
saved count as they are on the screen.

It asks the server of ROOT, or of a folder around it; if there is none it starts one in the
background, as ensure does, with its own settings. Without ROOT it is the first folder that
the editor works in, or else the working folder.

Nothing but the protocol goes to standard output. docs/lsp.md has settings of editors.

Exit codes: 0 the editor has ended it, or is gone; 1 an error, or it was ended without being
shut down.`,
		Example: `  quarry lsp
  hx --health  # with language-servers = ["quarry"] in languages.toml`,
		Args: invocation.AtMostOne("root"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, root, err := invocation.Load(cmd, args)
			if err != nil {
				return err
			}
			if len(args) == 0 && !s.RootGiven {
				root = "" // the editor says it
			}
			token, err := s.Token()
			if err != nil {
				return err
			}
			servers := registry.Open(s)
			var asked []*proxy
			defer func() {
				for _, p := range asked {
					p.close()
				}
			}()
			open := func(root string) (lsp.Asker, error) {
				real, err := folder.Check(root)
				if err != nil {
					return nil, err
				}
				if _, ok := servers.Containing(cmd.Context(), real); !ok && !noStart {
					if err := invocation.Confirm(cmd, real); err != nil {
						return nil, err
					}
				}
				p := newProxy(servers, real, serveArgs(cmd, &s, []string{root}))
				p.token, p.noStart = token, noStart
				asked = append(asked, p)
				return mcp.Remote(p), nil
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
			return lsp.New(lsp.Options{Open: open, Root: root, Version: version.Read().Version, Logger: log}).
				Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&noStart, "no-start", false, "start no server; requests fail until one runs")
	invocation.AddYesFlag(fs)
	config.AddFlags(fs, config.RootFlag|config.ServerFlags|config.TokenFlag)
	return cmd
}

package command

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

// A refresh has a running server read files again.
type refresh struct {
	url  string
	json bool
	wait bool
}

func (o *refresh) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.wait, "wait", false, "end only when what was queued is indexed")
	registry.AddURLFlag(cmd.Flags(), &o.url)
	terminal.AddJSONFlag(cmd.Flags(), &o.json)
	config.AddFlags(cmd.Flags(), config.RootFlag|config.TokenFlag)
}

// A refreshed is what such a command prints.
type refreshed struct {
	Root       string `json:"root"`
	Server     string `json:"server"`
	Queued     int    `json:"queued,omitempty"` // paths
	Generation uint64 `json:"generation"`
	Indexed    bool   `json:"indexed"` // what was queued is in the index
}

// server returns the server that is responsible, and the root that it is asked about.
func (o *refresh) server(cmd *cobra.Command) (*client.Client, refreshed, error) {
	var r refreshed
	s, err := config.Load(cmd)
	if err != nil {
		return nil, r, err
	}
	token, err := s.Token()
	if err != nil {
		return nil, r, err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), registry.ProbeTimeout)
	defer cancel()
	reg, err := registry.Locate(ctx, cmd, s, o.url)
	if err != nil {
		return nil, r, err
	}
	if reg.Root == "" {
		h, err := reg.Remote(token).Health(ctx)
		if err != nil {
			return nil, r, err
		}
		reg.Root = h.Root
	}
	server := reg.Remote(token)
	c, err := server.Client(registry.SearchTimeout)
	return c, refreshed{Root: reg.Root, Server: server.URL}, err
}

// done waits until everything that is queued is indexed, if that is wanted.
func (o *refresh) done(ctx context.Context, c *client.Client, r *refreshed, req client.InvalidateRequest) error {
	req.Project, req.Wait = r.Root, o.wait
	for {
		a, err := c.Invalidate(ctx, req)
		if late := (*client.Error)(nil); o.wait && errors.As(err, &late) && late.Status == http.StatusGatewayTimeout {
			continue
		}
		if err != nil {
			return err
		}
		r.Queued, r.Generation, r.Indexed = a.Queued, a.Generation, o.wait
		return nil
	}
}

// print says what was done.
func (o *refresh) print(cmd *cobra.Command, r refreshed, what string) error {
	if o.json {
		return terminal.PrintJSON(cmd.OutOrStdout(), r)
	}
	state := "queued"
	if r.Indexed {
		state = "indexed"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s of %s, generation %d\n", state, what, terminal.Visible(r.Root), r.Generation)
	return err
}

func newReindexCommand() *cobra.Command {
	var o refresh
	var reset bool
	cmd := &cobra.Command{
		Use:   "reindex",
		Short: "Have the running server walk its root again",
		Long: `Reindex has the running server look through the whole root for what has changed, and
with --reset read and parse every file again. The server follows changes by itself: this
is for file systems that do not tell of them. The old index answers meanwhile. It finds
the server as ping does.

Exit codes: 0 queued, with --wait indexed; 1 an error, or no server runs.`,
		Example: `  quarry reindex --wait
  quarry reindex --reset --root ~/src/project`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, r, err := o.server(cmd)
			if err != nil {
				return err
			}
			if reset || !o.wait {
				a, err := c.Reindex(cmd.Context(), client.ReindexRequest{Reset: reset, Project: r.Root})
				if err != nil {
					return err
				}
				r.Generation = a.Generation
			}
			if o.wait {
				if err := o.done(cmd.Context(), c, &r, client.InvalidateRequest{All: true}); err != nil {
					return invocation.Interrupted(cmd, err)
				}
				r.Queued = 0
			}
			return o.print(cmd, r, "all files")
		},
	}
	cmd.Flags().BoolVar(&reset, "reset", false, "read and parse every file again, whatever its time")
	o.addFlags(cmd)
	return cmd
}

func newInvalidateCommand() *cobra.Command {
	var o refresh
	var q client.InvalidateRequest
	cmd := &cobra.Command{
		Use:   "invalidate PATH...",
		Short: "Tell the running server that files may have changed",
		Long: `Invalidate has the running server look at files and folders again. The server follows
changes by itself: this is for programs that cannot wait for that. It finds the server as
ping does. Paths are relative to the working folder if that is inside the root, otherwise
to the root; globs are relative to the root.

Exit codes: 0 queued, with --wait indexed; 1 an error, or no server runs.`,
		Example: `  quarry invalidate src/auth go.mod --wait
  quarry invalidate --pattern 'src/**/*.ts'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && q.Pattern == "" && !q.All {
				return errors.New("a path, --pattern or --all is needed")
			}
			c, r, err := o.server(cmd)
			if err != nil {
				return err
			}
			for _, arg := range args {
				path, err := invocation.RootPath(r.Root, arg)
				if err != nil {
					return err
				}
				if path == "." {
					q.All = true
					continue
				}
				q.Paths = append(q.Paths, path)
			}
			if err := o.done(cmd.Context(), c, &r, q); err != nil {
				return invocation.Interrupted(cmd, err)
			}
			return o.print(cmd, r, fmt.Sprintf("%d paths", r.Queued))
		},
	}
	cmd.Flags().StringVar(&q.Pattern, "pattern", "", "also indexed files that match this glob, such as src/**/*.ts")
	cmd.Flags().BoolVar(&q.All, "all", false, "the whole root")
	o.addFlags(cmd)
	return cmd
}

package cluster

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/gateway"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

func newGatewayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Answer questions about all repositories of a catalogue",
		Long: `Gateway is a server of all repositories of a catalogue, with the HTTP API that quarry
serve has. A request names the repository in its field project, by the name that quarry
catalogue list shows; a search or a grep that names none is over the --gateway-across
repositories that are the likeliest to have something. It is answered from the latest snapshot
that a worker has put where --snapshots says: the first request has that taken and read, which takes seconds for a large
one, and the others find it in memory.

Nothing is followed or changed: there are no files but what the snapshot has of them. A
newer snapshot takes the place of the old one within --gateway-poll, and answers go on
meanwhile. --memory is a budget as for quarry serve: repositories that receive no requests
leave the memory. Copies of snapshots stay below the data folder, up to --cache-size.

Several gateways share the repositories with --peers, which each is given the same: one has a
repository in memory, and the others hand requests for it on. Of those that do not answer
the next one does. They need the same token.

With --oidc-issuer, users show tokens of an identity provider, and --permissions-file says
which repositories there are for their groups: others are to them as if they did not exist.
Whoever shows the token of --token-file sees all.

With --webhook-secret-file, a forge may say at /webhooks/github and /webhooks/gitlab what has
changed, so that a worker looks at once.

While the database or the store does not answer, what is in memory goes on answering, with
the freshness UNKNOWN; other requests are answered 503 with the time after which to try
again. So are all, where a gateway that has just been started finds no database.

Exit codes: 0 after an interrupt or a termination signal; 1 an error.`,
		Example: `  QUARRY_DATABASE=postgres://quarry@db/quarry quarry gateway --snapshots s3://team/quarry --memory 8GiB
  quarry gateway --bind 0.0.0.0 --token-file /run/secrets/token --peers https://gw-1:3456,https://gw-2:3456`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			switch {
			case s.Snapshots.Place == "":
				return errors.New("a gateway needs --snapshots, which says where the snapshots are")
			case s.Snapshots.Name != "" || s.Snapshots.Branch != "":
				return errors.New("--snapshots-name and --snapshots-branch mean nothing to a gateway: the catalogue has names and branches")
			}
			for _, name := range []string{"allow-root", "coach", "compat", "idle-timeout", "nice"} {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s means nothing to a gateway, which has neither folders nor an end", name)
				}
			}
			c, err := catalogueOf(cmd, &s)
			if err != nil {
				return err
			}
			defer c.Close()
			return gateway.Serve(cmd.Context(), s, c, cmd.ErrOrStderr())
		},
	}
	config.AddFlags(cmd.Flags(), config.CatalogueFlags|config.GatewayFlags|config.SnapshotFlags|config.ServerFlags|config.TokenFlag|config.IndexFlags|config.CacheFlag|config.LLMFlags)
	return cmd
}

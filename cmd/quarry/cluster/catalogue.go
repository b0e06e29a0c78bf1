package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

func newCatalogueCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalogue",
		Short: "Say which repositories workers index for everybody",
		Long: `The catalogue is the list of the repositories that quarry worker indexes. It is in a
database of PostgreSQL, which --database or QUARRY_DATABASE names; its tables are made and
brought up to date by whichever command comes first.`,
		Example: `  quarry catalogue add https://example.com/team/shop git@example.com:team/web.git
  quarry catalogue list
  quarry catalogue index example.com/team/shop
  quarry catalogue remove example.com/team/web`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var branch, name string
	add := catalogueCommand("add ADDRESS...", "Take repositories in, and have them indexed", func(cmd *cobra.Command, s *config.Settings, c *catalogue.Catalogue, args []string) error {
		if name != "" && len(args) > 1 {
			return errors.New("--name is for one repository")
		}
		names := make([]string, len(args))
		for i, address := range args { // all or none
			of, err := catalogue.ParseAddress(address, s.AllowedProtocols())
			if err != nil {
				return err
			}
			names[i] = cmp.Or(name, of)
			if err := depot.CheckName(names[i]); err != nil {
				return err
			}
		}
		for i, address := range args {
			if err := c.Add(cmd.Context(), names[i], address, branch); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "added %s\n", terminal.Visible(names[i]))
		}
		return nil
	})
	add.Long = `Add takes repositories in by their addresses, as git clone takes them, and has them
indexed. One that is there gets the address and the branch that are given now.

The name of a repository is the host and the path of its address, such as
example.com/team/shop: a clone of it has the same, and so finds its snapshots.`
	add.Flags().StringVar(&branch, "branch", "", "the branch that is indexed (default: the one that the remote begins with)")
	add.Flags().StringVar(&name, "name", "", "the repository's name (default: host and path of its address)")

	var asJSON bool
	list := catalogueCommand("list", "List the repositories, and how far each is", func(cmd *cobra.Command, _ *config.Settings, c *catalogue.Catalogue, _ []string) error {
		all, err := c.List(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return terminal.PrintJSON(cmd.OutOrStdout(), struct {
				Repositories []catalogue.Repository `json:"repositories"`
			}{append([]catalogue.Repository{}, all...)})
		}
		return printCatalogue(cmd.OutOrStdout(), all)
	})
	list.Args = invocation.NoArguments
	terminal.AddJSONFlag(list.Flags(), &asJSON)

	again := catalogueCommand("index NAME...", "Have repositories indexed now, whether there is a new commit or not", func(cmd *cobra.Command, _ *config.Settings, c *catalogue.Catalogue, args []string) error {
		for _, name := range args {
			if err := c.Index(cmd.Context(), name); err != nil {
				return err
			}
		}
		return nil
	})
	remove := catalogueCommand("remove NAME...", "Remove repositories and their snapshots", func(cmd *cobra.Command, _ *config.Settings, c *catalogue.Catalogue, args []string) error {
		for _, name := range args {
			if err := c.Remove(cmd.Context(), name); err != nil {
				return err
			}
		}
		return nil
	})
	remove.Long = `Remove has a worker remove all snapshots of the repositories, and then takes them out of
the catalogue. Until then quarry catalogue list says that they are being removed.`
	cmd.AddCommand(add, list, again, remove)
	return cmd
}

// catalogueCommand is a command on an open catalogue, of at least one argument.
func catalogueCommand(use, short string, run func(cmd *cobra.Command, s *config.Settings, c *catalogue.Catalogue, args []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			c, err := open(cmd, &s)
			if err != nil {
				return err
			}
			defer c.Close()
			return run(cmd, &s, c, args)
		},
	}
	config.AddFlags(cmd.Flags(), config.CatalogueFlags)
	return cmd
}

// printCatalogue writes a line for each repository, and below it what is wrong.
func printCatalogue(w io.Writer, all []catalogue.Repository) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "the catalogue is empty")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range all {
		commit, when := "-", "never indexed"
		if r.IndexedAt != nil {
			commit, when = fmt.Sprintf("%.12s", r.Commit), fmt.Sprintf("%d files, %.2f MB, %s", r.Files, float64(r.Bytes)/1e6, r.IndexedAt.UTC().Format(time.DateTime))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", terminal.Visible(r.Name), r.State, commit, when)
		for _, more := range []struct{ what, text string }{{"failed", r.Failure}, {"unreachable", r.Unreachable}, {"note", r.Note}} {
			if more.text != "" {
				fmt.Fprintf(table, "  %s: %s\n", more.what, terminal.Visible(more.text))
			}
		}
	}
	return table.Flush()
}

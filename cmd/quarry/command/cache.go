package command

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
)

func newCacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show or prune what is kept in the data folder",
		Long: `The data folder keeps the index of each root that was served, and packs: what
switching branches removed from an index. Roots that have files in common, such
as the worktrees of a repository, share one file. All of it can be made again.

When it exceeds --cache-size, a server evicts, after it has saved and at most once
an hour: packs first, then the indexes of roots that no longer exist, then those
used longest ago; never that of a root that is being served.`,
		Example: `  quarry cache status
  quarry cache prune --dry-run`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCacheStatusCommand(), newCachePruneCommand())
	return cmd
}

// cacheReport is what cache status --json prints.
type cacheReport struct {
	DataDir   string      `json:"data_dir"`
	Limit     int64       `json:"limit_bytes"` // 0: none
	Total     int64       `json:"total_bytes"`
	Packs     int         `json:"packs"`
	PackBytes int64       `json:"pack_bytes"`
	Roots     []cacheRoot `json:"roots"`
}

type cacheRoot struct {
	Root   string    `json:"root"`         // "": it is not known whose it was
	Alone  int64     `json:"alone_bytes"`  // what its eviction would give back
	Shared int64     `json:"shared_bytes"` // in files that other roots have, too
	Exists bool      `json:"exists"`       // the root
	Served bool      `json:"served"`
	Used   time.Time `json:"used"`
}

func newCacheStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List what is kept for which root, and its size",
		Args:  invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			kept := engine.OpenCache(&s)
			items, total, err := kept.Items()
			if err != nil {
				return err
			}
			r := cacheReport{DataDir: s.DataDir, Limit: kept.Limit, Total: total, Roots: []cacheRoot{}}
			for _, one := range items {
				alone, shared := one.Sizes()
				if one.Pack {
					r.Packs++
					r.PackBytes += alone
					continue
				}
				_, served := registry.Open(s).Find(cmd.Context(), one.Root)
				r.Roots = append(r.Roots, cacheRoot{one.Root, alone, shared, !one.Gone, served, one.Used.UTC()})
			}
			if asJSON {
				return terminal.PrintJSON(cmd.OutOrStdout(), r)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, one := range r.Roots {
				note := ""
				switch {
				case one.Served:
					note = "served"
				case !one.Exists:
					note = "does not exist"
				}
				fmt.Fprintf(w, "%s\t%s\t%s shared\tused %s\t%s\n", terminal.Visible(one.Root), megabytes(one.Alone), megabytes(one.Shared), one.Used.Local().Format(time.DateTime), note)
			}
			fmt.Fprintf(w, "%d packs\t%s\n", r.Packs, megabytes(r.PackBytes))
			limit := "no limit"
			if r.Limit > 0 {
				limit = "the limit is " + megabytes(r.Limit)
			}
			fmt.Fprintf(w, "all\t%s\tin %s; %s\n", megabytes(r.Total), terminal.Visible(r.DataDir), limit)
			return w.Flush()
		},
	}
	terminal.AddJSONFlag(cmd.Flags(), &asJSON)
	config.AddFlags(cmd.Flags(), config.CacheFlag)
	return cmd
}

func newCachePruneCommand() *cobra.Command {
	var p host.Pruning
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Evict what exceeds the limit, or has not been used for long",
		Long: `Prune does at once what a server does from time to time: while everything together
exceeds --cache-size, it evicts packs, then the indexes of roots that no longer
exist, then those used longest ago. With --older-than it also evicts what has not
been used for that long, with --all everything. What belongs to a root that is being
served stays.

Exit codes: 0 it is within the limit now, 1 it is not, or an error.`,
		Example: `  quarry cache prune
  quarry cache prune --older-than 720h --dry-run
  quarry cache prune --cache-size 500MB`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			if p.Older < 0 {
				return errors.New("older-than must not be negative")
			}
			kept := engine.OpenCache(&s)
			evicted, freed, left, err := kept.Prune(p)
			did := "evicted"
			if p.Dry {
				did = "would evict"
			}
			out := cmd.OutOrStdout()
			for _, one := range evicted {
				what := one.Root
				if one.Pack || what == "" {
					what = one.Path
				}
				fmt.Fprintf(out, "%s %s\n", did, terminal.Visible(what))
			}
			fmt.Fprintf(out, "%s %s, %s left\n", did, megabytes(freed), megabytes(left))
			if err == nil && kept.Limit > 0 && left > kept.Limit {
				return fmt.Errorf("more than %s is left: it belongs to roots that are being served", s.Cache.Size)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&p.All, "all", false, "evict everything")
	cmd.Flags().DurationVar(&p.Older, "older-than", 0, "evict what has not been used for this long, such as 720h")
	cmd.Flags().BoolVar(&p.Dry, "dry-run", false, "only say what would be evicted")
	config.AddFlags(cmd.Flags(), config.CacheFlag)
	return cmd
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// Package cluster has the commands for many repositories: the catalogue that says which, the
// worker that indexes them, and the gateway that answers questions about them.
package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/worker"
)

// setAside is the exit code of a worker that has ended with repositories that it could not
// index.
const setAside = 3

// Commands returns the commands.
func Commands() []*cobra.Command {
	return []*cobra.Command{newCatalogueCommand(), newWorkerCommand(), newGatewayCommand()}
}

func newWorkerCommand() *cobra.Command {
	var once bool
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Index the repositories of a catalogue for everybody",
		Long: `Worker takes the repositories of a catalogue one by one as they get new commits, clones
each, builds its index as quarry index does and puts the snapshot where --snapshots says.
Servers and commands with the same --snapshots begin from it.

Any number of workers may share a catalogue. Every --worker-poll one of them asks the
remotes for new commits; what fails is tried again after a while, and set aside after five
tries until there is another commit. A worker that is killed loses nothing: within
seconds another one takes what it was at.

Nothing of a repository is run: no hook, no filter of its attributes, no submodule. Clones
are shallow, lie below the data folder and are removed. Credentials are those that git on
this machine has, from its credential helper or for ssh; none may be in an address.

How a repository is indexed is said by the QUARRY_* variables and the configuration file,
as for quarry index.

Exit codes: 0 it was told to end, or with --once everything is indexed; 1 an error; 3 with
--once, some repositories are not indexed: quarry catalogue list says why.`,
		Example: `  quarry catalogue add https://example.com/team/shop
  QUARRY_DATABASE=postgres://quarry@db/quarry quarry worker --snapshots s3://team/quarry
  quarry worker --once --snapshots /srv/snapshots --database postgres:///quarry`,
		Args: invocation.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := config.Load(cmd)
			if err != nil {
				return err
			}
			failed, err := work(cmd, &s, once)
			if err != nil {
				return err
			}
			if failed {
				return invocation.Silent(cmd, setAside)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "end when there is nothing left that can be done now")
	config.AddFlags(cmd.Flags(), config.CatalogueFlags|config.WorkerFlags|config.SnapshotFlags)
	return cmd
}

// work runs a worker, and reports whether one that works once has left something.
func work(cmd *cobra.Command, s *config.Settings, once bool) (failed bool, err error) {
	switch {
	case s.Snapshots.Place == "":
		return false, errors.New("a worker needs --snapshots, which says where the snapshots go")
	case s.Snapshots.Name != "" || s.Snapshots.Branch != "":
		return false, errors.New("--snapshots-name and --snapshots-branch mean nothing to a worker: the catalogue has names and branches")
	}
	if _, err := exec.LookPath("git"); err != nil {
		return false, errors.New("a worker needs git, and there is none in the PATH")
	}
	program, err := os.Executable()
	if err != nil {
		return false, err
	}
	ctx := cmd.Context()
	c, err := open(cmd, s)
	if err != nil {
		return false, err
	}
	defer c.Close()
	err = worker.Run(ctx, worker.Options{
		Catalogue: c, Depot: func(name string) (*depot.Depot, error) { return s.Depot(name) },
		Index: []string{program, "index", "--yes"}, Variables: s.SnapshotVariables(), Folder: filepath.Join(s.DataDir, "worker"),
		Protocols: s.AllowedProtocols(), Jobs: s.Worker.Jobs, Poll: time.Duration(s.Worker.Poll), Timeout: time.Duration(s.Worker.Timeout), MaxBytes: int64(s.Worker.MaxBytes),
		Once: once, Metrics: s.Worker.Metrics, Log: s.Logger(cmd.ErrOrStderr()),
	})
	if err != nil || !once || ctx.Err() != nil {
		return false, err
	}
	all, err := c.List(ctx)
	for _, r := range all {
		failed = failed || r.State != catalogue.Indexed
	}
	return failed, err
}

// open opens the catalogue that the settings name.
func open(cmd *cobra.Command, s *config.Settings) (*catalogue.Catalogue, error) {
	c, err := catalogueOf(cmd, s)
	if err != nil {
		return nil, err
	}
	if err := c.Prepare(cmd.Context()); err != nil {
		c.Close()
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	return c, nil
}

// catalogueOf returns the catalogue that the settings name, which is not asked yet.
func catalogueOf(cmd *cobra.Command, s *config.Settings) (*catalogue.Catalogue, error) {
	if s.Catalogue.Database == "" {
		return nil, errors.New("--database or QUARRY_DATABASE must say where the catalogue is, as postgres://user@host/name")
	}
	c, err := catalogue.New(cmd.Context(), s.Catalogue.Database)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	return c, nil
}

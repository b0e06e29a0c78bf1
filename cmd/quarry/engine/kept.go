package engine

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/cmd/quarry/machine"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/index"
)

// ProjectDir is the folder in which the snapshot of a root is kept.
func ProjectDir(s *config.Settings, root string) string {
	return registry.Registry{Dir: filepath.Join(s.DataDir, "projects")}.File(root)
}

// OpenCache returns what the data folder keeps.
func OpenCache(s *config.Settings) *host.Cache {
	return &host.Cache{Data: s.DataDir, Limit: int64(s.Cache.Size), Claim: registry.Open(*s).Claim}
}

// KeptRoot returns the nearest root that dir is or is in and of which something is kept, as
// commands find the server of such a root; "" where there is none.
func KeptRoot(s *config.Settings, dir string) string {
	for {
		if _, err := os.Stat(host.SnapshotOf(ProjectDir(s, dir))); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// UseKept opens the index of a root that no server has, for one answer: it begins with what the
// data folder keeps of the root, else with what others have made, and build brings it up to date,
// told what it began with. What that has changed is kept for the next process, after use and without a word
// where it cannot be.
func UseKept(ctx context.Context, s config.Settings, root string, build func(x *index.Index, with host.Beginning) error, use func(*index.Index) error) error {
	keys, err := s.SnapshotKeys()
	if err != nil {
		return err
	}
	processors, gc, undo, err := machine.Tune(s.Server.CPUs, 0)
	if err != nil {
		return err
	}
	defer undo()
	return useWith(s, root, true, index.Options{Workers: processors}, func(x *index.Index) error {
		servers := registry.Open(s)
		kept := host.Kept{
			Root: root, Dir: ProjectDir(&s, root), Cache: OpenCache(&s), Log: slog.New(slog.DiscardHandler),
			Lock: func() (func(), bool, error) { return servers.Lock(root) }, Keys: keys,
		}
		if s.Snapshots.Place != "" {
			kept.Fetch = func(root, to string) (string, error) { return FetchInto(ctx, &s, root, to) }
		}
		resume := gc.Stop() // all that is read stays
		with := kept.Restore(x)
		resume()
		gc.Loosen(collector.All) // until the end
		if err := build(x, with); err != nil {
			return err
		}
		if err := use(x); err != nil {
			return err
		}
		_ = kept.Save(ctx, x)
		return nil
	})
}

package gateway

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
)

// replacers is how many repositories are replaced at once by their newer snapshots.
const replacers = 2

// Run follows the catalogue and the store until ctx ends, and then gives up all that is in
// memory.
func (g *Gateway) Run(ctx context.Context) error {
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error { return g.Host.Run(inner) })
	group.Go(func() error { return g.follow(inner) })
	if g.opt.Peers != nil {
		group.Go(func() error { return g.opt.Peers.run(inner) })
	}
	return errors.Join(group.Wait(), g.Close())
}

// Close ends what Run has not, which must have returned, or not have been called.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.ending = true
	for _, cancel := range g.coming {
		cancel()
	}
	g.mu.Unlock()
	g.work.Wait()
	return g.Host.Close()
}

// follow looks at the catalogue and the store again and again.
func (g *Gateway) follow(ctx context.Context) error {
	tick := time.NewTicker(g.opt.Poll)
	defer tick.Stop()
	failing := false
	for {
		err := g.opt.Catalogue.Prepare(ctx)
		if err == nil {
			err = cmp.Or(g.Refresh(ctx), g.tellUsed(ctx))
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !failing:
			g.opt.Log.Error("the catalogue cannot be read: what is in memory goes on answering, if there is anything", "err", err)
		case err == nil && failing:
			g.opt.Log.Info("the catalogue can be read again")
		}
		failing = err != nil
		g.renew(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// tellUsed tells the catalogue how often repositories were asked about. What it does not take is lost: it is
// no more than a hint.
func (g *Gateway) tellUsed(ctx context.Context) error {
	g.mu.Lock()
	used := g.used
	g.used = map[string]int64{}
	g.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	return g.opt.Catalogue.Used(ctx, used)
}

// Unread says why nothing can be asked before the catalogue was read for the first time, as a
// *wire.Problem; nil: it was.
func (g *Gateway) Unread() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.read.IsZero() {
		return wire.Problemf(wire.CodeUnavailable, "which repositories there are is not known yet: the catalogue does not answer")
	}
	return nil
}

// Refresh reads the catalogue: repositories come and go.
func (g *Gateway) Refresh(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, max(g.opt.Poll, lookWithin))
	defer cancel()
	rows, err := g.opt.Catalogue.List(within)
	if err != nil {
		g.mu.Lock()
		for _, r := range g.known {
			g.judge(r)
		}
		g.mu.Unlock()
		return err
	}
	there := map[string]bool{}
	for _, row := range rows {
		if row.State == catalogue.Removing {
			continue
		}
		there[row.Name] = true
		if _, err := g.know(row); err != nil {
			return err
		}
	}
	g.mu.Lock()
	g.read = time.Now()
	var gone []string
	for name, r := range g.known {
		if g.judge(r); !there[name] {
			gone = append(gone, name)
			delete(g.known, name)
		}
	}
	g.mu.Unlock()
	for _, name := range gone {
		if err := g.Host.Drop(ctx, name); err != nil {
			return err
		}
		g.opt.Log.Info("a repository is not in the catalogue any more", "repository", name)
	}
	return g.tidy()
}

// know takes over what the catalogue says of a repository. The Host knows of it first: who finds
// it here may ask for it at once.
func (g *Gateway) know(row catalogue.Repository) (*repository, error) {
	g.mu.Lock()
	r := g.known[row.Name]
	news := r == nil || r.row.Snapshot != row.Snapshot
	g.mu.Unlock()
	if news {
		if err := g.Host.Know(row.Name, row.Files, row.Chunks, row.Commit != ""); err != nil {
			return nil, err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r = g.known[row.Name]; r == nil {
		r = &repository{}
		g.known[row.Name] = r
	}
	r.row = row
	return r, nil
}

// tidy removes the copies of snapshots that are of no repository any more.
func (g *Gateway) tidy() error {
	needed := map[string]bool{}
	g.mu.Lock()
	for _, r := range g.known {
		needed[r.row.Snapshot], needed[r.made.SHA256] = true, true
		if r.taking != nil { // which it will be is not known yet
			g.mu.Unlock()
			return nil
		}
	}
	g.mu.Unlock()
	return g.files.tidy(func(sum string) bool { return needed[sum] })
}

// renew replaces what is in memory by newer snapshots, and has those made again that cannot be
// used here.
func (g *Gateway) renew(ctx context.Context) {
	var group errgroup.Group
	group.SetLimit(replacers)
	for _, name := range g.Host.Loaded() {
		g.mu.Lock()
		r := g.known[name]
		g.mu.Unlock()
		if r == nil {
			continue
		}
		group.Go(func() error {
			if err := g.renewOne(ctx, r); err != nil && ctx.Err() == nil {
				g.opt.Log.Warn("what is in memory stays", "repository", name, "err", err)
			}
			return nil
		})
	}
	_ = group.Wait() // nobody gives an error
	g.remake(ctx)
}

func (g *Gateway) renewOne(ctx context.Context, r *repository) error {
	g.mu.Lock()
	row, made, refused := r.row, r.made, r.refused
	g.mu.Unlock()
	d, err := g.opt.Depot(row.Name)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, max(g.opt.Poll, lookWithin))
	now, err := g.newest(within, d, &row)
	cancel()
	if err != nil || now.SHA256 == made.SHA256 || now.SHA256 == refused {
		return err
	}
	if _, err := g.files.add(ctx, d, now); err != nil {
		return err
	}
	return g.Host.Replace(ctx, row.Name)
}

// remake has workers index once more what has a snapshot that cannot be used.
func (g *Gateway) remake(ctx context.Context) {
	var names []string
	g.mu.Lock()
	for name, r := range g.known {
		if r.refused != "" && !r.asked {
			names = append(names, name)
		}
	}
	g.mu.Unlock()
	slices.Sort(names)
	for _, name := range names {
		if err := g.opt.Catalogue.Index(ctx, name); err != nil {
			if !errors.Is(err, catalogue.ErrNone) {
				g.opt.Log.Warn("a snapshot is not made again", "repository", name, "err", err)
			}
			continue
		}
		g.mu.Lock()
		if r := g.known[name]; r != nil {
			r.asked = true
		}
		g.mu.Unlock()
	}
}

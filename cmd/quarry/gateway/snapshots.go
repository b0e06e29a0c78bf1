package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

const (
	// takeWithin is how long a snapshot may take to come, whoever waits for it.
	takeWithin = 15 * time.Minute
	// takenAgain is how long after a failure the store is asked for the same again.
	takenAgain = 2 * time.Second
)

// A taking is a snapshot on its way from the store. Its error is there when done is closed.
type taking struct {
	done chan struct{}
	got  depot.Snapshot
	err  error
}

// take has the newest snapshot of a repository be among the copies, and returns which it is.
// When ctx ends it returns, and the snapshot goes on coming for the next request.
func (g *Gateway) take(ctx context.Context, name string) (depot.Snapshot, error) {
	g.mu.Lock()
	r := g.known[name]
	if r == nil || g.ending {
		g.mu.Unlock()
		return depot.Snapshot{}, gone(name)
	}
	t := r.taking
	if t == nil {
		t = &taking{done: make(chan struct{})}
		r.taking = t
		row := r.row
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeWithin)
		g.coming[t] = cancel
		g.work.Go(func() { g.fetch(within, r, &row, t) })
	}
	g.mu.Unlock()
	select {
	case <-t.done:
		return t.got, t.err
	case <-ctx.Done():
		return depot.Snapshot{}, ctx.Err()
	}
}

// fetch asks the store for the newest snapshot, and takes it unless there is a copy.
func (g *Gateway) fetch(ctx context.Context, r *repository, row *catalogue.Repository, t *taking) {
	d, err := g.opt.Depot(row.Name)
	if err == nil {
		t.got, err = g.newest(ctx, d, row)
	}
	if err == nil {
		var n int64
		if n, err = g.files.add(ctx, d, t.got); n > 0 {
			g.opt.Meters.bytes.Add(float64(n))
			g.opt.Log.Info("a snapshot was taken", "repository", row.Name, "snapshot", fmt.Sprintf("%.12s", t.got.SHA256), "commit", t.got.Commit, "bytes", n)
		}
	}
	if err != nil {
		g.opt.Log.Warn("a snapshot cannot be taken", "repository", row.Name, "err", err)
		// What was taken before is better than nothing.
		if old := (depot.Snapshot{SHA256: row.Snapshot, Bytes: row.Bytes, Commit: row.Commit}); g.files.has(old.SHA256) {
			t.got, err = old, nil
		}
	}
	if err != nil {
		t.err = wire.Problemf(wire.CodeUnavailable, "the snapshot of %s cannot be taken: %v", row.Name, said(err))
	}
	close(t.done)
	if t.err != nil { // not all at once again
		select {
		case <-time.After(takenAgain):
		case <-ctx.Done():
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r.taking = nil
	g.coming[t]()
	delete(g.coming, t)
}

// said is why the store gave nothing, without where it is.
func said(err error) error {
	if errors.Is(err, depot.ErrNone) {
		return errors.New("there is none in the store")
	}
	return errors.New("the store does not give it")
}

// newest asks the store which snapshot of a repository is the newest.
func (g *Gateway) newest(ctx context.Context, d *depot.Depot, row *catalogue.Repository) (depot.Snapshot, error) {
	s, _, err := d.Newest(ctx, []string{branchOf(row)})
	return s, err
}

// snapshotOf returns the copy that the index of a repository is from.
func (g *Gateway) snapshotOf(name string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.known[name]; r != nil && r.made.SHA256 != "" {
		return g.files.path(r.made.SHA256)
	} else if r != nil && r.row.Snapshot != "" {
		return g.files.path(r.row.Snapshot)
	}
	return ""
}

// open returns the index of a repository, from its newest snapshot.
func (g *Gateway) open(ctx context.Context, name string) (*index.Index, error) {
	got, err := g.take(ctx, name)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	r := g.known[name]
	var why string // it was refused before; it is never refused without a reason
	if r != nil && r.refused == got.SHA256 {
		why = r.why
	}
	g.mu.Unlock()
	switch {
	case r == nil:
		return nil, gone(name)
	case why != "":
		return nil, unusable(name, why)
	}
	x, err := g.opt.Open(name)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = x.RestoreWith(g.files.path(got.SHA256), index.RestoreOptions{Foreign: true, Keys: g.opt.Keys})
	if err != nil {
		err = errors.Join(err, x.Close())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case errors.Is(err, fs.ErrNotExist): // it was removed to make room; asked again, it is taken again
		return nil, wire.Problemf(wire.CodeUnavailable, "the snapshot of %s is being taken from the store", name)
	case errors.Is(err, index.ErrSnapshot) || errors.Is(err, index.ErrUntrusted):
		g.opt.Log.Error("a snapshot cannot be used", "repository", name, "snapshot", got.SHA256, "err", err)
		r.refused, r.asked, r.why = got.SHA256, false, "it was made by another version, or is damaged"
		if errors.Is(err, index.ErrUntrusted) {
			r.why = "nobody has signed it who had to"
		}
		return nil, unusable(name, r.why)
	case err != nil:
		return nil, err
	}
	r.index, r.made, r.refused = x, got, ""
	g.judge(r)
	g.opt.Log.Info("a repository is in memory", "repository", name, "commit", got.Commit, "took", time.Since(began).Round(time.Millisecond))
	return x, nil
}

// gone is the error for a repository that has just been removed. It is for whoever waits for the
// repository, and so names no other that is for some of them.
func gone(name string) error {
	return wire.Problemf(wire.CodeNotFound, "the catalogue has no repository %q", name)
}

func unusable(name, why string) error {
	return wire.Problemf(wire.CodeUnavailable, "the snapshot of %s cannot be used here: %s", name, why)
}

// judge says how current what is in memory of a repository is: whether its commit is the one
// that a worker or a webhook has seen last. The caller holds the lock.
func (g *Gateway) judge(r *repository) {
	if r.index == nil {
		return
	}
	freshness := answer.Fresh
	switch {
	case time.Since(g.read) > 3*g.opt.Poll || r.row.Seen == "" || r.made.Commit == "":
		freshness = answer.Unknown
	case r.row.Seen != r.made.Commit:
		freshness = answer.Dated
	}
	r.index.Judge(freshness)
}

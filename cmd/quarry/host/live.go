package host

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/watcher"
)

const (
	// watchHeadStart is how long the first build waits for the watcher, so that no
	// change falls between the two. A tree of 10,000 folders needs less.
	watchHeadStart = time.Second
	settleLook     = 100 * time.Millisecond
)

// A live is what a loaded project has. It belongs to the goroutine that follows it.
type live struct {
	p     *project
	x     *index.Index
	w     *watcher.Watcher // nil: there is no folder
	users int              // requests that use it, under Host.mu
	keep  *keeper          // nil: the index is not kept
	saved answer.State     // of what is on disk
	scip  []string         // the SCIP indexes that are read after the first build
	stop  chan struct{}    // closed: it is to end
	done  chan struct{}    // closed: it has ended
}

// watching returns what tells of the watcher, nil where there is none.
func (l *live) watching() func() *wire.Watcher {
	if l.w == nil {
		return nil
	}
	return func() *wire.Watcher { return watcherStatus(l.w.Status()) }
}

// take waits until nobody else loads a project or puts it on disk; give must follow.
func (p *project) take(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *project) give() { <-p.turn }

// load takes a project from disk, or has it indexed, unless it is loaded.
func (h *Host) load(ctx context.Context, p *project) error {
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.give()
	h.mu.Lock()
	loaded, gone, ended := p.live != nil, p.gone, h.ended
	h.mu.Unlock()
	switch {
	case ended:
		return errEnded
	case loaded, gone:
		return nil // Acquire looks again
	}
	if err := h.makeRoom(p); err != nil {
		return err
	}
	return h.open(ctx, p, "")
}

// open makes a project's index and what follows its root. The caller has the project's
// turn, or is the only one who knows it.
func (h *Host) open(ctx context.Context, p *project, given string) (err error) {
	x, err := h.opt.Open(ctx, p.root)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	l := &live{p: p, x: x, stop: make(chan struct{}), done: make(chan struct{})}
	if h.opt.Snapshot != nil {
		return h.begin(l)
	}
	own := ""
	if h.opt.Dir != nil {
		if l.keep, err = newKeeper(h.opt.Dir(p.root), p.root, x, h.log, h.opt.Cache); err != nil { // it serves all the same; the next start takes longer
			h.log.Warn("the index will not be kept", "project", p.name, "err", err)
		} else {
			own, l.keep.observer = l.keep.path, h.opt.Observer
			if given == "" {
				l.keep.borrow()
			}
		}
	}
	if err := Restore(x, h.log, h.opt.Collector, own, Given{given, h.opt.SnapshotKeys}); err != nil {
		return err
	}
	fetched := own != "" && !x.State().Restored && h.fetch(x, own)
	if o := x.Origin(); o != nil {
		h.log.Info("the index begins with a snapshot", originOf(p.name, o)...)
	}
	if !fetched { // that one is not kept yet
		l.saved = x.State()
	}
	if l.scip = scipOf(own); len(h.opt.SnapshotKeys) == 0 { // nobody has signed what lies next to a snapshot
		l.scip = scipOf(own, given)
	}
	watch := h.opt.Watch
	watch.Root, watch.Ignore, watch.Logger = p.root, x.Ignored, h.log
	if l.w, err = watcher.New(watch); err != nil {
		return err
	}
	return h.begin(l)
}

// begin has a project answer from what was opened, and Run follow that.
func (h *Host) begin(l *live) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return errEnded
	}
	l.p.live, l.p.used, l.p.failed = l, time.Now(), ""
	h.begun = append(h.begun, l)
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return nil
}

// away ends what a loaded project has, after its index was saved, once nobody uses it any
// more. The caller has the project's turn, and no request finds it.
func (h *Host) away(ctx context.Context, p *project) {
	h.mu.Lock()
	l := p.live
	if l == nil {
		h.mu.Unlock()
		return
	}
	h.mu.Unlock()
	h.drain(ctx, l, drainTime)
	h.mu.Lock()
	ended := p.live != l // by itself
	if !ended {
		h.unload(p)
	}
	h.mu.Unlock()
	if !ended {
		l.end()
	}
}

// end has what follows a project save and close its index, and waits for that. Run must
// be running.
func (l *live) end() {
	close(l.stop)
	<-l.done
	debug.FreeOSMemory()
}

// drainTime is how long a project that has to go waits for requests that use it. What
// is left then, such as streams, finds its index closed.
const drainTime = 2 * time.Second

// drain waits until no request uses what was loaded any more, or long enough.
func (h *Host) drain(ctx context.Context, l *live, most time.Duration) {
	for began := time.Now(); time.Since(began) < most && ctx.Err() == nil; {
		h.mu.Lock()
		users := l.users
		h.mu.Unlock()
		if users == 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(drainTime / 100):
		}
	}
}

// unload notes what is known of a project that leaves the memory, under Host.mu.
func (h *Host) unload(p *project) {
	x := p.live.x
	if p.live.w != nil {
		h.watched = h.watched.add(p.live.w.Status())
	}
	p.last, p.work, p.memory = x.State(), p.work.Add(x.Work()), max(p.memory, x.Memory().Total())
	if h.opt.Snapshot != nil {
		p.last.Freshness = answer.Unknown
	} else if p.last.State != answer.Indexing && p.last.State != answer.Failed {
		// Nobody follows its root now.
		p.last.State, p.last.Freshness = answer.Stale, answer.Unknown
	}
	p.live = nil
}

// Run follows the roots of all projects until ctx ends, and then saves and closes them.
// A root that cannot be followed any more ends it, if it is the only one; else its
// project leaves the memory and the log says why. No project can be loaded afterwards.
func (h *Host) Run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	var once sync.Once
	var group sync.WaitGroup
	var tick <-chan time.Time // without a budget there is nothing to look after
	if h.opt.Budget > 0 {
		ticker := time.NewTicker(governEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-h.wake:
			h.mu.Lock()
			begun := h.begun
			h.begun = nil
			h.mu.Unlock()
			for _, l := range begun {
				group.Go(func() {
					if err := h.follow(ctx, l); err != nil {
						once.Do(func() { failed = err })
						cancel()
					}
				})
			}
		case <-tick:
			h.govern(ctx)
		}
	}
	group.Wait()
	return errors.Join(failed, h.Close())
}

// Close releases what Run has not begun to follow, and all claims. Run must have returned,
// or not have been called.
func (h *Host) Close() error {
	h.mu.Lock()
	h.ended = true
	begun, projects := h.begun, h.projects
	h.begun, h.projects, h.byName = nil, nil, nil
	h.mu.Unlock()
	var err error
	for _, l := range begun {
		err = errors.Join(err, l.x.Close())
		close(l.done)
	}
	for _, p := range projects {
		if p.release != nil {
			err = errors.Join(err, p.release())
		}
	}
	return err
}

// follow keeps a loaded project current until it is to end, and closes it.
func (h *Host) follow(ctx context.Context, l *live) error {
	p := l.p
	defer close(l.done)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error {
		select {
		case <-l.stop:
			cancel()
		case <-inner.Done():
		}
		return nil
	})
	if l.w == nil {
		g.Go(func() error {
			h.giveBack(inner, l.x)
			return nil
		})
	} else {
		h.followRoot(inner, g, l)
	}
	err := g.Wait()
	cause := ctx.Err() // before the end of this function
	h.mu.Lock()
	if p.live == l { // nobody asked for the end, but ctx or a failure
		h.unload(p)
	}
	only := len(h.projects) == 1
	if err != nil && cause == nil {
		p.last.State, p.last.Freshness = answer.Failed, answer.Unknown
		p.failed = err.Error()
	}
	h.mu.Unlock()
	err = errors.Join(err, l.x.Close())
	if err != nil && !only {
		h.log.Error("a project cannot be followed any more", "project", p.name, "err", err)
		return nil
	}
	return err
}

// followRoot begins what keeps the index of a folder current, in the group.
func (h *Host) followRoot(inner context.Context, g *errgroup.Group, l *live) {
	g.Go(func() error { return l.w.Run(inner, follow(l.x, l.w, h.opt.Observer)) })
	g.Go(func() error {
		select {
		case <-l.w.Ready():
		case <-time.After(watchHeadStart):
			g.Go(func() error { return catchUp(inner, l.x, l.w) })
		}
		return h.index(inner, l)
	})
	if l.keep != nil {
		g.Go(func() error { return l.keep.run(inner, l.saved) })
	}
}

// index keeps the index current; its first build is shown. With a budget, one first
// build runs at a time.
func (h *Host) index(ctx context.Context, l *live) error {
	var bar Progress
	if h.opt.Build != nil {
		bar = h.opt.Build(l.p.name)
	}
	first := l.x.State().State == answer.Indexing
	held, tighten := false, func() bool { return false }
	if first && h.opt.Budget == 0 {
		tighten = h.opt.Collector.Loosen(collector.All)
	}
	if h.opt.Budget > 0 && first {
		select {
		case h.building <- struct{}{}:
			held = true
		case <-ctx.Done():
			return nil
		}
	}
	release := func() {
		tighten()
		if held {
			held = false
			<-h.building
		}
	}
	defer release()
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error {
		done := settled(inner, l.x)
		release()
		if done {
			h.takeSCIP(inner, l)
		}
		if done && h.opt.Settled != nil {
			h.opt.Settled(l.p.name, l.x)
		}
		if inner.Err() == nil {
			debug.FreeOSMemory() // what only the build needed
		}
		h.giveBack(inner, l.x)
		return nil
	})
	g.Go(func() error {
		err := l.x.Run(inner, func(now index.Progress) {
			switch {
			case bar == nil:
			case l.x.State().State == answer.Indexing:
				bar.Update(now)
			default:
				bar.End()
			}
		})
		if bar != nil {
			bar.End()
		}
		return err
	})
	return g.Wait()
}

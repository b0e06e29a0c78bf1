// Package host holds the projects of a server: it opens their indexes, takes them over
// from disk, follows the changes of their roots, saves them, and keeps all of them
// together within a memory budget.
//
// A project is loaded, which means that its index is in memory and a watcher follows
// its root, or it is on disk. The next request for one on disk loads it: it answers
// from its snapshot at once, and is stale until it has been compared with the root. With
// a budget, those that were not asked for the longest are put on disk when there is no
// room; when that does not help, a request is refused, and nothing else fails.
//
// Each root is claimed for as long as it is served, loaded or not, so that no other
// process serves it.
package host

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/collector"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/watcher"
)

// Options configure a Host. Open is needed.
type Options struct {
	// Open returns an empty index of a root; with Snapshot, a restored one.
	Open func(ctx context.Context, root string) (*index.Index, error)
	// Claim makes sure that no other process serves a root until release is called. Its
	// error is a sentence. nil: nothing is claimed.
	Claim func(root string) (release func() error, err error)
	// Snapshot returns the file that Open has an index from, "" where it is not known: each is
	// one that has no folder, see index.Options.Sealed. Nothing is followed or kept then, and
	// Know and Drop say which projects there are. nil: roots are folders.
	Snapshot func(root string) string
	// Dir returns the folder in which the snapshot of a root is kept. nil: none is.
	Dir func(root string) string
	// Cache is where Dir and the packs of the indexes are, and is kept to its limit. nil: it
	// is not.
	Cache *Cache
	// SnapshotKeys are those of which one must have signed a snapshot that Take is given, or
	// that Fetch gets; none: nobody needs to.
	SnapshotKeys []ed25519.PublicKey
	// Fetch gets a snapshot that others have made, for a root that has none.
	Fetch Fetch
	// Check returns the absolute path of a root that a request has named, links
	// resolved, or an error that is a sentence.
	Check func(path string) (string, error)

	Logger  *slog.Logger    // nil: nothing is logged
	NoModel string          // why indexes compute no vectors
	Watch   watcher.Options // of the roots; Root, Ignore and Logger are set
	Allow   []string        // folders, absolute and links resolved, below which Add takes roots
	Budget  int64           // bytes of memory that the process may take, with the processes that work for it; 0: any
	Beside  func() int64    // bytes that processes take which work for this one; nil: there are none

	// Collector collects less during a first build without a Budget. nil: as always.
	Collector *collector.Collector

	// Build is called with each first build of a project, from one goroutine; nil from it
	// or for it: progress is not shown.
	Build func(name string) Progress
	// Observer is told how long the work took that goes on alongside requests; nil: nobody is.
	Observer Observer
	// Settled is called when a project's first build, or its comparison with what was
	// restored, is over.
	Settled func(name string, x *index.Index)

	taken func() int64  // in a test: what counts against the budget
	rest  time.Duration // in a test: in place of shrinkAfter and restAfter
}

// An Observer receives the durations of work. Its methods are called from several
// goroutines.
type Observer interface {
	// Saved is called after an index was saved, or could not be.
	Saved(took time.Duration, err error)
	// Followed is called when changes that the watcher noticed are in the index; lag is
	// the time since the first of them.
	Followed(lag time.Duration)
}

// unobserved is the Observer of hosts without one.
type unobserved struct{}

func (unobserved) Saved(time.Duration, error) {}
func (unobserved) Followed(time.Duration)     {}

// A Progress shows how a first build is going. It is used by one goroutine.
type Progress interface {
	Update(p index.Progress)
	End()
}

// A Host holds projects. It is safe for concurrent use.
type Host struct {
	opt  Options
	log  *slog.Logger
	wake chan struct{} // holds one token while there is something in begun

	mu       sync.Mutex
	projects []*project
	byName   map[string]*project
	begun    []*live // that Run has to follow
	ended    bool
	watched  counts      // by watchers that are gone
	departed answer.Work // of projects that are gone

	building chan struct{} // with a budget: a token for each first build that runs
	evicted  atomic.Int64
	refused  atomic.Int64
}

var _ api.Projects = (*Host)(nil)

// A project is one root.
type project struct {
	name, root string
	release    func() error

	// turn holds a token for whoever loads the project or puts it on disk.
	turn chan struct{}

	// Under Host.mu:
	live   *live // nil: on disk
	used   time.Time
	last   answer.State // when it left the memory
	work   answer.Work  // of indexes that it had before
	memory int64        // bytes that it took when it was last in memory, or more; 0: not known
	failed string       // why it is not loaded
	again  time.Time    // when it may be tried again
	gone   bool
}

// New returns a Host without projects.
func New(opt Options) *Host {
	h := &Host{opt: opt, log: opt.Logger, byName: map[string]*project{}, wake: make(chan struct{}, 1), building: make(chan struct{}, 1)}
	if h.opt.Beside == nil {
		h.opt.Beside = func() int64 { return 0 }
	}
	if opt.taken == nil {
		h.opt.taken = func() int64 { return taken() + h.opt.Beside() }
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.opt.Observer == nil {
		h.opt.Observer = unobserved{}
	}
	return h
}

// Take loads a root that the caller has claimed, as a project of the name, or with ""
// of the root's last element. given is a snapshot to begin with where the root has none
// of its own that can be used; "" is none. release is called when the project is gone.
func (h *Host) Take(root, name, given string, release func() error) error {
	p, _, err := h.enter(root, name, release)
	if err != nil {
		return err
	}
	if err := h.open(context.Background(), p, given); err != nil {
		h.forget(p)
		return err
	}
	return nil
}

// enter makes a project known, unless its root is already.
func (h *Host) enter(root, name string, release func() error) (p *project, added bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil, false, errEnded
	}
	if p := h.find(root); p != nil {
		return p, false, nil
	}
	wanted := cmp.Or(name, filepath.Base(root))
	taken := func(n string) bool { return h.byName[n] != nil }
	if name != "" && taken(name) {
		return nil, false, &api.RootError{Reason: fmt.Sprintf("another project has the name %q", name)}
	}
	unique := wanted
	for n := 2; taken(unique); n++ {
		unique = fmt.Sprintf("%s-%d", wanted, n)
	}
	p = &project{
		name: unique, root: root, release: release, turn: make(chan struct{}, 1), used: time.Now(),
		last: answer.State{State: answer.Indexing, Freshness: answer.Unknown, Root: root},
	}
	h.projects, h.byName[unique] = append(h.projects, p), p
	return p, true, nil
}

// errEnded is what requests get that come when everything ends.
var errEnded = errors.New("host: the server is ending")

// find returns the project of a name or an absolute path; "" is the first.
func (h *Host) find(selector string) *project {
	if p := h.byName[selector]; p != nil || selector != "" && !filepath.IsAbs(selector) {
		return p
	}
	i := api.FindProject(len(h.projects), func(i int) (name, root string) { return h.projects[i].name, h.projects[i].root }, selector)
	if i < 0 {
		return nil
	}
	return h.projects[i]
}

// drop takes a project from those that are found.
func (h *Host) drop(p *project) {
	h.projects = slices.DeleteFunc(h.projects, func(o *project) bool { return o == p })
	delete(h.byName, p.name)
}

// forget takes a project out, which is not loaded.
func (h *Host) forget(p *project) {
	h.mu.Lock()
	h.drop(p)
	p.gone = true
	h.mu.Unlock()
	if p.release != nil {
		if err := p.release(); err != nil {
			h.log.Warn("release a project", "project", p.name, "err", err)
		}
	}
}

// Acquire implements api.Projects.
func (h *Host) Acquire(ctx context.Context, selector string) (api.Project, func(), error) {
	for {
		h.mu.Lock()
		p := h.find(selector)
		if p == nil {
			have := h.list()
			h.mu.Unlock()
			return api.Project{}, nil, &api.ProjectError{Selector: selector, Have: have}
		}
		if l := p.live; l != nil {
			l.users++
			p.used = time.Now()
			h.mu.Unlock()
			return api.Project{Name: p.name, Index: l.x, NoModel: h.opt.NoModel, Watcher: l.watching()}, sync.OnceFunc(func() { h.done(l) }), nil
		}
		h.mu.Unlock()
		if err := h.load(ctx, p); err != nil {
			if busy := (*api.BusyError)(nil); errors.As(err, &busy) {
				h.refused.Add(1)
			}
			return api.Project{}, nil, err
		}
	}
}

func (h *Host) done(l *live) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l.users--
	l.p.used = time.Now()
}

// List implements api.Projects.
func (h *Host) List(context.Context) []api.ProjectInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.list()
}

func (h *Host) list() []api.ProjectInfo {
	all := make([]api.ProjectInfo, len(h.projects))
	for i, p := range h.projects {
		all[i] = p.info()
	}
	return all
}

// info says what is known of a project, under Host.mu.
func (p *project) info() api.ProjectInfo {
	info := api.ProjectInfo{Name: p.name, Root: p.root, State: p.last, Work: p.work}
	if l := p.live; l != nil {
		info.Loaded, info.State, info.Work, info.Parts = true, l.x.State(), p.work.Add(l.x.Work()), l.x.Memory()
		info.Memory, info.Overlays = info.Parts.Total(), l.x.Overlays()
	}
	return info
}

// Add implements api.Projects.
func (h *Host) Add(ctx context.Context, root, name string) (info api.ProjectInfo, added bool, err error) {
	asked := root
	if h.opt.Check != nil {
		if root, err = h.opt.Check(asked); err != nil {
			// Whoever may not add a root does not learn whether it exists.
			if !h.allowed(nearest(asked)) {
				return info, false, notAllowed(asked)
			}
			return info, false, &api.RootError{Reason: err.Error()}
		}
	}
	h.mu.Lock()
	if p := h.find(root); p != nil {
		defer h.mu.Unlock()
		return p.info(), false, nil
	}
	h.mu.Unlock()
	if !h.allowed(root) {
		return info, false, notAllowed(asked) // where its links lead is not told
	}
	var release func() error
	if h.opt.Claim != nil {
		if release, err = h.opt.Claim(root); err != nil {
			return info, false, &api.RootError{Reason: err.Error()}
		}
	}
	p, added, err := h.enter(root, name, release)
	if (err != nil || !added) && release != nil {
		err = errors.Join(err, release())
	}
	if err != nil {
		return info, false, err
	}
	if added {
		if err := h.load(ctx, p); err != nil {
			h.forget(p)
			return info, false, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return p.info(), added, nil
}

func notAllowed(root string) error {
	return &api.RootError{Reason: root + " is not below a folder that this server may take projects from", NotAllowed: true}
}

// nearest returns the path with links resolved, or of the nearest folder above it that is
// there.
func nearest(path string) string {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if real, err := filepath.EvalSymlinks(path); err == nil || path == filepath.Dir(path) {
			return real
		}
	}
}

func (h *Host) allowed(root string) bool {
	return slices.ContainsFunc(h.opt.Allow, func(dir string) bool {
		rel, err := filepath.Rel(dir, root)
		return err == nil && filepath.IsLocal(rel)
	})
}

// Remove implements api.Projects. It waits a while for requests that use the project.
func (h *Host) Remove(ctx context.Context, selector string) error {
	h.mu.Lock()
	p := h.find(selector)
	have := h.list()
	h.mu.Unlock()
	switch {
	case p == nil:
		return &api.ProjectError{Selector: selector, Have: have}
	case len(have) == 1:
		return &api.RootError{Reason: "the last project cannot be removed", NotAllowed: true}
	}
	if err := p.take(ctx); err != nil {
		return err
	}
	defer p.give()
	if !h.leave(ctx, p) {
		return &api.ProjectError{Selector: selector, Have: have}
	}
	return nil
}

// leave takes a project out whose turn the caller has, unless it is out already.
func (h *Host) leave(ctx context.Context, p *project) bool {
	h.mu.Lock()
	if p.gone {
		h.mu.Unlock()
		return false
	}
	p.gone = true // no request finds it any more
	h.departed = h.departed.Add(p.info().Work)
	h.drop(p)
	h.mu.Unlock()
	h.away(ctx, p)
	h.forget(p)
	return true
}

// Package gateway answers questions about all repositories of a catalogue, each from its latest
// snapshot, which it takes from where the workers put it when somebody asks:
//
//	catalogue: which there are ---> Gateway ---> host: what is in memory
//	depot: their snapshots     --->    |
//	                                 Peers ---> the gateway that answers for a repository
//
// What is in memory goes on answering when the database or the store is down. Nothing is
// written but copies of snapshots, which may be removed at any time.
package gateway

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/index"
)

// Options configure a Gateway. Catalogue, Depot, Open and Folder are needed.
type Options struct {
	Catalogue *catalogue.Catalogue
	// Depot returns where the snapshots of a repository are.
	Depot func(name string) (*depot.Depot, error)
	// Open returns an empty index without a folder, see index.Options.Sealed.
	Open func(name string) (*index.Index, error)
	// Keys are those of which one must have signed a snapshot; none: nobody needs to.
	Keys   []ed25519.PublicKey
	Folder string        // of the copies of snapshots
	Limit  int64         // bytes of these; 0: any
	Poll   time.Duration // between two looks at the catalogue and the store; 0: 10 s
	Peers  *Peers        // nil: there are no others
	Across int           // repositories that a search over all asks at most; 0: 32
	Log    *slog.Logger
	Meters *Meters // nil: those of nobody
}

// A Gateway is the repositories of a catalogue, as a server asks them. It is safe for
// concurrent use.
type Gateway struct {
	*host.Host
	opt   Options
	files copies

	mu     sync.Mutex
	known  map[string]*repository
	used   map[string]int64 // how often each was asked about that the catalogue was not told
	read   time.Time        // when the catalogue was last read
	ending bool
	work   sync.WaitGroup // of snapshots that are being taken
	coming map[*taking]context.CancelFunc
}

// A repository is what a Gateway knows of one, under Gateway.mu.
type repository struct {
	row     catalogue.Repository
	index   *index.Index   // opened last; it may be closed
	made    depot.Snapshot // of index
	refused string         // the hash of a snapshot that cannot be used
	why     string
	asked   bool    // workers were told of that
	taking  *taking // nil: no snapshot is being taken
}

var _ api.Projects = (*Gateway)(nil)

// New returns a Gateway that knows no repository yet; of says how they are kept in memory.
func New(opt Options, of host.Options) *Gateway {
	if opt.Poll == 0 {
		opt.Poll = 10 * time.Second
	}
	opt.Across = cmp.Or(opt.Across, 32)
	if opt.Meters == nil {
		opt.Meters = NewMeters()
	}
	g := &Gateway{opt: opt, files: copies{folder: opt.Folder, limit: opt.Limit}, known: map[string]*repository{}, used: map[string]int64{}, coming: map[*taking]context.CancelFunc{}}
	of.Open, of.Snapshot = g.open, g.snapshotOf
	g.Host = host.New(of)
	if opt.Peers != nil {
		opt.Peers.unread = g.Unread
	}
	return g
}

// Acquire implements api.Projects. The name of a repository is the one that it has in the
// catalogue.
func (g *Gateway) Acquire(ctx context.Context, selector string) (api.Project, func(), error) {
	name, err := g.find(ctx, selector)
	if err != nil {
		return api.Project{}, nil, err
	}
	if g.opt.Peers.elsewhere(ctx, name) {
		return api.Project{}, nil, wire.Problemf(wire.CodeElsewhere, "another gateway answers for %s", name)
	}
	g.mu.Lock()
	g.used[name]++
	g.mu.Unlock()
	return g.acquire(ctx, name)
}

// acquire returns a repository that this gateway answers for, or has to.
func (g *Gateway) acquire(ctx context.Context, name string) (api.Project, func(), error) {
	p, release, err := g.Host.Acquire(ctx, name)
	var missing *api.ProjectError
	switch {
	case errors.As(err, &missing): // it has just been removed
		return api.Project{}, nil, g.unknown(ctx, name)
	case errors.Is(err, context.DeadlineExceeded) && g.isTaking(name):
		return api.Project{}, nil, wire.Problemf(wire.CodeUnavailable, "the snapshot of %s is being taken from the store", name)
	}
	return p, release, err
}

// List implements api.Projects.
func (g *Gateway) List(ctx context.Context) []api.ProjectInfo {
	who, all := identity.Of(ctx), g.Host.List(ctx)
	return slices.DeleteFunc(all, func(p api.ProjectInfo) bool { return !who.May(p.Name) })
}

// find returns the name of a repository that can be asked. Of one that is not for whoever asks,
// nothing is looked up: it is as if there were none.
func (g *Gateway) find(ctx context.Context, selector string) (string, error) {
	who := identity.Of(ctx)
	if selector != "" && !who.May(selector) {
		return "", g.unknown(ctx, selector)
	}
	g.mu.Lock()
	r, name, n := g.known[selector], selector, 0
	if selector == "" {
		for its, one := range g.known {
			if who.May(its) {
				r, name, n = one, its, n+1
			}
		}
	}
	waits := r != nil && r.row.Commit == "" // it may have been indexed since
	g.mu.Unlock()
	switch {
	case selector == "" && n == 0:
		return "", wire.Problemf(wire.CodeUnavailable, "the catalogue has no repository yet")
	case selector == "" && n > 1:
		return "", wire.Problemf(wire.CodeInvalidRequest, "project must say which of the %d repositories is meant", n)
	case r == nil || waits:
		now, err := g.new(ctx, name)
		if err != nil && !waits {
			return "", err
		}
		if err == nil {
			r = now
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	row := &r.row
	switch {
	case row.Commit == "" && row.State == catalogue.SetAside:
		return "", wire.Problemf(wire.CodeUnavailable, "%s could not be indexed: %s", row.Name, row.Failure)
	case row.Commit == "":
		return "", wire.Problemf(wire.CodeUnavailable, "%s is not indexed yet: its work is %s", row.Name, row.State)
	}
	return row.Name, nil
}

// lookWithin is how long a request waits for the catalogue.
const lookWithin = 3 * time.Second

// new asks the catalogue for a repository that may have come since it was read.
func (g *Gateway) new(ctx context.Context, name string) (*repository, error) {
	if depot.CheckName(name) != nil {
		return nil, g.unknown(ctx, name)
	}
	within, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	row, err := g.opt.Catalogue.Get(within, name)
	switch {
	case errors.Is(err, catalogue.ErrNone) || err == nil && row.State == catalogue.Removing:
		return nil, g.unknown(ctx, name)
	case err != nil:
		return nil, wire.Problemf(wire.CodeUnavailable, "whether there is a repository %q cannot be found out now: the catalogue does not answer", name)
	}
	return g.know(row)
}

// unknown is the error for a name that no repository has.
func (g *Gateway) unknown(ctx context.Context, name string) error {
	who := identity.Of(ctx)
	g.mu.Lock()
	var names []string
	for n := range g.known {
		if who.May(n) {
			names = append(names, n)
		}
	}
	g.mu.Unlock()
	slices.Sort(names) // of those that are as near, always the same
	said := fmt.Sprintf("the catalogue has no repository %q", name)
	if near := nearest(name, names); len(near) > 0 {
		said += "; near to that are " + strings.Join(near, ", ")
	}
	return wire.Problemf(wire.CodeNotFound, "%s", said)
}

// nearest returns at most three of some names that are like one: whole, or by their last
// element.
func nearest(name string, among []string) (near []string) {
	last := func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
	left := append([]string(nil), among...)
	for len(near) < 3 {
		one := fields.Nearest(name, left)
		if one == "" {
			bases := map[string]string{}
			var words []string
			for _, n := range left {
				if _, twice := bases[last(n)]; !twice {
					bases[last(n)] = n
					words = append(words, last(n))
				}
			}
			one = bases[fields.Nearest(last(name), words)]
		}
		if one == "" {
			return near
		}
		near = append(near, one)
		left = slices.DeleteFunc(left, func(n string) bool { return n == one })
	}
	return near
}

// Add implements api.Projects.
func (g *Gateway) Add(context.Context, string, string) (api.ProjectInfo, bool, error) {
	return api.ProjectInfo{}, false, &api.RootError{Reason: "repositories are added to the catalogue: quarry catalogue add", NotAllowed: true}
}

// Remove implements api.Projects.
func (g *Gateway) Remove(context.Context, string) error {
	return &api.RootError{Reason: "repositories are removed from the catalogue: quarry catalogue remove", NotAllowed: true}
}

// isTaking reports whether a snapshot of a repository is being taken.
func (g *Gateway) isTaking(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.known[name]
	return r != nil && r.taking != nil
}

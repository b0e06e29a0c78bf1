package host

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
)

const (
	governEvery = 500 * time.Millisecond
	// high and low are shares of the budget: above the first, memory is given back until
	// the second is reached.
	high = 0.92
	low  = 0.85
	// retryAfter is the delay given to a request that finds no room. Projects that are in
	// use now, or being indexed, have mostly come to rest by then.
	retryAfter = 5 * time.Second
	// loadFactor is how much memory a project takes at most for each byte of its
	// snapshot, while that is read and unpacked.
	loadFactor = 5
	// coldRoom is the share of the budget that must be free for a project of which
	// nothing is known.
	coldRoom = 0.25
	// shrinkAfter is how long an index must have been at rest to let go of what only
	// updates need: it takes long to make again.
	shrinkAfter = time.Minute
	// restAfter is as shrinkAfter, once an index has seen an edit: the next one then waits
	// for the call graph, 5 s for a million lines, so it should not be one of a series.
	restAfter = 10 * time.Minute
	// failedRest is how long a project is not tried again that the budget was too small for.
	failedRest = 5 * time.Minute
)

// Memory says where the memory of the process goes, for /status.
func (h *Host) Memory() api.Memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return api.Memory{
		Budget: h.opt.Budget, Resident: resident(), Parsers: h.opt.Beside(), Heap: int64(m.HeapAlloc), Free: int64(m.HeapIdle - m.HeapReleased),
		Evicted: h.evicted.Load(), Refused: h.refused.Load(),
	}
}

// resident returns what the system says that the process takes; 0 where it cannot be
// asked.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// taken is what counts against the budget: what the system says, or else what Go has
// taken from it.
func taken() int64 {
	if n := resident(); n > 0 {
		return n
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// makeRoom puts projects on disk until there is room to load p. The caller has p's turn.
func (h *Host) makeRoom(p *project) error {
	if h.opt.Budget <= 0 {
		return nil
	}
	h.mu.Lock()
	failed, need := p.failed, p.memory
	wait := time.Until(p.again)
	h.mu.Unlock()
	if failed != "" && wait > 0 {
		return &api.BusyError{Reason: failed, After: wait}
	}
	if info, err := os.Stat(h.snapshotOf(p)); err == nil {
		need = max(need, info.Size()*loadFactor)
	}
	if need == 0 {
		need = int64(coldRoom * float64(h.opt.Budget))
	}
	// One that is alone may have all there is.
	limit := int64(high * float64(h.opt.Budget))
	for first := true; h.opt.taken()+need > limit; first = false {
		if first {
			debug.FreeOSMemory()
			continue
		}
		if !h.evict(p) {
			if h.loaded() == 0 {
				return nil
			}
			return &api.BusyError{
				Reason: fmt.Sprintf("the memory budget of %d MiB has no room for the project %q now", h.opt.Budget>>20, p.name),
				After:  retryAfter,
			}
		}
	}
	return nil
}

// snapshotOf returns the file that a project is loaded from, "" where there is none.
func (h *Host) snapshotOf(p *project) string {
	switch {
	case h.opt.Snapshot != nil:
		return h.opt.Snapshot(p.root)
	case h.opt.Dir != nil:
		return SnapshotOf(h.opt.Dir(p.root))
	}
	return ""
}

func (h *Host) loaded() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.projects {
		if p.live != nil {
			n++
		}
	}
	return n
}

// evict puts the project on disk that was not asked for the longest, of those that
// nobody uses and that are not being built. keep is not one of them.
func (h *Host) evict(keep *project) bool {
	for {
		h.mu.Lock()
		var oldest *project
		for _, p := range h.projects {
			if p == keep || p.live == nil || p.live.users > 0 || p.live.x.State().State == answer.Indexing || p.live.keep == nil && h.opt.Snapshot == nil {
				continue
			}
			if oldest == nil || p.used.Before(oldest.used) {
				oldest = p
			}
		}
		h.mu.Unlock()
		if oldest == nil {
			return false
		}
		select {
		case oldest.turn <- struct{}{}:
		default:
			return false // it is being loaded
		}
		ok := h.putAway(oldest)
		oldest.give()
		if ok {
			return true
		}
	}
}

// putAway puts a project on disk, unless it has been asked for in the meantime. The
// caller has its turn. It reports whether it is on disk.
func (h *Host) putAway(p *project) bool {
	h.mu.Lock()
	l := p.live
	if l == nil || l.users > 0 {
		h.mu.Unlock()
		return l == nil
	}
	h.unload(p)
	h.mu.Unlock()
	l.end()
	h.evicted.Add(1)
	h.log.Info("a project was put on disk to make room", "project", p.name)
	return true
}

// govern keeps the process within the budget: it gives back what is free, lets go of
// what only updates need, then puts projects on disk, and last stops a first build that
// the budget has no room for.
func (h *Host) govern(ctx context.Context) {
	if h.opt.Budget <= 0 || float64(h.opt.taken()) < high*float64(h.opt.Budget) {
		return
	}
	debug.FreeOSMemory()
	enough := func() bool { return float64(h.opt.taken()) < low*float64(h.opt.Budget) || ctx.Err() != nil }
	if enough() {
		return
	}
	for _, l := range h.idle() {
		if l.x.Shrink(shrinkAfter) {
			debug.FreeOSMemory()
			if enough() {
				return
			}
		}
	}
	for h.loaded() > 1 && h.evict(nil) {
		if enough() {
			return
		}
	}
	if h.opt.taken() < h.opt.Budget {
		return
	}
	h.mu.Lock()
	var growing *project
	for _, p := range h.projects {
		if p.live != nil && p.live.x.State().State == answer.Indexing {
			growing = p
		}
	}
	var l *live
	if growing != nil {
		l = growing.live
		h.unload(growing)
		growing.failed = fmt.Sprintf("the memory budget of %d MiB is too small for the project %q", h.opt.Budget>>20, growing.name)
		growing.again = time.Now().Add(failedRest)
		growing.last.State, growing.last.Freshness = answer.Failed, answer.Unknown
	}
	h.mu.Unlock()
	if l != nil {
		h.drain(ctx, l, drainTime)
		l.end()
		h.log.Error(growing.failed)
	}
}

// giveBack lets go of what only updates of an index need whenever it has been at rest, and
// for long where it is edited, until ctx ends.
func (h *Host) giveBack(ctx context.Context, x *index.Index) {
	built := x.State().IndexedAt
	ticker := time.NewTicker(cmp.Or(h.opt.rest, shrinkAfter) / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			rest := shrinkAfter
			if !x.State().IndexedAt.Equal(built) {
				rest = restAfter
			}
			if x.Shrink(cmp.Or(h.opt.rest, rest)) {
				debug.FreeOSMemory()
			}
		}
	}
}

// idle returns what is loaded, those first that were not asked for the longest.
func (h *Host) idle() []*live {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*live
	for _, p := range byUse(h.projects) {
		if p.live != nil {
			list = append(list, p.live)
		}
	}
	return list
}

// GoShare is the part of a budget that Go's runtime may have before it collects more
// often. The rest is for what is not Go's: syntax trees, the model and the program itself.
func GoShare(budget int64) int64 {
	const share = 0.65
	return int64(share * float64(budget))
}

// byUse returns projects in the order of their last use.
func byUse(projects []*project) []*project {
	return slices.SortedFunc(slices.Values(projects), func(a, b *project) int { return a.used.Compare(b.used) })
}

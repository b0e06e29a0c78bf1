package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// Bounds of what is remembered: together some 200 KB besides the paths, most of
// which the index holds anyway. A commit has at most 32 files.
const (
	MaxChanged    = 1000 // paths of an event
	RecentCommits = 1024
	RecentChanges = 8192 // paths of the recent commits together
	forgetCommits = RecentCommits / 4

	maxEdited = 10_000 // files of Edited
)

// An eventLog remembers the paths of the latest commits. Who waits for the next
// one is a place in this log and nothing else, so a commit costs the same however
// many wait and however slow they are; who is too slow finds that its place has
// been forgotten.
type eventLog struct {
	mu        sync.Mutex
	life      string        // tells one Index from another of the same root
	Recent    []commit      // with paths, by generation
	Paths     int           // of recent, together
	forgotten uint64        // the generation up to which commits may be missing in recent
	next      chan struct{} // closed when there is news; nil: nobody waits
	closed    bool
	edited    map[string]struct{} // see Edited; at most maxEdited
	more      bool                // were edited than that
}

type commit struct {
	generation uint64
	paths      []string
}

func newLife() string { return strconv.FormatInt(time.Now().UnixNano(), 16) }

// Commit counts a commit that has changed some paths, and tells those who wait.
func (x *View) Commit(paths []string) {
	l := &x.Events
	l.mu.Lock()
	defer l.mu.Unlock()
	generation := x.Counters.Generation.Add(1)
	if c := &x.Counters; c.Built.Load() && !c.Restored.Load() {
		l.edit(paths)
	}
	if len(paths) > 0 {
		l.Recent = append(l.Recent, commit{generation, paths})
		l.Paths += len(paths)
		for len(l.Recent) > RecentCommits || l.Paths > RecentChanges {
			l.forget(min(forgetCommits, len(l.Recent)))
		}
	}
	l.wake()
}

// edit notes that files were edited.
func (l *eventLog) edit(paths []string) {
	for _, p := range paths {
		if _, ok := l.edited[p]; !ok && len(l.edited) == maxEdited {
			l.more = true
			return
		}
		if l.edited == nil {
			l.edited = map[string]struct{}{}
		}
		l.edited[p] = struct{}{}
	}
}

// Edited returns the files that were committed since the first build had ended, or had found what
// changed since a snapshot, by path: those that were edited, made or deleted while somebody
// watched. more says that there were more than are remembered. An overlay has those of what it
// lies over.
func (x *View) Edited() (paths []string, more bool) {
	if x.Over != nil {
		return x.Over.Base.Edited()
	}
	l := &x.Events
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.edited)), l.more
}

// forget drops the n oldest commits.
func (l *eventLog) forget(n int) {
	for _, c := range l.Recent[:n] {
		l.Paths -= len(c.paths)
		l.forgotten = c.generation
	}
	l.Recent = slices.Delete(l.Recent, 0, n)
}

// wake tells those who wait to look again. The caller holds the lock.
func (l *eventLog) wake() {
	if l.next != nil {
		close(l.next)
		l.next = nil
	}
}

// Settled tells those who wait that the state may be another.
func (x *View) Settled() {
	x.Events.mu.Lock()
	defer x.Events.mu.Unlock()
	x.Events.wake()
}

// StartOver forgets everything: what is indexed now was not committed here.
func (x *View) StartOver() {
	l := &x.Events
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(len(l.Recent))
	l.forgotten = x.Counters.Generation.Load()
	l.wake()
}

// Changes returns what has been committed since the event last, all in one event,
// and waits until there is something: a commit, or another state than last.State.
// After a zero Event it returns the present one at once, with nothing changed. Of
// last only ID and State count. It is safe for concurrent use, holds up no commit,
// and returns the error of ctx, or ErrClosed.
func (x *View) Changes(ctx context.Context, last answer.Event) (answer.Event, error) {
	for {
		e, news, err := x.since(last)
		if err != nil || news == nil {
			return e, err
		}
		select {
		case <-ctx.Done():
			return answer.Event{}, ctx.Err()
		case <-news:
		}
	}
}

// since returns the event after last; while there is none, what to wait for.
func (x *View) since(last answer.Event) (e answer.Event, news <-chan struct{}, err error) {
	l := &x.Events
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return e, nil, answer.ErrClosed
	}
	now := x.Counters.Generation.Load()
	e = answer.Event{
		ID:         l.life + "-" + strconv.FormatUint(now, 10),
		Generation: now, State: x.State().State, Changed: []string{},
	}
	if last.ID == "" {
		return e, nil, nil
	}
	life, text, _ := strings.Cut(last.ID, "-")
	generation, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil || life != l.life || generation > now || generation < l.forgotten:
		e.All = true
		return e, nil, nil
	case generation == now && last.State == e.State:
		if l.next == nil {
			l.next = make(chan struct{})
		}
		return e, l.next, nil
	}
	collect(&e, l.Recent, generation)
	return e, nil, nil
}

// collect adds the paths of the commits after a generation.
func collect(e *answer.Event, recent []commit, after uint64) {
	seen := map[string]bool{}
	for i := len(recent) - 1; i >= 0 && recent[i].generation > after; i-- {
		for _, p := range recent[i].paths {
			seen[p] = true
		}
		if len(seen) > MaxChanged {
			e.All = true
			return
		}
	}
	for p := range seen {
		e.Changed = append(e.Changed, p)
	}
	slices.Sort(e.Changed)
}

// close ends the waiting of everyone.
func (l *eventLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}

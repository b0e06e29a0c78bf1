// Package session remembers what readers were sent, so that they are not sent it again, and
// adds up what answers cost them.
package session

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/api/identity"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/index/answer"
)

// Bounds of what is remembered of readers.
const (
	MaxSessions  = 1000          // of one project each
	SessionBytes = 64 << 20      // of all together
	sessionIdle  = 2 * time.Hour // without a request
	sessionBase  = 300           // bytes of a session that was sent nothing
	MaxTurns     = 64            // requests of a session that wait for one another
)

// A session is what a reader was sent of one project.
type session struct {
	key    sessionKey
	turn   chan struct{} // has room for the request that may use what follows
	queue  atomic.Int64  // requests that wait for it
	sent   answer.Sent
	tokens int // of all answers
	raw    int // and of the files that they named, whole

	used  time.Time // under the lock of Sessions, like what follows
	bytes int
	shown Use
}

type sessionKey struct{ owner, id, root string }

// Sessions are those of a server. They are safe for concurrent use.
type Sessions struct {
	mu    sync.Mutex
	byKey map[sessionKey]*list.Element // of *session
	order list.List                    // the last used in front
	bytes int

	seen atomic.Uint64
}

// New returns none.
func New() *Sessions { return &Sessions{byKey: map[sessionKey]*list.Element{}} }

// get returns a session, which is made if there is none.
func (s *Sessions) get(key sessionKey) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	e := s.byKey[key]
	if e == nil {
		one := &session{key: key, turn: make(chan struct{}, 1), bytes: sessionBase + len(key.owner) + len(key.id) + len(key.root)}
		e = s.order.PushFront(one)
		s.byKey[key] = e
		s.bytes += one.bytes
		s.seen.Add(1)
	}
	s.order.MoveToFront(e)
	one := e.Value.(*session)
	one.used = time.Now()
	s.bound()
	return one
}

// A Use is what a session was sent of a project, since it began or forgot what it had.
type Use struct {
	ID   string
	Sent int // tokens of all answers
	Raw  int // tokens of the files that these named, whole; a file counts in each of them
	Last time.Time
}

// Of returns what the sessions of a root were sent that whoever asks has, n at most, the last used
// first.
func (s *Sessions) Of(ctx context.Context, root string, n int) []Use {
	owner := identity.Owner(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	all := []Use{}
	for e := s.order.Front(); e != nil && len(all) < n; e = e.Next() {
		if one := e.Value.(*session); one.key.root == root && one.key.owner == owner {
			all = append(all, Use{one.key.id, one.shown.Sent, one.shown.Raw, one.used})
		}
	}
	return all
}

// grown counts what a session takes after something was added to it.
func (s *Sessions) grown(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[one.key]; e == nil || e.Value != one {
		return // it was forgotten meanwhile
	}
	now := sessionBase + len(one.key.owner) + len(one.key.id) + len(one.key.root) + one.sent.Bytes()
	s.bytes += now - one.bytes
	one.bytes, one.shown = now, Use{Sent: one.tokens, Raw: one.raw}
	s.bound()
}

// bound forgets those that were not used for the longest. The last one stays.
func (s *Sessions) bound() {
	for s.order.Len() > 1 && (s.order.Len() > MaxSessions || s.bytes > SessionBytes) {
		s.drop(s.order.Back())
	}
}

func (s *Sessions) expire() {
	for e := s.order.Back(); e != nil && time.Since(e.Value.(*session).used) > sessionIdle; e = s.order.Back() {
		s.drop(e)
	}
}

func (s *Sessions) drop(e *list.Element) {
	one := s.order.Remove(e).(*session)
	delete(s.byKey, one.key)
	s.bytes -= one.bytes
}

// Seen returns how many were begun.
func (s *Sessions) Seen() uint64 { return s.seen.Load() }

// Count returns how many there are.
func (s *Sessions) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return s.order.Len()
}

// A Reader is who gets an answer: the sessions of its projects, by the name that results
// have of them. One without a session has none. While a request holds them, others of the
// same session wait, so that none is sent what another is being sent.
type Reader struct {
	ID    string // of the session; "": none
	all   *Sessions
	held  map[string]*session
	turns []*session // that are to be given back
}

// Reader waits for the sessions of a request, given its projects' roots by name. The
// reader must be released.
func (s *Sessions) Reader(ctx context.Context, id string, forget bool, projects map[string]string) (*Reader, error) {
	rd := &Reader{ID: id, all: s, held: map[string]*session{}}
	if id == "" {
		return rd, nil
	}
	for name, root := range projects {
		rd.held[name] = s.get(sessionKey{identity.Owner(ctx), id, root})
	}
	// All take them in one order, so that no two wait for each other.
	names := make([]string, 0, len(projects))
	for name := range projects {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(projects[a], projects[b]) })
	for _, name := range names {
		one := rd.held[name]
		if err := one.take(ctx); err != nil {
			rd.Release()
			return nil, err
		}
		rd.turns = append(rd.turns, one)
		if forget {
			one.sent, one.tokens, one.raw = answer.Sent{}, 0, 0
			s.grown(one)
		}
	}
	return rd, nil
}

// take waits for the session's turn.
func (one *session) take(ctx context.Context) error {
	select {
	case one.turn <- struct{}{}:
		return nil
	default:
	}
	if one.queue.Add(1) > MaxTurns {
		one.queue.Add(-1)
		return slot.Crowdedf(slot.CrowdSession, "%d requests of the session are waiting already", MaxTurns)
	}
	defer one.queue.Add(-1)
	select {
	case one.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release lets the next request of the sessions go on. It does nothing the second time.
func (rd *Reader) Release() {
	if rd == nil {
		return
	}
	for _, one := range rd.turns {
		<-one.turn
	}
	rd.turns = nil
}

// Has reports whether it is a session.
func (rd *Reader) Has() bool { return rd != nil && len(rd.held) > 0 }

// Sent returns what the reader has of a project; nil for nothing.
func (rd *Reader) Sent(project string) *answer.Sent {
	if one := rd.held[project]; one != nil {
		return &one.sent
	}
	return nil
}

// Tokens returns what the reader was sent in all.
func (rd *Reader) Tokens() (sum int) {
	if rd == nil {
		return 0
	}
	for _, one := range rd.held {
		sum += one.tokens
	}
	return sum
}

// Record notes what an answer has sent.
func (rd *Reader) Record(b *Bill) {
	if !rd.Has() {
		return
	}
	for name, one := range rd.held {
		for _, l := range b.Lines[name] {
			one.sent.Add(l)
		}
		one.tokens += b.of[name]
		one.raw += b.raw[name]
		rd.all.grown(one)
	}
}

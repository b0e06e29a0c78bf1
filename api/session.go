package api

import (
	"cmp"
	"container/list"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// Bounds of what is remembered of readers.
const (
	maxID        = 128           // bytes of a session's or an agent's id
	maxSessions  = 1000          // of one project each
	sessionBytes = 64 << 20      // of all together
	sessionIdle  = 2 * time.Hour // without a request
	sessionBase  = 300           // bytes of a session that was sent nothing
	maxTurns     = 64            // requests of a session that wait for one another
)

// identify reads who asks: the headers X-Session-Id and X-Agent-Id, else the fields
// session_id and agent_id.
func (d *decoder) identify(h http.Header) {
	d.session = d.id("session_id", h.Get("X-Session-Id"))
	d.agent = d.id("agent_id", h.Get("X-Agent-Id"))
}

// id returns an id from a header, or the field of that name, which may be a number.
func (d *decoder) id(name, id string) string {
	if id == "" {
		switch v := d.fields[name].(type) {
		case nil:
		case string:
			id = v
		case json.Number:
			id = v.String()
		default:
			d.failf("%s must be a string", name)
		}
	}
	printable := !slices.ContainsFunc([]byte(id), func(c byte) bool { return c < ' ' || c > '~' })
	if len(id) > maxID || !printable {
		d.failf("%s must be at most %d printable ASCII characters", name, maxID)
		return ""
	}
	return id
}

// A session is what a reader was sent of one project.
type session struct {
	key    sessionKey
	turn   chan struct{} // has room for the request that may use what follows
	queue  atomic.Int64  // requests that wait for it
	sent   answer.Sent
	tokens int // of all answers

	used  time.Time // under the lock of sessions, like bytes
	bytes int
}

type sessionKey struct{ id, root string }

// sessions are those of a server. They are safe for concurrent use.
type sessions struct {
	mu    sync.Mutex
	byKey map[sessionKey]*list.Element // of *session
	order list.List                    // the last used in front
	bytes int

	seen atomic.Uint64
}

func newSessions() *sessions { return &sessions{byKey: map[sessionKey]*list.Element{}} }

// get returns a session, which is made if there is none.
func (s *sessions) get(key sessionKey) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	e := s.byKey[key]
	if e == nil {
		one := &session{key: key, turn: make(chan struct{}, 1), bytes: sessionBase + len(key.id) + len(key.root)}
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

// grown counts what a session takes after something was added to it.
func (s *sessions) grown(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[one.key]; e == nil || e.Value != one {
		return // it was forgotten meanwhile
	}
	now := sessionBase + len(one.key.id) + len(one.key.root) + one.sent.Bytes()
	s.bytes += now - one.bytes
	one.bytes = now
	s.bound()
}

// bound forgets those that were not used for the longest. The last one stays.
func (s *sessions) bound() {
	for s.order.Len() > 1 && (s.order.Len() > maxSessions || s.bytes > sessionBytes) {
		s.drop(s.order.Back())
	}
}

func (s *sessions) expire() {
	for e := s.order.Back(); e != nil && time.Since(e.Value.(*session).used) > sessionIdle; e = s.order.Back() {
		s.drop(e)
	}
}

func (s *sessions) drop(e *list.Element) {
	one := s.order.Remove(e).(*session)
	delete(s.byKey, one.key)
	s.bytes -= one.bytes
}

// count returns how many there are.
func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	return s.order.Len()
}

// A reader is who gets an answer: the sessions of its projects, by the name that results
// have of them. One without a session has none. While a request holds them, others of the
// same session wait, so that none is sent what another is being sent.
type reader struct {
	id    string // of the session; "": none
	query string // of a search
	all   *sessions
	held  map[string]*session
	turns []*session // that are to be given back
}

// reader waits for the sessions of a request, given its projects' roots by name. The
// reader must be released.
func (s *Server) reader(ctx context.Context, d *decoder, projects map[string]string) (*reader, error) {
	rd := &reader{id: d.session, all: s.sessions, held: map[string]*session{}}
	forget := d.flag("fresh")
	if d.err != nil || d.session == "" {
		return rd, d.err
	}
	for name, root := range projects {
		rd.held[name] = s.sessions.get(sessionKey{d.session, root})
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
			rd.release()
			return nil, err
		}
		rd.turns = append(rd.turns, one)
		if forget {
			one.sent, one.tokens = answer.Sent{}, 0
			s.sessions.grown(one)
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
	if one.queue.Add(1) > maxTurns {
		one.queue.Add(-1)
		return crowdedf(crowdSession, "%d requests of the session are waiting already", maxTurns)
	}
	defer one.queue.Add(-1)
	select {
	case one.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// release lets the next request of the sessions go on. It does nothing the second time.
func (rd *reader) release() {
	for _, one := range rd.turns {
		<-one.turn
	}
	rd.turns = nil
}

// has reports whether it is a session.
func (rd *reader) has() bool { return rd != nil && len(rd.held) > 0 }

// sent returns what the reader has of a project; nil for nothing.
func (rd *reader) sent(project string) *answer.Sent {
	if one := rd.held[project]; one != nil {
		return &one.sent
	}
	return nil
}

// tokens returns what the reader was sent in all.
func (rd *reader) tokens() (sum int) {
	if rd == nil {
		return 0
	}
	for _, one := range rd.held {
		sum += one.tokens
	}
	return sum
}

// record notes what an answer has sent.
func (rd *reader) record(b *bill) {
	if !rd.has() {
		return
	}
	for name, one := range rd.held {
		for _, l := range b.lines[name] {
			one.sent.Add(l)
		}
		one.tokens += b.of[name]
		rd.all.grown(one)
	}
}

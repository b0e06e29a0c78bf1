package te

import (
	"container/list"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"
)

// Bounds of a Store.
const (
	maxHandles = 256      // of a session
	maxWeight  = 64 << 20 // bytes, of all
	// entryWeight is what a handle takes besides its value and its strings.
	entryWeight = 512
)

// A Value is what a handle stands for.
type Value interface {
	Weight() int64 // bytes that it takes, about
}

// A Handle is a result that can be asked for again.
type Handle struct {
	ID      string // "res_" and 12 hexadecimal digits
	Owner   string // who alone may ask for it
	Session string
	Cmd     string
	Created time.Time
	Matches int // how much there is in all: matches, lines or paths
	Value   Value
}

func (h *Handle) weight() int64 {
	return entryWeight + int64(len(h.ID)+len(h.Owner)+len(h.Session)+len(h.Cmd)) + h.Value.Weight()
}

// A Store keeps handles in memory. They do not expire by time: the oldest goes when its
// session has 256 others, or all together would take more than 64 MiB. It is safe for
// concurrent use. The zero Store is empty and ready.
type Store struct {
	mu       sync.Mutex
	byID     map[string]*stored
	sessions map[ownSession]*list.List // of *stored, the oldest first
	all      list.List                 // as above
	weight   int64
}

// An ownSession is a session: whoever owns another one may call it the same.
type ownSession struct{ owner, session string }

func (h *Handle) session() ownSession { return ownSession{h.Owner, h.Session} }

// stored is a handle with its places in the lists.
type stored struct {
	Handle
	own, all *list.Element
}

// Put keeps a handle and returns its id, "" where its value alone would be too much.
func (s *Store) Put(h Handle) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it does not fail
	h.ID = "res_" + hex.EncodeToString(random[:])
	h.Created = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.weight() > maxWeight {
		return ""
	}
	if s.byID == nil {
		s.byID, s.sessions = map[string]*stored{}, map[ownSession]*list.List{}
		s.all.Init()
	}
	if old := s.byID[h.ID]; old != nil {
		s.drop(old)
	}
	own := s.sessions[h.session()]
	if own == nil {
		own = list.New()
		s.sessions[h.session()] = own
	}
	e := &stored{Handle: h}
	e.own, e.all = own.PushBack(e), s.all.PushBack(e)
	s.byID[h.ID] = e
	s.weight += h.weight()
	if own.Len() > maxHandles {
		s.drop(own.Front().Value.(*stored))
	}
	for s.weight > maxWeight {
		s.drop(s.all.Front().Value.(*stored))
	}
	return h.ID
}

// drop forgets a handle. The caller has the lock.
func (s *Store) drop(e *stored) {
	own := s.sessions[e.session()]
	own.Remove(e.own)
	if own.Len() == 0 {
		delete(s.sessions, e.session())
	}
	s.all.Remove(e.all)
	delete(s.byID, e.ID)
	s.weight -= e.weight()
}

// Load returns a handle of an owner. It reports false for one that was dropped, for one that
// there never was, and for one of somebody else.
func (s *Store) Load(owner, id string) (Handle, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil || e.Owner != owner {
		return Handle{}, false
	}
	return e.Handle, true
}

// List returns the handles of an owner's session, the newest first.
func (s *Store) List(owner, session string) []Handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []Handle{}
	own := s.sessions[ownSession{owner, session}]
	if own == nil {
		return found
	}
	for e := own.Back(); e != nil; e = e.Prev() {
		found = append(found, e.Value.(*stored).Handle)
	}
	return found
}

// Size returns how many handles there are, and what they weigh, in bytes.
func (s *Store) Size() (handles int, weight int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID), s.weight
}

package coach

import "container/list"

// maxSessions is how many sessions may have an open answer. One takes 10 kB at most.
const maxSessions = 1_000

// sessions are the open answers, one of a session, by the hash of its name. The one that
// was put in first goes when there are too many: it is never scored.
type sessions struct {
	order *list.List // of entries, the newest first
	at    map[uint64]*list.Element
}

type entry struct {
	session uint64
	answer  *answer
}

func newSessions() sessions { return sessions{list.New(), make(map[uint64]*list.Element)} }

// take removes and returns the open answer of a session, nil when it has none.
func (s *sessions) take(session uint64) *answer {
	e := s.at[session]
	if e == nil {
		return nil
	}
	delete(s.at, session)
	return s.order.Remove(e).(entry).answer
}

// put keeps the open answer of a session that has none.
func (s *sessions) put(session uint64, a *answer) {
	s.at[session] = s.order.PushFront(entry{session, a})
	if s.order.Len() > maxSessions {
		delete(s.at, s.order.Remove(s.order.Back()).(entry).session)
	}
}

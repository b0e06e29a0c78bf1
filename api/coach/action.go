package coach

import (
	"hash/maphash"
	"time"
)

// A Kind is what a session has asked for.
type Kind int

// The kinds.
const (
	Other    Kind = iota // what is neither a search nor a reading, such as the news of a changed file
	Search               // something is looked for
	Read                 // the text of files
	Retrieve             // more of an answer, by its handle
)

// The scores of answers.
const (
	proceeds  = 2
	wantsMore = 1
	asksAgain = -1
)

// An Action is a request of a session that has been answered.
type Action struct {
	Kind   Kind
	Cmd    string   // the command; two actions with one name are of one command
	Form   int      // ID of the Strategy of the answer; 0: it has none, and is not scored
	Query  string   // Search: what was looked for; where it was looked for is no part of it
	Files  []string // Search: those that the answer has shown; Read: those that were read
	Handle string   // Search, Read: that of the rest of the answer; Retrieve: the one asked for
}

// An answer is one that waits for the session's next action.
type answer struct {
	form
	kind   Kind
	at     time.Time
	words  []uint64 // of the query, hashed
	files  []uint64 // hashed
	handle uint64   // hashed; 0: none
}

const (
	maxWords = 256   // of a query that are compared
	maxFiles = 1_000 // of an answer that are remembered
)

// Saw tells of an action of a session, after its answer was made. It scores the answer
// before it, if that one is open. Actions of one session must come in their order; an
// action without a session is not followed.
func (c *Coach) Saw(session string, a Action) {
	if c == nil || session == "" {
		return
	}
	next := answer{
		form: form{a.Cmd, a.Form}, kind: a.Kind, at: c.now(),
		words: words(c.seed, a.Query, maxWords), handle: hash(c.seed, a.Handle),
	}
	for _, f := range a.Files[:min(len(a.Files), maxFiles)] {
		next.files = append(next.files, hash(c.seed, f))
	}
	key := maphash.String(c.seed, session)
	known := a.Form > 0 && a.Form <= len(strategies(a.Cmd))

	c.mu.Lock()
	defer c.mu.Unlock()
	if last := c.sessions.take(key); last != nil {
		if points, ok := last.score(&next); ok {
			c.since[last.form] = c.since[last.form].plus(count{Scored: 1, Sum: points})
		}
	}
	if known {
		c.since[next.form] = c.since[next.form].plus(count{N: 1})
		c.sessions.put(key, &next)
	}
}

// score says what the next action of the session says about an answer, if anything.
func (a *answer) score(next *answer) (points int, ok bool) {
	same := a.repeatedBy(next)
	more := next.kind == Retrieve && a.handle != 0 && next.handle == a.handle
	if next.at.Sub(a.at) > window {
		return proceeds, !same && !more
	}
	switch {
	case more:
		return wantsMore, true
	case same:
		return asksAgain, true
	case next.kind == Read:
		return proceeds, a.kind == Read || overlap(a.files, next.files)
	}
	return proceeds, next.kind == Other
}

// repeatedBy reports whether the next action is the same command on much the same.
func (a *answer) repeatedBy(next *answer) bool {
	if next.kind != a.kind || next.cmd != a.cmd {
		return false
	}
	if a.kind == Read {
		return overlap(a.files, next.files)
	}
	return similar(a.words, next.words)
}

func overlap(a, b []uint64) bool {
	in := make(map[uint64]bool, len(a))
	for _, v := range a {
		in[v] = true
	}
	for _, v := range b {
		if in[v] {
			return true
		}
	}
	return false
}

// Package coach finds out which form of an answer works best. It gives some answers of
// grep, cat and find in other forms than the default, looks at what the reader does
// next, and keeps to the form with the highest mean score: a bandit, epsilon-greedy.
//
// # What a handler calls
//
// A nil *Coach is one that is turned off: Choose returns the default form, and Saw does
// nothing. So a handler needs no case for it. Before it renders the answer to a command:
//
//	form := coach.Default("grep")
//	if session != "" {
//		form = c.Choose("grep")
//	}
//
// and when the answer has been made without an error, for these commands:
//
//	c.Saw(session, coach.Action{Kind: coach.Search, Cmd: "grep", Form: v,
//		Query: pattern, Files: filesPrinted, Handle: handle})
//	c.Saw(session, coach.Action{Kind: coach.Search, Cmd: "find", Form: v,
//		Query: cmp.Or(namePattern, path), Files: pathsPrinted, Handle: handle})
//	c.Saw(session, coach.Action{Kind: coach.Read, Cmd: "cat", Form: v,
//		Files: []string{path}, Handle: handle})
//
// Here v is form.ID where something was left out of the answer, and 0 else: what is
// whole, or raw, is the same in all forms, and its scores would say nothing of them. All
// other endpoints tell what they have done, too, since each of them is somebody's next
// action:
//
//	/handles/{id}                                 {Kind: Retrieve, Handle: id}
//	/search, /related                             {Kind: Search, Cmd: "search", Query: q}
//	/extract, /context, /skeleton                 {Kind: Read, Cmd: "extract", Files: files}
//	/calls, /impact, /references, /trace, /structure,
//	/summarize, /invalidate                       {Kind: Other}
//
// Probes (/health, /status, /metrics, lists) and requests that failed are not told: they
// say nothing of the answer before them.
//
// # What is scored
//
// The last answer of a session that had a form is open until the session's next action,
// which closes it, and, within five minutes, scores it:
//
//	takes more of it by its handle                              +1
//	the same command once more, with a similar query            -1
//	reads a file that it named                                  +2
//	after cat: reads another file                               +2
//	anything that is neither a search nor a reading             +2
//	another search; after grep and find: reads another file     not scored
//
// Queries are similar when at least 0.6 of the words of both together are in each
// (Jaccard), the words being the parts of identifiers in lower case; for cat, when the
// file is the same. After more than five minutes in which nothing more was looked for,
// the next action shows that the session has gone on: +2, unless it is about the same
// answer (its handle, or the query once more), which says neither, and is not scored.
//
// # What cannot be seen
//
// A server sees requests, not intentions. That a reader asks the user for help, -2 in
// the design that this follows, looks like silence: where the session ends with it, the
// answer is not scored, and where it goes on after five minutes, it counts as +2. What a
// reader does with tools of its own (an edit, a build, another grep) looks like silence,
// too. Requests without a session are not followed. Answers that were not scored are
// counted as well as those that were.
//
// No text of a query, no path and no name of a session is kept, only hashes of them that
// are worth nothing outside the process; and of 1,000 sessions at most, the last ones.
package coach

import (
	"hash/maphash"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	explore = 0.2             // the share of answers whose form is drawn at random
	window  = 5 * time.Minute // in which a next action scores an answer
	enough  = 30              // scored answers from which on a mean is worth something
)

// Options configure a Coach. The zero value keeps nothing beyond the process.
type Options struct {
	Path   string           // of the file that keeps the counts; "": they are not kept
	Now    func() time.Time // nil: time.Now
	Source rand.Source      // of the draws; nil: seeded by the system
	Logger *slog.Logger     // nil: nothing is logged
}

// A Coach chooses forms and counts how they do. It is safe for concurrent use, and
// starts no goroutine: what becomes known by the passing of time is found out at the
// session's next action. A nil one is turned off.
type Coach struct {
	path string
	now  func() time.Time
	log  *slog.Logger
	seed maphash.Seed

	mu       sync.Mutex
	draw     *rand.Rand
	kept     counts // what the file says
	since    counts // what has come since
	sessions sessions
}

// Open returns a Coach that goes on with the counts of the file. One that cannot be
// read, is damaged or of another version is left alone until the first Save; the Coach
// starts over, and the log says why.
func Open(opt Options) *Coach {
	c := &Coach{
		path: opt.Path, now: opt.Now, log: opt.Logger,
		seed: maphash.MakeSeed(), sessions: newSessions(),
		kept: counts{}, since: counts{},
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if opt.Source == nil {
		opt.Source = rand.NewPCG(rand.Uint64(), rand.Uint64())
	}
	c.draw = rand.New(opt.Source)
	if c.path != "" {
		kept, err := load(c.path)
		if err != nil {
			c.log.Warn("the coach starts over: its file cannot be used", "err", err)
		}
		c.kept = kept
	}
	return c
}

// Choose returns the form for an answer of a command: in one of five cases any of them,
// else the one with the highest mean score; among equals that with the fewest answers,
// then the lowest ID. One that was never scored counts as 0. A command that has no forms
// gets the zero Strategy.
func (c *Coach) Choose(cmd string) Strategy {
	if c == nil {
		return Default(cmd)
	}
	all := strategies(cmd)
	if len(all) == 0 {
		return Strategy{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draw.Float64() < explore {
		return all[c.draw.IntN(len(all))]
	}
	best := all[0]
	for _, s := range all[1:] {
		if c.count(cmd, s.ID).before(c.count(cmd, best.ID)) {
			best = s
		}
	}
	return best
}

// count returns all that is known of a form; the lock is held.
func (c *Coach) count(cmd string, id int) count {
	key := form{cmd, id}
	return c.kept[key].plus(c.since[key])
}

// Commands returns the commands whose answers have forms.
func Commands() []string { return []string{"grep", "cat", "find"} }

// A Record says how a form has done.
type Record struct {
	Strategy
	N      int     // answers in this form that were given to a session
	Scored int     // of these, answers that were scored
	Mean   float64 // of the scores, from -1 to 2; 0 where nothing was scored
	Share  float64 // of the command's answers, from 0 to 1
	Best   bool    // the highest mean of those that were scored
	Enough bool    // 30 or more were scored; below that the mean is mostly chance
}

// Report returns the records of the forms of each command, by ID. It counts what was
// kept from earlier runs, too. A nil Coach has none.
func (c *Coach) Report() map[string][]Record {
	report := make(map[string][]Record)
	for _, cmd := range Commands() {
		report[cmd] = c.records(cmd)
	}
	return report
}

func (c *Coach) records(cmd string) []Record {
	if c == nil {
		return []Record{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var records []Record
	total, best := 0, -1
	var top count
	for i, s := range strategies(cmd) {
		n := c.count(cmd, s.ID)
		records = append(records, Record{Strategy: s, N: n.N, Scored: n.Scored, Mean: n.mean(), Enough: n.Scored >= enough})
		total += n.N
		if n.Scored > 0 && (best < 0 || n.before(top)) {
			best, top = i, n
		}
	}
	for i := range records {
		records[i].Best = i == best
		if total > 0 {
			records[i].Share = float64(records[i].N) / float64(total)
		}
	}
	return records
}

package answer

import (
	"time"
)

// Phases of an index, as State.State reports them.
const (
	Indexing = "indexing" // the first build runs; answers come from what is there
	Ready    = "ready"    // everything known to have changed is in
	Stale    = "stale"    // changes are known that are not in yet
	Failed   = "error"    // the last build or update failed; what was there still answers
)

// Freshness of an answer.
const (
	Fresh   = "FRESH"
	Dated   = "STALE"
	Unknown = "UNKNOWN"
)

// State says how current the index is. It is taken without waiting for anyone.
type State struct {
	State      string   `json:"state"`
	Generation uint64   `json:"generation"`        // grows with every commit
	Progress   float64  `json:"progress"`          // of the running build, 0..1; 1 when none runs
	Vectors    float64  `json:"vectors"`           // share of the chunks that have their vector, 0..1
	Refined    *float64 `json:"refined,omitempty"` // share of the chunks whose vector is the better one, or that need none, 0..1; nil: there is one kind of vectors
	Unrefined  string   `json:"-"`                 // why that grows no more until the next build; "": it does, or is 1
	Freshness  string   `json:"freshness"`         // FRESH, STALE or UNKNOWN
	Pending    int      `json:"pending"`           // changed paths not in yet, and what is read again since it could not be read
	Paused     string   `json:"paused,omitempty"`  // why what is pending, or the call graph, does not go on now
	Root       string   `json:"root"`
	Empty      bool     `json:"empty,omitempty"` // no file is indexed, and no first build runs
	Files      int      `json:"files,omitzero"`
	Chunks     int      `json:"chunks,omitzero"`
	GraphOld   bool     `json:"-"` // the call graph lacks the latest changes
	Unread     int      `json:"-"` // of Pending, what is read again: see Coverage.Pending
	GraphLag   uint64   `json:"-"` // generations by which it is behind, or less; 0: none
	Restored   bool     `json:"-"` // from a snapshot that has not been compared with the root yet

	IndexedAt time.Time `json:"-"` // of the last commit; zero: none yet
}

// Refining reports whether vectors are still to be replaced by better ones, see
// embed.Refiner, and how far that is.
func (s *State) Refining() (share float64, more bool) {
	if s.Refined == nil {
		return 1, false
	}
	return *s.Refined, *s.Refined < 1 && s.Chunks > 0
}

// Work is what an Index has done since it was opened.
type Work struct {
	Parsed   uint64 // files that were read and parsed
	Lowered  uint64 // files that were parsed again, for the call graph only
	Embedded uint64 // chunks whose vector was computed
	Refined  uint64 // chunks whose better vector was computed
	Reused   uint64 // files that were taken over: from a snapshot, what other roots keep, or a file of the same text
	Rebuilt  uint64 // files that were left out of a snapshot, because it had another text of them than was indexed

	// What requests found as they needed it, and what had to be made for them.
	OverlaysFound, OverlaysMade uint64 // copies of the index with an overlay
	LinesFound, LinesMade       uint64 // lines about files and folders
}

// Add returns the sum of two.
func (w Work) Add(o Work) Work {
	return Work{
		w.Parsed + o.Parsed, w.Lowered + o.Lowered, w.Embedded + o.Embedded, w.Refined + o.Refined, w.Reused + o.Reused, w.Rebuilt + o.Rebuilt,
		w.OverlaysFound + o.OverlaysFound, w.OverlaysMade + o.OverlaysMade,
		w.LinesFound + o.LinesFound, w.LinesMade + o.LinesMade,
	}
}

// Memory is about what an Index takes, in bytes: what its parts hold, without what Go's
// runtime keeps around them.
type Memory struct {
	Text    int64 `json:"text"`    // the source, and what it was lowered to, compressed
	Symbols int64 `json:"symbols"` // files, symbols and chunks
	Words   int64 `json:"words"`   // and the filters of those files that were searched for a literal
	Vectors int64 `json:"vectors"`
	Graph   int64 `json:"graph"`
	Drafts  int64 `json:"overlays"` // the copies of the index that requests with an overlay have, see drafts
}

// Total returns the sum.
func (m Memory) Total() int64 { return m.Text + m.Symbols + m.Words + m.Vectors + m.Graph + m.Drafts }

// Checked says how the files that an answer names compare with what was indexed,
// at the moment of the answer.
type Checked struct {
	Changed   int `json:"-"` // files that are changed, gone or unreadable since
	Unchecked int `json:"-"` // files that were not looked at, because it would have taken too long, or could not be read now
}

// An Event says what commits have changed, for those who keep answers: Changes
// returns them.
type Event struct {
	// ID names the moment: the life of this Index and the generation. It is of use
	// for Changes only.
	ID         string `json:"-"`
	Generation uint64 `json:"generation"` // after the commits
	State      string `json:"state"`      // as State.State

	// Changed are the files that were added, changed or removed, relative to the
	// root, sorted; never nil. A greater generation without any says that what was
	// indexed before is ranked or resolved otherwise: vectors or the call graph
	// have caught up. An equal generation says that only the state is another.
	Changed []string `json:"changed"`
	// All is set where Changed, then empty, would be too long, or is not known any
	// more: everything may have changed.
	All bool `json:"all,omitempty"`
}

// An Origin says which snapshot an index began with, who made that, and what of it was
// proved. What it says of its maker is what the snapshot says of itself: SignedBy proves
// it, where Trusted is true.
type Origin struct {
	Program string     `json:"program"`           // that made it; "": it does not say
	By      string     `json:"made_by"`           // the job or machine that made it; "": it does not say
	Root    string     `json:"root"`              // of which it was made; "": it is portable
	Commit  string     `json:"commit"`            // of the work tree that it was made of; "": none
	Made    *time.Time `json:"made_at,omitempty"` // nil: it does not say

	ID       string `json:"id"`        // SHA-256 of all that it holds, in hexadecimal
	Verified bool   `json:"verified"`  // all that was read of it is what its hashes say
	SignedBy string `json:"signed_by"` // fingerprint of the key; "": unsigned
	Trusted  bool   `json:"trusted"`   // by a key that it had to be signed by
	Delta    bool   `json:"delta"`     // what had changed since was in a delta, which nobody signs

	Texts    int      `json:"texts"`          // of files
	Proved   int      `json:"texts_verified"` // that are what the hashes of their files say
	Rebuilt  []string `json:"rebuilt"`        // files whose texts were not, which are indexed again; the first 100 by path
	NRebuilt int      `json:"rebuilt_total"`  // how many these are
}

package index

import (
	"time"

	"github.com/quarry-search/quarry/embed"
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
	State      string  `json:"state"`
	Generation uint64  `json:"generation"` // grows with every commit
	Progress   float64 `json:"progress"`   // of the running build, 0..1; 1 when none runs
	Vectors    float64 `json:"vectors"`    // share of the chunks that have their vector, 0..1
	Freshness  string  `json:"freshness"`  // FRESH, STALE or UNKNOWN
	Pending    int     `json:"pending"`    // changed paths not in yet
	Root       string  `json:"root"`
	Files      int     `json:"files"`
	Chunks     int     `json:"chunks"`
}

// Coverage says what is in the index and what is not. Every file that the
// ignore rules admit is counted exactly once, as indexed or as skipped.
type Coverage struct {
	Indexed   int            `json:"indexed"`
	Skipped   int            `json:"skipped"`
	Reasons   map[string]int `json:"reasons"`      // skipped files by reason
	Files     []SkippedFile  `json:"files"`        // at most Status's limit, by path
	Truncated bool           `json:"truncated"`    // Files is not all
	Languages map[string]int `json:"languages"`    // indexed files by language; "text" where none is known
	NoGrammar int            `json:"no_grammar"`   // indexed without a syntax tree
	Errors    int            `json:"parse_errors"` // indexed, with errors in the syntax tree
	Source    string         `json:"source"`       // who decided what is ignored: "git" or "gitignore files"
}

// A SkippedFile is one file that is not in the index.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// Status is everything that the index knows about itself.
type Status struct {
	State
	Symbols       int         `json:"symbols"`
	References    int         `json:"references"`
	Terms         int         `json:"terms"`
	SourceBytes   int64       `json:"source_bytes"`
	LastIndexedAt *time.Time  `json:"last_indexed_at"`       // null before the first commit
	LastCommit    string      `json:"last_commit,omitempty"` // of the git work tree, when the last build began
	LastError     string      `json:"last_error,omitempty"`
	BuildSeconds  float64     `json:"build_seconds"` // of the last whole build
	Coverage      Coverage    `json:"coverage"`
	Model         *embed.Info `json:"-"` // nil: no vectors
}

// State returns the state without taking a lock.
func (x *Index) State() State { panic("to be written") }

// Status returns everything, with at most skipped entries in Coverage.Files.
// It is safe for concurrent use and may wait for a commit in progress.
func (x *Index) Status(skipped int) Status { panic("to be written") }

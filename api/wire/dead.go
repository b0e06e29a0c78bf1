package wire

// A DeadRequest asks for code that nothing uses.
type DeadRequest struct {
	Path       string         `json:"path,omitempty" max:"4096"`                                                                     // only what is below this file or folder
	Glob       []string       `json:"glob,omitempty" max:"256"`                                                                      // only files that one of these globs matches; ! in front excludes
	Lang       []string       `json:"lang,omitempty" of:"langs" fold:"true"`                                                         // only this language, or one of these
	Kind       DeadKind       `json:"kind,omitempty" of:"function method type constant variable export assignment import parameter"` // only findings of this kind; by default all but the last three, for which files are parsed again
	Confidence DeadConfidence `json:"confidence,omitempty" of:"certain likely possible" default:"likely"`                            // at least this sure, by default DeadLikely
	Exports    Exports        `json:"exports,omitempty" of:"auto roots ignore" default:"auto"`                                       // whether what is exported counts for used, by default AutoExports
	Entry      []string       `json:"entry_points,omitempty" max:"4352"`                                                             // names, or file:name, of code that something outside of the index runs; not with the kinds within files
	Tests      Tests          `json:"tests,omitempty" of:"with without only"`                                                        // WithTests: tests are users as others, the default; WithoutTests: what only they use is dead, too; OnlyTests: only that
	Limit      int            `json:"limit,omitempty" min:"1" max:"1000" default:"100"`                                              // findings at most, by default 100; more than 1000 is lowered to 1000
	Offset     int            `json:"offset,omitempty" min:"0" max:"1073741824"`                                                     // findings to pass over
	TimeoutMS  int            `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"`                                  // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// A DeadKind is what a Dead is.
type DeadKind string

// The kinds of a Dead. DeadExport is an export that only its own file uses. DeadAssignment,
// DeadImport and DeadParameter are within files, and looked for only by their name.
const (
	DeadFunction DeadKind = "function"
	DeadMethod   DeadKind = "method"
	DeadType     DeadKind = "type"
	DeadConstant DeadKind = "constant"
	DeadVariable DeadKind = "variable"
	DeadExport   DeadKind = "export"

	DeadAssignment DeadKind = "assignment" // its value is not read
	DeadImport     DeadKind = "import"     // its file does not read what it binds
	DeadParameter  DeadKind = "parameter"  // its function does not read it
)

// A DeadConfidence says how sure a Dead is.
type DeadConfidence string

// The confidences, the surest first.
const (
	DeadCertain  DeadConfidence = "certain"  // no place names it that is not itself dead, or known to mean something else
	DeadLikely   DeadConfidence = "likely"   // its name stands in code where the call graph knows no use of it
	DeadPossible DeadConfidence = "possible" // a string, a setting or a convention may have it used
)

// Exports says what an exported symbol counts for.
type Exports string

// What exports count for.
const (
	AutoExports   Exports = "auto"   // those of libraries are used by others
	RootExports   Exports = "roots"  // all are
	IgnoreExports Exports = "ignore" // none is
)

// A DeadReason says in which way nothing uses a Dead.
type DeadReason string

// The reasons.
const (
	DeadUnused    DeadReason = "unused"     // nothing uses it
	DeadByUsers   DeadReason = "dead_users" // only code uses it that is dead itself
	DeadOnlyTests DeadReason = "only_tests" // only tests use it
	DeadOnlyHere  DeadReason = "only_here"  // it is exported, and only its own file uses it
)

// A DeadResponse has code that nothing uses, in groups of what uses each other: what nothing uses
// comes first in each.
type DeadResponse struct {
	Dead       []Dead      `json:"dead"`                  // the surest groups first, then by file and line
	Counts     []DeadCount `json:"counts"`                // by kind, on all pages
	LookedAt   []DeadCount `json:"looked_at"`             // symbols that could have been dead, by kind
	NotLooked  []string    `json:"not_looked_at"`         // what dead code is not looked for: kinds, and languages of the index
	Complete   bool        `json:"complete"`              // all dead code of the kinds and languages that are looked at is found; it is never proved
	Incomplete []string    `json:"incomplete,omitempty"`  // why the answer is not complete
	Total      int         `json:"total"`                 // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated  bool        `json:"truncated"`             // there is more than the list has; Meta.TruncatedBy says why
	NextOffset int         `json:"next_offset,omitempty"` // the offset of the next page; 0 on the last one
	Index      Index       `json:"index"`
	Meta       Meta        `json:"meta"`
}

// A DeadCount is how many findings of a kind there are.
type DeadCount struct {
	Kind  DeadKind `json:"kind"`
	Count int      `json:"count"`
}

// A Dead is a symbol that nothing uses.
type Dead struct {
	Symbol     string         `json:"symbol"` // with the names around it, joined by dots
	File       string         `json:"file"`
	Line       int            `json:"line"`     // of its name
	EndLine    int            `json:"end_line"` // inclusive
	Kind       DeadKind       `json:"kind"`
	Lang       string         `json:"lang"`
	Confidence DeadConfidence `json:"confidence"`
	Reason     DeadReason     `json:"reason"`
	Why        string         `json:"why,omitempty"`      // what could still use it; empty at DeadCertain
	Users      []Place        `json:"users,omitempty"`    // dead code that uses it, the first 5
	Root       *Place         `json:"root,omitempty"`     // what nothing uses, with which it is dead; nil: itself
	Exported   bool           `json:"exported,omitempty"` // code of other modules could name it
	Test       bool           `json:"test,omitempty"`     // it is test code
	Changed    bool           `json:"changed,omitempty"`  // the file on disk is no longer what was indexed
}

package wire

// An ImpactRequest asks what a change may affect. One of Target and Diff is needed.
type ImpactRequest struct {
	Target       string `json:"target,omitempty" target:"later"`                              // what is to be changed
	Diff         string `json:"diff,omitempty" max:"body"`                                    // a unified diff, in place of a target
	Depth        int    `json:"depth,omitempty" min:"1" max:"100"`                            // steps from the target, by default all; more than 100 is lowered to 100
	Path         string `json:"path,omitempty" max:"4096"`                                    // only callers below this file or folder
	IncludeTests *bool  `json:"include_tests,omitempty"`                                      // list callers in tests, too; nil: true
	Limit        int    `json:"limit,omitempty" min:"1" max:"1000" default:"100"`             // callers at most, by default 100; more than 1000 is lowered to 1000
	Offset       int    `json:"offset,omitempty" min:"0" max:"1073741824"`                    // entries to pass over
	TimeoutMS    int    `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// An ImpactResponse is what the change may affect, and the tests to run.
type ImpactResponse struct {
	Target     string          `json:"target,omitempty"`     // as it was asked for
	Definition *Definition     `json:"definition,omitempty"` // the target, unless it is a file
	Changed    []ChangedSymbol `json:"changed,omitempty"`    // what the diff changes
	LeftOut    []LeftOut       `json:"left_out,omitempty"`   // files of the diff that have no part in the call graph
	Unfollowed []Unfollowed    `json:"unfollowed,omitempty"` // what is asked about, changed or affected, whose dependents are not all known
	Callers    []Caller        `json:"callers"`              // nearest first, the surest of them before the rest
	Ambiguous  []Caller        `json:"ambiguous"`            // that name it, and no more is known, or depend on those
	// Test files among what is affected, or changed: those to run, nearest first. Without a depth
	// also those that may run it where only a name, or the language by itself, leads there.
	Tests        []string      `json:"tests"`
	Files        []string      `json:"files"`                  // of all callers, by path
	Complete     bool          `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int           `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string      `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place       `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int           `json:"total"`                  // what there is, before limit, offset and budget
	Truncated    bool          `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int           `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Across       *AcrossImpact `json:"across,omitempty"`
	Index        Index         `json:"index"`
	Meta         Meta          `json:"meta"`
}

// A ChangedSymbol is what a diff changes.
type ChangedSymbol struct {
	Symbol string `json:"symbol"` // empty for code that is in no definition
	File   string `json:"file"`
	Line   int    `json:"line"`
	Kind   string `json:"kind"`   // function, method, class and so on; empty for code that is in no definition
	Change string `json:"change"` // one of modified, added, deleted
}

// An Unfollowed is a symbol, or a file without one, whose dependents are not known by edges.
type Unfollowed struct {
	Symbol   string `json:"symbol"` // empty for a file
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind,omitempty"`
	Reason   string `json:"reason"`   // one of deleted, no_edges, no_graph, not_indexed, other_text
	Mentions int    `json:"mentions"` // places of the text that name it
}

// A Caller is affected by a change.
type Caller struct {
	Symbol     string     `json:"symbol"` // empty for code that is in no definition
	File       string     `json:"file"`
	Line       int        `json:"line"`
	Changed    bool       `json:"changed,omitempty"` // the file on disk is no longer what was indexed
	Depth      int        `json:"depth"`             // steps from the target
	Via        Place      `json:"via"`               // what it calls on the way; at depth 1 the target
	CallSites  []int      `json:"call_sites"`        // lines of the calls, in the file of the caller
	Kind       string     `json:"kind"`              // calls, references, imports, inherits or implements
	Confidence Confidence `json:"confidence"`        // the weakest on the way
	Test       bool       `json:"test,omitempty"`    // it is test code
}

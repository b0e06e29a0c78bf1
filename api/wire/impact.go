package wire

import "fmt"

// An ImpactRequest asks what a change may affect. One of Target, Diff, Files, Git (or Base) and
// Edited is needed.
type ImpactRequest struct {
	Target       string   `json:"target,omitempty" target:"later"`                              // what is to be changed
	Diff         string   `json:"diff,omitempty" max:"body"`                                    // a unified diff, in place of a target
	Files        []string `json:"files,omitempty" texts:"4096"`                                 // in place of both: all of these files, of which there are at most 100, may have changed
	Git          bool     `json:"git,omitempty"`                                                // in place of them: what git says has changed since Base in the files that it tracks
	Base         string   `json:"base,omitempty" max:"256"`                                     // a revision, with or without Git; by default HEAD
	Edited       bool     `json:"edited,omitempty"`                                             // in place of them: the files that were edited since the server has watched them
	Depth        int      `json:"depth,omitempty" min:"1" max:"100"`                            // steps from the target, by default all; more than 100 is lowered to 100
	Path         string   `json:"path,omitempty" max:"4096"`                                    // only callers below this file or folder
	Glob         []string `json:"glob,omitempty" max:"256"`                                     // only callers in files that one of these globs matches; ! in front excludes
	Tests        Tests    `json:"tests,omitempty" of:"with without only"`                       // what of test code is listed, by default WithTests: after production code
	IncludeTests *bool    `json:"include_tests,omitempty"`                                      // false is the same as WithoutTests
	Commands     bool     `json:"commands,omitempty"`                                           // say in Runs how to run the tests
	Limit        int      `json:"limit,omitempty" min:"1" max:"1000" default:"100"`             // entries at most, of both lists together, by default 100; more than 1000 is lowered to 1000
	Offset       int      `json:"offset,omitempty" min:"0" max:"1073741824"`                    // entries to pass over
	TimeoutMS    int      `json:"timeout_ms,omitempty" min:"1" max:"timeout" default:"timeout"` // in milliseconds, by default and at most 30000

	Overlay []OverlayFile `json:"overlay,omitempty"` // of one project only: see OverlayFile

	Scope
}

// Problem says what does not go together in the request, "" where nothing is wrong.
func (q *ImpactRequest) Problem() string {
	if len(q.Files) > MaxImpactFiles {
		return fmt.Sprintf("files has more than %d elements", MaxImpactFiles)
	}
	return testsProblem(q.Tests, q.IncludeTests)
}

// MaxImpactFiles is how many Files an ImpactRequest may have.
const MaxImpactFiles = 100

// A TestRun is a command that runs tests of an answer, as the files of the index tell which.
type TestRun struct {
	Files   []string `json:"files"`             // of Tests, by path
	Tests   []string `json:"tests,omitempty"`   // that are named, as the runner names them; none: all of the files
	Dir     string   `json:"dir,omitempty"`     // below the root, where it is to be run; empty: the root
	Args    []string `json:"args,omitempty"`    // the command; none where it is not known
	Command string   `json:"command,omitempty"` // the same for a POSIX shell in the root
	Unknown string   `json:"unknown,omitempty"` // why there is no command
}

// An ImpactResponse is what the change may affect, and the tests to run. Pages go through Callers
// and then Ambiguous, as if they were one list.
type ImpactResponse struct {
	Target     string          `json:"target,omitempty"`     // as it was asked for
	Definition *Definition     `json:"definition,omitempty"` // the target, unless it is a file
	Changed    []ChangedSymbol `json:"changed,omitempty"`    // what the diff changes
	LeftOut    []LeftOut       `json:"left_out,omitempty"`   // files of the diff that have no part in the call graph
	Unfollowed []Unfollowed    `json:"unfollowed,omitempty"` // what is asked about, changed or affected, whose dependents are not all known
	Callers    []Caller        `json:"callers"`              // production code before tests, nearest first, the surest of them before the rest
	Ambiguous  []Caller        `json:"ambiguous"`            // that name it, and no more is known, or depend on those
	Counts     ImpactCounts    `json:"counts"`               // entries of both lists, on all pages
	// Test files among what is affected, or changed: those to run, nearest first. Without a depth
	// also those that may run it where only a name, or the language by itself, leads there.
	Tests        []string      `json:"tests"`
	Runs         []TestRun     `json:"runs,omitempty"`         // the commands that run Tests, with Commands
	Files        []string      `json:"files"`                  // of all callers, by path
	Complete     bool          `json:"complete"`               // all that the index has is in the answer, if it is not truncated
	OpenCalls    int           `json:"open_calls"`             // calls that are not resolved and could belong to the answer
	Incomplete   []string      `json:"incomplete,omitempty"`   // why the answer is not complete
	Alternatives []Place       `json:"alternatives,omitempty"` // what else the target could mean, the likelier first
	Total        int           `json:"total"`                  // entries of the lists together, before limit, offset and budget; as Meta.Matches
	Truncated    bool          `json:"truncated"`              // there is more than the list has; Meta.TruncatedBy says why
	NextOffset   int           `json:"next_offset,omitempty"`  // the offset of the next page; 0 on the last one
	Across       *AcrossImpact `json:"across,omitempty"`
	Index        Index         `json:"index"`
	Meta         Meta          `json:"meta"`
}

// ImpactCounts counts the entries of both lists, on all pages.
type ImpactCounts struct {
	Callers   int `json:"callers"`
	Ambiguous int `json:"ambiguous"`
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

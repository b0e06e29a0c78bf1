package index

import (
	"context"
	"errors"
)

// A GrepQuery asks for every line that matches.
type GrepQuery struct {
	Pattern    string   // RE2 syntax; a line is searched as if it were alone
	Literal    bool     // Pattern is a text, not an expression
	IgnoreCase bool     // letters match in either case
	Word       bool     // only whole words, as grep -w has it
	Path       string   // only below this file or folder, relative to the root
	Glob       []string // as in Query
}

// A GrepLine is a line that matches.
type GrepLine struct {
	File    string // relative to the root, with slashes
	Line    int    // 1-based
	Text    string // without its line end, at most 2,000 bytes
	Section string // one of the Sections
	Symbol  string // around it, or that it defines; "": none
	Kind    string // of the symbol
	Role    string // as in Result
}

// The sections of a Grep, in the order of what they are worth.
const (
	InDefinitions = "definitions" // the line defines a symbol, and its name matches
	InHotZone     = "hot zone"    // in the folder where most of the matches are
	InCode        = "code"
	InDocs        = "docs"      // prose and configuration
	InTests       = "tests"     // tests and their fixtures
	InGenerated   = "generated" // what the index leaves out for its form: generated, minified, too large
)

// A GrepSection is a run of lines of one kind.
type GrepSection struct {
	Name    string
	Matches int // lines
	Files   int
}

// A Zone is the folder where matches concentrate.
type Zone struct {
	Dir   string  // with a slash at its end
	Share float64 // of the matches, 0.5..1
}

// A Grep is every line that matches a query, in order of rank: how many there are, and
// where. It holds no text, does not change, and is safe for concurrent use; Index.Lines
// gives the lines of any part of it, as long as the files are what they were.
type Grep struct {
	Query    GrepQuery
	Matches  int           // lines
	Files    int           // with a match
	Sections []GrepSection // that have matches, in order
	HotZone  *Zone         // nil: no folder has half of them, or there are fewer than 5
	Bytes    int64         // of all lines, as path:line:text with line ends
	Searched int           // files that were looked through or excluded by their trigrams
	Unread   int           // files that should have been searched and could not be
	Cut      bool          // the deadline ended the search: there may be more
	State    State

	// What follows is where they are.
	files   []grepFile
	defined []grepPlace
}

// grepFile is a file with matches, in the order of rank.
type grepFile struct {
	path    string
	hash    uint64 // of the content that was searched
	section string
	matches int // lines that are not in defined
}

// grepPlace is a line that defines what matches.
type grepPlace struct {
	file int32
	line int32
}

// Grep finds every line that matches. It returns a PatternError for a pattern or a glob
// that cannot be used and ErrClosed after Close. When the deadline of ctx ends it, what
// was found until then is the answer, and Cut.
func (x *Index) Grep(ctx context.Context, q GrepQuery) (*Grep, error) {
	return nil, errors.ErrUnsupported
}

// Lines returns at most n lines of a Grep, from the one with an index on, 0 for the
// first. Lines of files that are not what they were when g was made are not among them;
// how many those are is returned, too.
func (x *Index) Lines(ctx context.Context, g *Grep, from, n int) (lines []GrepLine, gone int, err error) {
	return nil, 0, errors.ErrUnsupported
}

// Package grep finds the lines that match, files by their names, and the text of files: what
// agents otherwise ask grep, find and cat for. It looks at the disk for what is not indexed.
package grep

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A GrepQuery asks for every line that matches.
type GrepQuery struct {
	Pattern    string   // in Syntax; a line is searched as if it were alone
	Syntax     string   // one of the below; "": RE2
	Literal    bool     // Pattern is a text, not an expression
	IgnoreCase bool     // letters match in either case
	Word       bool     // only whole words, as grep -w has it
	Line       bool     // only whole lines, as grep -x has it
	Path       string   // only below this file or folder, relative to the root
	Paths      []string // only below one of these, if any
	Glob       []string // as in Query
	Exclude    []string // not files whose name one of these patterns of the shell matches
	ExcludeDir []string // nor those in folders of such names, as far as those are at or below Path and Paths
}

// The syntaxes of a pattern. Those of POSIX are as GNU grep reads them; they take one pattern
// a line, also where that is a text.
const (
	RE2      = "re2"
	Basic    = "basic"
	Extended = "extended"
)

// compile returns the pattern, or a PatternError.
func (q *GrepQuery) compile() (*line.Pattern, error) {
	syntax := line.RE2
	switch q.Syntax {
	case Basic:
		syntax = line.Basic
	case Extended:
		syntax = line.Extended
	}
	p, err := texts.Compile(q.Pattern, line.Options{Syntax: syntax, Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word, Line: q.Line})
	var pattern *answer.PatternError
	if q.Syntax == RE2 && errors.As(err, &pattern) { // who says so may mean Perl's
		pattern.Unsupported = strings.Contains(pattern.Reason, "unsupported") || strings.Contains(pattern.Reason, "invalid escape sequence")
	}
	return p, err
}

// A selection says which files a query is about.
type selection struct {
	filter         store.Filter
	paths          []string
	files, folders []*regexp.Regexp // that are left out, by their names
}

// selection returns a PatternError for a glob that cannot be used.
func (q *GrepQuery) selection() (s selection, err error) {
	if err := store.CheckGlobs(q.Glob); err != nil {
		return s, err
	}
	s = selection{filter: store.NewFilter(store.Scope{Path: q.Path, Glob: q.Glob}), paths: q.Paths}
	if s.files, err = shellPatterns(q.Exclude); err == nil {
		s.folders, err = shellPatterns(q.ExcludeDir)
	}
	return s, err
}

// all reports whether every file is asked for.
func (s *selection) all() bool {
	return s.filter.Path == "" && len(s.filter.Globs)+len(s.paths)+len(s.files)+len(s.folders) == 0
}

// admits reports whether a file is asked for by its path.
func (s *selection) admits(path string) bool {
	if !source.Within(path, s.filter.Path) || !s.filter.Globs.Admit(path) || matchesAny(s.files, path[strings.LastIndexByte(path, '/')+1:]) {
		return false
	}
	if len(s.paths) == 0 {
		return !s.inExcluded(s.filter.Path, path)
	}
	return slices.ContainsFunc(s.paths, func(at string) bool {
		at = strings.Trim(at, "/")
		return source.Within(path, at) && !s.inExcluded(at, path)
	})
}

// inExcluded reports whether a file is in a folder that is left out, looked for from one on.
func (s *selection) inExcluded(from, path string) bool {
	if len(s.folders) == 0 || path == from {
		return false
	}
	above := 0 // folders that are not looked at
	if from != "" && from != "." {
		above = strings.Count(from, "/")
	}
	names := strings.Split(path, "/")
	return slices.ContainsFunc(names[above:len(names)-1], func(name string) bool { return matchesAny(s.folders, name) })
}

func matchesAny(list []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}

// A GrepLine is a line that matches.
type GrepLine struct {
	File    string // relative to the root, with slashes
	Line    int    // 1-based
	Text    string // without its line end and what is blank before that; of a line of more than 2,000 bytes a part with the match
	At      int    // offset in Text of the first match, in bytes
	Section string // one of the below
	Symbol  string // around it, or that it defines; "": none
	Kind    string // of the symbol
	Role    string // as in Result
}

// The sections of a Grep, in the order of what they are worth.
const (
	InDefinitions = "definitions" // the line defines a symbol, and a match holds of its name
	InHotZone     = "hot zone"    // in the folder where most of the matches are
	InCode        = "code"
	InDocs        = "docs"      // prose and configuration
	InTests       = "tests"     // and their fixtures
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
	Dir   string  // of one or two names, with a slash at its end
	Share float64 // of the matches, 0.5..1
}

// A GrepAnswer is every line that matches a query, in order of rank: how many there are, and
// where. It holds no text, does not change, and is safe for concurrent use; Index.Lines
// gives the lines of any part of it, as long as the files are what they were.
type GrepAnswer struct {
	Query    GrepQuery
	Matches  int           // lines
	Files    int           // with a match
	Sections []GrepSection // that have matches, in order
	HotZone  *Zone         // nil: no folder has half of the matches, or there are fewer than 5
	Bytes    int64         // of all lines, as PATH:LINE:TEXT with line ends
	Searched int           // files that were looked through, or ruled out by what their filters say
	Unread   int           // files that could not be read
	Out      Unsearched
	Cut      bool // the deadline ended the search: there may be more
	State    answer.State

	files   []grepFile
	defined []grepPlace // the first lines of all
}

// Unsearched counts the files that a search leaves out for what they are.
type Unsearched struct {
	Binary int // or in another encoding than UTF-8
	Secret int // their names stand for keys or credentials
}

// grepFile is a file with matches, in the order of rank.
type grepFile struct {
	path    string
	hash    uint64 // of the content that was searched
	section string
	matches int // lines that are not in defined
}

// grepPlace is a line that defines what matches.
type grepPlace struct{ file, line int32 }

// Weight returns about how many bytes of memory g takes.
func (g *GrepAnswer) Weight() int64 {
	n := int64(unsafe.Sizeof(*g)) + int64(len(g.Query.Pattern)) + int64(cap(g.defined))*int64(unsafe.Sizeof(grepPlace{})) +
		int64(cap(g.files))*int64(unsafe.Sizeof(grepFile{})) + int64(cap(g.Sections))*int64(unsafe.Sizeof(GrepSection{}))
	for i := range g.files {
		n += int64(len(g.files[i].path)) // which it may keep alive when the index has let go of it
	}
	return n
}

// Grep finds every line that matches, in the text that is indexed and in the files that
// the index leaves out for their form, as they are on disk. What is secret, ignored or
// binary is not searched. Before the first build has ended, files that are not indexed
// yet are read, too, so that the answer is complete; what it is ranked by is then not.
//
// It returns a PatternError for a pattern or a glob that cannot be used and ErrClosed
// after Close. When the deadline of ctx ends it, what was found until then is the answer,
// and Cut.
func Grep(ctx context.Context, x *store.View, q GrepQuery) (*GrepAnswer, error) {
	s, err := newGrepSearch(ctx, x, q)
	if err != nil {
		return nil, err
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.rank(), nil
}

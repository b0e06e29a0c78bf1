package answer

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Errors that callers tell apart.
var (
	// ErrClosed is returned by every question and method after Close.
	ErrClosed = errors.New("index: closed")
	// ErrPattern is returned for a malformed glob.
	ErrPattern = errors.New("malformed pattern")
)

// A TargetError is returned for a target that the index does not have.
type TargetError struct {
	Target  string
	Reason  string   // "": no symbol has the name
	Nearest []string // names that are like it, the most like it first

	Building bool // the first build of the index still runs: it may come
}

func (e *TargetError) Error() string {
	text := e.Reason
	switch {
	case text != "":
	case strings.Contains(e.Target, "/"):
		text = fmt.Sprintf("%q is neither a file in the index nor a symbol", e.Target)
	default:
		text = fmt.Sprintf("no symbol is called %q", e.Target)
	}
	if e.Building {
		text += "; the index is still being built"
	}
	if len(e.Nearest) > 0 {
		text += "; the nearest names are " + strings.Join(e.Nearest, ", ")
	}
	return text
}

// An UnsupportedError is returned where the language of what was asked about does
// not support the analysis.
type UnsupportedError struct {
	File     string
	Language string // "": unknown
	Analysis string // that there is not: "skeletons", "a call graph"
	Reason   string // "": there is none for the language
}

func (e *UnsupportedError) Error() string {
	if e.Reason != "" {
		return fmt.Sprintf("there can be no %s of %s: %s", e.Analysis, e.File, e.Reason)
	}
	return fmt.Sprintf("there can be no %s of %s: it is not supported for %s", e.Analysis, e.File, cmp.Or(e.Language, "plain text"))
}

// Why is what is said of a file in a list of them.
func (e *UnsupportedError) Why() string {
	switch {
	case e.Reason != "":
		return e.Reason
	case e.Language == "":
		return "its language is not known"
	}
	return "there is no grammar for " + e.Language
}

// A PlaceError is returned for a line that the index does not have, or one without a name.
type PlaceError struct {
	File   string
	Line   int
	Lines  int    // that the file has; 0: the file is not indexed
	Reason string // why it is not, "": nothing is known of it
	Name   string // that the line does not have; "": it is about the line
}

func (e *PlaceError) Error() string {
	switch {
	case e.Name != "":
		return fmt.Sprintf("line %d of %s does not have the name %s", e.Line, e.File, e.Name)
	case e.Lines > 0:
		return fmt.Sprintf("%s ends at line %d, there is no line %d", e.File, e.Lines, e.Line)
	case e.Reason != "":
		return fmt.Sprintf("%s is not in the index: %s", e.File, e.Reason)
	}
	return fmt.Sprintf("%s is not in the index", e.File)
}

// A PatternError says what is wrong with a glob or a regular expression. It is
// an ErrPattern.
type PatternError struct {
	Pattern string // as it was given
	Reason  string // what is wrong, without the pattern

	Unsupported bool // it is right, and cannot be searched for
}

func (e *PatternError) Error() string {
	if e.Unsupported {
		return fmt.Sprintf("the pattern %q is not supported: %s", e.Pattern, e.Reason)
	}
	return fmt.Sprintf("the pattern %q is malformed: %s", e.Pattern, e.Reason)
}

// Is reports whether target is ErrPattern.
func (e *PatternError) Is(target error) bool { return target == ErrPattern }

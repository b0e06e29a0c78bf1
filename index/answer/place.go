package answer

import (
	"cmp"
	"fmt"
	"strings"
)

// A Place is where a symbol is defined.
type Place struct {
	Symbol string `json:"symbol"` // with the names around it, joined by "."; "" for code outside of definitions
	File   string `json:"file"`   // relative to the root, with slashes
	Line   int    `json:"line"`   // 1-based, of its name

	Changed bool `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since; not set of alternatives and steps on a way
}

func (p *Place) Visit(visit func(string, *bool)) { visit(p.File, &p.Changed) }

// Text is the place for a reader.
func (p Place) Text() string {
	return fmt.Sprintf("%s (%s:%d)", cmp.Or(p.Symbol, "top level"), p.File, p.Line)
}

// LineNumbers are line numbers for a reader, the first few.
func LineNumbers(lines []int) string {
	const few = 5
	var parts []string
	for _, n := range lines[:min(few, len(lines))] {
		parts = append(parts, fmt.Sprint(n))
	}
	if len(lines) > few {
		parts = append(parts, "...")
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}

// A Definition is a symbol with what is said of it where it is defined.
type Definition struct {
	Symbol    string `json:"symbol"` // with the names around it, joined by "."
	File      string `json:"file"`
	Line      int    `json:"line"`     // 1-based, where it begins, decorators included
	EndLine   int    `json:"end_line"` // 1-based, inclusive
	Kind      string `json:"kind"`
	Lang      string `json:"lang"`
	Signature string `json:"signature"`         // one line, never empty
	Doc       string `json:"doc,omitempty"`     // as prose, at most 2,000 bytes
	Changed   bool   `json:"changed,omitempty"` // the file on disk is no longer what was indexed: changed or gone since
}

func (d *Definition) Visit(visit func(string, *bool)) {
	if d != nil {
		visit(d.File, &d.Changed)
	}
}

// A LeftOut is a file that is not in the answer for what it is.
type LeftOut struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A SkippedFile is one file that is not in the index.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"`
}

// Roles of a result.
const (
	RoleDefinition = "definition"
	RoleTest       = "test"
	RoleConfig     = "config"
)

// What an answer has of test code.
const (
	WithTests    = "with" // in a list of code after everything else; the default
	WithoutTests = "without"
	OnlyTests    = "only"
)

// An ImportedName is one import of a file.
type ImportedName struct {
	Path  string `json:"path"`            // as it is written
	Name  string `json:"name,omitempty"`  // where one is picked out
	Alias string `json:"alias,omitempty"` // where it has another name here
	Line  int    `json:"line"`
}

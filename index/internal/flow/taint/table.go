package taint

import (
	"fmt"
	"strings"
)

// A Table is what a language has of sources, sinks and sanitizers, by the name of their group.
type Table struct {
	Sources    map[string][]Pattern
	Sinks      map[string][]Pattern
	Sanitizers map[string][]Pattern // those of All are of every sink
	Carriers   []Pattern            // calls after which one argument holds what another one did
}

// All is the group of sanitizers that hold for every sink.
const All = "*"

// The presets: what their sinks do with a text.
const (
	Exec = "exec" // it is run: as a command, or as code
	SQL  = "sql"  // it is a query of a database
	Path = "path" // it is the name of a file
	HTML = "html" // it is a part of a page
)

// Presets are the presets in their order.
func Presets() []string { return []string{Exec, SQL, Path, HTML} }

// The groups of sources.
const (
	Request = "request" // what a client sends; in a language without servers, what a program reads
	Input   = "input"   // arguments, the environment, standard input
)

// Groups are the groups of sources.
func Groups() []string { return []string{Request, Input} }

// Read reads a table: a line "sources GROUP", "sinks PRESET", "sanitizers PRESET" or "carriers" and,
// below it and indented, patterns with spaces between. A line that begins with "#" is a comment.
func Read(text string) (*Table, error) {
	t := &Table{Sources: map[string][]Pattern{}, Sinks: map[string][]Pattern{}, Sanitizers: map[string][]Pattern{}}
	var add func(Pattern)
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
			continue
		case line[0] != ' ' && line[0] != '\t':
			if add = t.group(words); add == nil {
				return nil, fmt.Errorf("line %d: %q begins no group", number, words[0])
			}
			continue
		case add == nil:
			return nil, fmt.Errorf("line %d: a pattern without a group", number)
		}
		for _, w := range words {
			p, err := Parse(w)
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", number, w, err)
			}
			add(p)
		}
	}
	return t, nil
}

func (t *Table) group(words []string) func(Pattern) {
	if len(words) == 1 && words[0] == "carriers" {
		return func(p Pattern) { t.Carriers = append(t.Carriers, p) }
	}
	if len(words) != 2 {
		return nil
	}
	into := map[string]map[string][]Pattern{"sources": t.Sources, "sinks": t.Sinks, "sanitizers": t.Sanitizers}[words[0]]
	if into == nil {
		return nil
	}
	return func(p Pattern) { into[words[1]] = append(into[words[1]], p) }
}

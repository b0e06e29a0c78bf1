// Package suite holds questions about repositories together with the places
// that answer them: it reads and writes them, and makes them from a repository
// (Make).
//
// It knows no ranking. Package measure compares answers with what a suite
// names.
package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A Suite is a list of repositories with questions, in the order of its files.
type Suite []Repository

// A Repository is a folder and the questions about it.
type Repository struct {
	Name     string  `json:"name"` // the folder below the corpus
	Language string  `json:"language"`
	Origin   string  `json:"repository,omitempty"` // where it comes from, for people: owner/name
	Revision string  `json:"revision,omitempty"`   // the commit that the questions were made for
	Root     string  `json:"root"`                 // the folder that is indexed, relative to the repository; "": all
	Queries  []Query `json:"queries"`
}

// A Query is one question.
type Query struct {
	Text     string   `json:"query"`
	Category string   `json:"category"`
	Targets  []Target `json:"targets"` // what answers it, at least one
}

// A Target is a file that answers a question, or some of its lines.
type Target struct {
	Path  string `json:"path"`                 // relative to the repository, with slashes
	Start int    `json:"start_line,omitempty"` // 1-based; 0: the whole file
	End   int    `json:"end_line,omitempty"`   // 1-based, inclusive; 0: Start
}

// Holds reports whether lines from to end (1-based, inclusive) of a file, its
// path relative to the repository, are an answer. A path must be equal.
func (t Target) Holds(file string, line, end int) bool {
	return file == t.Path && (t.Start == 0 || line <= max(t.End, t.Start) && end >= t.Start)
}

// String returns the path, with the first line if there is one.
func (t Target) String() string {
	if t.Start == 0 {
		return t.Path
	}
	return fmt.Sprintf("%s:%d", t.Path, t.Start)
}

// Read reads suite files, each a JSON array of repositories or a single one,
// one after the other into one Suite. A repository that is in several files,
// with one root, has the questions of them all.
func Read(files ...string) (Suite, error) {
	var all Suite
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the suite: %w", err)
		}
		s, err := parse(text)
		if err == nil {
			all, err = all.join(s)
		}
		if err != nil {
			return nil, fmt.Errorf("the suite %s is malformed: %w", name, err)
		}
	}
	return all, nil
}

func parse(text []byte) (Suite, error) {
	var s Suite
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("{")) {
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	if len(s) == 0 {
		return nil, errors.New("it is empty")
	}
	for _, r := range s {
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// check refuses what would be measured as a miss though the question is wrong,
// and a folder that is not below the corpus.
func (r Repository) check() error {
	if !filepath.IsLocal(r.Name) {
		return fmt.Errorf("%q is not the name of a folder", r.Name)
	}
	if r.Root != "" && !filepath.IsLocal(r.Root) {
		return fmt.Errorf("%s: the root %q is not below the repository", r.Name, r.Root)
	}
	for i, q := range r.Queries {
		if q.Text == "" || len(q.Targets) == 0 {
			return fmt.Errorf("%s: question %d has no text or no target", r.Name, i+1)
		}
		for _, t := range q.Targets {
			if t.Path != path.Clean(t.Path) || !filepath.IsLocal(t.Path) {
				return fmt.Errorf("%s: %q: the target %q is not a path relative to the repository", r.Name, q.Text, t.Path)
			}
		}
	}
	return nil
}

func (s Suite) join(more Suite) (Suite, error) {
	for _, r := range more {
		i := slices.IndexFunc(s, func(known Repository) bool { return known.Name == r.Name })
		switch {
		case i < 0:
			s = append(s, r)
		case path.Clean(s[i].Root) != path.Clean(r.Root):
			return nil, fmt.Errorf("%s has the roots %q and %q", r.Name, s[i].Root, r.Root)
		default:
			s[i].Queries = append(s[i].Queries, r.Queries...)
		}
	}
	return s, nil
}

// Write writes the suite in the form that Read reads, so that it can be kept
// and compared: the same suite gives the same bytes.
func (s Suite) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // code is full of < and &
	e.SetIndent("", " ")
	return e.Encode(s)
}

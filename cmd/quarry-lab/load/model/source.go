package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// A Source is a file of functions whose names no other text has, so that it is known
// what is to be found of it. It is not changed once it was rendered.
type Source struct {
	Lang    string   // "go" or "python"
	Imports []string // modules, in order
	Funcs   []Func

	once  sync.Once
	text  string
	spans []Span
}

// A Func is a function of a Source.
type Func struct {
	Name  string
	Doc   string   // words after the name
	Calls []string // names, one a line
	Mark  int      // a number in its body, by which two of one name differ
}

// A Span is where a function is, its comment left out.
type Span struct {
	Func
	Line, End int      // from 1, inclusive
	Sites     []int    // lines of Calls
	Lines     []string // its text
}

// Ext is the ending of the names of such files.
func (s *Source) Ext() string {
	if s.Lang == "python" {
		return ".py"
	}
	return ".go"
}

// Render returns the text, and where the functions are in it. Neither must be written to.
func (s *Source) Render() (string, []Span) {
	s.once.Do(func() { s.text, s.spans = s.render() })
	return s.text, s.spans
}

func (s *Source) render() (string, []Span) {
	var lines []string
	if s.Lang == "go" {
		lines = append(lines, "package planted", "")
	}
	for _, name := range s.Imports {
		if s.Lang == "go" {
			name = fmt.Sprintf("%q", name)
		}
		lines = append(lines, "import "+name)
	}
	if len(s.Imports) > 0 {
		lines = append(lines, "")
	}
	spans := make([]Span, 0, len(s.Funcs))
	for i, f := range s.Funcs {
		if i > 0 {
			lines = append(lines, "")
		}
		at := Span{Func: f}
		mark, head, body, last := "//", "func %s(n int) int {", "\tn += %s(n)", "\treturn n + %d"
		if s.Lang == "python" {
			mark, head, body, last = "#", "def %s(n):", "    n += %s(n)", "    return n + %d"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s.", mark, f.Name, f.Doc))
		at.Line = len(lines) + 1
		lines = append(lines, fmt.Sprintf(head, f.Name))
		for _, callee := range f.Calls {
			lines = append(lines, fmt.Sprintf(body, callee))
			at.Sites = append(at.Sites, len(lines))
		}
		lines = append(lines, fmt.Sprintf(last, f.Mark))
		if s.Lang == "go" {
			lines = append(lines, "}")
		}
		at.End = len(lines)
		at.Lines = lines[at.Line-1 : at.End : at.End]
		spans = append(spans, at)
	}
	return strings.Join(lines, "\n") + "\n", spans
}

// State is the source as a file.
func (s *Source) State() State {
	text, _ := s.Render()
	return State{Text: text, Source: s}
}

// Spans are where the functions of a planted file are; none where it is gone.
func (s State) Spans() []Span {
	if s.Source == nil {
		return nil
	}
	_, spans := s.Source.Render()
	return spans
}

// Word returns a word that no text has and that no tokenizer splits.
func Word(random *rand.Rand) string {
	var b strings.Builder
	for range 14 {
		b.WriteByte("bcdfghjklmnpqrstvwxz"[random.IntN(20)])
	}
	return b.String()
}

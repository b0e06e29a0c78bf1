package terminal

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Style is how a part of a line looks on a terminal: the parameters of the control
// sequence SGR (ECMA-48, 8.3.117).
type Style string

// The styles that there are.
const (
	PathStyle  Style = "35"
	LineStyle  Style = "32"
	NameStyle  Style = "1"
	FaintStyle Style = "2"
	MatchStyle Style = "1;31"
)

// A Screen is the output of a command that people look at: it may have colours, columns are
// aligned, and a pager may show it. All other output is for programs. The methods that
// return texts may be called on nil, which is such output.
type Screen struct {
	out    io.Writer
	colour bool
	pager  *pager // nil: none
}

// NewScreen returns one that writes to out, or has the program pager show it, if that is not
// "": a command line for the shell. environment is added to that of this process.
func NewScreen(out io.Writer, colour bool, program string, environment ...string) *Screen {
	s := &Screen{out: out, colour: colour}
	if program != "" {
		s.pager = &pager{out: out, program: program, environment: environment}
		s.out = s.pager
	}
	return s
}

// OnScreen returns the Screen that an output is, nil for any other.
func OnScreen(out io.Writer) *Screen {
	s, _ := out.(*Screen)
	return s
}

// Write writes to the pager or the terminal.
func (s *Screen) Write(text []byte) (int, error) { return s.out.Write(text) }

// Close waits until the user has left the pager, if one runs.
func (s *Screen) Close() error {
	if s.pager == nil {
		return nil
	}
	return s.pager.close()
}

// Paint returns a text in a style.
func (s *Screen) Paint(style Style, text string) string {
	if s == nil || !s.colour || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[m"
}

// Highlight returns a line in which some spans of bytes, in order, are painted as matches.
func (s *Screen) Highlight(line string, spans [][2]int) string {
	if s == nil || !s.colour {
		return line
	}
	var b strings.Builder
	at := 0
	for _, span := range spans {
		b.WriteString(line[at:span[0]])
		b.WriteString(s.Paint(MatchStyle, line[span[0]:span[1]]))
		at = span[1]
	}
	return b.String() + line[at:]
}

// Place returns a position in a file, such as a.go:12 or a.go:12-20.
func (s *Screen) Place(file, lines string) string {
	return s.Paint(PathStyle, file) + ":" + s.Paint(LineStyle, lines)
}

// Places is an output whose lines begin with a place in a file. On a Screen they are aligned
// and painted; elsewhere they are written as they are.
type Places struct {
	out    io.Writer
	screen *Screen
	buf    bytes.Buffer
}

// NewPlaces returns one that writes to out when it is flushed.
func NewPlaces(out io.Writer) *Places { return &Places{out: out, screen: OnScreen(out)} }

// Write keeps text until Flush.
func (p *Places) Write(text []byte) (int, error) { return p.buf.Write(text) }

// place is where a line begins: a path, a line, and a column or a last line.
var place = regexp.MustCompile(`^( *)(\S+?):(\d+(?:[:-]\d+)?) `)

// widest is the place, in columns, to which others are aligned at most.
const widest = 48

// Flush writes what was written.
func (p *Places) Flush() error {
	defer p.buf.Reset()
	if p.screen == nil {
		_, err := p.buf.WriteTo(p.out)
		return err
	}
	width := 0
	for line := range strings.Lines(p.buf.String()) {
		if w := utf8.RuneCountInString(place.FindString(line)); w <= widest {
			width = max(width, w)
		}
	}
	var b strings.Builder
	for line := range strings.Lines(p.buf.String()) {
		m := place.FindStringSubmatch(line)
		if m == nil {
			b.WriteString(line)
			continue
		}
		b.WriteString(m[1] + p.screen.Place(m[2], m[3]))
		b.WriteString(strings.Repeat(" ", 1+max(0, width-utf8.RuneCountInString(m[0]))))
		b.WriteString(line[len(m[0]):])
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

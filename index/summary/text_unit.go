package summary

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// A form is what a unit is written as.
type form uint8

const (
	prose   form = iota // a sentence
	item                // of a list, or a row of a table
	heading             //
	entry               // a line of a log
	failure             // the message of an error
	frame               // where the error comes from: one place of a stack trace
	code                // a line that defines something
)

// A unit is the least of a text that a summary takes or leaves.
type unit struct {
	text    string // one line, without the marks of lists and quotes
	form    form
	first   bool   // of its paragraph
	part    int    // paragraph that it is in, from 0
	at      int    // where it begins in the content, about
	passage int    // heading that it is below, as an index of sections; -1: none
	under   string // the text of that heading
	times   int    // how many units are this one, but for numbers
}

// A passage is what stands below a heading.
type passage struct {
	path       string // of the file that the heading names, "" if it names none
	start, end int    // in the content, the heading included
}

// longestUnit is how many characters a unit has at most; what is longer is cut.
const longestUnit = 400

// A scanner takes a text apart, line by line.
type scanner struct {
	units    []unit
	sections []passage
	seen     map[string]int // the units, by their text without numbers
	speakers map[string]int // what lines begin with before a colon, and how many do
	pending  []string       // lines of a paragraph, or of an item
	form     form           // of pending
	frames   []string       // of a stack trace
	fence    string         // that a block of code began with
	diff     bool           // within a diff
	trace    bool           // within a stack trace
	history  bool           // what git log writes
	tabled   bool           // the last unit is a row of a table
	first    bool           // the next unit is the first of its paragraph
	part     int
	under    string
	at       int // where pending, or else the line, begins
}

// whenUsed compiles an expression when it is first asked for: most starts of the program
// are of commands that ask for none, and all of them take milliseconds.
func whenUsed(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	headingLine = whenUsed(`^#{1,6}\s+(.+?)\s*#*$`)
	ruleLine    = whenUsed(`^(?:={3,}|-{3,}|\*{3,}|_{3,}|~{3,})$`)
	itemLine    = whenUsed(`^(?:[-*+•–]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$`)
	rowLine     = whenUsed(`^\|.*\|$`)
	labelLine   = whenUsed(`^\**(?:[A-Z][\w-]*(?: [\w-]+){0,3}|user|assistant|human|system|tool|developer)\**(?: ?[(\[][^)\]]{0,40}[)\]])?\s?:\**\s+\S`)
	speakerLine = whenUsed(`^\s{0,3}([\p{L}\p{N}_.-]{1,24}):\s`)
	entryLine   = whenUsed(`^\[?\d{4}[-/]\d{2}[-/]\d{2}|^\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b|^\w{3}\s+\d{1,2}\s+\d{2}:\d{2}|^\[?\d{1,2}:\d{2}(?::\d{2})?\b|^(?:level|time|ts)=`)
	failureLine = whenUsed(`^(?:[\w$]+[.:])*[A-Z]\w*(?:Error|Exception|Panic|Interrupt)(?::|$)|^(?:panic|fatal error|Error|Caused by|Uncaught [\w.]+|Exception in thread .*|thread '.*' panicked at)\b[: ]`)
	traceLine   = whenUsed(`^Traceback \(most recent call last\)|^goroutine \d+ \[|^stack backtrace:|^Stack trace:`)
	frameLine   = whenUsed(`^(?:at \S+.*[:(]|at \S+$|File ".*", line \d+|\S+\.\w{1,5}:\d+(?::\d+)?(?: \+0x[0-9a-f]+|:in .*)?$|\.\.\. \d+ (?:more|frames)|from \S+:\d+|#\d+ |\d+: +\S)`)
	callLine    = whenUsed(`^(?:created by )?[\w./*()\[\]{}-]+\(.*\)(?: in goroutine \d+)?$`)
	commentLine = whenUsed(`^(?://+|/\*+|\*+/?|#|--|;;+|"""|''')\s*(.*?)\s*(?:\*/|"""|''')?$`)
	codeLine    = whenUsed(`[{};]$|^[)\]}]+[;,]?$|^(?:def|class|func|function|fn|import|from|return|const|let|var|public|` +
		`private|protected|static|struct|impl|package|using|async|export|interface|type|enum|if|elif|for|` +
		`while|try|except|catch|switch|case|pub|mod|use|#include|@\w+)\b.*[{}();:=,"'\w]$|` +
		`^[\w.\[\]"']+\s*(?::=|\+=|=)\s*\S+$|^</?\w+[^>]*>$`)
	codeWord = whenUsed(`^(?:def|class|func|function|fn|const|let|var|public|private|protected|static|struct|impl|async|` +
		`export|interface|enum|type|trait|pub|import|from|package|return|raise|throw|yield|assert|if|for|` +
		`while|else|await|del|with|try|except|catch)\b.*[\w({*"':)\]]|[{};]$|[=(]`)
	defining   = whenUsed(`^(?:export |default |public |private |protected |static |abstract |async |pub(?:\([a-z]+\))? |final )*(?:def|class|func|function|fn|struct|interface|trait|enum|impl|type)\s+[\w(*]`)
	diffLine   = whenUsed(`^(?:diff --git |@@ |index [0-9a-f]+\.\.|--- |\+\+\+ )`)
	commitLine = whenUsed(`^commit [0-9a-f]{7,64}\b`)
	authorLine = whenUsed(`^(?:Author|AuthorDate|Commit|CommitDate|Date|Merge):\s`)
	statLine   = whenUsed(`^\S.*\s\|\s+(?:\d+(?: [+-]+)?|Bin\b.*)$|^\d+ files? changed\b`)
	digits     = whenUsed(`\d+`)
)

// unitsOf takes a text apart. Blocks of code and stack traces come to what defines
// something and what went wrong in them; units that are the same but for numbers count as
// one, the first of them.
func unitsOf(content string) ([]unit, []passage) {
	s := &scanner{seen: map[string]int{}, speakers: map[string]int{}, first: true}
	for line := range strings.Lines(content) {
		if m := speakerLine().FindStringSubmatch(line); m != nil {
			s.speakers[m[1]]++
		}
	}
	at := 0
	for line := range strings.Lines(content) {
		if len(s.pending) == 0 {
			s.at = at
		}
		s.line(line, at)
		at += len(line)
	}
	s.flush()
	s.endTrace()
	if n := len(s.sections); n > 0 {
		s.sections[n-1].end = len(content)
	}
	return s.units, s.sections
}

func (s *scanner) line(line string, at int) {
	raw := strings.TrimRight(line, " \t\r\n")
	text := strings.TrimSpace(raw)
	for s.fence == "" && strings.HasPrefix(text, "> ") {
		text = strings.TrimSpace(text[2:])
		raw = text
	}
	if text == "" {
		s.flush()
		s.endTrace()
		s.diff = s.diff && s.fence != ""
		if !s.first {
			s.part, s.first = s.part+1, true
		}
		return
	}
	switch {
	case s.fence != "" && strings.HasPrefix(text, s.fence):
		s.fence = ""
	case s.fence != "":
		s.codeOrComment(text)
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		s.flush()
		s.fence = text[:3]
	case s.inTrace(raw, text):
	case s.inDiff(raw, text, at):
	default:
		s.outside(raw, text, at)
	}
}

// outside reads a line that is in no block.
func (s *scanner) outside(raw, text string, at int) {
	if path, ok := pathAlone(text); ok {
		s.flush()
		s.open(text, path, at)
		return
	}
	indented := strings.HasPrefix(raw, "\t") || strings.HasPrefix(raw, "    ")
	switch {
	case commitLine().MatchString(text):
		s.flush()
		s.history, s.first = true, true
		return
	case s.history && !indented && authorLine().MatchString(text), statLine().MatchString(text):
		s.flush()
		return
	case s.history && indented: // git indents what the commit says
		raw, indented = strings.TrimPrefix(raw, "    "), false
	}
	switch m := headingLine().FindStringSubmatch(text); {
	case m != nil && s.inSource() && text[0] == '#' && text[1] == ' ':
		s.flush()
		s.codeOrComment(text)
	case m != nil && !indented:
		s.flush()
		path, _ := pathAlone(m[1])
		s.open(m[1], path, at)
	case ruleLine().MatchString(text):
		if len(s.pending) == 1 && s.form == prose && (text[0] == '=' || text[0] == '-') {
			title := s.pending[0]
			s.pending = nil
			s.open(title, "", at)
		}
		s.flush()
	case rowLine().MatchString(text):
		s.flush()
		s.row(text)
	case entryLine().MatchString(text):
		s.flush()
		s.add(text, entry)
	case itemLine().MatchString(text):
		s.flush()
		m := itemLine().FindStringSubmatch(text)
		if m[1] == " " {
			m[2] = "TODO: " + m[2]
		}
		s.form, s.pending = item, []string{m[2]}
	case s.form == item && len(s.pending) > 0 && raw != text:
		s.pending = append(s.pending, text)
	case (indented && codeWord().MatchString(text)) || codeLine().MatchString(text) && codeWord().MatchString(text):
		s.flush()
		s.codeOrComment(text)
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), strings.HasPrefix(text, `"""`):
		s.flush()
		s.codeOrComment(text)
	case s.spoken(text):
		s.flush()
		s.form, s.pending = item, []string{text}
	case labelLine().MatchString(text):
		s.flush()
		s.form, s.pending = prose, []string{text}
	default:
		if s.form == item && len(s.pending) > 0 {
			s.flush()
		}
		s.form, s.pending = prose, append(s.pending, text)
	}
}

// spoken reports whether a line is what somebody said in a chat: several lines begin with
// the name.
func (s *scanner) spoken(text string) bool {
	m := speakerLine().FindStringSubmatch(text)
	return m != nil && s.speakers[m[1]] >= 2
}

// inSource reports whether what is read is the text of a file in which # begins a comment.
func (s *scanner) inSource() bool {
	if len(s.sections) == 0 {
		return false
	}
	path := s.sections[len(s.sections)-1].path
	return path != "" && !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".txt")
}

// inTrace reads a line of a stack trace, and reports whether it is one.
func (s *scanner) inTrace(raw, text string) bool {
	switch {
	case traceLine().MatchString(text):
		s.flush()
	case failureLine().MatchString(text):
		s.flush()
		s.add(text, failure)
	case frameLine().MatchString(text) && (s.trace || raw != text && !itemLine().MatchString(text)):
		s.flush()
		s.frames = append(s.frames, text)
	case s.trace && (callLine().MatchString(text) || strings.HasPrefix(raw, "    ") || strings.HasPrefix(raw, "\t")):
	default:
		s.endTrace()
		return false
	}
	s.trace = true
	return true
}

// endTrace keeps the one frame that says most: Python's last, other languages' first
// that is not of the runtime.
func (s *scanner) endTrace() {
	s.trace = false
	if len(s.frames) == 0 {
		return
	}
	best := s.frames[0]
	if strings.HasPrefix(best, "File ") {
		best = s.frames[len(s.frames)-1]
	} else {
		for _, f := range s.frames {
			if !strings.Contains(f, "/runtime/") && !strings.Contains(f, "node:internal") {
				best = f
				break
			}
		}
	}
	s.frames = nil
	s.add(best, frame)
}

// inDiff reads a line of a diff, and reports whether it is one. A file of it opens a
// passage.
func (s *scanner) inDiff(raw, text string, at int) bool {
	switch {
	case strings.HasPrefix(text, "diff --git "), strings.HasPrefix(text, "@@ "), strings.HasPrefix(text, "+++ b/"), strings.HasPrefix(text, "--- a/"):
		s.flush()
		s.diff = true
		if _, path, ok := strings.Cut(text, " b/"); ok && strings.HasPrefix(text, "diff") {
			s.open(path, path, at)
		}
		return true
	case !s.diff:
		return false
	case diffLine().MatchString(text), strings.HasPrefix(text, "new file"), strings.HasPrefix(text, "deleted file"), raw != "" && strings.ContainsRune(" +-\\", rune(raw[0])):
		if raw[0] == '+' {
			s.codeOrComment(strings.TrimSpace(text[1:]))
		}
		return true
	}
	s.diff = false
	return false
}

// codeOrComment keeps of code what defines something, and what is said about it.
func (s *scanner) codeOrComment(text string) {
	if m := commentLine().FindStringSubmatch(text); m != nil && !strings.HasPrefix(text, "#include") && !strings.HasPrefix(text, "--") {
		if utf8.RuneCountInString(m[1]) > 8 && !codeLine().MatchString(m[1]) {
			s.add(m[1], prose)
		}
		return
	}
	if defining().MatchString(text) {
		s.add(strings.TrimRight(text, " {:"), code)
	}
}

// row adds a row of a table: what its first cell names, and the others.
func (s *scanner) row(text string) {
	if n := len(s.units); strings.Trim(text, "|-: ") == "" && n > 0 && s.tabled {
		s.units[n-1].form = heading // the row above this line names the columns
		return
	}
	var cells []string
	for cell := range strings.SplitSeq(strings.Trim(text, "|"), "|") {
		if cell = strings.TrimSpace(cell); strings.Trim(cell, "-: ") != "" {
			cells = append(cells, cell)
		}
	}
	before := len(s.units)
	defer func() { s.tabled = len(s.units) > before }()
	if len(cells) > 1 {
		s.add(cells[0]+": "+strings.Join(cells[1:], ", "), item)
	} else if len(cells) == 1 {
		s.add(cells[0], item)
	}
}

// open begins a passage.
func (s *scanner) open(title, path string, at int) {
	if n := len(s.sections); n > 0 {
		s.sections[n-1].end = at
	}
	s.sections = append(s.sections, passage{path: path, start: at})
	s.under = title
	s.part, s.first = s.part+1, true
	s.add(title, heading)
	s.first = true
}

// flush adds the units of the paragraph that was read.
func (s *scanner) flush() {
	lines := s.pending
	s.pending = nil
	if len(lines) == 0 {
		return
	}
	for _, text := range unwrap(lines) {
		if s.form == item && utf8.RuneCountInString(text) <= longestUnit/2 {
			s.add(text, item)
			continue
		}
		for _, sentence := range sentencesOf(text) {
			s.add(sentence, s.form)
		}
	}
}

// add adds a unit, in chunks if it is too long.
func (s *scanner) add(text string, f form) {
	if f == prose || f == item {
		text = strings.Join(strings.Fields(text), " ")
	}
	for _, chunk := range splitLong(text, longestUnit) {
		key := digits().ReplaceAllString(chunk, "0")
		if f != entry {
			key = chunk
		}
		if i, known := s.seen[key]; known && f != heading {
			s.units[i].times++
			continue
		}
		s.seen[key] = len(s.units)
		s.units = append(s.units, unit{text: chunk, form: f, first: s.first, part: s.part, at: s.at, passage: len(s.sections) - 1, under: s.under, times: 1})
		s.first = false
		s.at += len(chunk)
	}
}

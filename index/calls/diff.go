package calls

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// A DiffError says why a text is no unified diff.
type DiffError struct {
	Line   int // 1-based
	Reason string
}

func (e *DiffError) Error() string {
	return fmt.Sprintf("the diff cannot be read: line %d: %s", e.Line, e.Reason)
}

// A fileDiff is what a diff says of one file.
type fileDiff struct {
	old, new string // paths, "" where there is no file on that side
	hunks    []hunk
}

// A hunk is one changed place.
type hunk struct {
	oldStart, newStart int // 1-based
	lines              []diffLine
}

// A diffLine is a line of a hunk.
type diffLine struct {
	mark byte // ' ', '+' or '-'
	text string
}

// parseDiff reads a unified diff, of git or any other program. What it says before
// and between files is passed over.
func parseDiff(text string) ([]fileDiff, error) {
	var files []fileDiff
	var current *fileDiff
	lines := strings.Split(text, "\n")
	open := func() {
		files = append(files, fileDiff{})
		current = &files[len(files)-1]
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			open()
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			if current == nil || current.old != "" || current.new != "" || len(current.hunks) > 0 {
				open()
			}
			current.old, current.new = diffPath(line[4:]), diffPath(strings.TrimSuffix(lines[i+1][4:], "\r"))
			if strings.HasPrefix(current.old, "a/") || strings.HasPrefix(current.new, "b/") {
				current.old, current.new = strings.TrimPrefix(current.old, "a/"), strings.TrimPrefix(current.new, "b/")
			}
			i++
		case strings.HasPrefix(line, "@@@ "):
			return nil, &DiffError{i + 1, "it is a combined diff; make one against a single parent"}
		case strings.HasPrefix(line, "@@ "):
			if current == nil || current.old == "" && current.new == "" {
				return nil, &DiffError{i + 1, "a hunk without the header of a file"}
			}
			h, n, err := parseHunk(lines[i:], i+1)
			if err != nil {
				return nil, err
			}
			current.hunks = append(current.hunks, h)
			i += n - 1
		}
	}
	if len(files) == 0 && strings.TrimSpace(text) != "" {
		return nil, &DiffError{1, "it has no file header, as in --- a/file"}
	}
	return files, nil
}

// diffPath reads a path of a header: in quotes where it has unusual bytes, with a
// time after a tab in some programs' diffs. /dev/null is none.
func diffPath(text string) string {
	if strings.HasPrefix(text, `"`) {
		if end := strings.LastIndexByte(text, '"'); end > 0 {
			if plain, err := strconv.Unquote(text[:end+1]); err == nil {
				text = plain
			}
		}
	} else {
		text, _, _ = strings.Cut(text, "\t")
	}
	if text = strings.TrimSpace(text); text == "/dev/null" {
		return ""
	}
	return path.Clean(text)
}

// parseHunk reads a hunk, and returns how many lines it has. number is that of the
// first.
func parseHunk(lines []string, number int) (h hunk, n int, err error) {
	var oldCount, newCount int
	fields := strings.Fields(lines[0])
	if len(fields) < 4 || fields[3] != "@@" {
		return h, 0, &DiffError{number, "a hunk's header must be like @@ -1,2 +3,4 @@"}
	}
	for _, side := range []struct {
		text         string
		start, count *int
	}{{strings.TrimPrefix(fields[1], "-"), &h.oldStart, &oldCount}, {strings.TrimPrefix(fields[2], "+"), &h.newStart, &newCount}} {
		start, count, given := strings.Cut(side.text, ",")
		*side.count = 1
		*side.start, err = strconv.Atoi(start)
		if err == nil && given {
			*side.count, err = strconv.Atoi(count)
		}
		if err != nil || *side.start < 0 || *side.count < 0 {
			return h, 0, &DiffError{number, "a hunk's header must be like @@ -1,2 +3,4 @@"}
		}
		if *side.count == 0 {
			*side.start++ // it names the line before
		}
	}
	for n = 1; n < len(lines) && (oldCount > 0 || newCount > 0); n++ {
		line := lines[n]
		if strings.HasPrefix(line, `\`) {
			continue // no line feed at the end of the file
		}
		l := diffLine{' ', ""}
		if line != "" {
			l = diffLine{line[0], line[1:]}
		}
		switch l.mark {
		case ' ':
			oldCount--
			newCount--
		case '-':
			oldCount--
		case '+':
			newCount--
		default:
			return h, 0, &DiffError{number + n, "a line of a hunk must begin with a space, + or -"}
		}
		h.lines = append(h.lines, l)
	}
	if oldCount != 0 || newCount != 0 {
		return h, 0, &DiffError{number + n - 1, "a hunk has not the lines that its header says"}
	}
	return h, n, nil
}

// side returns the lines of one side of a hunk, '-' the old or '+' the new one.
func (h *hunk) side(mark byte) (start int, lines []string) {
	start = h.newStart
	if mark == '-' {
		start = h.oldStart
	}
	for _, l := range h.lines {
		if l.mark == ' ' || l.mark == mark {
			lines = append(lines, l.text)
		}
	}
	return start, lines
}

// matches reports whether a text is the one on a side of the diff.
func (d *fileDiff) matches(text []string, mark byte) bool {
	end := 1
	for i := range d.hunks {
		start, lines := d.hunks[i].side(mark)
		if start < end || start-1+len(lines) > len(text) {
			return false
		}
		end = start + len(lines)
		for j, line := range lines {
			if strings.TrimSuffix(text[start-1+j], "\r") != strings.TrimSuffix(line, "\r") {
				return false
			}
		}
	}
	return true
}

// touched returns the lines on a side of the diff that are not on the other, and
// those between which the other has some more, as the one after.
func (d *fileDiff) touched(mark byte) (lines, gaps []int) {
	for i := range d.hunks {
		h := &d.hunks[i]
		at, _ := h.side(mark)
		for j, l := range h.lines {
			switch {
			case l.mark == mark:
				lines = append(lines, at)
				at++
			case l.mark == ' ':
				at++
			case j == 0 || h.lines[j-1].mark != l.mark:
				gaps = append(gaps, at)
			}
		}
	}
	return lines, gaps
}

// undo returns the old text of a file, of which the new one is given, which matches.
func (d *fileDiff) undo(text []string) []string {
	var old []string
	at := 1
	for i := range d.hunks {
		h := &d.hunks[i]
		start, now := h.side('+')
		_, before := h.side('-')
		old = append(append(old, text[at-1:start-1]...), before...)
		at = start + len(now)
	}
	return append(old, text[at-1:]...)
}

// Package patch reads unified diffs, of git or any other program, and holds them against the
// texts of files.
package patch

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// A Error says why a text is no unified diff.
type Error struct {
	Line   int // 1-based
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("the diff cannot be read: line %d: %s", e.Line, e.Reason)
}

// A File is what a diff says of one file.
type File struct {
	Old, New string // paths, "" where there is no file on that side
	Hunks    []Hunk
	Binary   bool // it says that the file is changed, and not how
	texts    bool // the lines with the paths of both sides have come
}

// Leaves reports whether there is no file any more at the old path.
func (d *File) Leaves() bool { return d.Old != "" && d.New != d.Old }

// A Hunk is one changed place.
type Hunk struct {
	oldStart, newStart int // 1-based
	lines              []hunkLine
}

// A hunkLine is a line of a hunk.
type hunkLine struct {
	mark byte // ' ', '+' or '-'
	text string
}

// Parse reads a unified diff, of git or any other program. What it says before
// and between files is passed over.
func Parse(text string) ([]File, error) {
	var files []File
	var current *File
	lines := strings.Split(text, "\n")
	open := func() {
		files = append(files, File{})
		current = &files[len(files)-1]
	}
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			open()
			current.Old, current.New = samePath(line)
		case current != nil && len(current.Hunks) == 0 && current.header(line):
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			if current == nil || current.texts || len(current.Hunks) > 0 {
				open()
			}
			current.texts = true
			current.Old, current.New = diffPath(line[4:]), diffPath(strings.TrimSuffix(lines[i+1][4:], "\r"))
			if strings.HasPrefix(current.Old, "a/") || strings.HasPrefix(current.New, "b/") {
				current.Old, current.New = strings.TrimPrefix(current.Old, "a/"), strings.TrimPrefix(current.New, "b/")
			}
			i++
		case strings.HasPrefix(line, "@@@ "):
			return nil, &Error{i + 1, "it is a combined diff; make one against a single parent"}
		case strings.HasPrefix(line, "@@ "):
			if current == nil || current.Old == "" && current.New == "" {
				return nil, &Error{i + 1, "a hunk without the header of a file"}
			}
			h, n, err := parseHunk(lines[i:], i+1)
			if err != nil {
				return nil, err
			}
			current.Hunks = append(current.Hunks, h)
			i += n - 1
		}
	}
	if len(files) == 0 && strings.TrimSpace(text) != "" {
		return nil, &Error{1, "it has no file header, as in --- a/file"}
	}
	return files, nil
}

// samePath returns the path that both sides of a line "diff --git a/path b/path" have, where
// it is the same; headers and the lines with the paths of the texts say the others. Git
// writes nothing else of an empty file that is new or gone.
func samePath(line string) (before, after string) {
	sides := strings.TrimSuffix(strings.TrimPrefix(line, "diff --git "), "\r")
	half := len(sides) / 2
	if len(sides)%2 == 0 || sides[half] != ' ' {
		return "", ""
	}
	before, after = diffPath(sides[:half]), diffPath(sides[half+1:])
	if strings.HasPrefix(before, "a/") && strings.HasPrefix(after, "b/") {
		before, after = before[2:], after[2:]
	}
	if before != after {
		return "", ""
	}
	return before, after
}

// header reads one of the lines that git writes above the texts, and reports whether it is one.
func (d *File) header(line string) bool {
	line = strings.TrimSuffix(line, "\r")
	switch {
	case strings.HasPrefix(line, "rename from "):
		d.Old = diffPath(strings.TrimPrefix(line, "rename from "))
	case strings.HasPrefix(line, "rename to "):
		d.New = diffPath(strings.TrimPrefix(line, "rename to "))
	case strings.HasPrefix(line, "copy to "):
		d.New = diffPath(strings.TrimPrefix(line, "copy to "))
	case strings.HasPrefix(line, "copy from "), strings.HasPrefix(line, "new file mode "):
		d.Old = ""
	case strings.HasPrefix(line, "deleted file mode "):
		d.New = ""
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		d.Binary = true
	default:
		return false
	}
	return true
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
func parseHunk(lines []string, number int) (h Hunk, n int, err error) {
	var oldCount, newCount int
	fields := strings.Fields(lines[0])
	if len(fields) < 4 || fields[3] != "@@" {
		return h, 0, &Error{number, "a hunk's header must be like @@ -1,2 +3,4 @@"}
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
			return h, 0, &Error{number, "a hunk's header must be like @@ -1,2 +3,4 @@"}
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
		l := hunkLine{' ', ""}
		if line != "" {
			l = hunkLine{line[0], line[1:]}
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
			return h, 0, &Error{number + n, "a line of a hunk must begin with a space, + or -"}
		}
		h.lines = append(h.lines, l)
	}
	if oldCount != 0 || newCount != 0 {
		return h, 0, &Error{number + n - 1, "a hunk has not the lines that its header says"}
	}
	return h, n, nil
}

// side returns the lines of one side of a hunk, '-' the old or '+' the new one.
func (h *Hunk) side(mark byte) (start int, lines []string) {
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

// Matches reports whether a text is the one on a side of the diff.
func (d *File) Matches(text []string, mark byte) bool {
	end := 1
	for i := range d.Hunks {
		start, lines := d.Hunks[i].side(mark)
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

// Touched returns the lines on a side of the diff that are not on the other, and
// those between which the other has some more, as the one after.
func (d *File) Touched(mark byte) (lines, gaps []int) {
	for i := range d.Hunks {
		h := &d.Hunks[i]
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
func (d *File) undo(text []string) []string {
	var old []string
	at := 1
	for i := range d.Hunks {
		h := &d.Hunks[i]
		start, now := h.side('+')
		_, before := h.side('-')
		old = append(append(old, text[at-1:start-1]...), before...)
		at = start + len(now)
	}
	return append(old, text[at-1:]...)
}

// OldText returns the old text of a file, of which that of a side is given, or another one,
// which is returned as it is.
func (d *File) OldText(text []string, mark byte) []string {
	if mark == '+' && d.Matches(text, '+') {
		return d.undo(text)
	}
	return text
}

package summary

import (
	"fmt"
	"slices"
	"strings"
)

// A fileText is what a text says of one file.
type fileText struct {
	path  string
	at    int       // where it comes first in the content
	about []*ranked // of its passage, or that name it first, in the text's order
	line  string    // the description next to its name, if there is one
	raw   string    // its passage
}

// separator is what stands between a file's name and what is said of it.
var separator = whenUsed("^[`*\"')\\]]*(?::\\d+(?::\\d+)?)?[`*\"')\\]]*\\s*(?:[:–—|]|-+>?|→|=>)+\\s*")

// adorned is what may stand before a file's name.
var adorned = whenUsed("^(?:[Ff]ile:?\\s+)?[`*\"'(\\[]*")

// byFile returns what a text says of its files, in its order, where it goes through
// files: where two are introduced at least, and half of what it says is about them. Else
// it returns nil.
func byFile(units []ranked, sections []passage, content string) []*fileText {
	var files []*fileText
	known := map[string]*fileText{}
	file := func(path string, at int) *fileText {
		f := known[path]
		if f == nil {
			f = &fileText{path: path, at: at}
			known[path] = f
			files = append(files, f)
		}
		f.at = min(f.at, at)
		return f
	}
	within, all := 0, 0
	for i := range units {
		u := &units[i]
		if u.form != heading {
			all++
		}
		path, line, ok := introduces(u)
		switch {
		case ok:
			within++
			f := file(path, u.at)
			if f.line == "" {
				f.line = line
			} else {
				f.about = append(f.about, u)
			}
		case u.passage >= 0 && sections[u.passage].path != "":
			f := file(sections[u.passage].path, sections[u.passage].start)
			if u.form == heading {
				break
			}
			within++
			f.about = append(f.about, u)
		}
	}
	for _, s := range sections {
		if s.path != "" {
			f := file(s.path, s.start)
			f.raw += content[s.start:s.end]
		}
	}
	if len(files) < 2 || 2*within < all {
		return nil
	}
	slices.SortStableFunc(files, func(a, b *fileText) int { return a.at - b.at })
	return files
}

// introduces returns the file that a unit begins with, and what it says of it.
func introduces(u *ranked) (path, line string, ok bool) {
	if u.form != item && u.form != prose {
		return "", "", false
	}
	fs := pathsIn(u.text)
	if len(fs) == 0 || fs[0].start != len(adorned().FindString(u.text)) {
		return "", "", false
	}
	rest := u.text[fs[0].end:]
	if m := separator().FindString(rest); m != "" {
		rest = rest[len(m):]
	} else if rest = strings.TrimLeft(rest, "`*\"')]"); rest != "" && rest[0] != ' ' && rest[0] != '.' {
		return "", "", false
	}
	return fs[0].path, strings.TrimSpace(rest), true
}

// lineOfFile is how many characters the description of a file has at L1.
const lineOfFile = 120

// aboutFiles makes L1 and L2 of a text that goes through files.
func (t *texter) aboutFiles(files []*fileText, level Level) (string, bool) {
	lines := make([]string, 0, len(files))
	for _, f := range files {
		lines = append(lines, f.short())
	}
	// As many files as fit, and how many others there are.
	n := len(lines)
	text := func() string {
		s := strings.Join(lines[:n], "\n")
		if n < len(files) {
			s += fmt.Sprintf("\n(+%d more)", len(files)-n)
		}
		return s
	}
	for n > 0 && !t.fits(text()) {
		n--
	}
	if n == 0 {
		return t.listFiles("Files: ", t.files)
	}
	truncated := n < len(files)
	if level == L1 || truncated {
		return text(), truncated
	}
	// What else is known of each, as long as there is room: the functions first.
	more := make([][]string, len(files))
	most := 0
	for i, f := range files {
		more[i] = f.long()
		most = max(most, len(more[i]))
	}
	for k := range most {
		for i := range files {
			if k >= len(more[i]) {
				continue
			}
			before := lines[i]
			if lines[i] = extended(before, more[i][k]); !t.fits(text()) {
				lines[i] = before
				truncated = true
			}
		}
	}
	return text(), truncated
}

// extended adds a sentence to a bullet.
func extended(line, more string) string {
	if strings.HasSuffix(line, ".") || strings.HasSuffix(line, ":") {
		return line + " " + more
	}
	return line + ". " + more
}

// short is the line of L1: "- auth.py: what it is".
func (f *fileText) short() string {
	line := f.line
	if s := sentencesOf(line); len(s) > 0 {
		line = s[0]
	}
	if line == "" {
		if best := f.best(); best != nil {
			line = best.text
		}
	}
	if line == "" {
		return "- " + f.path
	}
	return "- " + f.path + ": " + strings.TrimSuffix(firstCharacters(line, lineOfFile), ".")
}

// best is what says most of a file in its passage: a sentence rather than code.
func (f *fileText) best() *ranked {
	var best *ranked
	for _, u := range f.about {
		if best == nil || u.form != code && best.form == code || u.score > best.score && (u.form == code) == (best.form == code) {
			best = u
		}
	}
	return best
}

// long is what L2 adds to the line of a file: its key functions, and what else is said.
func (f *fileText) long() []string {
	short := f.short()
	var out []string
	functions := slices.DeleteFunc(functionsIn(f.raw), func(s string) bool {
		name, _, _ := strings.Cut(s, "(")
		return strings.Contains(f.line, name+"(") || strings.Contains(short, name+"(")
	})
	if names, _ := listing("Key functions: ", functions, 6, 60, quarter); names != "" && !strings.Contains(f.line, "functions:") {
		out = append(out, names+".")
	}
	add := func(text string) {
		if text = strings.TrimSuffix(text, "."); text != "" && !strings.Contains(short, text) {
			out = append(out, text+".")
		}
	}
	if strings.HasSuffix(short, "…") { // the whole, in place of what was cut
		add(f.line)
	} else if s := sentencesOf(f.line); len(s) > 1 {
		for _, sentence := range s[1:] {
			add(sentence)
		}
	}
	for _, u := range f.about {
		if u.form != code {
			add(u.text)
		}
	}
	return out
}

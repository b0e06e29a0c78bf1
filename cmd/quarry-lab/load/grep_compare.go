package load

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A difference is lines that only one of the two programs finds, for one reason.
type difference struct {
	Only     string   `json:"only"` // ripgrep or quarry
	Reason   string   `json:"reason"`
	Files    int      `json:"files"`
	Lines    int      `json:"lines"`    // over all patterns
	Examples []string `json:"examples"` // files, at most three
}

// A comparison collects what differs, over all patterns.
type comparison struct {
	left   map[string]string // why quarry leaves a file out of its index, by path
	listed map[string]bool   // the files that ripgrep looks at
	found  map[cause]map[string]int
}

// A cause is why a line is in one output only.
type cause struct{ only, reason string }

func newComparison() *comparison {
	return &comparison{map[string]string{}, map[string]bool{}, map[cause]map[string]int{}}
}

// binary is what ripgrep says of a file instead of the rest of its lines.
var binary = regexp.MustCompile(`^(.*): binary file matches \(found .*\)$`)

// compare takes the outputs of both for a pattern, path:line:text in each line, and
// returns how many lines ripgrep finds, and how many only one of them does. The order
// does not count, nor does a carriage return at the end of a line.
func (c *comparison) compare(rg, quarry string) (lines, missing, extra int) {
	want := map[string]int{}      // lines, and how often
	binaries := map[string]bool{} // paths
	shared := map[string]bool{}   // paths of which both have lines
	wrong := map[string]bool{}    // path:line: of what only quarry has: does ripgrep have it with another text?
	for line := range outputLines(rg) {
		line = strings.TrimPrefix(line, "./")
		if place(line) == "" {
			if m := binary.FindStringSubmatch(line); m != nil {
				binaries[m[1]] = true
				continue
			}
		}
		lines++
		want[line]++
	}
	var more []string
	for line := range outputLines(quarry) {
		if want[line] > 0 {
			want[line]--
			shared[fileOf(line)] = true
			continue
		}
		extra++
		more = append(more, line)
		if at := place(line); at != "" {
			wrong[at] = false
		}
	}
	if len(wrong) > 0 {
		for line := range want {
			if _, ok := wrong[place(line)]; ok {
				wrong[place(line)] = true
			}
		}
	}
	for line, n := range want {
		if n == 0 {
			continue
		}
		missing += n
		file, reason := fileOf(line), "not found by quarry"
		switch why := c.left[file]; {
		case wrong[place(line)]:
			reason = otherText
		case why != "":
			reason = "quarry leaves the file out: " + why
		case binaries[file]:
			reason = "ripgrep takes the file for binary"
		case shared[file]:
			reason = "not found by quarry, other lines of the file are"
		}
		c.note("ripgrep", reason, file, n)
	}
	for _, line := range more {
		file, reason := fileOf(line), "not found by ripgrep"
		switch {
		case place(line) == "":
			reason = "no path:line:text"
		case wrong[place(line)]:
			reason = otherText
		case !c.listed[file]:
			reason = "ripgrep ignores the file"
		case binaries[file]:
			reason = "ripgrep takes the file for binary"
		case shared[file]:
			reason = "not found by ripgrep, other lines of the file are"
		}
		c.note("quarry", reason, file, 1)
	}
	return lines, missing, extra
}

const otherText = "both find the line, with another text"

func (c *comparison) note(only, reason, file string, n int) {
	k := cause{only, reason}
	if c.found[k] == nil {
		c.found[k] = map[string]int{}
	}
	c.found[k][file] += n
}

// differences returns what was noted, ordered by the number of lines.
func (c *comparison) differences() []difference {
	all := []difference{}
	for k, files := range c.found {
		names := slices.Sorted(maps.Keys(files))
		d := difference{Only: k.only, Reason: k.reason, Files: len(files), Examples: names[:min(len(names), 3)]}
		for _, n := range files {
			d.Lines += n
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b difference) int {
		return cmp.Or(b.Lines-a.Lines, strings.Compare(a.Only, b.Only), strings.Compare(a.Reason, b.Reason))
	})
	return all
}

// outputLines yields the lines of an output without their ends.
func outputLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !yield(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")) {
				return
			}
		}
	}
}

// place returns the path:line: that a line of output begins with, "" where there is none:
// what ends with the first number between colons. An expression would take most of the
// time here.
func place(line string) string {
	for at := 0; ; {
		colon := strings.IndexByte(line[at:], ':')
		if colon < 0 {
			return ""
		}
		at += colon + 1
		rest := strings.TrimLeft(line[at:], "0123456789")
		if digits := len(line) - at - len(rest); digits > 0 && strings.HasPrefix(rest, ":") {
			return line[:at+digits+1]
		}
	}
}

// fileOf returns the path that a line of output begins with, or all of a line that has
// none.
func fileOf(line string) string {
	at := place(line)
	if at == "" {
		return line
	}
	return line[:strings.LastIndexByte(at[:len(at)-1], ':')]
}

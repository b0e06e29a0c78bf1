package question

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/terminal"
	"github.com/quarry-search/quarry/index/search"
)

// A matcher finds in lines what was asked for.
type matcher struct {
	words   search.Highlighter
	pattern *regexp.Regexp // in place of words
}

// matcher returns one for a query.
func (o *searchOptions) matcher(query string) matcher {
	if o.mode == string(search.Regex) {
		if pattern, err := regexp.Compile(query); err == nil {
			return matcher{pattern: pattern}
		}
		query = ""
	}
	return matcher{words: search.NewHighlighter(query)}
}

// find returns where a line matches: the words of the query, each by its number.
func (m matcher) find(line string) (found []search.Highlight) {
	if m.pattern == nil {
		return m.words.Find(line)
	}
	for _, span := range m.pattern.FindAllStringIndex(line, -1) {
		found = append(found, search.Highlight{From: span[0], To: span[1]})
	}
	return found
}

// line returns a line as it may be shown, and where it matches.
func (m matcher) line(text string) (visible string, spans [][2]int) {
	visible = terminal.Visible(text)
	for _, h := range m.find(visible) {
		spans = append(spans, [2]int{h.From, h.To})
	}
	return visible, spans
}

// window returns the lines from..to of a result, at most so many, that have most of what was
// asked for: a word counts the more the fewer lines have it. Of equal ones it is the first.
func (m matcher) window(lines []string, most int) (from, to int) {
	if len(lines) <= most {
		return 0, len(lines)
	}
	words := make([][]int, len(lines)) // by line
	having := map[int]int{}            // lines, by word
	for i, line := range lines {
		seen := map[int]bool{}
		for _, h := range m.find(line) {
			if !seen[h.Word] {
				seen[h.Word] = true
				words[i] = append(words[i], h.Word)
				having[h.Word]++
			}
		}
	}
	best := 0.0
	for start := 0; start+most <= len(lines); start++ {
		score, seen := 0.0, map[int]bool{}
		for _, line := range words[start : start+most] {
			for _, word := range line {
				worth := 1 / float64(having[word])
				if !seen[word] {
					worth++ // another word is worth more than the same one again
				}
				seen[word] = true
				score += worth
			}
		}
		if score > best {
			best, from = score, start
		}
	}
	return from, from + most
}

// preview writes the lines of a result that match, with those around them and their numbers,
// below its first line, which says what it is. A whole text that does not go to a screen has no
// numbers: it is to be read on as it is.
func (o *searchOptions) preview(w io.Writer, screen *terminal.Screen, m matcher, r *search.Result) {
	lines := strings.Split(strings.TrimRight(r.Content, "\n"), "\n")
	from, to := 0, len(lines)
	if !o.content {
		if from, to = m.window(lines, previewLines); from > 0 {
			// The first line takes the place of one.
			from, to = m.window(lines[1:], previewLines-1)
			from, to = from+1, to+1
			numbered(w, screen, m, r.Line, lines[0])
			if from > 1 {
				fmt.Fprintln(w, screen.Paint(terminal.FaintStyle, "     ..."))
			}
		}
	}
	for i, line := range lines[from:to] {
		if o.content && screen == nil {
			fmt.Fprintf(w, "    %s\n", terminal.Visible(strings.TrimSuffix(line, "\r")))
			continue
		}
		numbered(w, screen, m, r.Line+from+i, line)
	}
	if more := len(lines) - to; more > 0 {
		fmt.Fprintln(w, screen.Paint(terminal.FaintStyle, fmt.Sprintf("     ... %d more lines", more)))
	}
}

// numbered writes a line with its number.
func numbered(w io.Writer, screen *terminal.Screen, m matcher, number int, text string) {
	fmt.Fprintf(w, "%s  %s\n", screen.Paint(terminal.LineStyle, fmt.Sprintf("%6d", number)), screen.Highlight(m.line(strings.TrimSuffix(text, "\r"))))
}

// OnScreen has a command write to a screen where its output goes to a terminal, or is to
// look as if it did.
func OnScreen(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := config.Load(cmd)
		if err != nil {
			return run(cmd, args) // which says the same
		}
		out := cmd.OutOrStdout()
		onTerminal := terminal.IsTerminal(out)
		colour := s.InColour(onTerminal)
		if !onTerminal && !colour {
			return run(cmd, args)
		}
		program, environment := "", []string(nil)
		if onTerminal {
			program, environment = s.PagerProgram()
		}
		screen := terminal.NewScreen(out, colour, program, environment...)
		cmd.SetOut(screen)
		defer cmd.SetOut(out)
		return errors.Join(run(cmd, args), screen.Close())
	}
}

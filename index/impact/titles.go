package impact

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
)

// titled matches the first line of a test of jest, vitest or mocha whose title is one text.
var titled = regexp.MustCompile("^(?:it|test)(?:\\.(?:only|concurrent|sequential))?\\((?:'([^'\\\\]*)'|\"([^\"\\\\]*)\"|`([^`\\\\$]*)`),")

// maxTitles bounds how many tests one command names.
const maxTitles = 100

// titles are the tests of a text that have some lines (1-based) in them, by their titles; none
// where a line may not be in a test, such as one of a hook or a helper. What is around a line is
// told by the indentation, and where that does not agree with the brackets there is no title.
func titles(text string, at []int) []string {
	lines := strings.Split(text, "\n")
	var found []string
	for _, line := range at {
		title, ok := titleAround(lines, line-1)
		if !ok {
			return nil
		}
		found = append(found, title)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func titleAround(lines []string, at int) (title string, ok bool) {
	if at < 0 || at >= len(lines) {
		return "", false
	}
	left := indent(lines[at]) + 1
	for i := at; i >= 0 && left > 0; i-- {
		in := indent(lines[i])
		if in >= left || strings.TrimSpace(lines[i]) == "" {
			continue
		}
		left = in
		m := titled.FindStringSubmatch(strings.TrimSpace(lines[i]))
		if m == nil {
			continue
		}
		title = strings.Join(m[1:], "")
		if i == at && strings.HasSuffix(strings.TrimRight(lines[i], " \t\r;"), ")") {
			return title, title != "" // it is all on this line
		}
		for j := i + 1; j < len(lines); j++ {
			if strings.TrimSpace(lines[j]) != "" && indent(lines[j]) <= in {
				return title, title != "" && j >= at && j > i && strings.HasPrefix(strings.TrimSpace(lines[j]), "}")
			}
		}
		return "", false
	}
	return "", false
}

// indent is how many blanks a line begins with.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// titling reports whether tests of a language are calls with a title, which have no nodes of their
// own.
func titling(language string) bool { return store.CrossFamily(language) == "javascript" }

// titleCases gives the affected code of JavaScript's test files the titles of the tests that it is
// in: a function by its place, and the rest of a file by the places where it uses what is
// affected, which are all that the graph knows.
func (s *search) titleCases(ctx context.Context, affected []graph.ID) {
	top := map[graph.ID]*cases{}
	for _, id := range affected {
		n := s.Node(id)
		c := s.cases[n.Path]
		if c == nil || c.whole || !titling(n.Language) {
			continue
		}
		switch n.Kind {
		case graph.FuncNode:
			c.lines = append(c.lines, n.Pos.Line())
		case graph.FileNode:
			top[id] = c
			if u := s.uses.byNode[id]; u != nil {
				c.lines = append(c.lines, u.CallSites...)
			}
		}
	}
	if len(top) > 0 {
		for _, id := range affected {
			reached, _ := s.Search(ctx, []graph.ID{id}, 1, true, s.Dependency)
			for _, r := range reached {
				if c := top[r.ID]; c != nil {
					c.lines = append(c.lines, r.Lines()...)
				}
			}
		}
	}
	for path, c := range s.cases {
		if r := s.index.Record(path); r != nil && titling(r.Lang) && !c.whole && len(c.lines) > 0 && ctx.Err() == nil {
			c.titles = titles(string(r.Text.All()), c.lines)
		}
	}
}

// titled are the tests of a batch by their titles, and the expression that finds them; none where
// not all have one.
func (b *batch) titled() (names []string, pattern string) {
	for _, c := range b.cases {
		names = append(names, c.titles...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); !b.byTitle || len(names) > maxTitles {
		return nil, ""
	}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = regexp.QuoteMeta(name)
	}
	return names, "(" + strings.Join(all, "|") + ")$"
}

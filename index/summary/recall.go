package summary

import (
	"fmt"
	"strings"
)

// How much of its results a recall has at L1 and L2.
const (
	recallShort = 100 // characters of an item at L1, of which there is one in each group
	recallLong  = 200 // and at L2
	recallItems = 5   // in each group at L2
)

// Recall summarises what a memory returned, by groups: learnings, decisions, context. The
// category, type or kind of a result decides its group; if that is neither of the first
// two, it is context.
//
// L0 counts the groups, L1 has the first item of each, to 100 characters, L2 five items,
// each to 200, and L3 all of them, whole. The text costs at most maxTokens, 0: the level's
// Budget, L3 any, as count has it, nil: a quarter of the characters. Items are left out
// whole, from the longest group first, and counted: "(+3 more)". No results come to "".
func Recall(results []map[string]any, level Level, maxTokens int, count func(string) int) Result {
	if count == nil {
		count = quarter
	}
	level = levelOf(level)
	groups := []recallGroup{{name: "Learnings"}, {name: "Decisions"}, {name: "Context"}}
	for _, m := range results {
		group := &groups[groupOf(m)]
		used := map[string]bool{}
		text := strings.Join(spelled(m, used, "content", "text", "summary", "value", "message", "learning", "decision", "insight", "description", "title"), " ")
		if text == "" && len(used) == 0 {
			text = strings.Join(values(m), " ")
		}
		if text == "" {
			continue
		}
		switch level {
		case L1:
			text = firstCharacters(text, recallShort)
		case L2:
			text = firstCharacters(text, recallLong)
		}
		group.items = append(group.items, text)
	}
	for i := range groups {
		g := &groups[i]
		g.shown = len(g.items)
		switch level {
		case L0:
			g.shown = 0
		case L1:
			g.shown = min(1, g.shown)
		case L2:
			g.shown = min(recallItems, g.shown)
		}
	}
	budget := maxTokens
	if budget <= 0 && level != L3 {
		budget = level.Budget()
	}
	r := Result{Level: level, Chunks: 1}
	for {
		r.Text = recalled(groups, level)
		if budget <= 0 || count(r.Text) <= budget {
			break
		}
		r.Truncated = true
		longest := &groups[len(groups)-1]
		for i := range groups {
			if groups[i].shown > longest.shown {
				longest = &groups[i]
			}
		}
		if longest.shown == 0 {
			if level == L0 {
				r.Text = cutWords(r.Text, budget, count)
				break
			}
			level = L0 // not one item fits: at least how many there are
			continue
		}
		if count(r.Text) > 2*budget {
			longest.shown = longest.shown / 2
		} else {
			longest.shown--
		}
	}
	r.TokensOut = count(r.Text)
	return r
}

// A recallGroup is the results of one kind.
type recallGroup struct {
	name  string
	items []string
	shown int
}

// groupOf returns the place of a result's group.
func groupOf(m map[string]any) int {
	from := []map[string]any{m}
	if meta, ok := m["metadata"].(map[string]any); ok {
		from = append(from, meta)
	}
	for _, fields := range from {
		for _, v := range spelled(fields, map[string]bool{}, "category", "type", "kind") {
			switch v = strings.ToLower(v); {
			case strings.HasPrefix(v, "learn"), strings.HasPrefix(v, "insight"), strings.HasPrefix(v, "lesson"):
				return 0
			case strings.HasPrefix(v, "decision"):
				return 1
			}
		}
	}
	return 2
}

// recalled writes the groups that are not empty.
func recalled(groups []recallGroup, level Level) string {
	var lines []string
	var counts []string
	for _, g := range groups {
		if len(g.items) == 0 {
			continue
		}
		counts = append(counts, fmt.Sprintf("%s: %d", g.name, len(g.items)))
		more := ""
		if n := len(g.items) - g.shown; n > 0 {
			more = fmt.Sprintf("(+%d more)", n)
		}
		switch {
		case level == L1 && g.shown == 1:
			lines = append(lines, strings.TrimSpace(g.name+": "+g.items[0]+" "+more))
		case g.shown == 0:
			lines = append(lines, g.name+": "+more)
		default:
			lines = append(lines, g.name+":")
			for _, text := range g.items[:g.shown] {
				lines = append(lines, "- "+text)
			}
			if more != "" {
				lines = append(lines, more)
			}
		}
	}
	if level == L0 {
		return strings.Join(counts, ", ")
	}
	return strings.Join(lines, "\n")
}

package summary

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// filesOfHandoff is how many files L1 names.
const filesOfHandoff = 5

// Handoff summarises in a line the notes of somebody who stops working on something:
//
//	Working on: JWT auth. Current focus: debugging token expiry. Hypothesis: off-by-one error. Files: auth.py, test_auth.py
//
// A part that the handoff does not have is left out. L0 has the files only, L1 the four
// parts and five files, L2 also outcome, decisions, blockers, what comes next and all
// files, L3 everything else, under its names. The text costs at most maxTokens, 0: the
// level's Budget, L3 any, as count has it, nil: a quarter of the characters; parts that do
// not fit are left out from the end, but files and lists are shortened first, and say by
// how much: "(+2 more)". An empty handoff comes to "".
//
// Names are read in any case and in several spellings, such as goal, task and working_on.
func Handoff(h map[string]any, level Level, maxTokens int, count func(string) int) Result {
	used := map[string]bool{}
	files := slices.Compact(spelled(h, used, "files", "modifiedfiles", "filesmodified", "changedfiles", "fileschanged", "keyfiles", "paths", "file"))
	all := []handoffPart{
		{"Working on: ", spelled(h, used, "workingon", "goal", "task", "objective", "title", "feature"), ". ", 0},
		{"Current focus: ", spelled(h, used, "currentfocus", "focus", "now", "current", "currentstep"), ". ", 0},
		{"Hypothesis: ", spelled(h, used, "hypothesis", "hypotheses", "theory"), "; ", 0},
		{"Outcome: ", spelled(h, used, "outcome", "status", "state", "result", "progress"), "; ", 0},
		{"Decisions: ", spelled(h, used, "decisions", "decision", "keydecisions"), "; ", 0},
		{"Blockers: ", spelled(h, used, "blockers", "blocker", "blockedby", "problems", "errors", "openquestions"), "; ", 0},
		{"Next: ", spelled(h, used, "next", "nextsteps", "nextstep", "todo", "todos"), "; ", 0},
	}
	list := handoffPart{"Files: ", files, ", ", 0}
	level = levelOf(level)
	var parts []handoffPart
	switch level {
	case L0:
		parts = []handoffPart{list}
	case L1:
		list.most = filesOfHandoff
		parts = append(all[:3:3], list)
	default:
		parts = append(all, list)
	}
	if level == L3 {
		for _, key := range slices.Sorted(maps.Keys(h)) {
			if !used[key] {
				parts = append(parts, handoffPart{key + ": ", values(h[key]), "; ", 0})
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(p handoffPart) bool { return len(p.values) == 0 })
	r := Result{Level: level, Chunks: 1, Files: files}
	if count == nil {
		count = quarter
	}
	budget := maxTokens
	if budget <= 0 && level != L3 {
		budget = level.Budget()
	}
	r.Text, r.Truncated = fitParts(parts, budget, count)
	r.TokensOut = count(r.Text)
	return r
}

// levelOf is the level of what has no size to choose it by.
func levelOf(level Level) Level {
	if level == "" || level == Auto {
		return L1
	}
	return level
}

// A handoffPart is a label and what it says.
type handoffPart struct {
	label     string
	values    []string
	separator string
	most      int // values at most; 0: all
}

func (p *handoffPart) text() string {
	n := len(p.values)
	if p.most > 0 {
		n = min(n, p.most)
	}
	shown := make([]string, n)
	for i, v := range p.values[:n] {
		shown[i] = strings.TrimRight(v, ".")
	}
	text := p.label + strings.Join(shown, p.separator)
	if n < len(p.values) {
		text += fmt.Sprintf(" (+%d more)", len(p.values)-n)
	}
	return text
}

// fitParts shortens the longest list by one value until all parts fit, and then leaves out
// the last part, and the next. A budget of 0 is none.
func fitParts(parts []handoffPart, budget int, count func(string) int) (text string, truncated bool) {
	join := func() string {
		texts := make([]string, len(parts))
		for i := range parts {
			texts[i] = parts[i].text()
		}
		return strings.Join(texts, ". ")
	}
	for {
		text = join()
		if budget <= 0 || len(parts) == 0 || count(text) <= budget {
			return text, truncated
		}
		truncated = true
		longest, most := -1, 1
		for i := range parts {
			if n := parts[i].shown(); n > most {
				longest, most = i, n
			}
		}
		switch {
		case longest >= 0:
			// A half at a time while it is far too long.
			if count(text) > 2*budget {
				most = most/2 + 1
			}
			parts[longest].most = most - 1
		case len(parts) > 1:
			parts = parts[:len(parts)-1]
		default:
			return cutWords(text, budget, count), true
		}
	}
}

func (p *handoffPart) shown() int {
	if p.most > 0 {
		return min(p.most, len(p.values))
	}
	return len(p.values)
}

package mixed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

// hit is a result of /search, /related, /grep and of what refers to them.
type hit struct {
	File    string  `json:"file"`
	Line    int     `json:"line"`
	End     int     `json:"end_line"`
	Content string  `json:"content"`
	Score   float64 `json:"score"`
	Symbol  string  `json:"symbol"`
	Brief   bool    `json:"brief"`
	Changed bool    `json:"changed"`
}

type list struct {
	Results []hit `json:"results"`
	Meta    struct {
		Matches   int  `json:"matches"`
		Truncated bool `json:"truncated"`
		Unchecked int  `json:"unchecked"`
	} `json:"meta"`
}

func (m *mixed) search(r *rand.Rand) question {
	query := m.queries[r.IntN(len(m.queries))]
	mode := []string{"hybrid", "hybrid", "lexical", "semantic"}[r.IntN(4)]
	fields := map[string]any{"query": query, "mode": mode, "limit": 1 + r.IntN(20)}
	if r.IntN(4) == 0 {
		fields["max_tokens"] = 300
	}
	q := post("search "+mode, "/search", fields, m.searched("", "", fields["limit"].(int)))
	if mode == "semantic" {
		q.codes = []int{http.StatusOK, http.StatusUnprocessableEntity} // it has no word that the model knows
	}
	return q
}

// searchPlanted asks for the name of a planted function, which its file must be found by.
func (m *mixed) searchPlanted(r *rand.Rand) question {
	name, _ := m.drawFunc(r)
	mode := []string{"hybrid", "lexical"}[r.IntN(2)]
	return post("search "+mode, "/search", map[string]any{"query": name, "mode": mode, "limit": 100}, m.searched(name, "", 100))
}

// searched checks the results of a search: the text that they show, their order, whether
// the planted function with a name is there, and the counts.
func (m *mixed) searched(name, overlay string, limit int) func(*reply) []string {
	return func(r *reply) []string {
		if r.code != http.StatusOK {
			return nil
		}
		var a list
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		return m.results(r, a, name, overlay, limit)
	}
}

func (m *mixed) results(r *reply, a list, name, overlay string, limit int) (wrong []string) {
	found := map[string]bool{}
	for i, h := range a.Results {
		found[h.File] = true
		if i > 0 && h.Score > a.Results[i-1].Score {
			wrong = append(wrong, fmt.Sprintf("result %d has a higher score than the one before", i))
		}
		if h.File != overlay {
			wrong = append(wrong, m.shows(r, h, a.Meta.Unchecked == 0)...)
		}
	}
	if len(a.Results) > limit || a.Meta.Matches > len(found) && !a.Meta.Truncated {
		wrong = append(wrong, fmt.Sprintf("%d results of %d for the limit %d, truncated %v", len(a.Results), a.Meta.Matches, limit, a.Meta.Truncated))
	}
	if name == "" {
		return wrong
	}
	for file, states := range m.tree.Planted("", r.window) {
		all := !slices.ContainsFunc(states, func(s model.State) bool { return !strings.Contains(s.Text, name) })
		if all && !found[file] && file != overlay {
			wrong = append(wrong, fmt.Sprintf("%s has %s and is not found", file, name))
		}
	}
	return wrong
}

// shows checks that a result has the text of its file in some state, and says it if the
// file on disk is in no such state.
func (m *mixed) shows(r *reply, h hit, compared bool) []string {
	if m.isUntold(h.File) {
		return nil
	}
	has := func(s model.State) bool {
		text, ok := model.Excerpt(s.Text, h.Line, h.End)
		// Of a line that is cut into several pieces, as in a picture, any part may be shown.
		return ok && (text == h.Content || len(text) > 2000 && h.Line == h.End && strings.Contains(text, h.Content) || (h.Brief || len(h.Content) > 1900) && strings.HasPrefix(text, strings.TrimSuffix(h.Content, "…")))
	}
	states := m.tree.States(h.File, r.window)
	if !slices.ContainsFunc(states, has) {
		return []string{fmt.Sprintf("%s has no such text in lines %d to %d: %q", h.File, h.Line, h.End, h.Content)}
	}
	disk := m.tree.States(h.File, model.Window{From: r.sent, To: r.answered, Sent: r.sent})
	switch {
	case h.Changed && len(states) == 1:
		return []string{h.File + " is said to have changed, and did not"}
	case !h.Changed && compared && !slices.ContainsFunc(disk, has):
		return []string{h.File + " is not said to have changed, and had"}
	}
	return nil
}

// searchSymbol asks for the one definition of a name.
func (m *mixed) searchSymbol(r *rand.Rand) question {
	name, _ := m.drawFunc(r)
	return post("search symbol", "/search", map[string]any{"query": name, "mode": "symbol", "limit": 20}, func(r *reply) []string {
		var a list
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		got := map[string][]string{}
		for _, h := range a.Results {
			// A short one is shown with what follows it, so its end is not compared.
			got[h.File] = append(got[h.File], fmt.Sprintf("%s %d", h.Symbol, h.Line))
		}
		return append(m.results(r, a, "", "", 20), model.Judge(m.tree.Planted("", r.window), got, func(_ string, s model.State) (items []string) {
			for _, f := range s.Spans() {
				if f.Name == name {
					items = append(items, fmt.Sprintf("%s %d", f.Name, f.Line))
				}
			}
			return items
		}, true)...)
	})
}

// pattern draws an expression: a planted name, or a name of the tree.
func (m *mixed) pattern(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		name, _ := m.drawFunc(r)
		return name
	}
	return m.patterns[r.IntN(len(m.patterns))]
}

// clipped is a line of an answer, or of the model, as far as the two are comparable: of
// a long line /grep shows a part.
func clipped(number int, line string) string {
	if len(line) > 200 || strings.Contains(line, "…") {
		line = ""
	}
	return strconv.Itoa(number) + ":" + line
}

// lines are those of all files that a pattern matches in, by states, with what an answer
// should have of each. Those of files that never change are known from the start.
func (m *mixed) lines(pattern string, indexed bool, r *reply) (map[string][]model.State, model.Items) {
	re := regexp.MustCompile(pattern)
	fixed := m.fixed[fixedKey{pattern, indexed}] // nothing for a planted name
	states := m.tree.Planted("", r.window)
	for file := range fixed {
		states[file] = []model.State{{}}
	}
	return states, func(file string, s model.State) []string {
		if items, ok := fixed[file]; ok {
			return items
		}
		return linesOf(s.Text, re)
	}
}

func linesOf(text string, re *regexp.Regexp) (items []string) {
	for _, line := range model.Matching(text, re) {
		number, text, _ := strings.Cut(line, ":")
		n, _ := strconv.Atoi(number)
		items = append(items, clipped(n, text))
	}
	return items
}

// A fixedKey is a pattern, for the files that are indexed or for all that /grep reads.
type fixedKey struct {
	pattern string
	indexed bool
}

// learnFixed finds the lines of files that never change for all patterns that are asked
// for, so that nobody waits for it later.
func (m *mixed) learnFixed(patterns []string) {
	m.fixed, m.extra = map[fixedKey]map[string][]string{}, map[string]int{}
	for _, pattern := range patterns {
		re := regexp.MustCompile(pattern)
		all, indexed := map[string][]string{}, map[string][]string{}
		for file, text := range m.tree.Fixed() {
			why := m.skipped[file]
			if why == "secret" || why == "binary" { // /grep reads all others that are not indexed
				continue
			}
			items := linesOf(text, re)
			if items == nil {
				continue
			}
			if all[file] = items; why == "" {
				indexed[file] = items
			}
		}
		for _, text := range m.untold {
			m.extra[pattern] += len(linesOf(text, re))
		}
		m.fixed[fixedKey{pattern, false}], m.fixed[fixedKey{pattern, true}] = all, indexed
	}
}

// searchRegex finds lines, up to 100.
func (m *mixed) searchRegex(r *rand.Rand) question {
	pattern := m.pattern(r)
	return post("search regex", "/search", map[string]any{"query": pattern, "mode": "regex", "limit": 100}, func(r *reply) []string {
		var a list
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		got := map[string][]string{}
		for _, h := range a.Results {
			if !m.isUntold(h.File) {
				got[h.File] = append(got[h.File], clipped(h.Line, h.Content))
			}
		}
		states, want := m.lines(pattern, true, r)
		wrong := model.Judge(states, got, want, !a.Meta.Truncated)
		return append(wrong, m.matches(a.Meta.Matches, pattern, states, want)...)
	})
}

// matches checks a count. Files of which the model knows nothing may count, too.
func (m *mixed) matches(n int, pattern string, states map[string][]model.State, want model.Items) []string {
	if low, high := model.Count(states, want); n < low || n > high+m.extra[pattern] {
		return []string{fmt.Sprintf("%d matches are counted, not %d to %d", n, low, high)}
	}
	return nil
}

// grepRaw finds all lines, as text.
func (m *mixed) grepRaw(r *rand.Rand) question {
	pattern := m.pattern(r)
	return post("grep raw", "/grep", map[string]any{"pattern": pattern, "raw": true}, func(r *reply) []string {
		got := map[string][]string{}
		for line := range strings.Lines(string(r.body)) {
			file, rest, _ := strings.Cut(line, ":")
			number, text, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), ":")
			n, err := strconv.Atoi(number)
			if err != nil {
				return []string{fmt.Sprintf("this is no line of a grep: %q", line)}
			}
			if !m.isUntold(file) {
				got[file] = append(got[file], clipped(n, text))
			}
		}
		states, want := m.lines(pattern, false, r)
		return model.Judge(states, got, want, true)
	})
}

// grep finds lines, the best of them as JSON, and now and then keeps the handle of the rest.
func (m *mixed) grep(r *rand.Rand) question {
	pattern := m.pattern(r)
	fields := map[string]any{"pattern": pattern}
	if r.IntN(3) == 0 {
		fields["limit"] = 5
	}
	return post("grep", "/grep", fields, func(r *reply) []string {
		var a struct {
			Matches []hit `json:"matches"`
			Unread  int   `json:"unread"`
			Meta    struct {
				Matches   int    `json:"matches"`
				Files     int    `json:"files"`
				Truncated bool   `json:"truncated"`
				Handle    string `json:"handle"`
			} `json:"meta"`
		}
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		got := map[string][]string{}
		for _, h := range a.Matches {
			if !m.isUntold(h.File) {
				got[h.File] = append(got[h.File], clipped(h.Line, h.Content))
			}
		}
		if a.Meta.Handle != "" {
			m.keepHandle(a.Meta.Handle, pattern)
		}
		states, want := m.lines(pattern, false, r)
		wrong := model.Judge(states, got, want, !a.Meta.Truncated)
		if a.Meta.Truncated != (len(a.Matches) < a.Meta.Matches) || a.Meta.Truncated != (a.Meta.Handle != "") {
			wrong = append(wrong, fmt.Sprintf("%d of %d lines, truncated %v, handle %q", len(a.Matches), a.Meta.Matches, a.Meta.Truncated, a.Meta.Handle))
		}
		return append(wrong, m.matches(a.Meta.Matches, pattern, states, want)...)
	})
}

// grepText is the same for a planted name, as the text of the envelope.
func (m *mixed) grepText(r *rand.Rand) question {
	name, _ := m.drawFunc(r)
	return fetch("grep te", "/grep", map[string]string{"pattern": name, "format": "te"}, func(r *reply) []string {
		got := map[string][]string{}
		for line := range strings.Lines(string(r.body)) {
			file, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			number, text, ok := strings.Cut(rest, ": ")
			if n, err := strconv.Atoi(number); ok && err == nil {
				text, _, _ = strings.Cut(text, "  # ")
				got[file] = append(got[file], clipped(n, text))
			}
		}
		states, want := m.lines(name, false, r)
		return model.Judge(states, got, want, !strings.Contains(string(r.body), `"truncated":true`))
	})
}

// find lists the planted files of a folder.
func (m *mixed) find(r *rand.Rand) question {
	folder := m.drawFolder(r)
	ext := []string{".go", ".py"}[r.IntN(2)]
	q := post("find", "/find", map[string]any{"path": folder, "name": "*" + ext, "type": "f", "raw": true}, func(r *reply) []string {
		states := m.tree.Planted(folder, r.window)
		if r.code == http.StatusNotFound {
			return m.mayBeGone(folder, r)
		}
		got := map[string][]string{}
		for line := range strings.Lines(string(r.body)) {
			file := strings.TrimSuffix(line, "\n")
			got[file] = []string{file}
		}
		return model.Judge(states, got, func(file string, s model.State) []string {
			if s.Gone || path.Ext(file) != ext {
				return nil
			}
			return []string{file}
		}, true)
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

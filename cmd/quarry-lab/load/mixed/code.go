package mixed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

// node is a symbol in an answer about code.
type node struct {
	Symbol  string `json:"symbol"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	End     int    `json:"end_line"`
	Content string `json:"content"`
	Depth   int    `json:"depth"`
	Sites   []int  `json:"call_sites"`
}

// relations are what the endpoints about calls say of a function.
type relations struct {
	Definition node   `json:"definition"`
	Callers    []node `json:"callers"`
	Callees    []node `json:"callees"`
	Functions  []node `json:"functions"`
	Edges      []struct {
		To   node `json:"to"`
		Line int  `json:"line"`
	} `json:"edges"`
	Complete  bool     `json:"complete"`
	Because   []string `json:"incomplete"`
	Truncated bool     `json:"truncated"`
}

// behind reports whether an answer says that the call graph has not all files yet.
func (a *relations) behind() bool {
	return strings.Contains(strings.Join(a.Because, " "), "not in the call graph")
}

// maxBehind is how long the call graph may lag behind the index, where it says that it
// does.
const maxBehind = 30 * time.Second

// older is a reply that may be about an older tree.
func (r reply) older() *reply {
	r.window.From, r.window.Sent = r.window.From.Add(-maxBehind), time.Time{}
	return &r
}

// about is a question about a planted function. What it says of the definition is checked
// here, and the rest by more.
func (m *mixed) about(r *rand.Rand, endpoint string, more func(a *relations, name string, r *reply) []string) question {
	name, _ := m.drawFunc(r)
	fields := map[string]any{"target": name, "depth": 1, "limit": 100}
	if endpoint == "/extract" {
		fields = map[string]any{"target": name}
	}
	q := post(endpoint[1:], endpoint, fields, func(r *reply) []string {
		defined := m.definitions(name, r.window)
		if r.code == http.StatusNotFound {
			for file, states := range defined {
				if !slices.ContainsFunc(states, func(s model.State) bool { return span(s, name) == nil }) {
					return []string{file + " defines " + name}
				}
			}
			return nil
		}
		var a relations
		err := json.Unmarshal(r.body, &a)
		if endpoint == "/extract" && err == nil {
			err = json.Unmarshal(r.body, &a.Definition)
		}
		if err != nil {
			return []string{err.Error()}
		}
		is := func(s model.State) bool {
			f := span(s, name)
			return f != nil && f.Line == a.Definition.Line && f.End == a.Definition.End &&
				(a.Definition.Content == "" || a.Definition.Content == strings.Join(f.Lines, "\n"))
		}
		if !slices.ContainsFunc(defined[a.Definition.File], is) {
			return []string{fmt.Sprintf("%s is not defined so in %s:%d", name, a.Definition.File, a.Definition.Line)}
		}
		if more == nil {
			return nil
		}
		return more(&a, name, r)
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

// definitions are the states of the files that may have defined a name.
func (m *mixed) definitions(name string, w model.Window) map[string][]model.State {
	all := m.tree.Planted("", w)
	for file, states := range all {
		if !slices.ContainsFunc(states, func(s model.State) bool { return span(s, name) != nil }) {
			delete(all, file)
		}
	}
	return all
}

// span is where a state defines a name; nil: nowhere.
func span(s model.State, name string) *model.Span {
	for _, f := range s.Spans() {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// settled reports whether one file defined the name in the whole window, in one place.
func (m *mixed) settled(name string, w model.Window) bool {
	defined := m.definitions(name, w)
	if len(defined) != 1 {
		return false
	}
	for _, states := range defined {
		first := span(states[0], name)
		for _, s := range states {
			if f := span(s, name); f == nil || first == nil || f.Line != first.Line {
				return false
			}
		}
	}
	return true
}

// callers checks who calls a function: all planted functions that say its name.
func (m *mixed) callers(list func(*relations) []node) func(*relations, string, *reply) []string {
	return func(a *relations, name string, r *reply) []string {
		if a.behind() {
			r = r.older()
		}
		got := map[string][]string{}
		for _, n := range list(a) {
			if n.Depth < 2 {
				got[n.File] = append(got[n.File], fmt.Sprintf("%s:%d %v", n.Symbol, n.Line, n.Sites))
			}
		}
		return model.Judge(m.tree.Planted("", r.window), got, func(_ string, s model.State) (items []string) {
			for _, f := range s.Spans() {
				if i := slices.Index(f.Calls, name); i >= 0 {
					items = append(items, fmt.Sprintf("%s:%d %v", f.Name, f.Line, f.Sites[i:i+1]))
				}
			}
			return items
		}, m.settled(name, r.window) && !a.behind() && !a.Truncated)
	}
}

// callees checks whom a function calls: what stands in it, of that what is defined.
func (m *mixed) callees(list func(*relations) []node) func(*relations, string, *reply) []string {
	return func(a *relations, name string, r *reply) []string {
		if a.behind() {
			r = r.older()
		}
		var wrong, got []string
		for _, n := range list(a) {
			got = append(got, n.Symbol)
			states := m.tree.States(n.File, r.window)
			if !slices.ContainsFunc(states, func(s model.State) bool { f := span(s, n.Symbol); return f != nil && f.Line == n.Line }) {
				wrong = append(wrong, fmt.Sprintf("%s is not defined in %s:%d", n.Symbol, n.File, n.Line))
			}
		}
		slices.Sort(got)
		got = slices.Compact(got)
		var could [][]string
		for _, states := range m.definitions(name, r.window) {
			for _, s := range states {
				if f := span(s, name); f != nil {
					could = append(could, f.Calls)
				}
			}
		}
		for _, calls := range could {
			has := !slices.ContainsFunc(got, func(callee string) bool { return !slices.Contains(calls, callee) })
			for _, callee := range calls {
				// Of a callee that comes, goes or moves nothing is certain.
				has = has && (slices.Contains(got, callee) || a.behind() || !m.settled(callee, r.window) || !m.settled(name, r.window))
			}
			if has {
				return wrong
			}
		}
		return append(wrong, fmt.Sprintf("%s calls %q, not one of %q", name, got, could))
	}
}

func (m *mixed) impact(r *rand.Rand) question {
	return m.about(r, "/impact", m.callers(func(a *relations) []node { return a.Callers }))
}

func (m *mixed) calls(r *rand.Rand) question {
	return m.about(r, "/calls", m.callees(func(a *relations) (all []node) {
		for _, e := range a.Edges {
			all = append(all, e.To)
		}
		return all
	}))
}

func (m *mixed) context(r *rand.Rand) question {
	return m.about(r, "/context", m.callees(func(a *relations) []node { return a.Functions }))
}

func (m *mixed) trace(r *rand.Rand) question {
	if r.IntN(2) == 0 {
		return m.about(r, "/trace", m.callers(func(a *relations) []node { return a.Callers }))
	}
	return m.about(r, "/trace", m.callees(func(a *relations) []node { return a.Callees }))
}

func (m *mixed) extract(r *rand.Rand) question { return m.about(r, "/extract", nil) }

// structure lists the symbols of a planted folder.
func (m *mixed) structure(r *rand.Rand) question {
	folder := m.drawFolder(r)
	q := fetch("structure", "/structure", map[string]string{"path": folder}, func(r *reply) []string {
		if r.code == http.StatusNotFound {
			return m.mayBeGone(folder, r)
		}
		var a struct {
			Files []struct {
				File    string
				Symbols []struct {
					Name string
					Line int
					End  int `json:"end_line"`
				}
			}
			Truncated bool
		}
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		got := map[string][]string{}
		for _, f := range a.Files {
			for _, s := range f.Symbols {
				got[f.File] = append(got[f.File], fmt.Sprintf("%s %d-%d", s.Name, s.Line, s.End))
			}
		}
		return model.Judge(m.tree.Planted(folder, r.window), got, func(_ string, s model.State) (items []string) {
			for _, f := range s.Spans() {
				items = append(items, fmt.Sprintf("%s %d-%d", f.Name, f.Line, f.End))
			}
			return items
		}, !a.Truncated)
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

// ofFile is a question about a planted file, whose answer is that of one of its states.
func (m *mixed) ofFile(r *rand.Rand, name string, fields map[string]any, right func(file string, s model.State, r *reply) bool) question {
	file := m.drawFile(r)
	fields["path"] = file
	q := post(name, "/"+strings.Fields(name)[0], fields, func(r *reply) []string {
		w := r.window
		if strings.HasPrefix(name, "cat") { // it reads the disk
			w.From = r.sent
		}
		states := m.tree.States(file, w)
		unindexed := bytes.Contains(r.body, []byte(`"unindexed":true`)) // it is there, and not looked at yet
		if slices.ContainsFunc(states, func(s model.State) bool {
			if unindexed || s.Gone {
				return s.Gone && (unindexed || r.code == http.StatusNotFound)
			}
			return right(file, s, r)
		}) {
			return nil
		}
		wrong := []string{file + ": the answer is that of none of its states:"}
		for _, s := range states {
			wrong = append(wrong, fmt.Sprintf("gone %v: %q", s.Gone, s.Text))
		}
		return wrong
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

func (m *mixed) skeleton(r *rand.Rand) question {
	return m.ofFile(r, "skeleton", map[string]any{}, func(_ string, s model.State, r *reply) bool {
		var a struct{ Files []struct{ Skeleton string } }
		if json.Unmarshal(r.body, &a) != nil || len(a.Files) > 1 {
			return false
		}
		if len(a.Files) == 0 || s.Source == nil {
			return s.Text == ""
		}
		// Every line of the skeleton but those of bodies stands in the file, and every head
		// of a function and its comment in the skeleton.
		for _, f := range s.Source.Funcs {
			if !strings.Contains(a.Files[0].Skeleton, f.Name+" "+f.Doc) || strings.Contains(a.Files[0].Skeleton, fmt.Sprint("return n + ", f.Mark)) {
				return false
			}
		}
		return strings.Count(a.Files[0].Skeleton, "(n") == len(s.Source.Funcs)
	})
}

func (m *mixed) imports(r *rand.Rand) question {
	return m.ofFile(r, "imports", map[string]any{}, func(_ string, s model.State, r *reply) bool {
		var a struct {
			Files []struct{ Imports []struct{ Path string } }
		}
		if json.Unmarshal(r.body, &a) != nil || len(a.Files) > 1 {
			return false
		}
		if len(a.Files) == 0 || s.Source == nil {
			return s.Text == ""
		}
		var got []string
		for _, i := range a.Files[0].Imports {
			got = append(got, i.Path)
		}
		return slices.Equal(got, s.Source.Imports)
	})
}

func (m *mixed) cat(r *rand.Rand) question {
	return m.ofFile(r, "cat", map[string]any{"raw": true}, func(_ string, s model.State, r *reply) bool {
		return r.code == http.StatusOK && string(r.body) == s.Text
	})
}

// catPart shows some lines.
func (m *mixed) catPart(r *rand.Rand) question {
	from := 1 + r.IntN(20)
	return m.ofFile(r, "cat lines", map[string]any{"start": from, "end": from + 9, "limit": 10}, func(file string, s model.State, r *reply) bool {
		var a struct {
			File, Content string
			Start         int
			Meta          struct{ Lines int }
		}
		lines := model.Lines(s.Text)
		if len(lines) < from {
			return r.code == http.StatusNotFound
		}
		want := strings.Join(lines[from-1:min(from+9, len(lines))], "\n") + "\n"
		return json.Unmarshal(r.body, &a) == nil && a.File == file && a.Meta.Lines == len(lines) && a.Content == want
	})
}

// plantedWords are words that only the model makes: without vowels.
var plantedWords = regexp.MustCompile(`\b[b-df-hj-np-tv-z]{12,}\b`)

func (m *mixed) summarize(r *rand.Rand) question {
	return m.ofFile(r, "summarize", map[string]any{}, func(file string, s model.State, r *reply) bool {
		var a struct {
			Summary string
			Files   []string
		}
		if json.Unmarshal(r.body, &a) != nil || !slices.Equal(a.Files, []string{file}) {
			return false
		}
		// A line names the functions that count most, and no word that the file does not have.
		for _, word := range plantedWords.FindAllString(a.Summary, -1) {
			if !strings.Contains(s.Text, word) && !strings.Contains(file, word) {
				return false
			}
		}
		return s.Source == nil || slices.ContainsFunc(s.Source.Funcs, func(f model.Func) bool { return strings.Contains(a.Summary, f.Name) })
	})
}

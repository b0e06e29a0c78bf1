package mixed

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/model"
)

// related asks for what is like a planted function. What of it has been edited away is
// not found.
func (m *mixed) related(r *rand.Rand) question {
	name, file := m.drawFunc(r)
	line := 1
	paths, states := m.tree.Now()
	if i := slices.Index(paths, file); i >= 0 {
		if f := span(states[i], name); f != nil {
			line = f.Line
		}
	}
	searched := m.searched("", "", 10)
	q := post("related", "/related", map[string]any{"file": file, "line": line}, func(r *reply) []string {
		if r.code == http.StatusNotFound {
			possible := m.tree.States(file, r.window)
			if slices.ContainsFunc(possible, func(s model.State) bool { return s.Gone || len(model.Lines(s.Text)) < line }) {
				return nil
			}
			return []string{fmt.Sprintf("%s has a line %d", file, line)}
		}
		return searched(r)
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

// batch asks several things at once.
func (m *mixed) batch(r *rand.Rand) question {
	name, _ := m.drawFunc(r)
	queries := []string{name, m.queries[r.IntN(len(m.queries))], m.queries[r.IntN(len(m.queries))]}
	return post("search batch", "/search", map[string]any{"queries": queries, "mode": "lexical", "limit": 50}, func(r *reply) []string {
		var a struct {
			Answers []struct {
				Query string
				list
			}
		}
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		if len(a.Answers) != len(queries) {
			return []string{fmt.Sprintf("%d answers to %d queries", len(a.Answers), len(queries))}
		}
		var wrong []string
		for i, one := range a.Answers {
			planted := ""
			if i == 0 {
				planted = name
			}
			if one.Query != queries[i] {
				wrong = append(wrong, "the answers have another order")
			}
			wrong = append(wrong, m.results(r, one.list, planted, "", 50)...)
		}
		return wrong
	})
}

// overlay asks with a buffer that nobody saved. The buffer must be found, and no other
// answer has it: the model knows no such text.
func (m *mixed) overlay(r *rand.Rand) question {
	s := &model.Source{Lang: "go"}
	for range 3 {
		s.Funcs = append(s.Funcs, model.Func{Name: model.Word(r), Doc: "is not saved"})
	}
	text, spans := s.Render()
	file := plantedDir + "/unsaved.go"
	if r.IntN(2) == 0 {
		file = m.drawFile(r)
		if !strings.HasSuffix(file, ".go") {
			file = plantedDir + "/unsaved.go"
		}
	}
	name := spans[1].Name
	searched := m.searched("", file, 20)
	return post("search overlay", "/search", map[string]any{
		"query": name, "mode": "lexical", "limit": 20, "overlay": []map[string]string{{"path": file, "content": text}},
	}, func(r *reply) []string {
		wrong := searched(r)
		var a list
		_ = json.Unmarshal(r.body, &a) // searched has complained
		if !slices.ContainsFunc(a.Results, func(h hit) bool {
			excerpt, _ := model.Excerpt(text, h.Line, h.End)
			return h.File == file && h.Line <= spans[1].Line && spans[1].Line <= h.End && h.Content == excerpt
		}) {
			wrong = append(wrong, "the overlay is not found")
		}
		return wrong
	})
}

// A remembered answer has a tag by which it is asked for again.
type remembered struct {
	tag, path string
	body      []byte
}

// tagged asks by URL for what was answered before, if it has changed. An answer that it
// has not makes the old one an answer to the new question.
func (m *mixed) tagged(r *rand.Rand) question {
	m.mu.Lock()
	last := m.tag
	m.mu.Unlock()
	searched := m.searched("", "", 5)
	keep := func(path string) func(*reply) []string {
		return func(r *reply) []string {
			if r.header.Get("Etag") == "" {
				return []string{"there is no ETag"}
			}
			m.mu.Lock()
			m.tag = &remembered{r.header.Get("Etag"), path, r.body}
			m.mu.Unlock()
			return searched(r)
		}
	}
	if last == nil || r.IntN(4) == 0 {
		name, _ := m.drawFunc(r)
		q := fetch("search tagged", "/search", map[string]string{"query": name, "mode": "lexical", "limit": "5"}, nil)
		q.check = keep(q.path)
		return q
	}
	return question{
		name: "search tagged", method: http.MethodGet, path: last.path, header: map[string]string{"If-None-Match": last.tag},
		codes: []int{http.StatusOK, http.StatusNotModified},
		check: func(r *reply) []string {
			if r.code == http.StatusOK {
				return keep(last.path)(r)
			}
			if len(r.body) > 0 || r.header.Get("Etag") != last.tag {
				return []string{"a 304 with a body or another tag"}
			}
			again := *r
			again.code, again.body = http.StatusOK, last.body
			return searched(&again)
		},
	}
}

// maxHandles bounds how many handles are remembered.
const maxHandles = 32

// keepHandle remembers what gives the rest of an answer to a grep.
func (m *mixed) keepHandle(handle, pattern string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.handles) >= maxHandles {
		m.handles = m.handles[1:]
	}
	m.handles = append(m.handles, [2]string{handle, pattern})
}

// handle asks for the rest of a grep, or lists the handles.
func (m *mixed) handle(r *rand.Rand) question {
	m.mu.Lock()
	kept := slices.Clone(m.handles)
	m.mu.Unlock()
	if len(kept) == 0 || r.IntN(4) == 0 {
		return fetch("handles", "/handles", nil, nil)
	}
	one := kept[r.IntN(len(kept))]
	q := fetch("handles chunk", "/handles/"+one[0], nil, func(r *reply) []string {
		if r.code == http.StatusNotFound {
			m.mu.Lock()
			defer m.mu.Unlock()
			if slices.Contains(m.handles, one) { // the server keeps more of them
				return []string{"the handle is gone"}
			}
			return nil
		}
		var a struct{ Matches []hit }
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		var wrong []string
		states, want := m.lines(one[1], false, r)
		got := map[string][]string{}
		for _, h := range a.Matches {
			if m.tree.Fixed()[h.File] == "" && !m.isUntold(h.File) {
				// It is as old as its handle.
				if !model.Below(h.File, plantedDir) {
					wrong = append(wrong, "there never was a file "+h.File)
				}
				continue
			}
			if !m.isUntold(h.File) {
				got[h.File] = append(got[h.File], clipped(h.Line, h.Content))
			}
		}
		for file := range states {
			if m.tree.Fixed()[file] == "" {
				delete(states, file)
			}
		}
		return append(wrong, model.Judge(states, got, want, false)...)
	})
	q.codes = []int{http.StatusOK, http.StatusNotFound}
	return q
}

// startup asks for the overview of the tree.
func (m *mixed) startup(*rand.Rand) question {
	return fetch("startup", "/startup", nil, func(r *reply) []string {
		var a struct {
			Text      string
			Structure struct{ Files int }
		}
		if err := json.Unmarshal(r.body, &a); err != nil {
			return []string{err.Error()}
		}
		low, high := model.Count(m.tree.Planted("", r.window), func(_ string, s model.State) []string {
			if s.Gone {
				return nil
			}
			return []string{""}
		})
		// A file that is empty for a moment may count or not, as may those of which the model
		// knows nothing.
		if n := a.Structure.Files - m.indexed; n < low-1 || n > high+len(m.untold)+m.hostile() || a.Text == "" {
			return []string{fmt.Sprintf("%d files besides the %d that never change, not %d to %d", n, m.indexed, low, high)}
		}
		return nil
	})
}

// state asks the server about itself.
func (m *mixed) state(r *rand.Rand) question {
	path := []string{"/health", "/ready", "/status?skipped=0", "/version", "/projects", "/metrics", "/openapi.yaml"}[r.IntN(7)]
	q := fetch(strings.TrimPrefix(strings.TrimSuffix(path, "?skipped=0"), "/"), path, nil, nil)
	if path == "/ready" {
		q.codes = []int{http.StatusOK, http.StatusServiceUnavailable}
	}
	return q
}

// refusals are requests that are wrong, with the status that they must get.
func refusals() []question {
	long := strings.Repeat("x", 9000)
	bad := func(code int, method, path, body string) question {
		return question{name: "refused", method: method, path: path, body: []byte(body), codes: []int{code}}
	}
	return []question{
		bad(400, "POST", "/search", `{"query":""}`),
		bad(400, "POST", "/search", `{"query":`),
		bad(400, "POST", "/search", `[]`),
		bad(400, "POST", "/search", `{"query":"x","limit":-1}`),
		bad(400, "POST", "/search", `{"query":"x","mode":"psychic"}`),
		bad(400, "POST", "/search", `{"query":"a(b","mode":"regex"}`),
		bad(400, "POST", "/search", `{"query":"`+long+`"}`),
		bad(400, "POST", "/search", `{"query":"x","path":"../x"}`),
		bad(400, "GET", "/search?limit=3", ""),
		bad(400, "POST", "/grep", `{"pattern":"["}`),
		bad(400, "POST", "/cat", `{"path":"../../etc/passwd"}`),
		bad(400, "POST", "/cat", `{"path":"/etc/passwd"}`),
		bad(404, "POST", "/cat", `{"path":"no/such/file"}`),
		bad(404, "POST", "/calls", `{"target":"nosuchnameanywhere"}`),
		bad(404, "GET", "/nothing", ""),
		bad(404, "GET", "/handles/res_000000000000", ""),
		bad(405, "PUT", "/search", `{"query":"x"}`),
		bad(409, "POST", "/search", `{"query":"x","project":"another"}`),
		bad(413, "POST", "/search", `{"query":"`+strings.Repeat(long, 130)+`"}`),
	}
}

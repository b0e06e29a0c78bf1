package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/index"
)

// Several are gateways that share some repositories.
type several struct {
	*rig
	urls     []string
	nodes    []*httptest.Server
	handlers []atomic.Pointer[http.Handler] // of the nodes
	peers    []*Peers
	gateways []*Gateway
}

func newSeveral(t *testing.T, n int) *several {
	t.Helper()
	s := &several{rig: newRig(t), handlers: make([]atomic.Pointer[http.Handler], n)}
	for i := range n {
		node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := s.handlers[i].Load(); h != nil {
				(*h).ServeHTTP(w, r)
			}
		}))
		t.Cleanup(node.Close)
		s.nodes, s.urls = append(s.nodes, node), append(s.urls, node.URL)
	}
	for i := range n {
		p, err := NewPeers(s.urls, slog.New(slog.DiscardHandler), NewMeters())
		if err != nil {
			t.Fatal(err)
		}
		s.peers = append(s.peers, p)
		g := s.gateway(p)
		s.gateways = append(s.gateways, g)
		a, err := api.New(api.Options{Projects: g, Others: g, Apart: true, Around: g.opt.Peers.Around})
		if err != nil {
			t.Fatal(err)
		}
		h := a.Handler()
		s.handlers[i].Store(&h)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s.eventually(func() error {
		for _, p := range s.peers {
			if len(p.others()) != n-1 {
				return errors.New("the gateways do not know each other")
			}
		}
		return nil
	})
	return s
}

// ask puts a search to a server.
func (r *rig) ask(url, body string) (status int, header http.Header, text string) {
	r.Helper()
	return post(r.T, url+"/search", "", body)
}

// post puts a question to a server, with a token if there is one.
func post(t *testing.T, url, token, body string) (status int, header http.Header, text string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		q.Header.Set("Authorization", "Bearer "+token)
	}
	q.Header.Set("X-Request-Id", "same")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, a.Header, string(b)
}

// Flock are repositories of which each has words of its own, and some that all have.
func flock() map[string]map[string]string {
	all := map[string]map[string]string{}
	for i, bird := range []string{"crane", "finch", "heron", "robin", "wren"} {
		files := birds(bird)
		files["nest.go"] = fmt.Sprintf("package %s\n\n// Nest builds a nest of %d twigs, and fails where there are none.\nfunc Nest(twigs int) error { return nil }\n%s", bird, i, strings.Repeat("\n// twigs are wood\n", i))
		files["flock.go"] = "package " + bird + "\n\n// Flock has many birds, all the same everywhere.\ntype Flock struct{ birds int }\n"
		all["example.com/team/"+bird] = files
	}
	return all
}

// serveAll returns one server with all repositories.
func (r *rig) serveAll(all map[string]map[string]string) string {
	r.Helper()
	h := host.New(host.Options{Open: func(_ context.Context, root string) (*index.Index, error) {
		x, err := index.Open(root, index.Options{Workers: 1})
		if err == nil {
			_, err = x.Build(r.Context(), nil)
		}
		return x, err
	}})
	r.Cleanup(func() { h.Close() })
	names := []string{}
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		root := filepath.Join(r.TempDir(), filepath.Base(name))
		if err := os.Mkdir(root, 0o700); err != nil {
			r.Fatal(err)
		}
		for file, text := range all[name] {
			if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
				r.Fatal(err)
			}
		}
		if err := h.Take(root, name, "", nil); err != nil {
			r.Fatal(err)
		}
	}
	s, err := api.New(api.Options{Projects: h})
	if err != nil {
		r.Fatal(err)
	}
	one := httptest.NewServer(s.Handler())
	r.Cleanup(one.Close)
	return one.URL
}

// comparable is an answer without what says where and how current an index is.
func (r *rig) comparable(status int, text string) any {
	r.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return []any{status, text}
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"root", "generation", "freshness"} {
				delete(v, name)
			}
			for _, one := range v {
				strip(one)
			}
		case []any:
			for _, one := range v {
				strip(one)
			}
		}
	}
	strip(v)
	return []any{status, v}
}

// acrossQuestions are what is asked about several repositories, by endpoint.
var acrossQuestions = map[string][]string{
	"/search": {
		`"query": "builds a nest of twigs"`, `"query": "flock", "mode": "symbol"`, `"query": "Flock|Nest", "mode": "regex", "limit": 7`, `"query": "sings", "mode": "lexical", "limit": 3`,
		`"queries": ["heron helper", "many birds"], "per_file": 2`, `"query": "twigs wood", "max_tokens": 60`, `"query": "twigs wood", "explain": "short"`, `"query": "twigs wood", "explain": true, "limit": 2`,
		`"query": "twigs", "mode": "regex", "max_tokens": 40`, `"query": "nest", "path": "heron.go"`, `"query": "nest", "path": "nowhere.go"`, `"query": "(", "mode": "regex"`,
		`"query": "nest", "session_id": "a-session"`, `"query": "nest", "session_id": "a-session", "max_tokens": 300`, `"query": "nest", "min_score": 0.4`, `"query": "nest", "lang": "markdown"`,
	},
	"/grep": {
		`"pattern": "Nest|Flock"`, `"pattern": "birds"`, `"pattern": "is one of many"`, `"pattern": "is one of many", "limit": 3`, `"pattern": "heron"`, `"pattern": "heron", "limit": 1`, `"pattern": "nothing has this"`,
		`"pattern": "NEST", "ignore_case": true, "glob": ["*.md", "nest.go"]`, `"pattern": "package", "path": "heron.go"`, `"pattern": "package", "path": "nowhere.go"`, `"pattern": "package", "paths": ["nest.go", "heron.go"]`,
		`"pattern": "("`, `"pattern": "twigs", "format": "text"`, `"pattern": "twigs", "format": "te"`,
	},
}

// compare asks gateways and one server the same about several repositories.
func (s *several) compare(one, path, question string) {
	s.Helper()
	for i, projects := range []string{`, "projects": "*"`, `, "projects": ["example.com/*/*n", "example.com/team/finch", "**/finch"]`, ""} {
		status, _, text := post(s.T, one+path, "", "{"+question+strings.Replace(cmp.Or(projects, `, "projects": "*"`), "**/finch", "*/team/finch", 1)+"}")
		want := s.comparable(status, text)
		url := s.urls[i%2]
		if strings.Contains(question, "session_id") {
			url = s.urls[0] // sessions are of a gateway
		}
		status, _, text = post(s.T, url+path, "", "{"+question+projects+"}")
		if diff := gocmp.Diff(want, s.comparable(status, text)); diff != "" {
			s.Errorf("%s %s%s (-one server +gateways):\n%s", path, question, projects, diff)
		}
	}
}

// TestAcross asks several gateways about all repositories, and one server that has them all.
func TestAcross(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 2)
	all := flock()
	for name, files := range all {
		s.putFiles(name, "c1", files)
	}
	one := s.serveAll(all)
	s.eventually(func() error {
		for _, url := range s.urls {
			if _, _, text := s.ask(url, `{"query": "nest", "projects": "*"}`); strings.Count(text, `"index":`) != 6 {
				return errors.New(text)
			}
		}
		return nil
	})
	for _, path := range []string{"/search", "/grep"} {
		for _, question := range acrossQuestions[path] {
			s.compare(one, path, question)
		}
	}

	// Wherever the only one that is asked is, it has no such path.
	for _, url := range s.urls {
		for _, name := range []string{"finch", "heron", "wren", "robin", "crane"} {
			if status, _, text := s.ask(url, `{"query": "nest", "path": "nowhere.go", "projects": ["example.com/team/`+name+`"]}`); status != http.StatusNotFound || !strings.Contains(text, "does not exist") {
				t.Errorf("no such path in %s: %d %s", name, status, text)
			}
		}
	}

	s.limited()

	// What is not indexed is named, and where there is nothing else, that is all.
	const waits = "example.com/team/waits"
	if err := s.c.Add(t.Context(), waits, "https://"+waits, ""); err != nil {
		t.Fatal(err)
	}
	s.eventually(func() error {
		if _, _, text := s.ask(s.urls[0], `{"query": "nest", "projects": "*"}`); !strings.Contains(text, `"unasked":{"total":1,"projects":[{"project":"`+waits+`","reason":"not_indexed"}]}`) || !strings.Contains(text, `"truncated_by":["projects"]`) {
			return errors.New(text)
		}
		return nil
	})
	for _, bad := range []struct {
		fields string
		status int
		want   string
	}{
		{`"projects": "` + waits + `"`, http.StatusServiceUnavailable, "not_indexed: 1"},
		{`"projects": "example.com/team/w[*"`, http.StatusBadRequest, wire.CodeInvalidRequest},
		{`"projects": ["example.com/none/*", "*"]`, http.StatusNotFound, `no repository that the pattern`},
		{`"projects": ["example.com/team/wern"]`, http.StatusNotFound, "near to that are example.com/team/wren"},
		{`"projects": "*", "project": "example.com/team/wren"`, http.StatusBadRequest, "cannot both be given"},
		{`"projects": "*", "overlay": [{"path": "a.go", "content": ""}]`, http.StatusBadRequest, "one project"},
		{`"projects": "*", "format": "te"`, http.StatusBadRequest, "one project"},
		{`"projects": "*", "strict": true, "format": "none"`, http.StatusBadRequest, "format"},
		{`"projects": "*", "rerank": true`, http.StatusUnprocessableEntity, wire.CodeNoReranker},
	} {
		status, header, text := s.ask(s.urls[1], `{"query": "nest", `+bad.fields+"}")
		if status != bad.status || !strings.Contains(text, bad.want) || (status == http.StatusServiceUnavailable) != (header.Get("Retry-After") != "") {
			t.Errorf("%s: %d %v %s, want %d with %s", bad.fields, status, header, text, bad.status, bad.want)
		}
	}

	// A gateway that ends is passed over, also by the question that finds that out.
	_, _, before := s.ask(s.urls[1], `{"query": "nest", "projects": "example.com/team/*"}`)
	s.nodes[0].Close()
	if status, _, text := s.ask(s.urls[1], `{"query": "nest", "projects": "example.com/team/*"}`); gocmp.Diff(s.comparable(200, before), s.comparable(status, text)) != "" {
		t.Errorf("without a gateway: %d %s, before %s", status, text, before)
	}

	s.c.Close() // names say which repositories are asked
	if got, err := s.g.Choose(t.Context(), []string{"*"}, []string{"a wren"}); err != nil || !slices.Contains(got.Names, "example.com/team/wren") || len(got.Names) != 2 {
		t.Errorf("without the catalogue: %v, %v", got, err)
	}
}

// limited has more repositories than are asked.
func (s *several) limited() {
	s.Helper()
	if err := s.g.Refresh(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.g.opt.Across = 2
	for _, c := range []struct {
		selectors []string
		words     string
		names     []string // asked
		unasked   int
	}{
		{[]string{"*"}, "heron helper", []string{"example.com/team/heron"}, 3},
		{[]string{"example.com/team/*"}, "all robins", []string{"example.com/team/robin"}, 3},
		{[]string{"example.com/team/finch", "*"}, "the crane sings", []string{"example.com/team/crane", "example.com/team/finch"}, 3},
		{[]string{"example.com/team/finch", "example.com/team/robin", "example.com/team/wren"}, "the crane sings", []string{"example.com/team/finch", "example.com/team/robin", "example.com/team/wren"}, 0},
	} {
		got, err := s.g.Choose(s.Context(), c.selectors, []string{c.words})
		if err != nil {
			s.Fatal(err)
		}
		for _, name := range c.names {
			if !slices.Contains(got.Names, name) {
				s.Errorf("%q of %q: %q are asked, not %s", c.words, c.selectors, got.Names, name)
			}
		}
		if len(got.Names) != max(2, len(c.names)) || len(got.Unasked) != c.unasked {
			s.Errorf("%q of %q: %q are asked, not %v", c.words, c.selectors, got.Names, got.Unasked)
		}
		for _, u := range got.Unasked {
			if u.Reason != wire.UnaskedLimit {
				s.Errorf("%q of %q: %v", c.words, c.selectors, u)
			}
		}
	}
}

func TestRank(t *testing.T) {
	words := index.Words("where is a token parsed")
	token, parsed := words[0], words[1]
	has := func(name string, word uint64, chunks int) catalogue.Word {
		return catalogue.Word{Repository: name, Word: word, Chunks: chunks}
	}
	for _, c := range []struct {
		about string
		all   []routed
		have  []catalogue.Word
		want  string
	}{
		{"what has more of the words is first", []routed{{name: "a"}, {name: "b"}, {name: "c"}}, []catalogue.Word{has("b", token, 9), has("c", token, 9), has("c", parsed, 9)}, "c b a"},
		{"a word that all have says nothing", []routed{{name: "a"}, {name: "b"}}, []catalogue.Word{has("a", parsed, 99), has("b", parsed, 9), has("b", token, 9)}, "b a"},
		{"much of little is more than much of much", []routed{{name: "a", chunks: 9000}, {name: "b", chunks: 90}, {name: "c"}}, []catalogue.Word{has("a", token, 50), has("b", token, 50)}, "b a c"},
		{"a name counts, its host does not", []routed{{name: "token/a"}, {name: "host/token"}, {name: "host/b"}}, nil, "host/token host/b token/a"},
		{"of equal ones the one that is asked more is first", []routed{{name: "a"}, {name: "b", used: 9}}, nil, "b a"},
		{"what else the catalogue has does not count", []routed{{name: "a"}, {name: "b"}}, []catalogue.Word{has("b", token, 9), has("x", token, 9)}, "b a"},
	} {
		rank(c.all, words, c.have)
		var got []string
		for _, r := range c.all {
			got = append(got, r.name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.about, got, c.want)
		}
	}
}

// TestUnasked has repositories that cannot be asked.
func TestUnasked(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, 2)
	all := flock()
	ended := make(chan struct{})
	end := sync.OnceFunc(func() { close(ended) })
	t.Cleanup(end) // else the gateways wait for it when the test has failed
	const held, lost = "example.com/team/heron", "example.com/team/wren"
	for i := range s.handlers { // the snapshot of one does not come
		s.hold(i, held, ended)
	}
	for name, files := range all {
		s.putFiles(name, "c1", files)
	}
	if err := os.RemoveAll(filepath.Join(s.place.Folder, filepath.FromSlash(lost))); err != nil {
		t.Fatal(err)
	}
	for path, question := range map[string]string{"/search": `"query": "nest", "mode": "symbol"`, "/grep": `"pattern": "func Nest"`} {
		for _, url := range s.urls {
			s.eventually(func() error { // of a slow machine all are slow
				status, _, text := post(t, url+path, "", `{`+question+`, "timeout_ms": 2000}`)
				if status != http.StatusOK || !strings.Contains(text, `"unasked":{"total":2,`) || strings.Count(text, `"file":"nest.go"`) != 3 ||
					!strings.Contains(text, `{"project":"`+held+`","reason":"slow"}`) || !strings.Contains(text, `{"project":"`+lost+`","reason":"unavailable"}`) {
					return fmt.Errorf("%s: %d %s", path, status, text)
				}
				return nil
			})
		}
	}
	end()

	// A gateway that answers nothing else, and one that cannot.
	for reason, answer := range map[wire.UnaskedReason]http.HandlerFunc{
		wire.UnaskedSlow: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then it is known that whoever asks has gone
			<-r.Context().Done()
		},
		wire.UnaskedUnavailable: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error": "no_memory", "message": "there is none"}`)
		},
	} {
		whole := *s.handlers[1].Load()
		var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				answer(w, r)
				return
			}
			whole.ServeHTTP(w, r)
		})
		s.handlers[1].Store(&h)
		for path, question := range map[string]string{"/search": `"query": "nest"`, "/grep": `"pattern": "Nest"`} {
			s.eventually(func() error {
				_, _, text := post(t, s.urls[0]+path, "", `{`+question+`, "timeout_ms": 1000}`)
				theirs := 0
				for name := range all {
					if name != lost && len(s.peers[0].before(name)) > 0 {
						theirs++
					}
				}
				if theirs == 0 || theirs == len(all)-1 {
					return nil // by chance one of them has all
				}
				if strings.Count(text, fmt.Sprintf(`"reason":%q`, reason)) < theirs || !strings.Contains(text, `"file":"nest.go"`) {
					return fmt.Errorf("%d repositories belong to the other gateway: %s", theirs, text)
				}
				return nil
			})
		}
		s.handlers[1].Store(&whole)
	}
}

// hold keeps the snapshot of a repository from a gateway until a channel is closed.
func (s *several) hold(i int, name string, until <-chan struct{}) {
	g := s.gateways[i]
	g.mu.Lock()
	defer g.mu.Unlock()
	depotOf := g.opt.Depot
	g.opt.Depot = func(of string) (*depot.Depot, error) {
		if of == name {
			<-until
		}
		return depotOf(of)
	}
}

// TestManyElsewhere asks another gateway about more repositories than a request may name.
func TestManyElsewhere(t *testing.T) {
	var asked atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q wire.GrepRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Projects) > project.MaxNamed {
			t.Errorf("%d repositories in a request: %v", len(q.Projects), err)
		}
		asked.Add(int64(len(q.Projects)))
		fmt.Fprint(w, "{}")
	}))
	defer other.Close()
	p, err := NewPeers([]string{other.URL}, slog.New(slog.DiscardHandler), NewMeters())
	if err != nil {
		t.Fatal(err)
	}
	defer p.client.CloseIdleConnections()
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("example.com/team/bird%d", i))
	}
	a := &asking{Peers: p, q: project.QuestionOf("grep",
		func(names []string) any { return &wire.GrepRequest{Pattern: "x", Projects: names} },
		func(*wire.GrepResponse) (*wire.Unasked, error) { return nil, nil })}
	a.ask(t.Context(), names, 1)
	if asked.Load() != 100 || len(a.unasked) > 0 || a.err != nil {
		t.Errorf("%d were asked, %v not, error %v", asked.Load(), a.unasked, a.err)
	}
}

package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/quarry-search/quarry"
	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/cmd/quarry/access"
	"github.com/quarry-search/quarry/cmd/quarry/access/accesstest"
)

// The two users of the test see one repository each. Ann's has canaries; Bob's has the same
// without.
const (
	annsRepository = "example.com/ann/canary"
	bobsRepository = "example.com/bob/sparrow"
	noRepository   = "example.com/bob/nothing"
	nearRepository = "example.com/ann/cannary" // is none
	operatorsToken = "0123456789abcdef"
)

// birds are the files of a repository with a bird in names, contents and symbols.
func birds(bird string) map[string]string {
	title := strings.ToUpper(bird[:1]) + bird[1:]
	many := strings.Repeat("// "+bird+" is one of many\n", 400)
	return map[string]string{
		bird + ".go": fmt.Sprintf("package %s\n\n// %s sings of %s.\nfunc %s(n int) int {\n\treturn %sHelper(n)\n}\n\nfunc %sHelper(n int) int { return n }\n\n%s", bird, title, bird, title, bird, bird, many),
		"README.md":  "# " + title + "\n\nAll about the " + bird + ".\n",
	}
}

// canaryRequests are, for each route, what is asked on it: of a repository $P with the birds
// BIRD and Bird. A route that is not here fails TestCanary.
func canaryRequests() map[string]string {
	return map[string]string{
		"/": "{}", "/search": `{"query": "bird sings"}`, "/related": `{"file": "bird.go", "line": 5}`, "/structure": "{}", "/skeleton": `{"path": "bird.go"}`,
		"/extract": `{"symbol": "Bird"}`, "/imports": "{}", "/arch": "{}", "/calls": "{}", "/impact": `{"target": "Bird"}`, "/dead": `{"confidence": "possible"}`, "/definition": `{"path": "bird.go", "line": 5, "column": 10}`, "/references": `{"target": "Bird"}`,
		"/context": `{"target": "Bird"}`, "/cfg": `{"target": "Bird"}`, "/dfg": `{"target": "Bird"}`, "/diagnostics": "{}", "/slice": `{"target": "bird.go:5"}`, "/flows": `{"source": "func:*", "sink": "word:return"}`,
		"/graph": `{"target": "Bird", "snippets": true}`, "/map": "{}", "/trace": `{"symbol": "Bird"}`, "/startup": "{}", "/summarize": `{"path": "bird.go"}`, "/grep": `{"pattern": "bird"}`, "/cat": `{"path": "bird.go"}`, "/find": "{}",
		"/handles": "{}", "/handles/{id}": "{}", "/health": "{}", "/ready": "{}", "/status": `{"skipped": 100}`, "/events": "{}", "/version": "{}", "/openapi.yaml": "{}", "/metrics": "{}",
		"/coach/report": "{}", "/projects": `{"root": "/$P"}`, "/projects/{name}": "{}", "/invalidate": `{"all": true}`, "/reindex": "{}", "/verify": "{}",
		"/rpc": `{"method": "search", "params": {"query": "bird", "project": "$P"}}`, "/relay": `{"line": "->relay:code search bird"}`,
		"/mcp":   `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "bird", "project": "$P"}}}`,
		"/tools": "{}", "/tools/{name}": `{"query": "bird", "project": "$P"}`,
	}
}

// A canary is a Gateway with two users.
type canary struct {
	*rig
	issuer *accesstest.Issuer
	file   *rights
	routes []string // "METHOD /path", of the document that the router is held to
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{rig: newRig(t), issuer: accesstest.New(t), file: newRights(t)}
	doc, err := openapi3.NewLoader().LoadFromData(quarry.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			c.routes = append(c.routes, method+" "+path)
		}
	}
	slices.Sort(c.routes)
	return c
}

// rights are a file of permissions.
type rights struct {
	*testing.T
	*access.File
	path string
}

// newRights returns one in which each of two groups sees what is its own.
func newRights(t *testing.T) *rights {
	t.Helper()
	r := &rights{T: t, path: filepath.Join(t.TempDir(), "permissions.toml")}
	r.write("example.com/bob/**")
	file, err := access.OpenFile(r.path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r.File = file
	return r
}

// write says what Bob sees.
func (r *rights) write(pattern string) {
	r.Helper()
	text := fmt.Sprintf("operators = [\"ops\"]\n[groups]\nann = [\"example.com/ann/**\"]\nbob = [%q]\n", pattern)
	if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// server returns one over a Gateway that remembers nobody.
func (c *canary) server(g *Gateway, file *rights) http.Handler {
	c.Helper()
	tokens := access.NewTokens(access.Options{Issuer: c.issuer.URL, Audiences: []string{accesstest.Audience}, Client: c.issuer.Client()})
	s, err := api.New(api.Options{
		Projects: g, Others: g, Apart: true, Token: operatorsToken, Pprof: true, Descriptors: api.OpenDescriptors, Memory: g.Memory,
		Identify: (&access.Access{Tokens: tokens, File: file.File}).Identify,
		Around: func(next http.Handler) http.Handler {
			return g.opt.Peers.Around(g.NewHooks([]byte("a secret of hooks"), nil).Around(next))
		},
	})
	if err != nil {
		c.Fatal(err)
	}
	return s.Handler()
}

func (c *canary) token(user string) string { return c.issuer.Token("one", user, []string{user}, nil) }

// An answer is all that a client gets.
type answered struct {
	status int
	header http.Header
	body   string
}

// A brief client goes when it has been told something.
type brief struct {
	*httptest.ResponseRecorder
	leave context.CancelFunc
}

func (b *brief) Write(p []byte) (int, error) {
	defer b.leave()
	return b.ResponseRecorder.Write(p)
}

// ask sends a request about a repository and a bird, with more fields.
func (c *canary) ask(h http.Handler, token, route, repository, bird string, more map[string]any) (what string, a answered) {
	c.Helper()
	method, path, _ := strings.Cut(route, " ")
	text, ok := canaryRequests()[path]
	if !ok {
		c.Fatalf("%s: say in canaryRequests how the canary is to try it", route)
	}
	title := strings.ToUpper(bird[:1]) + bird[1:]
	text = strings.NewReplacer("$P", repository, "Bird", title, "bird", bird).Replace(text)
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		c.Fatal(err)
	}
	if repository != "" && path != "/mcp" {
		fields["project"] = repository
	}
	maps.Copy(fields, more)
	id, _ := more["id"].(string)
	if delete(fields, "id"); path == "/mcp" {
		fields["id"] = 1
	}
	tool := "search"
	if path == "/projects/{name}" {
		tool = url.PathEscape(repository)
	}
	if id == "" {
		id = "res_000000000000"
	}
	target := strings.NewReplacer("{id}", id, "{name}", tool).Replace(path)
	var body string
	if method == http.MethodPost {
		b, err := json.Marshal(fields)
		if err != nil {
			c.Fatal(err)
		}
		body = string(b)
	} else {
		v := url.Values{}
		for name, one := range fields {
			v.Set(name, fmt.Sprint(one))
		}
		target += "?" + v.Encode()
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "same")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	if path == "/events" {
		h.ServeHTTP(&brief{w, cancel}, r)
	} else {
		h.ServeHTTP(w, r)
	}
	return method + " " + target + " " + body, answered{w.Code, w.Header(), w.Body.String()}
}

// unsteady is what of two answers to one question is never the same: times and random names.
var unsteady = regexp.MustCompile(`res_[0-9a-f]{12}|"(took_ms|uptime_s|age_s|seconds|last_used|last_indexed_at|id)": ?("[^"]*"|[0-9.]+)|\b[0-9.]+m?s\b|id: \S+`)

func (a answered) steady() string {
	header := a.header.Clone()
	header.Del("Server-Timing")
	header.Del(headerGateway)
	header.Del("Content-Length") // of the body, in which times have more or fewer digits
	return fmt.Sprint(a.status, header, "\n", unsteady.ReplaceAllString(a.body, "~"))
}

// all asks everything that Bob can ask, and returns the answers.
func (c *canary) all(h http.Handler, handle string) map[string]string {
	c.Helper()
	got := map[string]string{}
	fields := []map[string]any{{}, {"format": "text"}, {"format": "te", "session_id": "session-of-ann", "id": handle}, {"session_id": "session-of-ann", "projects": []string{annsRepository, bobsRepository}}}
	if testing.Short() {
		fields = fields[3:]
	}
	for _, projects := range []any{nil, "*", "example.com/*/*", "example.com/ann/*", "example.com/none/*", []string{"**/*ar*", annsRepository}, []string{"*", noRepository}} {
		for _, more := range []map[string]any{{"query": "sings"}, {"query": "canary sparrow", "max_tokens": 500, "session_id": "session-of-ann"}, {"query": "Helper", "mode": "symbol"}, {"query": "sings of", "mode": "regex", "format": "text"}} {
			if projects != nil {
				more["projects"] = projects
			}
			what, a := c.ask(h, c.token("bob"), "POST /search", "", "sparrow", more)
			what, got[what] = strings.ReplaceAll(what, handle, "HANDLE"), a.steady()
			c.silent(what, a)
		}
	}
	for _, route := range c.routes {
		for _, repository := range []string{"", bobsRepository, annsRepository, noRepository, nearRepository} {
			for _, bird := range []string{"sparrow", "canary"} {
				if (repository == noRepository || repository == nearRepository) && bird == "canary" {
					continue // as much as the same about a sparrow
				}
				for _, more := range fields {
					what, a := c.ask(h, c.token("bob"), route, repository, bird, more)
					what = strings.ReplaceAll(what, handle, "HANDLE")
					got[what] = strings.ReplaceAll(a.steady(), handle, "HANDLE")
					c.silent(what, a)
				}
			}
		}
	}
	return got
}

// silent fails where an answer has a canary that the question did not have.
func (c *canary) silent(what string, a answered) {
	c.Helper()
	said := strings.ToLower(fmt.Sprint(a.header, a.body))
	for _, echo := range []string{annsRepository, url.PathEscape(annsRepository)} {
		said = strings.ReplaceAll(said, strings.ToLower(echo), "")
	}
	if strings.Contains(said, "canary") && !strings.Contains(strings.ReplaceAll(strings.ToLower(what), annsRepository, ""), "canary") {
		c.Errorf("%s: a canary: %d %v %.2000s", what, a.status, a.header, a.body)
	}
}

// TestCanary has Bob ask everything, before there is anything of Ann's and then: whatever she
// has and does, each answer is the same.
func TestCanary(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	c.putFiles(bobsRepository, "c1", birds("sparrow"))
	if err := c.g.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.eventually(func() error { _, _, err := c.symbols(bobsRepository, "Sparrow"); return err })
	first := c.all(c.server(c.g, c.file), "res_ffffffffffff")

	c.putFiles(annsRepository, "c1", birds("canary"))
	if err := c.c.Add(t.Context(), "example.com/ann/waits-for-canary", "https://example.com/ann/waits-for-canary", ""); err != nil {
		t.Fatal(err)
	}
	if err := c.g.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := c.server(c.g, c.file)
	handle, sings := "", 0
	for _, route := range c.routes { // what Ann does, and that the canaries are there for her
		for _, more := range []map[string]any{{}, {"session_id": "session-of-ann"}} {
			what, a := c.ask(h, c.token("ann"), route, annsRepository, "canary", more)
			if a.status == http.StatusOK && strings.Contains(strings.ReplaceAll(a.body, annsRepository, ""), "canary") {
				sings++
			}
			if strings.Contains(strings.ReplaceAll(a.body, bobsRepository, ""), "sparrow") {
				t.Errorf("%s: Ann sees what is Bob's: %.1000s", what, a.body)
			}
			if id := regexp.MustCompile(`res_[0-9a-f]{12}`).FindString(a.body); id != "" && a.status == http.StatusOK {
				handle = id
			}
		}
	}
	if sings < 40 || handle == "" {
		t.Errorf("Ann has %d answers with a canary, and the handle %q: the test tries nothing", sings, handle)
	}
	if _, a := c.ask(h, c.token("ann"), "GET /handles/{id}", annsRepository, "canary", map[string]any{"id": handle}); a.status != http.StatusOK {
		t.Errorf("her own handle: %d %s", a.status, a.body)
	}
	then := c.all(h, handle)
	differ := 0
	for what, a := range first {
		if then[what] != a {
			if differ++; differ < 20 {
				t.Errorf("%s\nbefore there was anything of Ann's: %.3000s\nthen: %.3000s", what, a, then[what])
			}
		}
	}
	t.Logf("%d routes, %d questions, %d answers that differ", len(c.routes), len(first), differ)
	if len(first) != len(then) || len(first) < 500 {
		t.Errorf("%d and %d questions", len(first), len(then))
	}
	for _, path := range []string{"/metrics", "/coach/report", "/debug/pprof/heap"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.RemoteAddr = "127.0.0.1:1"
		for token, want := range map[string]int{c.token("bob"): http.StatusForbidden, operatorsToken: http.StatusOK, c.token("ops"): http.StatusOK, "": http.StatusUnauthorized} {
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s: %d, want %d", path, w.Code, want)
			}
			if path == "/metrics" && strings.Contains(w.Body.String(), "canary") {
				t.Error("a repository is named in a metric")
			}
		}
	}
	for _, token := range []string{operatorsToken, c.token("ops")} {
		if _, a := c.ask(h, token, "GET /projects", "", "canary", nil); !strings.Contains(a.body, annsRepository) || !strings.Contains(a.body, bobsRepository) {
			t.Errorf("an operator sees %s", a.body)
		}
	}
	for _, token := range []string{"", "x", c.issuer.Token("one", "bob", []string{"bob"}, map[string]any{"aud": "x"})} {
		for _, route := range c.routes {
			what, a := c.ask(h, token, route, annsRepository, "canary", nil)
			c.silent(strings.ReplaceAll(what, "canary", ""), a)
		}
	}
}

// TestWithdrawn takes a right away from Bob while it is in use.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	c.putFiles(bobsRepository, "c1", birds("sparrow"))
	c.putFiles("example.com/bob/wren", "c1", birds("wren"))
	if err := c.g.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := c.server(c.g, c.file)
	bob := c.token("bob")
	_, before := c.ask(h, bob, "POST /grep", bobsRepository, "sparrow", nil)
	handle := regexp.MustCompile(`res_[0-9a-f]{12}`).FindString(before.body)
	if before.status != http.StatusOK || handle == "" {
		t.Fatalf("%d %s", before.status, before.body)
	}
	c.file.write("example.com/bob/wren")
	if err := c.file.Reload(); err != nil {
		t.Fatal(err)
	}
	_, none := c.ask(h, bob, "POST /grep", "example.com/bob/nothing", "sparrow", nil)
	_, after := c.ask(h, bob, "POST /grep", bobsRepository, "sparrow", nil)
	if after.status != http.StatusNotFound || strings.ReplaceAll(after.steady(), bobsRepository, "X") != strings.ReplaceAll(none.steady(), "example.com/bob/nothing", "X") {
		t.Errorf("%s, where there is none %s", after.steady(), none.steady())
	}
	if _, a := c.ask(h, bob, "GET /handles/{id}", "", "sparrow", map[string]any{"id": handle}); a.status != http.StatusNotFound {
		t.Errorf("the handle: %d %s", a.status, a.body)
	}
	if _, a := c.ask(h, bob, "GET /projects", "", "wren", nil); strings.Contains(a.body, bobsRepository) || !strings.Contains(a.body, "wren") {
		t.Errorf("the list: %s", a.body)
	}
}

// TestForwardedRights has a gateway hand a request on to one whose permissions are others: each
// asks its own.
func TestForwardedRights(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	var urls []string
	var handlers [2]atomic.Pointer[http.Handler]
	for i := range handlers {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := handlers[i].Load(); h != nil {
				(*h).ServeHTTP(w, r)
			}
		}))
		t.Cleanup(s.Close)
		urls = append(urls, s.URL)
	}
	var peers [2]*Peers
	var files [2]*rights
	for i := range handlers {
		p, err := NewPeers(urls, slog.New(slog.DiscardHandler), NewMeters())
		if err != nil {
			t.Fatal(err)
		}
		peers[i], files[i] = p, newRights(t)
		h := c.server(c.gateway(p), files[i])
		handlers[i].Store(&h)
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	files[0].write("example.com/**")
	if err := files[0].Reload(); err != nil {
		t.Fatal(err)
	}
	name := ""
	for n := 0; name == "" || peers[0].order(name)[0].url.String() != urls[1]; n++ {
		name = fmt.Sprint("example.com/ann/canary", n)
	}
	c.putFiles(name, "c1", birds("canary"))
	c.eventually(func() error {
		if len(peers[0].others()) != 1 || len(peers[1].others()) != 1 {
			return errors.New("the gateways do not know each other")
		}
		return nil
	})
	about := "project"
	ask := func(user string, first int, repository string) string {
		t.Helper()
		status, _, text := post(t, urls[first]+"/search", c.token(user), fmt.Sprintf(`{"query": "sings", %q: %q}`, about, repository))
		return fmt.Sprint(status, " ", text)
	}
	for first := range urls {
		if got := ask("ann", first, name); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "canary.go") {
			t.Errorf("Ann, at gateway %d: %s", first, got)
		}
		got, none := ask("bob", first, name), ask("bob", first, noRepository)
		if !strings.HasPrefix(got, "404 ") || strings.Contains(strings.ReplaceAll(got, name, ""), "canary") || strings.ReplaceAll(got, name, "X") != strings.ReplaceAll(none, noRepository, "X") {
			t.Errorf("Bob, at gateway %d: %s, where there is none %s", first, got, none)
		}
	}
	about = "projects" // of all there are for each at both gateways, and what only one of them gives is not asked
	c.putFiles(bobsRepository, "c1", birds("sparrow"))
	c.eventually(func() error {
		for first := range urls {
			if got := ask("ann", first, "*"); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "canary.go") || strings.Contains(got, "sparrow") {
				return fmt.Errorf("Ann, at gateway %d: %s", first, got)
			}
			if got := ask("bob", first, "*"); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "sparrow.go") || strings.Contains(got, "canary.go") || first == 1 && strings.Contains(got, "canary") {
				return fmt.Errorf("Bob, at gateway %d: %s", first, got)
			}
		}
		return nil
	})
}

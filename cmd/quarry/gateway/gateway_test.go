package gateway

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
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
	"time"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue/cataloguetest"
	"github.com/quarry-search/quarry/cmd/quarry/depot"
	"github.com/quarry-search/quarry/cmd/quarry/host"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A rig is a Gateway with a catalogue and a store.
type rig struct {
	*testing.T
	g     *Gateway
	c     *catalogue.Catalogue
	place depot.Place
}

func newRig(t *testing.T) *rig {
	t.Helper()
	c, err := catalogue.Open(t.Context(), cataloguetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	r := &rig{T: t, c: c, place: depot.Place{Folder: t.TempDir()}}
	r.g = r.gateway(nil)
	return r
}

// gateway runs a Gateway among peers.
func (r *rig) gateway(peers *Peers) *Gateway {
	r.Helper()
	g := New(Options{
		Catalogue: r.c, Depot: r.depot, Folder: filepath.Join(r.TempDir(), "copies"), Poll: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(r.Output(), nil)),
		Open: func(name string) (*index.Index, error) {
			return index.Open(name, index.Options{Workers: 1, Sealed: true})
		},
		Peers: peers,
	}, host.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- g.Run(ctx) }()
	r.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			r.Error(err)
		}
	})
	return g
}

func (r *rig) depot(name string) (*depot.Depot, error) {
	return depot.Open(depot.Options{Place: r.place, Name: name})
}

// put does what a worker does with a commit whose only file has a text.
func (r *rig) put(name, commit, text string) {
	r.Helper()
	r.putFiles(name, commit, map[string]string{"a.go": text})
}

func (r *rig) putFiles(name, commit string, files map[string]string) {
	r.Helper()
	ctx := r.Context()
	root, snap := r.TempDir(), filepath.Join(r.TempDir(), "snap")
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o600); err != nil {
			r.Fatal(err)
		}
	}
	x, err := index.Open(root, index.Options{Workers: 1})
	if err != nil {
		r.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Build(ctx, nil); err != nil {
		r.Fatal(err)
	}
	if err := x.Save(ctx, snap, true); err != nil {
		r.Fatal(err)
	}
	r.upload(name, commit, snap, x.WordCounts(catalogue.MaxWords)...)
}

func (r *rig) upload(name, commit, snap string, words ...index.WordCount) {
	r.Helper()
	ctx := r.Context()
	d, err := r.depot(name)
	if err != nil {
		r.Fatal(err)
	}
	if err := r.c.Add(ctx, name, "https://"+name, ""); err != nil {
		r.Fatal(err)
	}
	row, err := r.c.Begin(ctx, name)
	if err != nil {
		r.Fatal(err)
	}
	var counted []catalogue.Word
	for _, w := range words {
		counted = append(counted, catalogue.Word{Word: w.Word, Chunks: w.Chunks})
	}
	out, err := d.Put(ctx, "main", snap, depot.Snapshot{Commit: commit, Made: time.Now()})
	if err == nil {
		_, err = r.c.Done(ctx, row, catalogue.Result{Commit: commit, Branch: "main", Snapshot: out.SHA256, Bytes: out.Bytes, Files: 1, Words: counted})
	}
	if err != nil {
		r.Fatal(err)
	}
	if _, err := r.c.Pool().Exec(ctx, `update repositories set seen = $2 where name = $1`, name, commit); err != nil {
		r.Fatal(err)
	}
}

// symbols asks a repository for a symbol, and says how current it is.
func (r *rig) symbols(name, symbol string) (found int, freshness string, err error) {
	p, release, err := r.g.Acquire(r.Context(), name)
	if err != nil {
		return 0, "", err
	}
	defer release()
	a, err := p.Index.Search(r.Context(), search.Query{Text: symbol, Mode: search.Symbol})
	return len(a.Results), a.State.Freshness, err
}

// eventually waits until nothing is wrong any more.
func (r *rig) eventually(wrong func() error) {
	r.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := wrong()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			r.Fatal(err)
		}
	}
}

// code is that of an error for a client.
func code(err error) string {
	if p := (*wire.Problem)(nil); errors.As(err, &p) {
		return p.Code
	}
	return fmt.Sprint(err)
}

// TestGateway follows a repository from its first snapshot to its removal, and loses what it
// depends on.
func TestGateway(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const name = "example.com/team/shop"
	if _, _, err := r.symbols("", "One"); code(err) != wire.CodeUnavailable {
		t.Errorf("an empty catalogue: %v", err)
	}
	if _, _, err := r.symbols("../etc", "One"); code(err) != wire.CodeNotFound {
		t.Errorf("no name: %v", err)
	}
	if err := r.c.Add(t.Context(), "example.com/team/new", "https://example.com/team/new", ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.symbols("example.com/team/new", "One"); code(err) != wire.CodeUnavailable || !strings.Contains(err.Error(), "not indexed yet") {
		t.Errorf("not indexed: %v", err)
	}
	r.put(name, "c1", "package a\n\nfunc One() {}\n")
	for range 3 { // at once, as it comes
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if n, _, err := r.symbols(name, "One"); n != 1 || err != nil {
					t.Errorf("%d found, %v", n, err)
				}
			})
		}
		group.Wait()
	}
	if _, _, err := r.symbols("example.com/team/shpo", "One"); code(err) != wire.CodeNotFound || !strings.Contains(err.Error(), name) {
		t.Errorf("a misspelt name: %v", err)
	}
	fresh := func(want string) {
		t.Helper()
		r.eventually(func() error {
			if _, got, err := r.symbols(name, "One"); got != want || err != nil {
				return fmt.Errorf("it is %s, %v, want %s", got, err, want)
			}
			return nil
		})
	}
	fresh(answer.Fresh)

	// A request that has begun ends with what it began with.
	p, release, err := r.g.Acquire(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	r.put(name, "c2", "package a\n\nfunc One() {}\n\nfunc Two() {}\n")
	r.eventually(func() error {
		if n, _, err := r.symbols(name, "Two"); n != 1 || err != nil {
			return fmt.Errorf("%d found, %v", n, err)
		}
		return nil
	})
	if a, err := p.Index.Search(t.Context(), search.Query{Text: "Two", Mode: search.Symbol}); len(a.Results) != 0 || err != nil {
		t.Errorf("%d found in what was replaced, %v", len(a.Results), err)
	}
	release()
	if err := r.c.Seen(t.Context(), name, "c3"); err != nil {
		t.Fatal(err)
	}
	fresh(answer.Dated)

	// A snapshot that cannot be used is made again once, and the one before goes on answering.
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("this is no snapshot"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := func() (n int64) {
		row, err := r.c.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return row.Requests
	}
	before := asked()
	r.upload(name, "c3", bad) // which asks for it, too
	r.eventually(func() error {
		if n := asked(); n != before+2 {
			return fmt.Errorf("asked for %d times, want %d", n, before+2)
		}
		return nil
	})
	if n, _, err := r.symbols(name, "Two"); n != 1 || err != nil {
		t.Errorf("%d found, %v", n, err)
	}
	r.put(name, "c4", "package a\n\nfunc One() {}\n\nfunc Four() {}\n")
	r.eventually(func() error {
		if n, _, err := r.symbols(name, "Four"); n != 1 || err != nil {
			return fmt.Errorf("%d found, %v", n, err)
		}
		return nil
	})

	// Without the database, what is known stays.
	if err := r.c.Remove(t.Context(), "example.com/team/new"); err != nil {
		t.Fatal(err)
	}
	r.eventually(func() error {
		if _, _, err := r.symbols("example.com/team/new", "One"); code(err) != wire.CodeNotFound {
			return fmt.Errorf("removed: %w", err)
		}
		return nil
	})
	r.c.Close()
	fresh(answer.Unknown)
	if _, _, err := r.symbols("example.com/team/other", "One"); code(err) != wire.CodeUnavailable {
		t.Errorf("without the database: %v", err)
	}
}

// TestUnread has the database come after the gateway: until then there is an answer to no question,
// and no list that says that there is nothing.
func TestUnread(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.put("example.com/team/shop", "c1", "package a\n\nfunc One() {}\n")
	dir, err := os.MkdirTemp("", "quarry-pg") // short: its socket's path may have 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	real := r.c.Pool().Config().ConnConfig.Host
	late, err := catalogue.New(t.Context(), "postgres://quarry@/postgres?host="+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(late.Close)
	r.c = late
	g := r.gateway(nil)
	s, err := api.New(api.Options{Projects: g, Apart: true, Token: operatorsToken, Unready: g.Unread})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) (int, http.Header, string) {
		q := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		q.Header.Set("Authorization", "Bearer "+operatorsToken)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, q)
		return w.Code, w.Header(), w.Body.String()
	}
	const question = `{"query": "One", "project": "example.com/team/shop"}`
	for path, want := range map[string]int{"/search": 503, "/projects": 503, "/status": 503, "/ready": 503, "/ready?project=x": 503, "/handles": 503, "/health": 200, "/metrics": 200, "/version": 200} {
		method, body := http.MethodGet, ""
		if path == "/search" {
			method, body = http.MethodPost, question
		}
		if status, header, text := ask(method, path, body); status != want && !strings.Contains(path, "?") || (status == 503) != (header.Get("Retry-After") != "") {
			t.Errorf("%s: %d %v %s", path, status, header, text)
		}
	}
	if err := os.Symlink(filepath.Join(real, ".s.PGSQL.5432"), filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	r.eventually(func() error {
		if status, _, text := ask(http.MethodPost, "/search", question); status != http.StatusOK || !strings.Contains(text, "a.go") {
			return fmt.Errorf("the database is there: %d %s", status, text)
		}
		return nil
	})
	if status, _, text := ask(http.MethodGet, "/ready", ""); status != http.StatusOK {
		t.Errorf("ready: %d %s", status, text)
	}
}

func TestOrder(t *testing.T) {
	addresses := []string{"http://a:1", "http://b:1", "http://c:1"}
	peersOf := func(addresses ...string) *Peers {
		p, err := NewPeers(addresses, slog.New(slog.DiscardHandler), NewMeters())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	all, fewer := peersOf(addresses...), peersOf(addresses[1:]...)
	owned := map[string]int{}
	for n := range 3000 {
		name := fmt.Sprintf("example.com/team/%d", n)
		order := all.order(name)
		owned[order[0].url.Host]++
		left := slices.DeleteFunc(slices.Clone(order), func(p *peer) bool { return p.url.Host == "a:1" })
		for i, p := range fewer.order(name) {
			if p.url.Host != left[i].url.Host {
				t.Fatalf("%s: without one gateway the order of the others is another", name)
			}
		}
	}
	for host, n := range owned {
		if n < 850 || n > 1150 {
			t.Errorf("%s has %d of 3000 repositories", host, n)
		}
	}
}

// TestForward has a request handed on to gateways of which one does not answer any more.
func TestForward(t *testing.T) {
	t.Parallel()
	stuck, asked := make(chan struct{}), make(chan struct{}, 10)
	var hangs atomic.Bool
	other := func(id string, answer http.HandlerFunc) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(headerGateway, id)
			if r.URL.Path == "/health" && id == "hanging" && hangs.Load() {
				<-stuck
				return
			}
			if r.URL.Path != "/health" {
				answer(w, r)
			}
		}))
		t.Cleanup(s.Close)
		return s
	}
	hanging := other("hanging", func(http.ResponseWriter, *http.Request) {
		hangs.Store(true)
		asked <- struct{}{}
		<-stuck
	})
	t.Cleanup(func() { close(stuck) }) // before the server is closed
	answering := other("answering", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get(headerForwarded) == "" || r.Header.Get("Origin") != "" || r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("handed on with %v, %v", r.Header, err)
		}
		fmt.Fprintf(w, "%s %s", r.URL, body)
	})
	p, err := NewPeers([]string{hanging.URL, answering.URL}, slog.New(slog.DiscardHandler), NewMeters())
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for n := 0; name == "" || p.order(name)[0].url.String() != hanging.URL; n++ {
		name = fmt.Sprintf("example.com/%d", n)
	}
	here := httptest.NewServer(p.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if p.elsewhere(r.Context(), name) {
			w.Header().Set("X-Mine", "1")
			http.Error(w, "elsewhere", http.StatusMisdirectedRequest)
			return
		}
		fmt.Fprint(w, "here")
	})))
	t.Cleanup(here.Close)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		http.DefaultClient.CloseIdleConnections()
	})
	ask := func(header ...string) (string, http.Header) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, here.URL+"/search?x=1", strings.NewReader("the body"))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Authorization", "Bearer x")
		q.Header.Set("Origin", "https://page.example")
		for _, h := range header {
			q.Header.Set(h, "1")
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), a.Header
	}
	if got, header := ask(); got != "/search?x=1 the body" || header.Get("X-Mine") != "" || header.Get(headerGateway) != p.id {
		t.Errorf("the next one: %q, %v", got, header)
	}
	<-asked // the one that hangs was asked first
	if got, _ := ask(headerForwarded); got != "here" {
		t.Errorf("what was handed on is handed on again: %q", got)
	}
	answering.Close()
	if got, _ := ask(); got != "here" {
		t.Errorf("nobody else answers: %q", got)
	}
}

// TestForwardUnread has a gateway that lives, and has not read the catalogue: nothing is asked of it until it has.
func TestForwardUnread(t *testing.T) {
	t.Parallel()
	var read atomic.Bool
	other := func(id string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(headerGateway, id)
			if id == "late" && !read.Load() {
				w.Header().Set(headerUnread, "1")
				if r.URL.Path != "/health" {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}
			fmt.Fprint(w, id)
		}))
		t.Cleanup(s.Close)
		return s
	}
	late, answering := other("late"), other("answering")
	p, err := NewPeers([]string{late.URL, answering.URL}, slog.New(slog.DiscardHandler), NewMeters())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.client.CloseIdleConnections)
	name := ""
	for n := 0; name == "" || p.order(name)[0].url.String() != late.URL; n++ {
		name = fmt.Sprintf("example.com/%d", n)
	}
	here := p.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.elsewhere(r.Context(), name) {
			w.WriteHeader(http.StatusMisdirectedRequest)
		}
	}))
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		here.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/search", http.NoBody))
		return w
	}
	if w := ask(); w.Body.String() != "answering" || w.Header().Get(headerUnread) != "" {
		t.Errorf("before it is known: %v %s", w.Header(), w.Body)
	}
	for range 2 {
		p.probe(t.Context())
		if list := p.before(name); len(list) != 1 || list[0].url.String() != answering.URL {
			t.Errorf("it has not read the catalogue, and is among those that are asked: %v", list)
		}
	}
	read.Store(true)
	p.probe(t.Context())
	if w := ask(); w.Body.String() != "late" {
		t.Errorf("it has read the catalogue: %v %s", w.Header(), w.Body)
	}
	p.unread = func() error { return errUnread }
	if w := ask(); w.Header().Get(headerUnread) == "" {
		t.Error("one that has not read the catalogue does not say so")
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const secret = "0123456789abcdef"
	for _, name := range []string{"example.com/team/shop", "example.com/team/web", "example.com/team/old"} {
		if err := r.c.Add(t.Context(), name, "https://"+name+".git", "main"); err != nil {
			t.Fatal(err)
		}
	}
	hooks := r.g.NewHooks([]byte(secret), catalogue.Protocols())
	s := httptest.NewServer(hooks.Around(http.NotFoundHandler()))
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	send := func(path, body string, header ...string) (int, string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			q.Header.Set(header[i], header[i+1])
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text)
	}
	signed := func(body string) string {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(body))
		return "sha256=" + hex.EncodeToString(mac.Sum(nil))
	}
	const push = `{"ref": "refs/heads/main", "after": "c1", "repository": {"full_name": "Team/Shop", "clone_url": "https://example.com/Team/Shop.git", "ssh_url": "git@example.com:Team/Shop.git"}}`
	const renamed = `{"action": "renamed", "changes": {"repository": {"name": {"from": "old"}}}, "repository": {"full_name": "team/renewed", "clone_url": "https://example.com/team/renewed.git", "ssh_url": "git@example.com:team/renewed.git"}}`
	const moved = `{"action": "renamed", "changes": {"repository": {"name": {"from": "shop"}}}, "repository": {"full_name": "team/stolen", "clone_url": "file:///etc", "ssh_url": "git@evil.example:team/stolen.git"}}`
	for _, c := range []struct {
		path, body string
		header     []string
		status     int
		want       string
	}{
		{"/webhooks/github", push, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", signed(push)}, 202, hookQueued},
		{"/webhooks/github", push, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", signed(push)}, 202, hookQueued}, // a replay
		{"/webhooks/github", push, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", signed(push + " ")}, 401, wire.CodeUnauthorized},
		{"/webhooks/github", push, []string{"X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="}, 401, wire.CodeUnauthorized},
		{"/webhooks/github", push, []string{"X-GitHub-Event", "push"}, 401, wire.CodeUnauthorized},
		{"/webhooks/github", "x", []string{"X-Hub-Signature-256", signed("x")}, 400, wire.CodeInvalidRequest},
		{"/webhooks/github", `{"zen": "."}`, []string{"X-GitHub-Event", "ping", "X-Hub-Signature-256", signed(`{"zen": "."}`)}, 202, hookIgnored},
		{"/webhooks/github", strings.Repeat("x", maxHook+1), nil, 413, wire.CodePayloadTooLarge},
		{"/webhooks/svn", push, nil, 404, wire.CodeNotFound},
		{"/other", push, nil, 404, "404 page not found"},
		{"/webhooks/github", moved, []string{"X-GitHub-Event", "repository", "X-Hub-Signature-256", signed(moved)}, 202, hookIgnored},
		{"/webhooks/github", renamed, []string{"X-GitHub-Event", "repository", "X-Hub-Signature-256", signed(renamed)}, 202, hookQueued},
		{"/webhooks/gitlab", `{"event_name": "push", "ref": "refs/heads/other", "after": "c1", "project": {"git_http_url": "https://example.com/team/web.git"}}`, []string{"X-Gitlab-Token", secret}, 202, hookIgnored},
		{"/webhooks/gitlab", `{"event_name": "push", "ref": "refs/heads/main", "after": "0000000000000000000000000000000000000000", "project": {"git_http_url": "https://example.com/team/web.git"}}`, []string{"X-Gitlab-Token", secret}, 202, hookIgnored},
		{"/webhooks/gitlab", `{"event_name": "project_destroy", "path_with_namespace": "team/web"}`, []string{"X-Gitlab-Token", secret[1:], "X-Gitlab-Instance", "https://example.com"}, 401, wire.CodeUnauthorized},
		{"/webhooks/gitlab", `{"event_name": "project_destroy", "path_with_namespace": "team/web"}`, []string{"X-Gitlab-Token", secret, "X-Gitlab-Instance", "https://example.com"}, 202, hookRemoved},
		{"/webhooks/gitlab", `{"event_name": "project_destroy", "path_with_namespace": "team/web"}`, []string{"X-Gitlab-Token", secret, "X-Gitlab-Instance", "https://example.com"}, 202, hookIgnored},
	} {
		if status, text := send(c.path, c.body, c.header...); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %.200s %v: %d %s, want %d with %s", c.path, c.body, c.header, status, text, c.status, c.want)
		}
	}
	if a, err := http.Get(s.URL + "/webhooks/github"); err != nil || a.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %v", a.StatusCode, err)
	} else {
		a.Body.Close()
	}
	all, err := r.c.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range all {
		got = append(got, row.Name+" "+row.State)
	}
	want := []string{"example.com/team/old removing", "example.com/team/renewed queued", "example.com/team/shop queued", "example.com/team/web removing"}
	if !slices.Equal(got, want) {
		t.Errorf("the catalogue has %q, want %q", got, want)
	}
	jobs, err := r.c.Jobs(t.Context())
	if err != nil || !slices.Contains(jobs, catalogue.Jobs{Kind: "look", State: "available", Count: 1}) {
		t.Errorf("the jobs are %v, %v, want one look", jobs, err)
	}
	if hooks := r.g.NewHooks(nil, nil).Around(http.NotFoundHandler()); hooks == nil {
		t.Error("without a secret there is nothing left")
	}
}

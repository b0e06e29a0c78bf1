package cluster_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue/cataloguetest"
	"github.com/quarry-search/quarry/cmd/quarry/command"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
)

// asQuarry has the binary of the test be the program, for processes that can be killed.
const asQuarry = "QUARRY_TEST_AS_QUARRY"

func TestMain(m *testing.M) {
	if code, is := engine.ParseWorker(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); is { // it has no variables
		os.Exit(code)
	}
	if os.Getenv(asQuarry) != "" {
		wait(os.Args[1:])
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(invocation.ExitCode(command.New().ExecuteContext(ctx)))
	}
	goleak.VerifyTestMain(m)
}

// A cluster is a database, a store, and processes of the program.
type cluster struct {
	*testing.T
	dir   string
	env   []string
	store *httptest.Server // of a bucket
	db    *cataloguetest.Server
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	backend := s3mem.New()
	if err := backend.CreateBucket("team"); err != nil {
		t.Fatal(err)
	}
	c := &cluster{T: t, dir: t.TempDir(), store: httptest.NewServer(gofakes3.New(backend).Server()), db: cataloguetest.New(t)}
	t.Cleanup(c.store.Close)
	config := filepath.Join(c.dir, "gitconfig")
	c.write(config, "[user]\n\tname = a\n\temail = a@example.com\n")
	c.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "QUARRY_") }),
		asQuarry+"=1", "QUARRY_DATABASE="+c.db.URL, "QUARRY_SNAPSHOTS=s3://team/quarry?region=here&endpoint="+c.store.URL, "QUARRY_BACKEND=go",
		"AWS_ACCESS_KEY_ID=us", "AWS_SECRET_ACCESS_KEY=secret",
		"QUARRY_ALLOW_PROTOCOL=file", "QUARRY_TLDR_SOCKET=false", "GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_SYSTEM="+os.DevNull, "XDG_CONFIG_HOME="+c.dir)
	return c
}

func (c *cluster) write(path, text string) {
	c.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = c.env, c.dir
	return cmd
}

// run runs a command that has to succeed.
func (c *cluster) run(name string, args ...string) string {
	c.Helper()
	out, err := c.command(name, args...).CombinedOutput()
	if err != nil {
		c.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *cluster) quarry(args ...string) string {
	c.Helper()
	return c.run(os.Args[0], args...)
}

// commit makes a repository of an archive's files, or adds a commit to it.
func (c *cluster) commit(repository string, files []txtar.File) {
	c.Helper()
	at := filepath.Join(c.dir, "remotes", repository)
	for _, f := range files {
		c.write(filepath.Join(at, f.Name), string(f.Data))
	}
	if _, err := os.Stat(filepath.Join(at, ".git")); err != nil {
		c.run("git", "init", "--quiet", "--initial-branch=main", at)
	}
	c.run("git", "-C", at, "add", "--force", ".")
	c.run("git", "-C", at, "commit", "--quiet", "--message", "more")
}

// A process is a server of the cluster.
type process struct {
	cmd *exec.Cmd
	url string
	log *bytes.Buffer
}

// serve starts a server, and returns when it answers.
func (c *cluster) serve(args ...string) *process {
	c.Helper()
	p := &process{cmd: c.command(os.Args[0], append(args, "--data-dir", c.TempDir())...), log: &bytes.Buffer{}}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		c.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	address, done := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			p.log.WriteString(lines.Text() + "\n")
			if at := served.FindString(lines.Text()); at != "" {
				select {
				case address <- at:
				default:
				}
			}
		}
	}()
	c.Cleanup(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		<-done
		err := p.cmd.Wait()
		if p.cmd.ProcessState.ExitCode() > 0 {
			c.Errorf("%s ended with %v", args[0], err)
		}
		if c.Failed() {
			c.Logf("%s:\n%s", strings.Join(args, " "), p.log)
		}
	})
	select {
	case p.url = <-address:
	case <-done:
		c.Fatalf("%s did not begin:\n%s", args[0], p.log)
	}
	return p
}

var served = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`)

// kill ends a process as a machine that loses power does.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// freePort returns a port that nobody listens at.
func (c *cluster) freePort() string {
	c.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// An asked is a question and its answer.
type asked struct {
	path, body string
	status     int
	answer     string
	after      string // Retry-After
}

// ask puts a question to a server, about a project unless that is "".
func (c *cluster) ask(url, project, path, body string) asked {
	c.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		c.Fatalf("%s: %v", body, err)
	}
	if project != "" {
		fields["project"] = project
	}
	text, err := json.Marshal(fields)
	if err != nil {
		c.Fatal(err)
	}
	q, err := http.NewRequestWithContext(c.Context(), http.MethodPost, url+path, bytes.NewReader(text))
	if err != nil {
		c.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		c.Fatal(err)
	}
	return asked{path, body, r.StatusCode, c.read(r), r.Header.Get("Retry-After")}
}

// read reads an answer to its end.
func (c *cluster) read(r *http.Response) string {
	c.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.Fatal(err)
	}
	return string(text)
}

// figure returns one of a server's metrics.
func (c *cluster) figure(p *process, name string) float64 {
	c.Helper()
	_, text := c.get(p.url + "/metrics")
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				c.Fatal(err)
			}
			return n
		}
	}
	c.Fatalf("no metric %s", name)
	return 0
}

// apart are the fields in which one machine and a gateway may differ: how current an answer is,
// which request it was, and what took time. Handles are random; root and project name the same.
var apart = []string{"freshness", "generation", "request_id", "took_ms", "indexed_at", "root", "project", "handle"}

// unasked are what a snapshot does not know, and an answer from one says so: what commits have changed
// together or how often, and who decided what is ignored.
var unasked = []string{"churn", "source", "not_looked_at"}

// same is an answer without what may differ, but for some fields, indented.
func (c *cluster) same(a asked, root string, but ...string) string {
	c.Helper()
	var v any
	if err := json.Unmarshal([]byte(a.answer), &v); err != nil {
		return fmt.Sprintf("%d %s", a.status, a.answer)
	}
	text, err := json.MarshalIndent(without(v, but), "", " ")
	if err != nil {
		c.Fatal(err)
	}
	return fmt.Sprintf("%d %s", a.status, strings.ReplaceAll(string(text), root, "ROOT"))
}

func without(v any, but []string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Concat(apart, unasked) {
			if !slices.Contains(but, name) {
				delete(v, name)
			}
		}
		for name := range maps.Keys(v) {
			v[name] = without(v[name], but)
		}
	case []any:
		for i := range v {
			v[i] = without(v[i], but)
		}
	}
	return v
}

// eventually waits until something holds.
func (c *cluster) eventually(what string, holds func() bool) {
	c.Helper()
	c.within(20*time.Second, what, holds)
}

func (c *cluster) within(most time.Duration, what string, holds func() bool) {
	c.Helper()
	for deadline := time.Now().Add(most); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Fatalf("not within %s: %s", most, what)
		}
	}
}

// repositories are what the remotes of a test have: archives of this module.
var repositories = []string{"search", "calls", "outline", "runs", "uses"}

// questions returns what a repository is asked: each endpoint, about a file and a symbol of it.
func questions(files []txtar.File) (all []asked) {
	ask := func(path, format string, args ...any) {
		for i, a := range args {
			args[i] = string(fmt.Appendf(nil, "%q", a))
		}
		all = append(all, asked{path: path, body: fmt.Sprintf(format, args...)})
	}
	for _, text := range []string{"where is an error handled", "parse the configuration", "retry", "total price"} {
		for _, mode := range []string{"hybrid", "semantic", "lexical", "symbol"} {
			ask("/search", `{"query": %s, "mode": %s, "limit": 20}`, text, mode)
		}
	}
	ask("/search", `{"query": "func|def|class", "mode": "regex", "limit": 20}`)
	ask("/grep", `{"pattern": "return"}`)
	ask("/grep", `{"pattern": "(?i)error|generated"}`)
	ask("/find", `{"name": "*.go"}`)
	for _, path := range []string{"/structure", "/arch", "/dead", "/map", "/graph", "/startup", "/skeleton", "/diagnostics", "/flows", "/calls"} {
		ask(path, `{}`)
	}
	if os.Getenv("QUARRY_CLUSTER") == "" { // all of them take a minute
		files = files[:min(len(files), 3)]
	}
	for _, f := range files {
		ask("/cat", `{"path": %s}`, f.Name)
		ask("/skeleton", `{"path": %s}`, f.Name)
		ask("/imports", `{"path": %s}`, f.Name)
		ask("/related", `{"file": %s, "line": 1}`, f.Name)
		for _, m := range defined.FindAllStringSubmatch(string(f.Data), 3) {
			at := f.Name + ":" + m[1]
			for _, path := range []string{"/extract", "/calls", "/impact", "/references", "/definition", "/context", "/cfg", "/dfg", "/trace", "/summarize"} {
				ask(path, `{"target": %s}`, at)
			}
		}
	}
	return all
}

var defined = regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:func|def|function|class|fn)\s+(?:\([^)]*\)\s*)?(\w+)`)

// TestCluster indexes some repositories for a cluster, and asks two gateways and a server of
// each repository the same.
func TestCluster(t *testing.T) {
	c := newCluster(t)
	var names []string
	files := map[string][]txtar.File{}
	for _, r := range repositories {
		a, err := txtar.ParseFile("../../../index/testdata/" + r + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		name := "example.com/" + r
		a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "ask" })
		names, files[name] = append(names, name), a.Files
		c.commit(name, files[name])
		c.quarry("catalogue", "add", "--name", name, filepath.Join(c.dir, "remotes", name))
	}
	c.quarry("worker", "--once")

	ports := []string{c.freePort(), c.freePort()}
	peers := "http://127.0.0.1:" + ports[0] + ",http://127.0.0.1:" + ports[1]
	var gateways []*process
	for _, port := range ports {
		gateways = append(gateways, c.serve("gateway", "--bind", "127.0.0.1", "--port", port, "--peers", peers, "--gateway-poll", "200ms"))
	}
	for _, g := range gateways {
		c.eventually("the gateways know each other", func() bool { return c.figure(g, "quarry_gateway_peers_up") == 2 })
	}
	want := map[string][]string{}
	n := 0
	compare := func(name string, gateways ...*process) {
		for i, q := range questions(files[name]) {
			for _, g := range gateways {
				n++
				if diff := gocmp.Diff(want[name][i], c.same(c.ask(g.url, name, q.path, q.body), name)); diff != "" {
					t.Errorf("%s %s %s (-one machine +gateway):\n%s", name, q.path, q.body, diff)
				}
			}
		}
	}
	for _, name := range names {
		root := filepath.Join(c.dir, "clones", name)
		c.run("git", "clone", "--quiet", filepath.Join(c.dir, "remotes", name), root)
		one := c.server(root)
		for _, q := range questions(files[name]) {
			want[name] = append(want[name], c.same(c.ask(one.url, "", q.path, q.body), root))
		}
		compare(name, gateways...)
	}
	n += c.compareAcross(names, gateways...)
	t.Logf("%d answers compared", n)

	if c.figure(gateways[0], "quarry_gateway_forwards_total{outcome=\"answered\"}")+c.figure(gateways[1], "quarry_gateway_forwards_total{outcome=\"answered\"}") == 0 {
		t.Error("no request was handed on")
	}

	// Whichever gateway is asked, and by whatever way, it is the same; also for what one of them keeps.
	for _, name := range names {
		for _, q := range []asked{
			{path: "/tools/search?project=" + name, body: `{"query": "error"}`},
			{path: "/relay", body: `{"line": "->relay:code search \"error\" --limit 5", "format": "json"}`},
			{path: "/mcp?project=" + name, body: `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "error"}}}`},
		} {
			project := name
			if strings.Contains(q.path, "?") {
				project = ""
			}
			a, b := c.ask(gateways[0].url, project, q.path, q.body), c.ask(gateways[1].url, project, q.path, q.body)
			if a.status != http.StatusOK || c.same(a, name) != c.same(b, name) || strings.Contains(a.answer, "answers for") {
				t.Errorf("%s %s: %d %s\n%d %s", name, q.path, a.status, a.answer, b.status, b.answer)
			}
		}
		var kept struct{ Meta struct{ Handle string } }
		if a := c.ask(gateways[0].url, name, "/grep", `{"pattern": "[a-z]", "limit": 1}`); json.Unmarshal([]byte(a.answer), &kept) != nil || kept.Meta.Handle == "" {
			t.Fatalf("%s has no handle: %s", name, a.answer)
		}
		for _, g := range gateways {
			if status, _ := c.get(g.url + "/handles/" + kept.Meta.Handle); status != http.StatusOK {
				t.Errorf("%s: the handle is answered %d", name, status)
			}
		}
	}

	// A gateway that is killed is passed over.
	gateways[0].kill()
	for _, name := range names {
		compare(name, gateways[1])
	}

	// A newer snapshot takes the place of the old one, and what is asked meanwhile is answered.
	name, left := names[0], gateways[1]
	c.commit(name, []txtar.File{{Name: "fresh/quux.go", Data: []byte("package fresh\n\nfunc Quux() {}\n")}})
	c.quarry("worker", "--once")
	c.eventually("the new commit is there", func() bool {
		a := c.ask(left.url, name, "/search", `{"query": "Quux", "mode": "symbol"}`)
		if a.status != http.StatusOK {
			t.Errorf("in between: %d %s", a.status, a.answer)
		}
		return strings.Contains(a.answer, "fresh/quux.go")
	})

	// What is not there is said, and what is removed goes.
	for _, bad := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"example.com/serch", "/search", `{"query": "x"}`, http.StatusNotFound, `near to that are example.com/search`},
		{"", "/find", `{"name": "x"}`, http.StatusBadRequest, "project must say which of the 5 repositories is meant"},
		{name, "/reindex", `{}`, http.StatusUnprocessableEntity, "no_folder"},
		{name, "/verify", `{}`, http.StatusUnprocessableEntity, "no_folder"},
		{name, "/search", `{"query": "x", "projects": ["*"]}`, http.StatusBadRequest, "projects"},
		{"", "/projects", `{"root": "/tmp"}`, http.StatusForbidden, "quarry catalogue add"},
	} {
		if a := c.ask(left.url, bad.name, bad.path, bad.body); a.status != bad.status || !strings.Contains(a.answer, bad.want) {
			t.Errorf("%s %s %s: %d %s, want %d with %q", bad.name, bad.path, bad.body, a.status, a.answer, bad.status, bad.want)
		}
	}
	c.quarry("catalogue", "remove", name)
	c.eventually("the repository is gone", func() bool {
		return c.ask(left.url, name, "/search", `{"query": "x"}`).status == http.StatusNotFound
	})

	// Without the store, what is in memory goes on answering, and what is not is said to be missing.
	c.commit("example.com/cold", files[names[1]])
	c.quarry("catalogue", "add", "--name", "example.com/cold", filepath.Join(c.dir, "remotes", "example.com/cold"))
	c.quarry("worker", "--once")
	c.store.Close()
	compare(names[1], left)
	if a := c.ask(left.url, "example.com/cold", "/search", `{"query": "x"}`); a.status != http.StatusServiceUnavailable || a.after == "" {
		t.Errorf("without the store: %d, Retry-After %q: %s", a.status, a.after, a.answer)
	}
}

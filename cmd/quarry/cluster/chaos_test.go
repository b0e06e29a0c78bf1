package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// A kept process is started again whenever it ends, as a service manager does.
type kept struct {
	*cluster
	args []string
	env  []string
	url  string // "": it answers nobody

	mu     sync.Mutex
	cmd    *exec.Cmd
	log    *os.File
	ending bool
	starts int
	done   chan struct{}
}

func (c *cluster) keep(name string, env []string, args ...string) *kept {
	c.Helper()
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		c.Fatal(err)
	}
	k := &kept{cluster: c, args: args, env: env, log: log, done: make(chan struct{})}
	go k.run()
	c.Cleanup(func() {
		k.mu.Lock()
		k.ending = true
		if k.cmd != nil && k.cmd.Process != nil {
			_ = k.cmd.Process.Signal(syscall.SIGTERM)
		}
		k.mu.Unlock()
		<-k.done
		log.Close()
		if text, _ := os.ReadFile(log.Name()); c.Failed() {
			c.Logf("%s:\n%s", name, text[max(0, len(text)-8000):])
		}
	})
	return k
}

func (k *kept) run() {
	defer close(k.done)
	for {
		k.mu.Lock()
		if k.ending {
			k.mu.Unlock()
			return
		}
		k.cmd = k.command(k.args[0], k.args[1:]...)
		k.cmd.Env = append(slices.Clone(k.cmd.Env), k.env...)
		k.cmd.Stdout, k.cmd.Stderr = k.log, k.log
		err := k.cmd.Start()
		k.starts++
		k.mu.Unlock()
		if err == nil {
			_ = k.cmd.Wait()
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// kill ends the process as a machine that loses power does.
func (k *kept) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd != nil && k.cmd.Process != nil {
		_ = k.cmd.Process.Kill()
	}
}

func (k *kept) pid() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cmd.Process.Pid
}

// A chaos is a cluster in which things break while it is asked.
type chaos struct {
	*cluster
	holds    string // see wait
	names    []string
	version  map[string]int // of each repository, what its last commit is
	gateways []*kept
	workers  []*kept
	fronts   []*front // of the store: of each worker, then of the gateways
	between  []*relay // to each gateway
	database []*relay // of the workers, and of the gateways
	store    *kept    // nil: it is in this process
	disks    []string // of the workers, the gateways and the store

	want   map[string]map[string]bool // by repository and question, the answers of one server, of all versions
	exact  map[string]string          // by versions of all, repository and question
	asked  atomic.Int64
	whole  atomic.Int64
	partly atomic.Int64
	none   atomic.Int64
}

// changing are how many of the repositories get commits.
const changing = 2

// chaosAsked is what each repository is asked, and all together.
var chaosAsked, chaosAcross = []asked{
	{path: "/search", body: `{"query": "where is an error handled", "limit": 20}`},
	{path: "/search", body: `{"query": "Quux", "mode": "symbol"}`},
	{path: "/grep", body: `{"pattern": "Quux|return"}`},
	{path: "/structure", body: `{}`},
}, []asked{
	{path: "/search", body: `{"query": "Quux", "mode": "symbol", "limit": 20}`},
	{path: "/search", body: `{"query": "where is an error handled", "limit": 20}`},
	{path: "/grep", body: `{"pattern": "Quux"}`},
}

// TestChaos breaks things QUARRY_CHAOS times each, and lets them be mended. Whatever is answered meanwhile is what one
// server answers at one of the commits, or says what it lacks; afterwards everything is right again.
func TestChaos(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("QUARRY_CHAOS"))
	if rounds == 0 {
		t.Skip("QUARRY_CHAOS says how many rounds there are")
	}
	c := newChaos(t)
	c.recover("at first")
	phases := func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/snapshots/")
	}
	latest := func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/latest/")
	}
	for _, fault := range []struct {
		name string
		with func(round int)
	}{
		{"gateway", func(n int) { c.commitOne(); c.pause(); c.gateways[n%2].kill() }},
		{"worker that fetches", func(int) { c.killHeld("fetch") }},
		{"worker that builds", func(int) { c.killHeld("build") }},
		{"worker before it uploads", func(n int) { c.killAt(n, beforeIt, phases) }},
		{"worker that uploads", func(n int) { c.killAt(n, halfway, phases) }},
		{"worker that has uploaded", func(n int) { c.killAt(n, afterIt, phases) }},
		{"worker that publishes", func(n int) { c.killAt(n, beforeIt, latest) }},
		{"worker that has published", func(n int) { c.killAt(n, afterIt, latest) }},
		{"database", func(int) { c.commitOne(); c.pause(); c.db.Kill(); c.pause(); c.db.Start() }},
		{"database and gateway", func(n int) {
			c.commitOne()
			c.pause()
			c.db.Kill()
			c.gateways[n%2].kill()
			c.pause()
			c.db.Start()
		}},
		{"store", func(int) { c.commitOne(); c.pause(); c.killStore() }},
		{"store and gateway", func(n int) { c.commitOne(); c.pause(); c.gateways[n%2].kill(); c.partitionStore(n) }},
		{"network to the database", func(n int) { c.commitOne(); c.pause(); c.partition(n, c.database...) }},
		{"network between gateways", func(n int) { c.commitOne(); c.pause(); c.partition(n, c.between[n/2%2]) }},
		{"network to the store", func(n int) { c.commitOne(); c.pause(); c.partitionStore(n) }},
		{"disk of the workers", func(int) { c.fill(0, func() bool { return c.failed() }) }},
		{"disk of the gateways", func(int) { c.fill(1, func() bool { return c.indexed() == "" }) }},
		{"disk of the store", func(int) { c.fill(2, func() bool { return c.failed() }) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			was := c.T
			c.T, c.cluster.T = t, t
			defer func() { c.T, c.cluster.T = was, was }()
			ctx, stop := context.WithCancel(t.Context())
			var load sync.WaitGroup
			for range 2 {
				load.Go(func() { c.ask(ctx) })
			}
			defer load.Wait()
			defer stop()
			var longest time.Duration
			for n := range rounds {
				fault.with(n)
				began := time.Now()
				c.recover(fmt.Sprintf("%s, round %d", fault.name, n))
				longest = max(longest, time.Since(began))
				if t.Failed() {
					return
				}
			}
			t.Logf("%d rounds, right again after at most %.1f s; %d questions: %d whole answers, %d that say what they lack, %d without", rounds, longest.Seconds(), c.asked.Swap(0), c.whole.Swap(0), c.partly.Swap(0), c.none.Swap(0))
		})
	}
}

func newChaos(t *testing.T) *chaos {
	t.Helper()
	c := &chaos{cluster: newCluster(t), version: map[string]int{}, want: map[string]map[string]bool{}, exact: map[string]string{}}
	c.holds = t.TempDir()
	for i, r := range repositories {
		a, err := txtar.ParseFile("../../../index/testdata/" + r + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		name := "example.com/" + r
		c.names = append(c.names, name)
		c.cluster.commit(name, slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "ask" }))
		if i < changing {
			c.cluster.commit(name, versionOf(0))
		}
		c.quarry("catalogue", "add", "--name", name, filepath.Join(c.dir, "remotes", name))
	}
	c.learn()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	c.disks = []string{c.small("workers"), c.small("gateways"), c.small("store")}
	store := c.startStore()
	database := func(to *relay) string {
		return "QUARRY_DATABASE=postgres://quarry@" + to.address() + "/postgres?sslmode=disable"
	}
	place := func(f *front) string { return "QUARRY_SNAPSHOTS=s3://team/quarry?region=us-east-1&endpoint=" + f.URL }
	c.database = []*relay{newRelay(t, "unix", c.db.Socket), newRelay(t, "unix", c.db.Socket)}
	c.fronts = []*front{newFront(t, store), newFront(t, store), newFront(t, store)}
	path := "PATH=" + heldGit(t, git) + ":" + os.Getenv("PATH")
	for i := range 2 {
		c.workers = append(c.workers, c.keep(fmt.Sprintf("worker-%d", i), []string{path, holdsAt + "=" + c.holds, database(c.database[0]), place(c.fronts[i])},
			os.Args[0], "worker", "--worker-poll", "1s", "--data-dir", filepath.Join(c.disks[0], fmt.Sprint(i))))
	}
	ports := []string{c.freePort(), c.freePort()}
	var peers []string
	for _, port := range ports {
		r := newRelay(t, "tcp", "127.0.0.1:"+port)
		c.between, peers = append(c.between, r), append(peers, "http://"+r.address())
	}
	for i, port := range ports {
		g := c.keep(fmt.Sprintf("gateway-%d", i), []string{database(c.database[1]), place(c.fronts[2])},
			os.Args[0], "gateway", "--bind", "127.0.0.1", "--port", port, "--peers", strings.Join(peers, ","), "--gateway-poll", "200ms", "--data-dir", filepath.Join(c.disks[1], fmt.Sprint(i)))
		g.url = "http://127.0.0.1:" + port
		c.gateways = append(c.gateways, g)
	}
	return c
}

// versionOf is what a repository has at each of its versions.
func versionOf(n int) []txtar.File {
	return []txtar.File{{Name: "fresh/quux.go", Data: fmt.Appendf(nil, "package fresh\n\n// Quux%d returns an error.\nfunc Quux%d() error {\n\treturn nil\n}\n", n%2, n%2)}}
}

// learn asks a server of all repositories at each of their versions.
func (c *chaos) learn() {
	c.Helper()
	names := slices.Sorted(slices.Values(c.names))
	for combination := range 1 << changing {
		dir := filepath.Join(c.dir, "clones", fmt.Sprint(combination))
		var roots []string
		for _, name := range names {
			root := filepath.Join(dir, name)
			roots = append(roots, root)
			c.run("git", "clone", "--quiet", filepath.Join(c.dir, "remotes", name), root)
			if i := slices.Index(c.names, name); i < changing {
				for _, f := range versionOf(combination >> i) {
					c.write(filepath.Join(root, f.Name), string(f.Data))
				}
				c.run("git", "-C", root, "add", ".")
				c.run("git", "-C", root, "commit", "--quiet", "--allow-empty", "--message", "more")
			}
		}
		one := c.server(roots...)
		for i, q := range chaosAcross {
			c.note(combination, "", i, c.comparable(c.cluster.ask(one.url, "", q.path, strings.Replace(q.body, "{", `{"projects": "*", `, 1))))
		}
		for _, name := range names {
			for i, q := range chaosAsked {
				c.note(combination, name, i, c.comparable(c.cluster.ask(one.url, filepath.Base(name), q.path, q.body)))
			}
		}
		_ = one.cmd.Process.Signal(syscall.SIGTERM)
	}
}

func (c *chaos) note(combination int, name string, question int, answer string) {
	key := fmt.Sprint(name, question)
	if c.want[key] == nil {
		c.want[key] = map[string]bool{}
	}
	c.want[key][answer] = true
	c.exact[fmt.Sprint(combination, key)] = answer
}

func (c *chaos) comparable(a asked) string {
	a.answer = strings.ReplaceAll(a.answer, "example.com/", "")
	return c.same(a, c.dir, "project")
}

// startStore starts a store that can be killed, if there is one, and returns its address.
func (c *chaos) startStore() string {
	c.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		return c.cluster.store.URL
	}
	dir := c.disks[2]
	if err := os.Mkdir(filepath.Join(dir, "team"), 0o755); err != nil {
		c.Fatal(err)
	}
	address := "127.0.0.1:" + c.freePort()
	c.store = c.keep("store", []string{"ROOT_ACCESS_KEY=us", "ROOT_SECRET_KEY=secret"}, program, "--port", address, "posix", dir)
	return "http://" + address
}

// small returns a folder that is soon full, where this user may make one.
func (c *chaos) small(name string) string {
	c.Helper()
	dir := filepath.Join(c.dir, "disks", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		c.Fatal(err)
	}
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", dir).Run(); err == nil {
		was := c.T
		was.Cleanup(func() { _ = exec.Command("umount", dir).Run() })
		c.write(filepath.Join(dir, "small"), "")
	}
	return dir
}

// pause waits for so long that a fault comes at another moment each time.
func (c *chaos) pause() { time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond) }

// commitOne adds a commit to one of the repositories that change.
func (c *chaos) commitOne() string {
	c.Helper()
	name := c.names[rand.IntN(changing)]
	c.version[name]++
	c.cluster.commit(name, versionOf(c.version[name]))
	return name
}

// combination is the number of the versions of all repositories.
func (c *chaos) combination() (n int) {
	for i, name := range c.names[:changing] {
		n |= c.version[name] % 2 << i
	}
	return n
}

// killHeld kills the worker that is the first to come to a phase.
func (c *chaos) killHeld(phase string) {
	c.Helper()
	dir := filepath.Join(c.holds, phase)
	if err := os.Mkdir(dir, 0o700); err != nil {
		c.Fatal(err)
	}
	c.commitOne()
	c.eventually("a worker "+phase+"s", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		pid, bad := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || bad != nil {
			return false
		}
		for _, w := range c.workers {
			if w.pid() == pid {
				w.kill()
				return true
			}
		}
		c.Fatalf("%d is no worker", pid)
		return false
	})
	if err := os.RemoveAll(dir); err != nil {
		c.Fatal(err)
	}
}

// killAt kills the worker that is the first to put something, at a point of that.
func (c *chaos) killAt(_ int, at point, what func(r *http.Request) bool) {
	c.Helper()
	var held [2]<-chan struct{}
	for i := range held {
		var release func()
		held[i], release = c.fronts[i].hold(at, what)
		defer release()
	}
	c.commitOne()
	timeout := time.After(30 * time.Second)
	select {
	case <-held[0]:
		c.workers[0].kill()
	case <-held[1]:
		c.workers[1].kill()
	case <-timeout:
		c.Fatal("no worker has put anything")
	}
}

func (c *chaos) killStore() {
	if c.store == nil {
		for _, f := range c.fronts {
			f.refuse(true)
		}
		c.pause()
		for _, f := range c.fronts {
			f.refuse(false)
		}
		return
	}
	c.store.kill()
}

// partition cuts networks, or has them hang, for a while.
func (c *chaos) partition(n int, networks ...*relay) {
	for _, r := range networks {
		if n%2 == 0 {
			r.sever(true)
			defer r.sever(false)
		} else {
			r.hang.shut()
			defer r.hang.open()
		}
	}
	time.Sleep(2 * time.Second)
	c.pause()
}

func (c *chaos) partitionStore(n int) {
	for _, f := range c.fronts {
		if n%2 == 0 {
			f.refuse(true)
			defer f.refuse(false)
		} else {
			f.hang.shut()
			defer f.hang.open()
		}
	}
	time.Sleep(2 * time.Second)
	c.pause()
}

// fill fills a disk until something is so.
func (c *chaos) fill(disk int, until func() bool) {
	c.Helper()
	if _, err := os.Stat(filepath.Join(c.disks[disk], "small")); err != nil || disk == 2 && c.store == nil {
		c.Skip("no small disk can be made here")
	}
	filler := filepath.Join(c.disks[disk], "filler")
	f, err := os.Create(filler)
	if err != nil {
		c.Fatal(err)
	}
	_, err = io.Copy(f, zeros{})
	f.Close()
	if !errors.Is(err, syscall.ENOSPC) {
		c.Fatal(err)
	}
	c.commitOne()
	c.eventually("what a full disk comes to", until)
	if err := os.Remove(filler); err != nil {
		c.Fatal(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// rows are what the catalogue says; nil: it says nothing.
func (c *chaos) rows() []struct{ Name, State, Seen, Commit, Failure, Unreachable string } {
	c.Helper()
	out, err := c.command(os.Args[0], "catalogue", "list", "--json").Output()
	var all struct {
		Repositories []struct{ Name, State, Seen, Commit, Failure, Unreachable string }
	}
	if err != nil || json.Unmarshal(out, &all) != nil {
		return nil
	}
	return all.Repositories
}

// failed reports whether the catalogue says that a job has failed.
func (c *chaos) failed() bool {
	for _, r := range c.rows() {
		if r.Failure != "" {
			return true
		}
	}
	return false
}

// indexed says what is not indexed at its newest commit, "" for nothing.
func (c *chaos) indexed() string {
	rows := c.rows()
	if len(rows) != len(c.names) {
		return "the catalogue does not answer"
	}
	for _, r := range rows {
		head := strings.TrimSpace(c.run("git", "-C", filepath.Join(c.dir, "remotes", r.Name), "rev-parse", "HEAD"))
		if r.State != "indexed" || r.Commit != head || r.Failure != "" {
			return fmt.Sprintf("%+v at %s", r, head)
		}
	}
	return ""
}

// within is how long it may take until everything is right again.
const within = time.Minute

// recover waits until everything is right again.
func (c *chaos) recover(after string) {
	c.Helper()
	deadline := time.Now().Add(within)
	for {
		wrong := cmpOr(c.indexed, c.answered)
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			c.Fatalf("%s, not right again within %s: %s", after, within, wrong)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func cmpOr(all ...func() string) string {
	for _, f := range all {
		if s := f(); s != "" {
			return s
		}
	}
	return ""
}

// answered says which answer of a gateway is not that of one server at the newest commits, "" for none.
func (c *chaos) answered() string {
	for _, g := range c.gateways {
		for _, name := range append([]string{""}, c.names...) {
			for i, q := range questionsAbout(name) {
				a, err := c.put(context.Background(), g.url, name, q)
				if err != nil {
					return err.Error()
				}
				if c.comparable(a) != c.exact[fmt.Sprint(c.combination(), name, i)] || !strings.Contains(a.answer, `"freshness":"FRESH"`) || strings.Contains(a.answer, `"unasked"`) {
					return fmt.Sprintf("%s %s %s: %d %.300s", name, q.path, q.body, a.status, a.answer)
				}
			}
		}
	}
	return ""
}

func questionsAbout(name string) []asked {
	if name == "" {
		return chaosAcross
	}
	return chaosAsked
}

// put puts a question to a server, about a repository unless that is "".
func (c *chaos) put(ctx context.Context, url, name string, q asked) (asked, error) {
	body := q.body
	if name != "" {
		body = strings.Replace(strings.Replace(body, "{", fmt.Sprintf(`{"project": %q, `, name), 1), ", }", "}", 1)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+q.path, strings.NewReader(body))
	if err != nil {
		return asked{}, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return asked{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return asked{q.path, q.body, answer.StatusCode, string(text), answer.Header.Get("Retry-After")}, err
}

// ask puts questions until ctx ends, and judges the answers.
func (c *chaos) ask(ctx context.Context) {
	for ctx.Err() == nil {
		g := c.gateways[rand.IntN(len(c.gateways))]
		name := append([]string{""}, c.names...)[rand.IntN(len(c.names)+1)]
		list := questionsAbout(name)
		i := rand.IntN(len(list))
		a, err := c.put(ctx, g.url, name, list[i])
		c.asked.Add(1)
		switch {
		case ctx.Err() != nil:
		case err != nil: // of a gateway that has been killed
			c.none.Add(1)
		case a.status == http.StatusServiceUnavailable && a.after != "" || a.status == http.StatusGatewayTimeout:
			c.none.Add(1)
		case a.status == http.StatusOK && name == "" && strings.Contains(a.answer, `"unasked"`):
			c.partly.Add(1)
		case a.status == http.StatusOK && c.want[fmt.Sprint(name, i)][c.comparable(a)]:
			c.whole.Add(1)
		default:
			c.Errorf("%q %s %s: %d, Retry-After %q: %s", name, list[i].path, list[i].body, a.status, a.after, a.answer)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

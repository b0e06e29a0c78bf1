package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// agentsOptions are the flags of agents.
type agentsOptions struct {
	served
	span, pause time.Duration
}

func newAgentsCommand() *cobra.Command {
	var o agentsOptions
	cmd := o.command("agents --dir DIR", "Have 25 connections ask over all transports at once", `Agents serves a copy of a folder to five agents with five connections each, which all ask
at once: two over HTTP, two over a Unix socket and one over MCP, while it changes two files
a second. Afterwards the server must hold no more goroutines and descriptors than before. A
program built with the race detector ends with an exit code when that found something, which
is an error here.`, func(ctx context.Context, out io.Writer) error {
		if o.dir == "" {
			return errDir
		}
		return measureAgents(ctx, o, out)
	})
	fs := cmd.Flags()
	o.bind(fs)
	fs.DurationVar(&o.span, "for", 10*time.Minute, "how long")
	fs.DurationVar(&o.pause, "pause", 200*time.Millisecond, "between an answer and the next request of a connection, on average")
	return cmd
}

const (
	agentCount = 5
	// agentSockets is how many connections each agent keeps open and uses at once, as
	// the relay's client does.
	agentSockets = 5
	// settleFor bounds the wait for the server to be as it was before the load.
	settleFor = 30 * time.Second
)

// agentsReport is the outcome of agents.
type agentsReport struct {
	Seconds  float64             `json:"seconds"`
	Requests int                 `json:"requests"`
	Codes    map[string]int      `json:"codes"` // "ok", or the code of an error
	Failed   int                 `json:"failed"`
	First    string              `json:"first_failure,omitempty"`
	Edits    int                 `json:"edits"`
	Times    map[string]*summary `json:"times"` // of all, and by the way of asking
	Before   left                `json:"before"`
	After    left                `json:"after"`
}

// left is what a server holds.
type left struct {
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
}

// An answer is what an agent got: a code, "" for a success, and the text.
type answer struct {
	code string
	text []byte
}

// A way is one of the ways to ask a server. Its connection stays open until close.
type way interface {
	ask(ctx context.Context, endpoint string, fields map[string]any) (answer, error)
	close() error
}

// ways are what the agents use, one each.
var ways = [agentCount]string{"http", "socket", "mcp", "http", "socket"}

// tolerated are the codes that an agent must expect while files change: the place was
// edited away, or has a language without a graph.
var tolerated = []string{"not_found", "unsupported_language"}

// measureAgents serves a copy of a folder to five agents with five connections each,
// while its files change.
func measureAgents(ctx context.Context, o agentsOptions, out io.Writer) (err error) {
	tmp, root, remove, err := copied(o.dir, "agents")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	queries, err := loadQueries(questions{root: root, n: 500, seed: o.seed})
	if err != nil {
		return err
	}
	socket := filepath.Join(tmp, "quarry.sock")
	s := &soak{seed: o.seed, roots: []string{root}, queries: [][]string{queries}, places: make([][]string, 1)}
	if s.program, err = startProgram(ctx, o.program, root, filepath.Join(tmp, "data"), "--socket", socket); err != nil {
		return err
	}
	a := &agents{soak: s, o: o, socket: socket, r: agentsReport{Codes: map[string]int{}, Times: map[string]*summary{}}, times: map[string][]time.Duration{}}
	if err := errors.Join(a.run(ctx), s.end()); err != nil { // the race detector's findings are the exit code
		return err
	}
	a.r.Edits = s.r.Edits
	err = o.print(out, a.r, "%d requests, %d edits in %.0f s; %v\n%sbefore %+v, after %+v\n%d failures %s\n",
		a.r.Requests, a.r.Edits, a.r.Seconds, a.r.Codes, a.lines(), a.r.Before, a.r.After, a.r.Failed, a.r.First)
	switch {
	case a.r.Failed > 0:
		err = errors.Join(err, fmt.Errorf("%d requests failed", a.r.Failed))
	case a.r.After.Goroutines > a.r.Before.Goroutines || a.r.After.Descriptors > a.r.Before.Descriptors:
		err = errors.Join(err, errors.New("the server holds more than before"))
	}
	return err
}

// agents are five programs that ask one server.
type agents struct {
	*soak
	o      agentsOptions
	socket string

	mu    sync.Mutex
	r     agentsReport
	times map[string][]time.Duration
}

func (a *agents) run(ctx context.Context) error {
	err := errors.Join(a.until(ctx, (*program).ready), a.until(ctx, (*program).resolved))
	if err != nil {
		return err
	}
	http.DefaultClient.CloseIdleConnections()
	pause(ctx, time.Second)
	if a.r.Before, err = a.holds(ctx); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, a.o.span)
	defer cancel()
	var wg sync.WaitGroup
	failed := make(chan error, agentCount*agentSockets)
	wg.Go(func() { a.edit(timed) })
	began := time.Now()
	for n, name := range ways {
		for c := range agentSockets {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(a.o.seed, uint64(n*agentSockets+c)))
				failed <- a.work(timed, name, random)
			})
		}
	}
	wg.Wait()
	close(failed)
	for one := range failed {
		err = errors.Join(err, one)
	}
	if err != nil {
		return err
	}
	a.r.Seconds = time.Since(began).Seconds()
	var all []time.Duration
	for name, times := range a.times {
		all = append(all, times...)
		sum := summarize(times)
		a.r.Times[name] = &sum
	}
	sum := summarize(all)
	a.r.Times["all"] = &sum
	return a.settle(ctx)
}

// open makes a connection of one kind.
func (a *agents) open(ctx context.Context, name string) (way, error) {
	switch name {
	case "socket":
		return dialSocket(ctx, a.socket)
	case "mcp":
		return dialMCP(ctx, a.url)
	}
	return dialHTTP(a.url), nil
}

// work asks over one connection until ctx ends.
func (a *agents) work(ctx context.Context, name string, random *rand.Rand) (err error) {
	w, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for ; ctx.Err() == nil; pause(ctx, time.Duration(random.Int64N(int64(2*a.o.pause)+1))) {
		endpoint, fields := a.question(0, random)
		delete(fields, "project")
		delete(fields, "projects")
		began := time.Now()
		// What is under way at the end is waited for.
		got, err := w.ask(context.WithoutCancel(ctx), endpoint, fields)
		a.note(name, endpoint, fields, time.Since(began), got, err)
	}
	return nil
}

func (a *agents) note(name, endpoint string, fields map[string]any, took time.Duration, got answer, err error) {
	if err == nil && got.code == "" && name == "http" {
		a.soak.mu.Lock()
		a.learn(0, endpoint, got.text)
		a.soak.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.r.Requests++
	switch {
	case err == nil && got.code == "":
		a.r.Codes["ok"]++
		a.times[name] = append(a.times[name], took)
		return
	case err != nil:
		got.code = "no answer"
	}
	a.r.Codes[got.code]++
	if !slices.Contains(tolerated, got.code) {
		a.r.Failed++
		if a.r.First == "" {
			a.r.First = fmt.Sprintf("%s %s %v: %s %v %.300s", name, endpoint, fields, got.code, err, got.text)
		}
	}
}

// settle waits until the server holds no more than before.
func (a *agents) settle(ctx context.Context) (err error) {
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(settleFor); ; pause(ctx, sampleEvery) {
		if a.r.After, err = a.holds(ctx); err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if a.r.After.Goroutines <= a.r.Before.Goroutines && a.r.After.Descriptors <= a.r.Before.Descriptors || time.Now().After(deadline) {
			return nil
		}
	}
}

// holds reads the server's own count, over a connection of its own.
func (a *agents) holds(ctx context.Context) (l left, err error) {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/metrics", nil)
	if err != nil {
		return l, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return l, err
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return l, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "go_goroutines":
			l.Goroutines = int(n)
		case "process_open_fds":
			l.Descriptors = int(n)
		}
	}
	if l.Goroutines == 0 || l.Descriptors == 0 {
		return l, errors.New("/metrics does not say how many goroutines and descriptors there are")
	}
	return l, nil
}

// lines are the times, one way a line.
func (a *agents) lines() string {
	var b strings.Builder
	for _, name := range []string{"http", "socket", "mcp", "all"} {
		if t := a.r.Times[name]; t != nil {
			fmt.Fprintf(&b, "%-6s %6d  %s\n", name, t.Count, t)
		}
	}
	return b.String()
}

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

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// agentsOptions are the flags of agents.
type agentsOptions struct {
	rig.Served
	span, pause time.Duration
}

func newAgentsCommand() *cobra.Command {
	var o agentsOptions
	cmd := o.Command("agents --dir DIR", "Have 25 connections ask over all transports at once", `Agents serves a copy of a folder to five agents with five connections each, which all ask
at once: two over HTTP, two over a Unix socket and one over MCP, while it changes two files
a second. Afterwards the server must hold no more goroutines and descriptors than before. A
program built with the race detector ends with an exit code when that found something, which
is an error here.`, func(ctx context.Context, out io.Writer) error {
		if o.Dir == "" {
			return rig.ErrDir
		}
		return measureAgents(ctx, o, out)
	})
	fs := cmd.Flags()
	o.Bind(fs)
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
	Seconds  float64                 `json:"seconds"`
	Requests int                     `json:"requests"`
	Codes    map[string]int          `json:"codes"` // "ok", or the code of an error
	Failed   int                     `json:"failed"`
	First    string                  `json:"first_failure,omitempty"`
	Edits    int                     `json:"edits"`
	Times    map[string]*rig.Summary `json:"times"` // of all, and by the way of asking
	Before   Left                    `json:"before"`
	After    Left                    `json:"after"`
}

// Left is what a server holds.
type Left struct {
	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
}

// An Answer is what an agent got: a code, "" for a success, and the text.
type Answer struct {
	Code string
	Text []byte
}

// A Transport is one of the ways to ask a server. Its connection stays open until close.
type Transport interface {
	Ask(ctx context.Context, endpoint string, fields map[string]any) (Answer, error)
	Close() error
}

// transports are what the agents use, one each.
var transports = [agentCount]string{"http", "socket", "mcp", "http", "socket"}

// tolerated are the codes that an agent must expect while files change: the place was
// edited away, or has a language without a graph.
var tolerated = []string{"not_found", "unsupported_language"}

// measureAgents serves a copy of a folder to five agents with five connections each,
// while its files change.
func measureAgents(ctx context.Context, o agentsOptions, out io.Writer) (err error) {
	tmp, root, remove, err := rig.Copy(o.Dir, "agents")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	queries, err := rig.LoadQueries(rig.Questions{Root: root, N: 500, Seed: o.Seed})
	if err != nil {
		return err
	}
	socket := filepath.Join(tmp, "quarry.sock")
	s := &Soak{seed: o.Seed, roots: []string{root}, queries: [][]string{queries}, places: make([][]string, 1)}
	if s.Server, err = rig.Start(ctx, o.Program, root, filepath.Join(tmp, "data"), "--socket", socket); err != nil {
		return err
	}
	a := &Agents{Soak: s, o: o, Socket: socket, Report: agentsReport{Codes: map[string]int{}, Times: map[string]*rig.Summary{}}, times: map[string][]time.Duration{}}
	if err := errors.Join(a.run(ctx), s.End()); err != nil { // the race detector's findings are the exit code
		return err
	}
	a.Report.Edits = s.r.Edits
	err = o.Print(out, a.Report, "%d requests, %d edits in %.0f s; %v\n%sbefore %+v, after %+v\n%d failures %s\n",
		a.Report.Requests, a.Report.Edits, a.Report.Seconds, a.Report.Codes, a.lines(), a.Report.Before, a.Report.After, a.Report.Failed, a.Report.First)
	switch {
	case a.Report.Failed > 0:
		err = errors.Join(err, fmt.Errorf("%d requests failed", a.Report.Failed))
	case a.Report.After.Goroutines > a.Report.Before.Goroutines || a.Report.After.Descriptors > a.Report.Before.Descriptors:
		err = errors.Join(err, errors.New("the server holds more than before"))
	}
	return err
}

// Agents are five programs that ask one server.
type Agents struct {
	*Soak
	o      agentsOptions
	Socket string

	mu     sync.Mutex
	Report agentsReport
	times  map[string][]time.Duration
}

func (a *Agents) run(ctx context.Context) error {
	err := errors.Join(a.Until(ctx, a.Ready), a.Until(ctx, a.Resolved))
	if err != nil {
		return err
	}
	http.DefaultClient.CloseIdleConnections()
	rig.Pause(ctx, time.Second)
	if a.Report.Before, err = a.Holds(ctx); err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, a.o.span)
	defer cancel()
	var wg sync.WaitGroup
	failed := make(chan error, agentCount*agentSockets)
	wg.Go(func() { a.edit(timed) })
	began := time.Now()
	for n, name := range transports {
		for c := range agentSockets {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(a.o.Seed, uint64(n*agentSockets+c)))
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
	a.Report.Seconds = time.Since(began).Seconds()
	var all []time.Duration
	for name, times := range a.times {
		all = append(all, times...)
		sum := rig.Summarize(times)
		a.Report.Times[name] = &sum
	}
	sum := rig.Summarize(all)
	a.Report.Times["all"] = &sum
	return a.Settle(ctx)
}

// Open makes a connection of one kind.
func (a *Agents) Open(ctx context.Context, name string) (Transport, error) {
	switch name {
	case "socket":
		return dialSocket(ctx, a.Socket)
	case "mcp":
		return dialMCP(ctx, a.URL)
	}
	return dialHTTP(a.URL), nil
}

// work asks over one connection until ctx ends.
func (a *Agents) work(ctx context.Context, name string, random *rand.Rand) (err error) {
	w, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for ; ctx.Err() == nil; rig.Pause(ctx, time.Duration(random.Int64N(int64(2*a.o.pause)+1))) {
		endpoint, fields := a.question(0, random)
		delete(fields, "project")
		delete(fields, "projects")
		began := time.Now()
		// What is under way at the end is waited for.
		got, err := w.Ask(context.WithoutCancel(ctx), endpoint, fields)
		a.note(name, endpoint, fields, time.Since(began), got, err)
	}
	return nil
}

func (a *Agents) note(name, endpoint string, fields map[string]any, took time.Duration, got Answer, err error) {
	if err == nil && got.Code == "" && name == "http" {
		a.Soak.mu.Lock()
		a.learn(0, endpoint, got.Text)
		a.Soak.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Report.Requests++
	switch {
	case err == nil && got.Code == "":
		a.Report.Codes["ok"]++
		a.times[name] = append(a.times[name], took)
		return
	case err != nil:
		got.Code = "no answer"
	}
	a.Report.Codes[got.Code]++
	if !slices.Contains(tolerated, got.Code) {
		a.Report.Failed++
		if a.Report.First == "" {
			a.Report.First = fmt.Sprintf("%s %s %v: %s %v %.300s", name, endpoint, fields, got.Code, err, got.Text)
		}
	}
}

// Settle waits until the server holds no more than before.
func (a *Agents) Settle(ctx context.Context) (err error) {
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(settleFor); ; rig.Pause(ctx, rig.SampleEvery) {
		if a.Report.After, err = a.Holds(ctx); err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if a.Report.After.Goroutines <= a.Report.Before.Goroutines && a.Report.After.Descriptors <= a.Report.Before.Descriptors || time.Now().After(deadline) {
			return nil
		}
	}
}

// Holds reads the server's own count, over a connection of its own.
func (a *Agents) Holds(ctx context.Context) (l Left, err error) {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+"/metrics", nil)
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
func (a *Agents) lines() string {
	var b strings.Builder
	for _, name := range []string{"http", "socket", "mcp", "all"} {
		if t := a.Report.Times[name]; t != nil {
			fmt.Fprintf(&b, "%-6s %6d  %s\n", name, t.Count, t)
		}
	}
	return b.String()
}

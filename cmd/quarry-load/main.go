package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		return
	}
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "quarry-load:", err)
	os.Exit(1)
}

// options are the flags of all forms.
type options struct {
	url, queries, root, dir, endpoint, mode, program, memory, rg, patterns string
	from, out, sizes, csv                                                  string
	heaps                                                                  float64
	n, c                                                                   int
	seed                                                                   uint64
	span, pause, visible                                                   time.Duration
	rate                                                                   float64
	serve                                                                  string
	json, hostile                                                          bool
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	form := ""
	if len(args) > 0 && slices.Contains([]string{"edits", "restart", "soak", "worktrees", "kill", "grep", "agents", "manners", "mixed", "hostile", "grow", "scale", "plot"}, args[0]) {
		form, args = args[0], args[1:]
	}
	edits := form == "edits"
	var o options
	fs := flag.NewFlagSet("quarry-load", flag.ContinueOnError)
	fs.SetOutput(errOut)
	served := !slices.Contains([]string{"", "edits", "grow", "plot"}, form)
	if served {
		fs.StringVar(&o.program, "program", "quarry", "the program that serves")
		fs.StringVar(&o.dir, "dir", "", "the folder to copy and serve (grep: as it is); of soak several, with commas")
	} else if form != "grow" && form != "plot" {
		fs.StringVar(&o.url, "url", "http://localhost:3456", "the server")
	}
	repeats := 2000
	switch form {
	case "grep":
		repeats = 15
	case "manners":
		repeats = 3
	}
	fs.IntVar(&o.n, "n", repeats, "requests; with grow, edits and restart: files; with worktrees: trees; with grep: runs; with manners: rounds")
	fs.BoolVar(&o.json, "json", false, "print JSON")
	fs.Uint64Var(&o.seed, "seed", 1, "of the choice of queries and words")
	switch form {
	case "restart", "worktrees", "kill":
	case "plot":
		fs.StringVar(&o.csv, "csv", "scale.csv", "the file with the figures of scale")
		fs.StringVar(&o.out, "out", ".", "the folder for the pictures")
	case "grow", "scale":
		fs.StringVar(&o.from, "from", "", "folders of source, with commas")
		fs.StringVar(&o.out, "out", "", "an empty folder to write into, or a new one")
		fs.StringVar(&o.sizes, "sizes", "1000,3000,10000,30000,100000", "of scale: numbers of files, with commas")
		fs.StringVar(&o.csv, "csv", "scale.csv", "of scale: the file to add figures to")
		fs.Float64Var(&o.heaps, "heaps", 0.75, "the exponent by which the identifiers grow")
	case "grep":
		fs.StringVar(&o.rg, "rg", "rg", "the ripgrep program")
		fs.StringVar(&o.patterns, "patterns", "", "file with one pattern a line, after its flags")
	case "soak":
		fs.IntVar(&o.c, "c", 4, "requests at once")
		fs.StringVar(&o.memory, "memory", "600MiB", "the budget")
		fs.DurationVar(&o.span, "for", 10*time.Minute, "how long")
	case "hostile":
		fs.StringVar(&o.memory, "memory", "600MiB", "the budget")
		fs.StringVar(&o.serve, "serve", "", "more flags of quarry serve, with spaces between them")
	case "agents":
		fs.DurationVar(&o.span, "for", 10*time.Minute, "how long")
		fs.DurationVar(&o.pause, "pause", 200*time.Millisecond, "between an answer and the next request of a connection, on average")
	case "manners":
		fs.DurationVar(&o.span, "for", 10*time.Second, "how long each look at a server at rest is")
		fs.DurationVar(&o.pause, "pause", 20*time.Millisecond, "between an answer and the next request of a connection, on average")
	case "mixed":
		fs.IntVar(&o.c, "clients", 5, "clients with a connection each")
		fs.Float64Var(&o.rate, "rate", 200, "requests per second, of all clients together")
		fs.DurationVar(&o.span, "for", 30*time.Minute, "how long")
		fs.BoolVar(&o.hostile, "hostile", false, "save files that parsers do not survive, one a second")
		fs.DurationVar(&o.visible, "visible", 2*time.Second, "after this a change must be seen")
		fs.StringVar(&o.serve, "serve", "", "more flags of quarry serve, with spaces between them")
	case "edits":
		fs.StringVar(&o.dir, "dir", "", "a folder of the served root, to write in")
	default:
		fs.IntVar(&o.c, "c", 5, "connections")
		fs.StringVar(&o.queries, "queries", "", "file with one query a line")
		fs.StringVar(&o.root, "from-root", "", "make queries from the source below this folder")
		fs.StringVar(&o.endpoint, "endpoint", "search", "search or health")
		fs.StringVar(&o.mode, "mode", "hybrid", "hybrid, lexical or semantic")
	}
	if err := fs.Parse(args); err != nil {
		return flag.ErrHelp
	}
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case o.n < 1 || (form == "" || form == "soak" || form == "mixed") && o.c < 1:
		return errors.New("n and c must be 1 or more")
	case form == "plot":
		return plotScale(o, out)
	case form == "scale" && o.from == "":
		return errors.New("scale needs --from")
	case form == "scale":
		return measureScale(ctx, o, out)
	case form == "grow" && (o.from == "" || o.out == ""):
		return errors.New("grow needs --from and --out")
	case form == "grow":
		return measureGrow(ctx, o, out)
	case form != "" && o.dir == "":
		return fmt.Errorf("%s needs --dir", form)
	case form == "restart":
		return measureRestart(ctx, o, out)
	case form == "kill":
		return measureKill(ctx, o, out)
	case form == "grep":
		return measureGrep(ctx, o, out)
	case form == "soak":
		return measureSoak(ctx, o, out)
	case form == "mixed" && !(o.rate > 0):
		return errors.New("rate must be more than 0")
	case form == "mixed":
		return measureMixed(ctx, o, out)
	case form == "hostile":
		return measureHostile(ctx, o, out)
	case form == "agents":
		return measureAgents(ctx, o, out)
	case form == "manners":
		return measureManners(ctx, o, out)
	case form == "worktrees":
		return measureWorktrees(ctx, o, out)
	case edits:
		return measureEdits(ctx, o, out)
	}
	return measureLoad(ctx, o, out)
}

// print writes a report as JSON, if that was asked for, or else as text.
func (o *options) print(out io.Writer, report any, format string, args ...any) error {
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	_, err := fmt.Fprintf(out, format, args...)
	return err
}

// A summary describes a set of times, in milliseconds.
type summary struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// summarize uses the nearest rank: the p-th percentile is the least time that
// p percent of all do not exceed.
func summarize(times []time.Duration) summary {
	if len(times) == 0 {
		return summary{}
	}
	slices.Sort(times)
	at := func(p float64) float64 {
		rank := max(1, int(math.Ceil(p/100*float64(len(times)))))
		return math.Round(times[rank-1].Seconds()*1e6) / 1e3
	}
	return summary{len(times), at(50), at(90), at(95), at(99), at(100)}
}

func (s summary) String() string {
	return fmt.Sprintf("p50 %.2f  p90 %.2f  p95 %.2f  p99 %.2f  max %.2f ms", s.P50, s.P90, s.P95, s.P99, s.Max)
}

// loadReport is the outcome of the first form.
type loadReport struct {
	Endpoint string  `json:"endpoint"`
	Clients  int     `json:"clients"`
	Queries  int     `json:"different_queries"`
	Errors   int     `json:"errors"`
	First    string  `json:"first_error,omitempty"`
	Empty    int     `json:"empty"` // searches without a result
	Seconds  float64 `json:"seconds"`
	QPS      float64 `json:"qps"`
	Bytes    int64   `json:"bytes"` // of response bodies
	Times    summary `json:"times"`
}

func measureLoad(ctx context.Context, o options, out io.Writer) error {
	bodies := [][]byte{nil}
	method, path := http.MethodGet, "/"+o.endpoint
	switch o.endpoint {
	case "health":
	case "search":
		method = http.MethodPost
		texts, err := loadQueries(o)
		if err != nil {
			return err
		}
		bodies = bodies[:0]
		for _, t := range texts {
			b, err := json.Marshal(map[string]any{"query": t, "limit": 10, "mode": o.mode})
			if err != nil {
				return err
			}
			bodies = append(bodies, b)
		}
	default:
		return fmt.Errorf("endpoint must be search or health, not %q", o.endpoint)
	}
	c := newCaller(o.url, o.c)
	defer c.http.CloseIdleConnections()

	r := loadReport{Endpoint: o.endpoint, Clients: o.c, Queries: len(bodies)}
	times := make([][]time.Duration, o.c)
	var next, size, empty, failed atomic.Int64
	var once sync.Once
	var wg sync.WaitGroup
	began := time.Now()
	for client := range o.c {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= o.n || ctx.Err() != nil {
					return
				}
				start := time.Now()
				text, err := c.call(ctx, method, path, bodies[i%len(bodies)])
				times[client] = append(times[client], time.Since(start))
				size.Add(int64(len(text)))
				if err != nil {
					failed.Add(1)
					once.Do(func() { r.First = err.Error() })
				} else if bytes.Contains(text, []byte(`"results":[]`)) {
					empty.Add(1)
				}
			}
		})
	}
	wg.Wait()
	r.Seconds = time.Since(began).Seconds()
	r.Times = summarize(slices.Concat(times...))
	r.QPS = float64(r.Times.Count) / r.Seconds
	r.Bytes, r.Empty, r.Errors = size.Load(), int(empty.Load()), int(failed.Load())
	if o.json {
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(out, "%s  %d requests, %d different, %d clients\n%s\n%.0f requests/s  %d errors  %d empty  %.1f MB in %.2f s\n",
			path, r.Times.Count, r.Queries, r.Clients, r.Times, r.QPS, r.Errors, r.Empty, float64(r.Bytes)/1e6, r.Seconds)
	}
	if r.Errors > 0 {
		return fmt.Errorf("%d requests failed, the first: %s", r.Errors, r.First)
	}
	return ctx.Err()
}

// A caller sends requests over connections that stay open.
type caller struct {
	base string
	http *http.Client
}

func newCaller(base string, connections int) caller {
	return caller{strings.TrimRight(base, "/"), &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections},
	}}
}

// call returns the response's body, and an error for anything but a success.
func (c caller) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", path, resp.Status, text[:min(len(text), 200)])
	}
	return text, err
}

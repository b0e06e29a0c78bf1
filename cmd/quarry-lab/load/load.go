package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
)

// loadOptions are the flags of load.
type loadOptions struct {
	output
	questions
	url, endpoint, mode string
	c                   int
}

func newLoadCommand() *cobra.Command {
	var o loadOptions
	cmd := o.command("load", "Measure how fast a running server answers", `Load sends n different queries over c connections that are kept open; they come from a
file, one a line, or are made from the identifiers and comments below a folder. Times are
in milliseconds, from the client's side.`, func(ctx context.Context, out io.Writer) error {
		if o.n < 1 || o.c < 1 {
			return errNumbers
		}
		return measureLoad(ctx, o, out)
	})
	fs := cmd.Flags()
	fs.IntVarP(&o.n, "number", "n", 2000, "requests")
	fs.IntVarP(&o.c, "connections", "c", 5, "connections")
	fs.Uint64Var(&o.seed, "seed", 1, "of the choice of queries and words")
	fs.StringVar(&o.url, "url", "http://localhost:3456", "the server")
	fs.StringVar(&o.queries, "queries", "", "file with one query a line")
	fs.StringVar(&o.root, "from-root", "", "make queries from the source below this folder")
	fs.StringVar(&o.endpoint, "endpoint", "search", "search or health")
	fs.StringVar(&o.mode, "mode", "hybrid", "hybrid, lexical or semantic")
	return cmd
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

func measureLoad(ctx context.Context, o loadOptions, out io.Writer) error {
	bodies := [][]byte{nil}
	method, path := http.MethodGet, "/"+o.endpoint
	switch o.endpoint {
	case "health":
	case "search":
		method = http.MethodPost
		texts, err := loadQueries(o.questions)
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

package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// loadOptions are the flags of load.
type loadOptions struct {
	rig.Output
	rig.Questions
	url, endpoint, mode string
	c                   int
}

func newLoadCommand() *cobra.Command {
	var o loadOptions
	cmd := o.Command("load", "Measure how fast a running server answers", `Load sends n different queries over c connections that are kept open; they come from a
file, one a line, or are made from the identifiers and comments below a folder. Times are
in milliseconds, from the client's side.`, func(ctx context.Context, out io.Writer) error {
		if o.N < 1 || o.c < 1 {
			return rig.ErrNumbers
		}
		return measureLoad(ctx, o, out)
	})
	fs := cmd.Flags()
	fs.IntVarP(&o.N, "number", "n", 2000, "requests")
	fs.IntVarP(&o.c, "connections", "c", 5, "connections")
	fs.Uint64Var(&o.Seed, "seed", 1, "of the choice of queries and words")
	fs.StringVar(&o.url, "url", "http://localhost:3456", "the server")
	fs.StringVar(&o.Queries, "queries", "", "file with one query a line")
	fs.StringVar(&o.Root, "from-root", "", "make queries from the source below this folder")
	fs.StringVar(&o.endpoint, "endpoint", "search", "search or health")
	fs.StringVar(&o.mode, "mode", "hybrid", "hybrid, lexical or semantic")
	return cmd
}

// loadReport is the outcome of the first form.
type loadReport struct {
	Endpoint string      `json:"endpoint"`
	Clients  int         `json:"clients"`
	Queries  int         `json:"different_queries"`
	Errors   int         `json:"errors"`
	First    string      `json:"first_error,omitempty"`
	Empty    int         `json:"empty"` // searches without a result
	Seconds  float64     `json:"seconds"`
	QPS      float64     `json:"qps"`
	Bytes    int64       `json:"bytes"` // of response bodies
	Times    rig.Summary `json:"times"`
}

func measureLoad(ctx context.Context, o loadOptions, out io.Writer) error {
	bodies := [][]byte{nil}
	method, path := http.MethodGet, "/"+o.endpoint
	switch o.endpoint {
	case "health":
	case "search":
		method = http.MethodPost
		texts, err := rig.LoadQueries(o.Questions)
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
	c := rig.NewCaller(o.url, o.c)
	defer c.HTTP.CloseIdleConnections()

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
				if i >= o.N || ctx.Err() != nil {
					return
				}
				start := time.Now()
				text, err := c.Call(ctx, method, path, bodies[i%len(bodies)])
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
	r.Times = rig.Summarize(slices.Concat(times...))
	r.QPS = float64(r.Times.Count) / r.Seconds
	r.Bytes, r.Empty, r.Errors = size.Load(), int(empty.Load()), int(failed.Load())
	if o.JSON {
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

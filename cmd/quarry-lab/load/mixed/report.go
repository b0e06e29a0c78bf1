package mixed

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/cmd/quarry-lab/load"
	"github.com/quarry-search/quarry/cmd/quarry-lab/load/rig"
)

// mixedReport is the outcome of mixed.
type mixedReport struct {
	Seconds  float64                   `json:"seconds"`
	Requests int                       `json:"requests"`
	PerS     float64                   `json:"requests_per_second"`
	All      endpointReport            `json:"all"`
	Ends     map[string]endpointReport `json:"endpoints"`
	Wrong    int                       `json:"wrong"`
	ByEnd    map[string]int            `json:"wrong_by_endpoint"`
	Edits    map[string]int            `json:"edits"`
	Rude     map[string]int            `json:"rude_clients"`
	Before   load.Left                 `json:"before"`
	After    load.Left                 `json:"after"`
	Open     map[string]int            `json:"open_since"` // how many more there are after than before, by what they are
	Memory   memoryReport              `json:"memory"`
	Rules    []rule                    `json:"rules"`
}

// An endpoint is what is known of the requests of one kind.
type endpoint struct {
	codes          map[int]int
	times, service []time.Duration
}

type endpointReport struct {
	Codes   map[int]int `json:"codes"`
	Times   rig.Summary `json:"times"`   // from the moment at which the request was due
	Service rig.Summary `json:"service"` // from the moment at which it was sent
}

func (e *endpoint) report() endpointReport {
	return endpointReport{e.codes, rig.Summarize(e.times), rig.Summarize(e.service)}
}

// memoryReport is about the resident memory of the server, in bytes.
type memoryReport struct {
	First int64   `json:"first"`
	Last  int64   `json:"last"`
	Min   int64   `json:"min"` // after the warm-up, the first sixth of the time
	Max   int64   `json:"max"`
	Slope float64 `json:"slope_per_minute"` // after the warm-up, by least squares
	Early int64   `json:"early_median"`     // of the second sixth
	Late  int64   `json:"late_median"`      // of the last sixth
	Ratio float64 `json:"late_by_early"`
}

// A sampled is the resident memory at a moment.
type sampled struct {
	at    time.Duration // since the load began
	bytes int64
}

// summarizeMemory looks at samples in the order of their time, over so long a load.
func summarizeMemory(samples []sampled, span time.Duration) (r memoryReport) {
	if len(samples) == 0 {
		return r
	}
	r.First, r.Last = samples[0].bytes, samples[len(samples)-1].bytes
	var early, late []int64
	var n, x, y, xx, xy float64
	for _, s := range samples {
		if s.at < span/6 {
			continue
		}
		if r.Min == 0 || s.bytes < r.Min {
			r.Min = s.bytes
		}
		r.Max = max(r.Max, s.bytes)
		if s.at < span/3 {
			early = append(early, s.bytes)
		}
		if s.at >= span*5/6 {
			late = append(late, s.bytes)
		}
		at, b := s.at.Minutes(), float64(s.bytes)
		n, x, y, xx, xy = n+1, x+at, y+b, xx+at*at, xy+at*b
	}
	if d := n*xx - x*x; d > 0 {
		r.Slope = (n*xy - x*y) / d
	}
	if len(early) > 0 && len(late) > 0 {
		r.Early, r.Late = medianBytes(early), medianBytes(late)
		r.Ratio = float64(r.Late) / float64(r.Early)
	}
	return r
}

// medianBytes sorts.
func medianBytes(values []int64) int64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// A rule is what a load must show.
type rule struct {
	Name string `json:"name"`
	Said string `json:"said"`
	Held bool   `json:"held"`
}

// Limits of the rules.
const (
	mixedP99   = 50.0 // milliseconds
	mixedDrift = 0.05 // of the resident memory
	mixedLess  = 0.98 // of the requests that were due
)

func (r *mixedReport) judge(rate float64) {
	bad, refused := 0, 0
	for code, n := range r.All.Codes {
		switch {
		case code == 503 || code == 429:
			refused += n // those without Retry-After are counted as wrong
		case code >= 500:
			bad += n
		}
	}
	add := func(name string, held bool, format string, args ...any) {
		r.Rules = append(r.Rules, rule{name, fmt.Sprintf(format, args...), held})
	}
	add("all requests were made", r.PerS >= mixedLess*rate, "%.1f a second of %.0f", r.PerS, rate)
	add("no wrong answer", r.Wrong == 0, "%d of %d", r.Wrong, r.Requests)
	add("no 5xx", bad == 0, "%d; 429 or 503 with Retry-After: %d", bad, refused)
	add("p99 under 50 ms", r.All.Times.P99 < mixedP99, "%.2f ms; %.2f ms from when it was sent", r.All.Times.P99, r.All.Service.P99)
	add("memory flat within 5 %", math.Abs(r.Memory.Ratio-1) <= mixedDrift, "median of the last sixth by that of the second: %.3f", r.Memory.Ratio)
	add("goroutines back", r.After.Goroutines <= r.Before.Goroutines, "%d, then %d", r.Before.Goroutines, r.After.Goroutines)
	add("descriptors back", r.After.Descriptors <= r.Before.Descriptors, "%d, then %d", r.Before.Descriptors, r.After.Descriptors)
}

// broken is an error if a rule does not hold.
func (r *mixedReport) broken() error {
	var all []error
	for _, one := range r.Rules {
		if !one.Held {
			all = append(all, fmt.Errorf("not held: %s: %s", one.Name, one.Said))
		}
	}
	return errors.Join(all...)
}

func (r *mixedReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests in %.0f s, %.1f a second; edits: %s; rude clients: %s\n", r.Requests, r.Seconds, r.PerS, counts(r.Edits), counts(r.Rude))
	for _, name := range slices.Sorted(maps.Keys(r.Ends)) {
		writeEnd(&b, name, r.Ends[name])
	}
	writeEnd(&b, "all", r.All)
	fmt.Fprintf(&b, "  from when they were sent: %s\n", r.All.Service)
	mem := r.Memory
	fmt.Fprintf(&b, "resident: first %s, last %s, after the warm-up %s to %s, %+.2f MiB a minute; medians %s, then %s\n",
		mib(mem.First), mib(mem.Last), mib(mem.Min), mib(mem.Max), mem.Slope/(1<<20), mib(mem.Early), mib(mem.Late))
	fmt.Fprintf(&b, "before %+v, after %+v; descriptors by what they are: %s\n", r.Before, r.After, counts(r.Open))
	if r.Wrong > 0 {
		fmt.Fprintf(&b, "wrong answers: %s\n", counts(r.ByEnd))
	}
	for _, one := range r.Rules {
		word := "pass"
		if !one.Held {
			word = "FAIL"
		}
		fmt.Fprintf(&b, "%s  %s: %s\n", word, one.Name, one.Said)
	}
	return b.String()
}

func writeEnd(w io.Writer, name string, e endpointReport) {
	t := e.Times
	fmt.Fprintf(w, "%-16s %7d  p50 %6.2f  p95 %6.2f  p99 %6.2f  max %7.2f ms  %s\n", name, t.Count, t.P50, t.P95, t.P99, t.Max, counts(e.Codes))
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

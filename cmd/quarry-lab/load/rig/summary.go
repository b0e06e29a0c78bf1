package rig

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A Summary describes a set of times, in milliseconds.
type Summary struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	P90   float64 `json:"p90_ms"`
	P95   float64 `json:"p95_ms"`
	P99   float64 `json:"p99_ms"`
	Max   float64 `json:"max_ms"`
}

// Summarize uses the nearest rank: the p-th percentile is the least time that
// p percent of all do not exceed.
func Summarize(times []time.Duration) Summary {
	if len(times) == 0 {
		return Summary{}
	}
	slices.Sort(times)
	at := func(p float64) float64 {
		rank := max(1, int(math.Ceil(p/100*float64(len(times)))))
		return math.Round(times[rank-1].Seconds()*1e6) / 1e3
	}
	return Summary{len(times), at(50), at(90), at(95), at(99), at(100)}
}

// String returns the times in one line.
func (s Summary) String() string {
	return fmt.Sprintf("p50 %.2f  p90 %.2f  p95 %.2f  p99 %.2f  max %.2f ms", s.P50, s.P90, s.P95, s.P99, s.Max)
}

package rig

import (
	"testing"
	"time"
)

func TestSummarize(t *testing.T) {
	var times []time.Duration
	for ms := 100; ms >= 1; ms-- {
		times = append(times, time.Duration(ms)*time.Millisecond)
	}
	if got, want := Summarize(times), (Summary{Count: 100, P50: 50, P90: 90, P95: 95, P99: 99, Max: 100}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := Summarize(times[:1]), (Summary{Count: 1, P50: 1, P90: 1, P95: 1, P99: 1, Max: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

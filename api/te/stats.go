package te

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Stats sum up the events of one command in one mode.
type Stats struct {
	Cmd       string  `json:"cmd"`
	Mode      string  `json:"mode"`
	N         int     `json:"n"`
	Truncated float64 `json:"truncated"` // share, 0..1
	BytesIn   int64   `json:"bytes_in"`
	BytesOut  int64   `json:"bytes_out"`
	Saved     int64   `json:"bytes_saved"`    // in without out; negative where the envelope was longer
	Median    int64   `json:"latency_ms_p50"` // of the latencies
	P95       int64   `json:"latency_ms_p95"`
}

// Sum reads events, one a line, and sums them up by command and mode, in the order of
// the two. Lines that are none, such as one that is being written, are counted.
func Sum(r io.Reader) (all []Stats, bad int, err error) {
	type key struct{ cmd, mode string }
	of, took := map[key]*Stats{}, map[key][]int64{}
	cut := map[key]int{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var e Event
		if json.Unmarshal(sc.Bytes(), &e) != nil || e.Cmd == "" {
			bad++
			continue
		}
		k := key{e.Cmd, e.Mode}
		s := of[k]
		if s == nil {
			s = &Stats{Cmd: e.Cmd, Mode: e.Mode}
			of[k] = s
		}
		s.N++
		s.BytesIn += e.InputSize
		s.BytesOut += e.OutputSize
		if e.Truncated {
			cut[k]++
		}
		took[k] = append(took[k], e.LatencyMS)
	}
	if err := sc.Err(); err != nil {
		return nil, bad, fmt.Errorf("telemetry: %w", err)
	}
	for k, s := range of {
		list := took[k]
		slices.Sort(list)
		s.Truncated = float64(cut[k]) / float64(s.N)
		s.Saved = s.BytesIn - s.BytesOut
		s.Median, s.P95 = list[len(list)/2], list[len(list)*95/100]
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Stats) int { return cmp.Or(cmp.Compare(a.Cmd, b.Cmd), cmp.Compare(a.Mode, b.Mode)) })
	return all, bad, nil
}

package peers

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"path/filepath"

	"github.com/quarry-search/quarry/index/measure"
)

// quarryPeer is this repository's program. Its commands ask a running server, so one is
// running when they are measured; `index --output` is what builds an index on the disk.
func quarryPeer(program string) peer {
	snapshot := func(p place) string { return filepath.Join(p.data, "snapshot") }
	with := func(p place, args ...string) step {
		// In front: what comes after -- is no flag.
		return step{args: append([]string{program}, append(args[:1:1], append([]string{"--root", p.root, "--data-dir", filepath.Join(p.data, "server")}, args[1:]...)...)...), none: 1}
	}
	index := func(p place) step {
		return step{args: []string{program, "index", p.root, "--output", snapshot(p), "--data-dir", filepath.Join(p.data, "server")}, none: 2}
	}
	return peer{
		name: "quarry", from: "this repository", programs: []string{program}, version: []string{"--version"},
		remark: "its commands ask a running server, so the time of a process is that of a client",
		index:  index, update: index,
		serve: func(p place, address string) step {
			_, port, _ := net.SplitHostPort(address) // it comes from a listener
			return step{args: []string{program, "serve", p.root, "--port", port, "--data-dir", filepath.Join(p.data, "server"), "--socket", "off"}}
		},
		ping: "/ready", ready: func([]byte) bool { return true },
		search: func(p place, q query) step {
			if q.word {
				return with(p, "te", "-i", "grep", "-w", "-F", "--", q.text)
			}
			return with(p, "te", "-i", "grep", "--", q.text)
		},
		lines: lineCount,
		over: func(q query) string {
			v := url.Values{"pattern": {q.text}, "raw": {"true"}}
			if q.word {
				v.Set("word", "true")
			}
			return "/grep?" + v.Encode()
		},
		overLines: lineCount,
		define: func(p place, name string) step {
			return with(p, "search", "--mode", "symbol", "--json", name)
		},
		structure: func(p place) step { return with(p, "structure", "-m", "5000") },
		callers: func(p place, _, file, symbol string) step {
			return with(p, "calls", file+":"+symbol, "--direction", "callers", "-m", "1000", "--json")
		},
		called:  quarryCallers,
		builds:  true,
		overAsk: func(question string) string { return "/search?limit=10&query=" + url.QueryEscape(question) },
		answer:  quarryAnswer,
	}
}

// quarryCallers reads the JSON of /calls. Calls that only a name speaks for are no claim,
// and a function that is named is not called.
func quarryCallers(_ place, _ string, out []byte) (all []caller) {
	type edge struct {
		From             struct{ File, Symbol string }
		Confidence, Kind string
	}
	var a struct{ Edges, Ambiguous []edge }
	if json.Unmarshal(out, &a) != nil {
		return nil
	}
	for _, list := range [][]edge{a.Edges, a.Ambiguous} {
		for _, e := range list {
			if e.Confidence != "name" && e.Kind == "calls" {
				all = append(all, caller{e.From.File, lastName(e.From.Symbol)})
			}
		}
	}
	return all
}

// quarryAnswer reads the JSON of /search.
func quarryAnswer(_ place, _ string, out []byte) (hits []measure.Hit) {
	var a struct {
		Results []struct {
			File          string
			Line, EndLine int
			End           int `json:"end_line"`
		}
	}
	if json.Unmarshal(out, &a) != nil {
		return nil
	}
	for _, r := range a.Results {
		hits = append(hits, measure.Hit{File: r.File, Line: r.Line, End: max(r.Line, r.End)})
	}
	return hits
}

// lineCount counts the lines of an output.
func lineCount(out []byte) int {
	n := bytes.Count(out, []byte("\n"))
	if len(out) > 0 && out[len(out)-1] != '\n' {
		n++
	}
	return n
}

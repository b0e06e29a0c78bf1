package peers

import (
	"encoding/json"

	"github.com/quarry-search/quarry/index/measure"
)

// semblePeer finds by vectors and words. Its model comes from a hub when it is first used.
func semblePeer() peer {
	ask := func(p place, question string) step {
		return step{args: []string{"semble", "search", "-k", "10", "--max-snippet-lines", "0", question, p.root}}
	}
	return peer{
		name: "semble", from: "semble (PyPI)", programs: []string{"semble"}, version: []string{"--version"},
		remark: "its model comes from a hub; the index is made by the first question",
		index:  func(p place) step { return ask(p, "begin") },
		ask:    ask,
		answer: func(p place, _ string, out []byte) (hits []measure.Hit) {
			var a struct {
				Results []struct {
					File  string `json:"file_path"`
					Start int    `json:"start_line"`
					End   int    `json:"end_line"`
				}
			}
			if json.Unmarshal(out, &a) != nil {
				return nil
			}
			for _, r := range a.Results {
				hits = append(hits, measure.Hit{File: p.relative(r.File), Line: r.Start, End: r.End})
			}
			return hits
		},
	}
}

// osgrepPeer finds by vectors. Its models come from a hub.
func osgrepPeer() peer {
	return peer{
		name: "osgrep", from: "osgrep (npm)", programs: []string{"osgrep"}, version: []string{"--version"},
		remark: "its models come from a hub",
		index:  func(p place) step { return step{args: []string{"osgrep", "index"}, dir: p.root} },
	}
}

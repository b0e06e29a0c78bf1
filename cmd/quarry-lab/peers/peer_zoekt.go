package peers

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/quarry-search/quarry/index/measure"
)

// zoektPeer has an index of triples of bytes, and symbols by universal-ctags.
func zoektPeer() peer {
	index := func(p place) step {
		return step{args: []string{"zoekt-index", "-index", shards(p), p.root}, env: []string{"CTAGS_COMMAND=ctags-universal"}}
	}
	search := func(p place, text string) step {
		return step{args: []string{"zoekt", "-index_dir", shards(p), text}}
	}
	return peer{
		name: "zoekt", from: "github.com/sourcegraph/zoekt (Go module)",
		programs: []string{"zoekt-index", "zoekt", "zoekt-webserver", "ctags-universal"},
		remark:   "prints no version; the index is rebuilt after an edit",
		index:    index, update: index,
		serve: func(p place, address string) step {
			return step{args: []string{"zoekt-webserver", "-index", shards(p), "-listen", address}}
		},
		ping: "/search?format=json&num=1&q=r:.", ready: func(out []byte) bool { return len(out) > 0 },
		search: func(p place, q query) step { return search(p, zoektQuery(q)) },
		lines:  lineCount,
		over: func(q query) string {
			return "/search?format=json&num=100000&q=" + url.QueryEscape(zoektQuery(q))
		},
		overLines: zoektLines,
		define:    func(p place, name string) step { return search(p, `case:yes sym:\b`+name+`\b`) },
		callers: func(p place, _, _, symbol string) step {
			return search(p, `case:yes "\\b`+lastName(symbol)+`\\("`)
		},
		called: lineCallers,
		overAsk: func(question string) string {
			return "/search?format=json&num=10&q=" + url.QueryEscape("("+strings.Join(questionWords(question), " or ")+")")
		},
		answer: func(_ place, _ string, out []byte) (hits []measure.Hit) {
			for _, f := range parseZoekt(out) {
				if len(hits) < measure.Depth {
					hits = append(hits, measure.Hit{File: f.FileName, Line: 1, End: 1 << 30})
				}
			}
			return hits
		},
	}
}

func shards(p place) string { return filepath.Join(p.data, "shards") }

// zoektQuery quotes an expression, so that a space in it separates nothing.
func zoektQuery(q query) string {
	text := strings.ReplaceAll(q.expression(), `\`, `\\`)
	return `case:yes content:"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
}

// A zoektFile is one with matches, in the JSON of its web server.
type zoektFile struct {
	FileName string
	Matches  []struct{ LineNum int }
}

func parseZoekt(out []byte) []zoektFile {
	var a struct {
		Result struct{ FileMatches []zoektFile } `json:"result"`
	}
	if json.Unmarshal(out, &a) != nil {
		return nil
	}
	return a.Result.FileMatches
}

func zoektLines(out []byte) (n int) {
	for _, f := range parseZoekt(out) {
		n += len(f.Matches)
	}
	return n
}

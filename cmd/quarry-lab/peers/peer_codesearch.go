package peers

import "path/filepath"

// codesearchPeer has an index of triples of bytes.
func codesearchPeer() peer {
	env := func(p place) []string { return []string{"CSEARCHINDEX=" + filepath.Join(p.data, "csearchindex")} }
	index := func(p place) step { return step{args: []string{"cindex", p.root}, env: env(p)} }
	search := func(p place, expr string) step {
		return step{args: []string{"csearch", "-n", expr}, env: env(p), none: 1}
	}
	return peer{
		name: "codesearch", from: "codesearch (Debian)", programs: []string{"cindex", "csearch"},
		remark: "prints no version",
		index:  index, update: index,
		search:  func(p place, q query) step { return search(p, q.expression()) },
		lines:   lineCount,
		callers: func(p place, _, _, symbol string) step { return search(p, `\b`+lastName(symbol)+`\(`) },
		called:  lineCallers,
	}
}

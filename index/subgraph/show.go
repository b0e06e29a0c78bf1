package subgraph

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/source"
)

// show fills in the answer with at most so many nodes. Those beyond the bound are in groups, one for
// a folder, or for one above where these would be too many: a quarter of the bound at most.
func (a *Answer) show(limit int) {
	w := a.whole
	a.Total = len(w.nodes)
	kept, groups := w.nodes, []Node(nil)
	in := map[string]string{} // the group of a node
	switch {
	case len(w.nodes) > limit && limit < 2:
		a.Cut(answer.CutLimit)
		kept = w.nodes[:max(limit, 0)]
	case len(w.nodes) > limit:
		a.Cut(answer.CutLimit)
		kept = w.nodes[:max(limit-max(limit/4, 1), 0)]
		depth := 1 << 10
		for {
			groups = grouped(w.nodes[len(kept):], depth, in)
			if len(kept)+len(groups) <= limit || depth == 0 {
				break
			}
			depth = min(depth, deepest(w.nodes)+1) - 1
		}
		if more := limit - len(kept) - len(groups); more > 0 {
			kept = w.nodes[:len(kept)+more]
			clear(in)
			groups = grouped(w.nodes[len(kept):], depth, in)
		}
	}
	a.Nodes = slices.Concat(kept, groups)
	w.found.sign(a.Nodes)
	order := make(map[string]int, len(a.Nodes))
	for i := range a.Nodes {
		order[a.Nodes[i].ID] = i
	}
	node := func(id string) string { return cmp.Or(in[id], id) }
	edges := joined(w.edges, func(e Edge) (string, string, Edge) { return node(e.From), node(e.To), e }, func(e Edge, same bool) bool {
		_, from := order[node(e.From)]
		_, to := order[node(e.To)]
		return same && in[e.From] != "" || !from || !to
	})
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(max(order[a.From], order[a.To])-max(order[b.From], order[b.To]), order[a.From]-order[b.From], order[a.To]-order[b.To])
	})
	a.TotalEdges = len(w.edges)
	if len(edges) > maxEdges {
		a.Cut(answer.CutLimit)
		edges = edges[:maxEdges]
	}
	a.Edges = edges
	if w.found.query.Snippets {
		w.found.texts(edges)
	}
}

// sign fills in the signatures of the nodes that are shown.
func (f *found) sign(nodes []Node) {
	f.Mu.RLock()
	defer f.Mu.RUnlock()
	for i := range nodes {
		n := &nodes[i]
		if r, s := f.Table.At(answer.Place{Symbol: n.Symbol, File: n.File, Line: n.Line}); s != nil {
			n.Signature = r.SignatureOf(s)
		}
	}
}

// deepest is how many names the longest folder has.
func deepest(nodes []Node) (n int) {
	for i := range nodes {
		n = max(n, strings.Count(nodes[i].Folder, "/")+1)
	}
	return n
}

// grouped makes a node for all of each folder, cut to so many names, and notes in which each is.
func grouped(nodes []Node, depth int, in map[string]string) []Node {
	at := map[string]int{}
	var groups []Node
	for i := range nodes {
		n := &nodes[i]
		dir := n.Folder
		if n.Kind == KindFolder {
			dir = source.Dir(dir)
		}
		if names := strings.Split(dir, "/"); len(names) > depth {
			dir = strings.Join(names[:depth], "/")
		}
		id := path.Join(dir, "*")
		if dir == "" {
			id = "./*"
		}
		in[n.ID] = id
		k, known := at[id]
		if !known {
			k = len(groups)
			at[id] = k
			groups = append(groups, Node{ID: id, Kind: KindGroup, Folder: dir, Depth: n.Depth, Side: n.Side, Test: n.Test})
		}
		g := &groups[k]
		g.Count += n.Count
		g.Depth, g.Test = min(g.Depth, n.Depth), g.Test && n.Test
		if g.Side != n.Side {
			g.Side = SideBoth
		}
	}
	slices.SortFunc(groups, func(a, b Node) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.ID, b.ID)) })
	return groups
}

// texts fills in the lines of call sites. A file is unpacked once.
func (f *found) texts(edges []Edge) {
	lines := map[string][]string{}
	for i := range edges {
		for k := range edges[i].Sites {
			s := &edges[i].Sites[k]
			list, known := lines[s.File]
			if !known {
				if r := f.Record(s.File); r != nil {
					list = strings.Split(string(r.Text.All()), "\n")
				}
				lines[s.File] = list
			}
			if s.Line >= 1 && s.Line <= len(list) {
				text := strings.TrimSpace(list[s.Line-1])
				s.Text = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
			}
		}
	}
}

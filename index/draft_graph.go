package index

import "github.com/quarry-search/quarry/index/answer"

// state is the base's, with the generation that the draft is of, and its own figures.
func (d *draft) state() answer.State {
	s := d.base.State()
	s.Generation = d.generation
	s.Files, s.Chunks = int(d.index.Counters.Files.Load()), int(d.index.Counters.Chunks.Load())
	if s.Chunks > 0 && d.index.Dim > 0 {
		s.Vectors = min(s.Vectors, float64(d.index.Counters.Embedded.Load())/float64(s.Chunks))
	}
	if s.Refined != nil {
		s.Refined = d.index.Counters.RefinedShare(min(s.Vectors, *s.Refined))
	}
	s.GraphOld = s.GraphOld || d.index.Graph.Behind()
	return s
}

// bytes is what the draft takes besides the base, about: vectors are copied, of words the
// dictionary, of names the table, and the call graph is one of its own.
func (d *draft) bytes() int64 {
	const term, name = 60, 60
	n := int64(d.index.Table.Words.Terms())*term + int64(len(d.index.Table.Names))*name + d.index.Graph.Weight.Load()
	if m := d.index.Counters.Memory.Load(); m != nil {
		n += m.Vectors
	}
	return n
}

// graphOld reports whether the call graph lacked something of the overlay when it was last
// asked for.
func (d *draft) graphOld() bool {
	d.solving.Lock()
	defer d.solving.Unlock()
	return d.late
}

// solve brings the call graph in line, for a request that reads it. Of the first one it
// makes a whole graph, from the lowered forms of all files: that of the base has values
// and nodes that cannot be copied, and must not change. Where that takes longer than
// graphWait, the base's answers meanwhile, and says that it is behind; who asks again with
// the same overlay does not wait again.
func (d *draft) solve() {
	d.solving.Lock()
	defer d.solving.Unlock()
	c := &d.index.Graph
	if d.base.Graph.Broken.Load() {
		c.Broken.Store(true) // it would be so here, too
		return
	}
	most := graphWait
	if d.late {
		most = 0 // it has been waited for
	}
	c.Resolve()
	d.late = !c.WaitFor(most)
	if !d.late || d.standIn {
		return
	}
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !c.Missing.Load() {
		return // it is there by now, or a copy of the last one answers
	}
	d.base.Graph.Mu.RLock()
	c.Graph = d.base.Graph.Graph.Apart()
	c.Values = d.base.Graph.Values // never written to
	d.base.Graph.Mu.RUnlock()
	c.Edges.Store(int64(c.Graph.Stats().Edges))
	d.standIn = true
}

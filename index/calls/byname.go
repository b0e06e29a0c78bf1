package calls

import "github.com/quarry-search/quarry/index/internal/graph"

// UsedAsValue notes that a node may be called by its value.
func (w *Walk) UsedAsValue(id graph.ID, l *Gaps) {
	used := false
	look := func(e graph.Edge) bool {
		used = used || e.Kind == graph.References && e.Rule == graph.ByValue
		return !used
	}
	w.G.In(id, look)
	if n := w.Node(id); n.Language == "python" && MakesInstances(n.Language, PlainName(n)) && n.Outer != 0 {
		for class := range w.Below([]graph.ID{n.Outer}, maxBelow, false) {
			if w.G.In(class, look); used {
				break
			}
		}
	}
	if !used || w.followed(id) {
		return
	}
	n := 0
	for language, count := range w.calls.Values {
		if graph.SameFamily(language, w.Node(id).Language) {
			n += count
		}
	}
	if n > 0 {
		l.Because("%s is used as a value, and %d calls of function values are not resolved", w.Node(id).Name, n)
	}
}

// called are the open calls of a name, by the languages that they are written in.
type called struct {
	sites     []graph.Site
	languages []string
}

// CallersByName notes the open calls of a node's name, which could be calls of it,
// and gives each to yield.
func (w *Walk) CallersByName(id graph.ID, l *Gaps, yield func(graph.Site)) {
	n := w.Node(id)
	name := PlainName(n)
	if n.Kind != graph.FuncNode || name == "" {
		return
	}
	c := w.names[name]
	if c == nil {
		c = &called{}
		w.names[name] = c
		w.G.Open(name, func(s graph.Site) bool {
			c.sites, c.languages = append(c.sites, s), append(c.languages, w.Node(s.From).Language)
			return true
		})
	}
	for i, s := range c.sites {
		if graph.SameFamily(n.Language, c.languages[i]) && !w.beyondScope(id, s) {
			l.Called(name)
			yield(s)
		}
	}
}

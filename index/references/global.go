package references

import (
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// globals are what a file of TypeScript declares for all files: all of it, where the file is
// no module, and else what is in "declare global".
type globals struct {
	all   bool
	spans []span
}

// seenByAll says how sure it is that a name of another file means what is at the top of a file, at
// a place, without an import; "": it does not. Scripts of several programs may have the name.
func (c *common) seenByAll(r *store.Record, at int) string {
	if r.Lang != "typescript" && r.Lang != "tsx" {
		return ""
	}
	g, known := c.globals[r]
	if !known {
		p := c.index.Parsers.Get()
		defer c.index.Parsers.Put(p)
		if t := p.Tree(r.Lang, r.Text.All()); t != nil && t.Root() != 0 {
			g = globalsOf(t)
		}
		c.globals[r] = g
	}
	for _, s := range g.spans {
		if s.start <= at && at < s.end {
			return scoped
		}
	}
	if g.all {
		return byName
	}
	return ""
}

func globalsOf(t *syntax.Tree) globals {
	g := globals{all: true}
	for n := range t.NamedChildren(t.Root()) {
		switch t.Kind(n) {
		case "import_statement", "export_statement":
			g.all = false
		case "ambient_declaration":
			for c := range t.Children(n) {
				if t.Kind(c) == "global" {
					g.spans = append(g.spans, span{t.Start(n), t.End(n)})
				}
			}
		}
	}
	return g
}

// globalOwn reports whether what a file has at its top of a name is declared for all files.
func (f *file) globalOwn(name string) bool {
	for i := range f.Record.Symbols {
		if t := &f.Record.Symbols[i]; t.Parent == "" && t.Name == name && f.s.common.seenByAll(f.Record, int(t.Start)) == "" {
			return false
		}
	}
	return true
}

// declaredByAll finds whether all files see the target. What other files declare for all of the
// same name is then the same symbol.
func (s *search) declaredByAll() {
	s.global = s.common.seenByAll(s.at.Record, int(s.at.Sym().Start))
	if s.global != scoped {
		return
	}
	for _, d := range s.index.Definitions(s.name) {
		t := &d.Record.Symbols[d.Symbol]
		if t.Parent != "" || s.common.seenByAll(d.Record, int(t.Start)) != scoped {
			continue
		}
		for _, id := range s.G.Named(d.Record.Path, t.Name, int(t.NameLine)) {
			s.seeds[id] = true
		}
	}
}

// ofGlobalObject reports whether a member is one of the object that has what all files see.
func ofGlobalObject(src []byte, m *mention.Mention) bool {
	switch mention.Receiver(src, m.Offset) {
	case "globalThis", "window", "self", "global":
		return true
	}
	return false
}

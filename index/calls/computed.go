package calls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/store"
)

// maxKin bounds how many classes around one are looked at.
const maxKin = 1000

// computed returns the place of a call of a member of this whose name is computed and which may be a
// method, or "".
func (w *Walk) computed(n *graph.Node) string {
	if n.Outer == 0 || w.Node(n.Outer).Kind != graph.ClassNode || !store.Dynamic(n.Language) {
		return ""
	}
	if w.anyMember == nil {
		w.anyMember = map[graph.ID]string{}
		for _, name := range []string{"", "send", "public_send", "__send__"} {
			w.G.Open(name, w.noteComputed)
		}
		w.G.Open(ir.Evaluation, func(s graph.Site) bool {
			w.note(w.classAround(s.From), s)
			return true
		})
	}
	if len(w.anyMember) == 0 {
		return ""
	}
	for _, class := range w.kin(n.Outer) {
		if at := w.anyMember[class]; at != "" {
			return "a computed name in " + at
		}
	}
	return ""
}

// madeByName returns the place where a class is found by a computed name, for a constructor of a
// language in which that is a call, or "".
func (w *Walk) madeByName(n *graph.Node) (by string) {
	if n.Language == "ruby" {
		w.G.Open(ir.Lookup, func(s graph.Site) bool {
			by = fmt.Sprintf("a constant with a computed name in %s:%d", w.Node(s.From).Path, s.Pos.Line())
			return false
		})
	}
	return by
}

// noteComputed notes a class with an open call of a member of this by a computed name.
func (w *Walk) noteComputed(s graph.Site) bool {
	n, class := w.Node(s.From), w.classAround(s.From)
	if class == 0 || w.anyMember[class] != "" || !store.Dynamic(n.Language) {
		return true
	}
	r := w.index.Record(n.Path)
	if r == nil {
		return true
	}
	line := r.LineText(s.Pos.Line())
	for _, mark := range selfMembers[n.Language] {
		_, name, found := strings.Cut(line, mark)
		// A name that begins with a text is that of what the text begins.
		if name = strings.TrimLeft(name, ", "); found && !startsText(name) {
			w.note(class, s)
		}
	}
	return true
}

// classAround returns the class that a node is or stands in, or 0.
func (w *Walk) classAround(id graph.ID) graph.ID {
	for id != 0 && w.Node(id).Kind != graph.ClassNode {
		id = w.Node(id).Outer
	}
	return id
}

// note notes the first call that stands in a class.
func (w *Walk) note(class graph.ID, s graph.Site) {
	if class != 0 && w.anyMember[class] == "" {
		w.anyMember[class] = fmt.Sprintf("%s:%d", w.Node(s.From).Path, s.Pos.Line())
	}
}

// startsText reports whether code begins with a text, or a symbol of Ruby.
func startsText(code string) bool {
	code = strings.TrimPrefix(code, "f")
	return code != "" && strings.IndexByte("\"'`:", code[0]) >= 0
}

// selfMembers are the beginnings of a member of this with a computed name, by language.
var selfMembers = map[string][]string{
	"php": {"->$", "->{", "::$", "::{"}, "python": {"getattr(self", "getattr(cls"}, "ruby": {"send(", "send "},
	"javascript": {"this["}, "typescript": {"this["}, "tsx": {"this["}, "jsx": {"this["},
}

// kin returns the classes that an object of a class, or of one below it, may be of: those above
// each of them, too.
func (w *Walk) kin(class graph.ID) []graph.ID {
	list := slices.Collect(w.Below([]graph.ID{class}, maxKin, true))
	known := map[graph.ID]bool{}
	for _, id := range list {
		known[id] = true
	}
	for i := 0; i < len(list); i++ {
		w.G.Out(list[i], func(e graph.Edge) bool {
			if (e.Kind == graph.Inherits || e.Kind == graph.Implements) && !known[e.To] && len(list) < maxKin {
				known[e.To] = true
				list = append(list, e.To)
			}
			return true
		})
	}
	return list
}

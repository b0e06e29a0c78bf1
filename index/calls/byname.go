package calls

import (
	"bytes"
	"math"
	"regexp"
	"slices"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/protocol"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// UsedAsValue notes that a node may be called by its value.
func (w *Walk) UsedAsValue(id graph.ID, l *Gaps) {
	used := false
	look := func(e graph.Edge) bool {
		used = used || e.Kind == graph.References && e.Rule == graph.ByValue
		return !used
	}
	w.G.In(id, look)
	if n := w.Node(id); n.Language == "python" && store.MakesInstances(n.Language, PlainName(n)) && n.Outer != 0 {
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
	if w.Node(id).Language == "c" && 0 < n && n <= maxValueCalls {
		n -= w.tooFew(id)
	}
	if n > 0 {
		l.Because("%s is used as a value, and %d calls of function values are not resolved", w.Node(id).Name, n)
	}
}

// Bounds of what is read of calls of function values.
const (
	maxValueCalls = 64   // of which the arguments are counted
	maxLine       = 1024 // bytes of a line, in which a macro is looked for
)

// tooFew counts the open calls of function values that give a function of C fewer arguments than it has
// parameters, so that they are none of it.
func (w *Walk) tooFew(id graph.ID) (n int) {
	node := w.Node(id)
	r := w.index.Record(node.Path)
	if r == nil {
		return 0
	}
	_, text := r.Split(node.Pos)
	arity := protocol.ArityOf("c", PlainName(node), text)
	if !arity.Needs(0) {
		return 0
	}
	if w.values == nil {
		w.values = map[graph.Site]int{}
		w.G.EachSite(func(s graph.Site) bool {
			from := w.Node(s.From)
			if !s.Reason.OfValue() || !graph.SameFamily(from.Language, "c") {
				return true
			}
			w.values[s] = math.MaxInt
			r := w.index.Record(from.Path)
			if r == nil {
				return true
			}
			before, text := r.Split(s.Pos)
			list, known := protocol.ArgumentsOfC(text)
			if known && (len(list) == 0 || !inMacro.Match(before[max(0, len(before)-maxLine):]) && !slices.ContainsFunc(list, w.several)) {
				w.values[s] = len(list)
			}
			return true
		})
	}
	for _, arguments := range w.values {
		if arity.Needs(arguments) {
			n++
		}
	}
	return n
}

// inMacro is the text before a place in the body of a macro.
var inMacro = regexp.MustCompile(`(\\\r?\n|(^|\n)[ \t]*#)[^\n]*$`)

// several reports whether an argument of C may stand for several, as a macro may.
func (w *Walk) several(argument []byte) bool {
	return bytes.Contains(argument, []byte("...")) || slices.ContainsFunc(words.FindAll(argument, -1), func(word []byte) bool {
		return bytes.HasPrefix(word, []byte("__VA_")) || slices.ContainsFunc(w.index.Definitions(string(word)), func(d store.SymbolRef) bool {
			return d.Record.Symbols[d.Symbol].Kind() == syntax.Macro
		})
	})
}

var words = regexp.MustCompile(`\w+`)

// called are the open calls of a name, by the languages that they are written in.
type called struct {
	sites     []graph.Site
	languages []string
}

// CallersByName notes the open calls of a node's name, which could be calls of it,
// and gives each to yield.
func (w *Walk) CallersByName(id graph.ID, l *Gaps, yield func(graph.Site)) {
	if !w.mayBeCalledByName(id) {
		return
	}
	n := w.Node(id)
	name := PlainName(n)
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

package store

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/rank"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// How well a symbol is what a name means. Each is more than all below it.
const (
	meansName    = 8 // in its very case
	meansParent  = 4 // the qualifier is what the symbol is in
	meansFolder  = 2 // the qualifier is its file or folder
	meansExactly = 1 // the qualifier, too, is in its very case
)

// named finds the symbols of the admitted files that a name means.
func (t *Table) named(text string, admit func(*Record) bool) (at Target, ok bool) {
	type candidate struct {
		SymbolRef
		preference
	}
	var best []candidate
	level := 0
	for _, reading := range readings(text) {
		for _, d := range t.Define(reading.name) {
			s := &d.Record.Symbols[d.Symbol]
			n := reading.means(d.Record, s)
			if n == 0 || n < level || !admit(d.Record) {
				continue
			}
			if n > level {
				best, level = best[:0], n
			}
			c := candidate{d, t.prefer(d)}
			i, _ := slices.BinarySearchFunc(best, c, func(a, b candidate) int { return a.compare(&b.preference) })
			if i > MaxOthers || i < len(best) && best[i].SymbolRef == d {
				continue
			}
			best = slices.Insert(best[:min(len(best), MaxOthers)], i, c)
		}
	}
	if len(best) == 0 {
		if plain := unmarked(text); plain != text {
			return t.named(plain, admit)
		}
		return at, false
	}
	at = Target{Record: best[0].Record, Symbol: int32(best[0].SymbolRef.Symbol)}
	for _, c := range best[1:] {
		if !c.declares(best[0].SymbolRef) {
			at.Others = append(at.Others, c.SymbolRef)
		}
	}
	return at, true
}

// A meaning is one way to read a name.
type meaning struct {
	name      string
	qualifier []string
}

// readings returns a text as a name, and cut at its last separator as a name
// within others: Foo.bar, Sinatra::Base, Stack#push, App\Order.
func readings(text string) []meaning {
	all := []meaning{{name: text}}
	cut := strings.NewReplacer("::", "\x00", "->", "\x00", ".", "\x00", "#", "\x00", "\\", "\x00", "/", "\x00").Replace(text)
	parts := slices.DeleteFunc(strings.Split(cut, "\x00"), func(s string) bool { return s == "" })
	if n := len(parts); n > 1 {
		all = append(all, meaning{parts[n-1], parts[:n-1]})
	}
	return all
}

// unmarked returns a name without the mark of a variable, which symbols go without:
// ErrorHandler::$details.
func unmarked(text string) string {
	at := strings.LastIndexAny(text, ":>.#") + 1
	return text[:at] + strings.TrimPrefix(text[at:], "$")
}

// means says how well a symbol is what the name means, 0 for not at all.
func (m *meaning) means(r *Record, s *Symbol) int {
	n := 0
	switch {
	case s.Name == m.name:
		n = meansName
	case !strings.EqualFold(s.Name, m.name):
		return 0
	}
	if len(m.qualifier) == 0 {
		return n + meansParent + meansExactly
	}
	parents := strings.FieldsFunc(s.Parent, func(c rune) bool { return c == '.' || c == ':' || c == '\\' })
	if same, exact := endsIn(parents, m.qualifier); same {
		return n + meansParent + exact
	}
	folders := strings.Split(r.Path, "/")
	stem, _, _ := strings.Cut(folders[len(folders)-1], ".")
	folders = folders[:len(folders)-1]
	same, exact := endsIn(slices.Concat(folders, parents), m.qualifier)
	if !same {
		same, exact = endsIn(slices.Concat(folders, []string{stem}, parents), m.qualifier)
	}
	if !same {
		return 0
	}
	return n + meansFolder + exact
}

// endsIn reports whether a list ends in another, and returns meansExactly if it
// does in the same case.
func endsIn(list, tail []string) (same bool, exact int) {
	if len(list) < len(tail) {
		return false, 0
	}
	list = list[len(list)-len(tail):]
	if !slices.EqualFunc(list, tail, strings.EqualFold) {
		return false, 0
	}
	if slices.Equal(list, tail) {
		exact = meansExactly
	}
	return true, exact
}

// A preference decides between symbols of the same name: code before its tests and
// texts and before what is copied in, definitions before declarations, types and
// functions before the rest, what others can see, what is not deep below.
type preference struct {
	later    int
	strength float64
	depth    int
	path     string
	symbol   uint32
}

func (p *preference) compare(q *preference) int {
	return cmp.Or(cmp.Compare(p.later, q.later), cmp.Compare(q.strength, p.strength), cmp.Compare(p.depth, q.depth),
		strings.Compare(p.path, q.path), cmp.Compare(p.symbol, q.symbol))
}

func (t *Table) prefer(d SymbolRef) preference {
	r, s := d.Record, &d.Record.Symbols[d.Symbol]
	p := preference{depth: strings.Count(r.Path, "/"), path: r.Path, symbol: d.Symbol}
	if r.Traits.Vendored {
		p.later += 8
	}
	if r.Traits.Test || r.Traits.Doc || r.Traits.Config {
		p.later += 4
	}
	if r.Traits.Declaration || t.Declares(r) || Runs(s.Kind()) && s.Line == s.Last && (isHeader(r) || r.inInterface(int32(d.Symbol))) {
		p.later += 2
	}
	if r.Traits.Example || !r.Grammar {
		p.later++
	}
	p.strength = rank.DefinitionStrength(string(s.Kind()), true, s.Exported, "", "")
	return p
}

// declares reports whether a definition is another signature of a function, or its
// declaration in C or C++: it is no other meaning of the name.
func (d SymbolRef) declares(other SymbolRef) bool {
	s, t := &d.Record.Symbols[d.Symbol], &other.Record.Symbols[other.Symbol]
	if !Runs(s.Kind()) || !Runs(t.Kind()) || s.Qualified() != t.Qualified() {
		return false
	}
	if l := d.Record.Lang; l != "c" && l != "cpp" {
		return d.Record == other.Record && OneFunction(l)
	}
	return !bytes.Contains(d.Record.Text.Slice(int(s.Start), int(s.End)), []byte("{"))
}

func Runs(k syntax.Kind) bool {
	return k == syntax.Function || k == syntax.Method || k == syntax.Constructor
}

// inInterface reports whether what a symbol is in only says what others define.
func (r *Record) inInterface(i int32) bool {
	up := r.Around(i)
	return up >= 0 && (r.Symbols[up].Kind() == syntax.Interface || r.Symbols[up].Kind() == syntax.Trait)
}

func isHeader(r *Record) bool {
	return (r.Lang == "c" || r.Lang == "cpp") && strings.HasPrefix(path.Ext(r.Path), ".h")
}

package index

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
func (t *table) named(text string, admit func(*record) bool) (at target, ok bool) {
	type candidate struct {
		definition
		preference
	}
	var best []candidate
	level := 0
	for _, reading := range readings(text) {
		for _, d := range t.define(reading.name) {
			s := &d.record.symbols[d.symbol]
			n := reading.means(d.record, s)
			if n == 0 || n < level || !admit(d.record) {
				continue
			}
			if n > level {
				best, level = best[:0], n
			}
			c := candidate{d, t.prefer(d)}
			i, _ := slices.BinarySearchFunc(best, c, func(a, b candidate) int { return a.compare(&b.preference) })
			if i > maxOthers || i < len(best) && best[i].definition == d {
				continue
			}
			best = slices.Insert(best[:min(len(best), maxOthers)], i, c)
		}
	}
	if len(best) == 0 {
		return at, false
	}
	at = target{record: best[0].record, symbol: int32(best[0].definition.symbol)}
	for _, c := range best[1:] {
		if !c.declares(best[0].definition) {
			at.others = append(at.others, c.definition)
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

// means says how well a symbol is what the name means, 0 for not at all.
func (m *meaning) means(r *record, s *symbol) int {
	n := 0
	switch {
	case s.name == m.name:
		n = meansName
	case !strings.EqualFold(s.name, m.name):
		return 0
	}
	if len(m.qualifier) == 0 {
		return n + meansParent + meansExactly
	}
	parents := strings.FieldsFunc(s.parent, func(c rune) bool { return c == '.' || c == ':' || c == '\\' })
	if same, exact := endsIn(parents, m.qualifier); same {
		return n + meansParent + exact
	}
	folders := strings.Split(r.path, "/")
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

func (t *table) prefer(d definition) preference {
	r, s := d.record, &d.record.symbols[d.symbol]
	p := preference{depth: strings.Count(r.path, "/"), path: r.path, symbol: d.symbol}
	if r.traits.Vendored {
		p.later += 8
	}
	if r.traits.Test || r.traits.Doc || r.traits.Config {
		p.later += 4
	}
	if r.traits.Declaration || t.declares(r) || runs(s.kind()) && s.line == s.last && (isHeader(r) || r.inInterface(int32(d.symbol))) {
		p.later += 2
	}
	if r.traits.Example || !r.grammar {
		p.later++
	}
	p.strength = rank.DefinitionStrength(string(s.kind()), true, s.exported, "", "")
	return p
}

// declares reports whether a definition is another signature of a function, or its
// declaration in C or C++: it is no other meaning of the name.
func (d definition) declares(other definition) bool {
	s, t := &d.record.symbols[d.symbol], &other.record.symbols[other.symbol]
	if !runs(s.kind()) || !runs(t.kind()) || s.qualified() != t.qualified() {
		return false
	}
	if l := d.record.lang; l != "c" && l != "cpp" {
		return d.record == other.record && oneFunction(l)
	}
	return !bytes.Contains(d.record.text.slice(int(s.start), int(s.end)), []byte("{"))
}

func runs(k syntax.Kind) bool {
	return k == syntax.Function || k == syntax.Method || k == syntax.Constructor
}

// inInterface reports whether what a symbol is in only says what others define.
func (r *record) inInterface(i int32) bool {
	up := r.around(i)
	return up >= 0 && (r.symbols[up].kind() == syntax.Interface || r.symbols[up].kind() == syntax.Trait)
}

func isHeader(r *record) bool {
	return (r.lang == "c" || r.lang == "cpp") && strings.HasPrefix(path.Ext(r.path), ".h")
}

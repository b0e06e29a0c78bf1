package references

import (
	"bytes"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/mention"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/texts"
	"github.com/quarry-search/quarry/index/references/typing"
)

// A file is one whose places are looked at.
type file struct {
	*typing.File
	s      *search
	traits source.Traits
	src    []byte
	places *mention.Places // by the syntax; nil: it was not read
	dots   *mention.Places // the same, of the marks before members
	names  *mention.Names
	named  []string // these
	around store.Enclosing

	reading
	whole    *whole            // nil: the file is read for this search alone
	bound    map[string]string // what free names mean, see bind
	others   map[int]bool
	possible bool // the graph has the last place as one of several
	settled  bool // a SCIP index says that the last place means the target
	way      bool // the last place names a method of an interface that the type of the target implements
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

func fileOf(s *search, t *texts.Source, src []byte, lang string) *file {
	named, traits := s.named(), t.Traits
	traits.Config = traits.Config && !s.G.Has(t.Path) // vite.config.ts is code
	return &file{File: &typing.File{Path: t.Path, Lang: lang, Record: t.Record}, s: s, traits: traits, src: src, names: mention.Of(named), named: named, bound: map[string]string{}}
}

// aliases has the names looked for by which the file imports the target.
func (f *file) aliases() {
	some := false
	f.names.Each(f.src, func(mention.Mention) bool {
		some = true
		return false
	})
	if alias := f.s.defaults[f.Path]; alias != "" {
		f.named = append(f.named, alias)
		f.names = mention.Of(f.named)
	} else if !some {
		return
	}
	if f.Record == nil || len(f.Record.Lowered) == 0 || !store.SameCode(f.Lang, f.s.lang) {
		return
	}
	if f.IR = f.s.common.lower(f.Record); f.IR == nil {
		return
	}
	for i := 1; i < len(f.IR.Imports); i++ {
		info := &f.IR.Imports[i]
		if alias := f.IR.String(info.Alias); info.Alias != 0 && alias != f.s.name && f.IR.String(info.Name) == f.s.name && f.s.parent == "" && f.leads(info) == scoped {
			f.named = append(f.named, alias)
		}
	}
	if len(f.named) > len(f.s.named()) {
		f.names = mention.Of(f.named)
	}
}

// known reads what the graph and the lowered file have at some places.
func (f *file) known(list []mention.Mention) {
	if f.whole != nil {
		f.reading = f.whole.reading
		return
	}
	at := map[ir.Pos]bool{}
	for i := range list {
		at[ir.At(list[i].Line, list[i].Column)] = true
	}
	f.reading = readingOf(f.s.G, f.Path, f.IR, at, f.names)
}

// kind returns how a place uses the name.
func (f *file) kind(m *mention.Mention) mention.Kind {
	switch {
	case f.places != nil:
		kind := f.kindAt(m.Offset)
		switch {
		case kind != mention.Key || f.s.parent != "":
		case f.required(m):
			return mention.Import
		case f.Lang == "go" && !f.s.field && f.s.holds:
			return mention.Read // no type or function is a key
		}
		return kind
	case m.Call:
		return mention.Call
	}
	return mention.Read
}

// kindAt is places.KindAt. A place is asked for once in a file that many searches have in common.
func (f *file) kindAt(offset int) mention.Kind {
	if f.whole == nil {
		return f.places.KindAt(offset)
	}
	kind, ok := f.whole.kinds[offset]
	if !ok {
		kind = f.places.KindAt(offset)
		f.whole.kinds[offset] = kind
	}
	return kind
}

// left returns the places that the call graph does not know to mean something else, nor the
// index as where it is defined. It needs no syntax, and most files of a common name have none.
func (f *file) left(list []mention.Mention) []mention.Mention {
	last := 0
	related := store.SameCode(f.Lang, f.s.lang)
	return slices.DeleteFunc(list, func(m mention.Mention) bool {
		if m.Line != last && !(m.Member && f.undotted()) && f.defines(&m) {
			last = m.Line
			return true
		}
		if !f.undotted() {
			last = m.Line
		}
		confidence, known := "", false
		if related && !f.traits.Config {
			if confidence, known = f.bySCIP(&m); !known {
				confidence, known = f.byGraph(&m)
			}
		}
		return known && confidence == ""
	})
}

// undotted reports whether no dot stands before a name that is defined, in the language of the file.
func (f *file) undotted() bool {
	switch f.Lang {
	case "go", "python", "java", "rust", "csharp":
		return true
	}
	return false
}

// apart takes back that a place is of a member where the dot before it ends a comment.
func (f *file) apart(m *mention.Mention) { apart(m, f.Lang, f.src, f.dots) }

// apart is that of a text, whose syntax may not have been read: nil.
func apart(m *mention.Mention, lang string, src []byte, dots *mention.Places) {
	before := bytes.TrimRight(src[:m.Offset], " \t\r\n")
	if !m.Member || !bytes.ContainsRune(src[len(before):m.Offset], '\n') {
		return
	}
	dot := len(before) - 1
	if dots != nil {
		m.Member = dots.KindAt(dot) != mention.Comment
	} else {
		m.Member = !mention.InComment(lang, src, dot)
	}
}

// defines reports whether a symbol with the name is defined on the line of a place; in Go, where the
// receiver of a method may have the method's name, that it is defined there.
func (f *file) defines(m *mention.Mention) bool {
	if f.Record == nil {
		return false
	}
	i := f.Record.NamedAt(m.Name, m.Line)
	if i < 0 || f.Lang != "go" {
		return i >= 0
	}
	if f.Record.Symbols[i].Kind() == syntax.Field && typing.IsType(string(f.s.at.Sym().Kind())) {
		return false // what a field that is embedded has as its name is a type
	}
	return f.Record.NameColumn(i) == m.Column
}

// inside returns the place of a line, with the innermost symbol around a column of it.
func (f *file) inside(line, column int) answer.Place {
	p := answer.Place{File: f.Path, Line: line}
	if f.Record == nil {
		return p
	}
	if f.around.Record == nil {
		f.around.Record = f.Record
	}
	if i := f.around.At(line, column); i >= 0 {
		p.Symbol = f.Record.Symbols[i].Qualified()
	}
	return p
}

// test reports whether a line is of test code.
func (f *file) test(line int) bool {
	if f.traits.Test {
		return true
	}
	id := f.s.G.At(f.Path, line)
	return id != 0 && f.s.IsTest(f.s.Home(id))
}

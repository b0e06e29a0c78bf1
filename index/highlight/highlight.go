// Package highlight says what the words of a file are, for people who look at it: keywords, strings,
// comments, names of functions and types.
//
// The classes come from the syntax tree of the file: from the kinds of its nodes, and from what the
// query of its language takes for definitions and references. Nothing is resolved: a name that is
// called is a function here, whatever it is bound to. A language without a grammar has no classes but
// those of its definitions and comments, and the answer says so.
package highlight

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// A Class is what a stretch of a text is. The zero Class is that of what has none.
type Class uint8

// The classes.
const (
	Plain Class = iota
	Comment
	Constant // also literals that are words, such as true and nil
	Function // its definition, or a call
	Keyword
	Number
	Operator
	Property // a field, a key of a configuration
	Punctuation
	String
	Type
)

var names = [...]string{"plain", "comment", "constant", "function", "keyword", "number", "operator", "property", "punctuation", "string", "type"}

// Classes returns the names of the classes, by their numbers.
func Classes() []string { return slices.Clone(names[:]) }

// Bounds of an answer.
const (
	maxText = 4 << 20  // bytes of a file that is parsed
	maxKept = 16 << 20 // bytes of the texts whose classes are kept
)

// What an answer lacks.
const (
	noGrammar = "the language of this file has no grammar here: only definitions are classified"
	gaveUp    = "the parser gave up on this file: only definitions are classified"
	hasErrors = "the file has syntax errors: what is in them may be of another class"
	tooLong   = "the file has more than 4 MiB: nothing is classified"
)

// A Query asks for the classes of lines of a text, which need not be what the index has of the file.
type Query struct {
	File  string
	Lang  string // "": by the name and the text of the file
	Hash  uint64 // of Text
	Text  string // all of the file: the first lines say how the others are to be read
	Start int    // the first line that is wanted, from 1
	Lines int    // how many
}

// An Answer has the classes of lines.
type Answer struct {
	// For each line its stretches, three numbers each: where it begins and ends, in UTF-16 code units
	// from the start of the line, and its class. What is between two stretches is plain. Never nil.
	Lines   [][]int
	Because []string // what the classes lack; empty: nothing
}

// Highlight classifies lines of a text.
func Highlight(ctx context.Context, x *store.View, q Query) (Answer, error) {
	a := Answer{Lines: make([][]int, 0, q.Lines)}
	src := []byte(q.Text)
	lang := cmp.Or(q.Lang, source.Language(q.File, src[:min(len(src), 512)]))
	var of painting
	if len(src) > maxText {
		of = painting{because: tooLong}
	} else {
		memory := store.Kept[memory](x)
		key := key{lang, q.Hash, len(src)}
		var ok bool
		if of, ok = memory.get(key); !ok {
			p := x.Parsers.Get()
			of = paint(p, lang, src)
			x.Parsers.Put(p)
			memory.put(key, of)
		}
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	if of.because != "" {
		a.Because = []string{of.because}
	}
	at, _ := source.LineAt(src, q.Start-1)
	for range q.Lines {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i
		}
		var classes []Class
		if of.classes != nil {
			classes = of.classes[at:end]
		}
		a.Lines = append(a.Lines, stretches(src[at:end], classes))
		at = min(end+1, len(src))
	}
	return a, nil
}

// stretches returns the stretches of a line, as Answer has them.
func stretches(line []byte, classes []Class) []int {
	list := []int{}
	was, from, column := Plain, 0, 0
	for i, c := range classes {
		if line[i]&0xc0 == 0x80 { // inside a character
			continue
		}
		if c != was {
			if was != Plain {
				list = append(list, from, column, int(was))
			}
			was, from = c, column
		}
		if column++; line[i] >= 0xf0 { // beyond the basic plane: two units
			column++
		}
	}
	if was != Plain {
		list = append(list, from, column, int(was))
	}
	return list
}

// A painting has the class of each byte of a text.
type painting struct {
	classes []Class // nil: there are none
	because string  // what they lack
}

// A key stands for a text.
type key struct {
	lang string
	hash uint64
	size int
}

// A memory keeps the classes of the texts that were asked for last: who looks at a long file asks for
// it by parts. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	known map[key]painting
	order []key // the one used last is the last
	size  int
}

func (m *memory) get(k key) (painting, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.known[k]
	if ok {
		m.touch(k)
	}
	return p, ok
}

// touch makes a key the last.
func (m *memory) touch(k key) {
	if i := slices.Index(m.order, k); i >= 0 {
		m.order = append(slices.Delete(m.order, i, i+1), k)
	}
}

func (m *memory) put(k key, p painting) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.known[k]; ok {
		return
	}
	if m.known == nil {
		m.known = map[key]painting{}
	}
	m.known[k] = p
	m.order = append(m.order, k)
	for m.size += k.size; m.size > maxKept; {
		m.size -= m.order[0].size
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
}

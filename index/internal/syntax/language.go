package syntax

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"
	sitter "github.com/smacker/go-tree-sitter"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/pattern"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// A Language is all that is known of one language. It has a grammar and a query, a scanner,
// or patterns alone.
type Language struct {
	Name    string
	Grammar func() *sitter.Language // nil: there is none
	Query   string                  // over the grammar's trees; the package's comment says what captures mean
	Rules   Rules                   // what the query cannot say
	Masked  bool                    // most of a text is no code of the language, and is hidden from the parser

	// Reader returns what makes TreeReaders for a grammar. Nil: the grammar makes all trees.
	Reader func(g *glr.Grammar) (func() TreeReader, error)

	// Scan finds in a text what a query would, where no tree is needed for that, and
	// reports whether the text is broken.
	Scan func(src []byte) (found Found, broken bool)

	// Patterns find definitions where there is no grammar, or where it gives up; nil: those
	// that most languages have in common.
	Patterns *pattern.Set
}

// A TreeReader makes the trees of a language without its grammar, in the memory of another
// tree: node for node those that the grammar would make. ok says that it is sure of that; if
// not, the grammar is asked. It is not safe for concurrent use.
type TreeReader interface {
	Read(tree []glr.Node, text []byte) (made []glr.Node, ok bool)
}

// A Found is what a Scan finds.
type Found struct {
	Definitions []Definition
	Assets      []Asset
	Comments    []Span
	Heads       []Span // of the file's head
}

// A Definition is one that a Scan finds.
type Definition struct {
	Span
	Kind  Kind
	Name  Span
	Level int // of one that runs to the next of its level, from 1; else 0
}

// An Asset is an import that a Scan finds: all of it, and its path.
type Asset struct {
	Span
	Path Span
}

// Languages are those that Parsers know, by their names. They are safe for concurrent use.
type Languages struct {
	all   map[string]*language
	names []string // of those that have more than patterns, sorted

	// common are the patterns of a language that is not known.
	common func() *pattern.Compiled
}

// A language is a Language whose parts are compiled at their first use.
type language struct {
	Language
	load     func() (*compiled, error)
	patterns func() *pattern.Compiled
}

// A compiled is a grammar with its query. It is only read.
type compiled struct {
	grammar   *glr.Grammar
	query     *query.Query
	captures  []capture // by the query's capture number
	newReader func() TreeReader
}

// NewLanguages returns the languages. Their names differ.
func NewLanguages(list ...Language) *Languages {
	l := &Languages{all: make(map[string]*language, len(list)), common: sync.OnceValue(pattern.Common().Compile)}
	for _, one := range list {
		known := &language{Language: one, patterns: l.common}
		known.load = sync.OnceValues(known.compile)
		if one.Patterns != nil {
			known.patterns = sync.OnceValue(one.Patterns.Compile)
		}
		l.all[one.Name] = known
		if known.hasGrammar() {
			l.names = append(l.names, one.Name)
		}
	}
	slices.Sort(l.names)
	return l
}

// hasGrammar reports whether more is known of a language than patterns.
func (l *language) hasGrammar() bool { return l.Grammar != nil || l.Scan != nil }

// Names lists the languages that have a grammar or a scanner, sorted.
func (l *Languages) Names() []string { return slices.Clone(l.names) }

// Language returns what is known of a language by its name.
func (l *Languages) Language(name string) (Language, bool) {
	known, ok := l.all[name]
	if !ok {
		return Language{}, false
	}
	return known.Language, true
}

// Fingerprint identifies the grammars, the queries and the tokenizer of HTML: where it is
// the same, the same text gives the same File, as long as the code does not change.
func (l *Languages) Fingerprint() string {
	h := xxhash.New()
	for _, name := range l.names {
		q := l.all[name].Query
		fmt.Fprintf(h, "%s %d\n%s", name, len(q), q)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/smacker/go-tree-sitter" || m.Path == "golang.org/x/net" {
				fmt.Fprintln(h, m.Version, m.Sum)
			}
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func (l *language) compile() (*compiled, error) {
	g, err := glr.Load(l.Name, l.Grammar())
	if err != nil {
		return nil, err
	}
	c := &compiled{grammar: g}
	if c.query, err = query.Compile(l.Query, g); err != nil {
		return nil, fmt.Errorf("compile query %s: %w", l.Name, err)
	}
	if l.Reader != nil {
		if c.newReader, err = l.Reader(g); err != nil {
			return nil, err
		}
	}
	for _, word := range c.query.Captures {
		capture, err := captureOf(word)
		if err != nil {
			return nil, fmt.Errorf("compile query %s: %w", l.Name, err)
		}
		c.captures = append(c.captures, capture)
	}
	return c, nil
}

package syntax

import (
	"bytes"
	"fmt"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
	"github.com/quarry-search/quarry/index/internal/syntax/query"
)

// A Parser finds the symbols of files, one at a time. It keeps the memory of the
// last file, so one Parser should serve many files. It is not safe for concurrent use: each
// worker has its own. Close must be called when it is no longer needed.
type Parser struct {
	LibraryOnly bool // leave all texts to the library's own parser, which takes longer

	languages *Languages
	glr       *glr.Parser
	readers   map[*compiled]TreeReader
	engine    Engine                  // nil: the grammars run in this process
	bare      map[string]*glr.Grammar // for Nodes: languages without their queries
	matcher   query.Matcher
	names     *interner
	work      extraction // buffers, reused from file to file
	flat      Tree       // as above
}

// NewParser returns a Parser of the languages that gives each file at most a second of a processor, and small ones less.
func (l *Languages) NewParser() *Parser {
	return &Parser{languages: l, glr: glr.NewParser(), readers: map[*compiled]TreeReader{}, names: newInterner()}
}

// Close frees the memory outside Go's heap. The Parser must not be used after.
func (p *Parser) Close() {
	p.glr.Close()
	p.readers, p.matcher, p.names, p.work, p.flat = nil, query.Matcher{}, nil, extraction{}, Tree{}
}

// Parse returns what the syntax of src tells. It never fails: a language
// without a grammar, and text on which the grammar's parser gives up, is
// searched by patterns. src may be anything, and may change after the call.
func (p *Parser) Parse(language string, src []byte) File {
	f, _ := p.ParseTree(language, src)
	return f
}

// ParseTree is Parse that also returns the syntax tree, nil where the file has none
// (File.Grammar is false, the language has a reader, or the text is blank). The tree is
// valid until p parses again; src must not change as long as the tree is used.
func (p *Parser) ParseTree(language string, src []byte) (File, *Tree) {
	p.names.trim()
	g, ok := p.languages.all[language]
	if !ok || !g.hasGrammar() {
		return p.patterns(language, src), nil
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return File{Language: language, Grammar: true}, nil
	}
	if g.Scan != nil {
		return p.scan(g, src), nil
	}
	c, err := g.load()
	if err != nil {
		f := p.patterns(language, src)
		f.Errors = true
		return f, nil
	}
	broken, fault := p.fill(c, src, g.Rules.masked(src))
	if fault != NoFault {
		f := p.patterns(language, src)
		f.Errors, f.Fault = true, fault
		return f, nil
	}
	x := &p.work
	x.reset(src, &g.Rules, p.names)
	x.tree = &p.flat
	p.matcher.Match(p.flat.nodes, c.query, func(pattern uint16, captures []query.Captured) {
		x.add(c.captures, pattern, captures)
	})
	f := x.file()
	f.Language, f.Grammar, f.Errors = language, true, broken
	return f, &p.flat
}

// Tree is the syntax tree of ParseTree alone: nothing is taken out of it. It is nil where that is,
// and where the parser gives up.
func (p *Parser) Tree(language string, src []byte) *Tree {
	g, ok := p.languages.all[language]
	if !ok || !g.hasGrammar() || g.Scan != nil || len(bytes.TrimSpace(src)) == 0 {
		return nil
	}
	c, err := g.load()
	if err != nil {
		return nil
	}
	if _, fault := p.fill(c, src, g.Rules.masked(src)); fault != NoFault {
		return nil
	}
	return &p.flat
}

// scan is ParseTree where the language has a scanner, without a tree.
func (p *Parser) scan(g *language, src []byte) File {
	x := &p.work
	x.reset(src, &g.Rules, p.names)
	found, broken := g.Scan(src)
	x.take(&found)
	f := x.file()
	f.Language, f.Grammar, f.Errors = g.Name, true, broken
	return f
}

// fill fills p.flat with the tree of masked: by the reader that the language has, and
// where it has none or that declines, by the grammar's tables.
func (p *Parser) fill(c *compiled, src, masked []byte) (broken bool, fault Fault) {
	if len(masked) > glr.Longest {
		return false, OutOfMemory
	}
	if c.newReader != nil && !p.LibraryOnly && p.read(c, src, masked) {
		return false, NoFault
	}
	if p.engine != nil {
		return p.remote(c.grammar, src, masked)
	}
	return p.local(c.grammar, src, masked)
}

// read has the language's reader fill p.flat, and reports whether it could.
func (p *Parser) read(c *compiled, src, masked []byte) bool {
	r := p.readers[c]
	if r == nil {
		r = c.newReader()
		p.readers[c] = r
	}
	tree, ok := r.Read(p.flat.nodes, masked)
	p.flat = Tree{src, tree, c.grammar}
	return ok
}

// local fills p.flat in this process.
func (p *Parser) local(g *glr.Grammar, src, masked []byte) (broken bool, fault Fault) {
	p.glr.LibraryOnly = p.LibraryOnly
	nodes, result := p.glr.Parse(p.flat.nodes, g, masked)
	p.flat = Tree{src, nodes, g}
	switch result {
	case glr.Late:
		return false, Late
	case glr.Refused:
		return false, Crashed // its scanner is not as it should be
	}
	return result == glr.Broken, NoFault
}

// ParseOnly parses src and copies the tree, and throws it away: the library's
// part in what Parse costs. It returns the number of nodes, and an error when
// there is no grammar or the parser gave up.
func (p *Parser) ParseOnly(language string, src []byte) (nodes int, err error) {
	g, ok := p.languages.all[language]
	if !ok || g.Grammar == nil {
		return 0, fmt.Errorf("parse %s: no grammar", language)
	}
	c, err := g.load()
	if err != nil {
		return 0, err
	}
	tree, result := p.glr.ByLibrary(p.flat.nodes, c.grammar, g.Rules.masked(src))
	p.flat = Tree{src, tree, c.grammar}
	if result == glr.Late {
		return 0, fmt.Errorf("parse %s: the library took too long", language)
	}
	return p.flat.Len(), nil
}

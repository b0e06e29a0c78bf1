package syntax

// #include "syntax.h"
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// parseLimit bounds the parsing of one file. Real files take milliseconds; the
// limit is for text on which error recovery is quadratic.
const parseLimit = time.Second

// A file has a part of the limit by its size, from parseLeast for the smallest to all of it
// for one of parseFull bytes: a short text on which a grammar's tables go astray, of which
// somebody may write thousands, does not take as long as a long one that is parsed. Real
// files of that size take a millisecond; the least leaves room for a machine that is busy.
const (
	parseLeast = 200 * time.Millisecond
	parseFull  = 64 << 10
)

// A Parser finds the symbols of files, one at a time. It keeps the memory of the
// last file, so one Parser should serve many files. It is not safe for concurrent use: each
// worker has its own. Close must be called when it is no longer needed.
type Parser struct {
	limit   time.Duration
	glr     glr
	golang  goReader
	engine  Engine                    // nil: the grammars run in this process
	bare    map[string]*compiled      // for Nodes: languages without their queries
	parsers map[string]*sitter.Parser // of what glr declines, and of ParseOnly
	matcher matcher
	names   *interner
	work    extraction // buffers, reused from file to file
	flat    Tree       // as above
}

// longest is how many bytes a text may have to be parsed: places in trees have 32 bits.
const longest = C.quarry_longest

// budget returns how long the parsing of a text of so many bytes may take.
func (p *Parser) budget(size int) time.Duration {
	if size >= parseFull || p.limit <= parseLeast {
		return p.limit
	}
	return parseLeast + (p.limit-parseLeast)*time.Duration(size)/parseFull
}

// NewParser returns a Parser that gives each file at most a second of a processor, and small ones less.
func NewParser() *Parser {
	return &Parser{
		limit:   parseLimit,
		glr:     newGLR(),
		parsers: map[string]*sitter.Parser{},
		names:   newInterner(),
	}
}

// Close frees the memory outside Go's heap. The Parser must not be used after.
func (p *Parser) Close() {
	for _, parser := range p.parsers {
		parser.Close()
	}
	p.glr.close()
	p.parsers, p.matcher, p.names, p.work, p.flat = nil, matcher{}, nil, extraction{}, Tree{}
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
	g, ok := grammars[language]
	if !ok {
		return p.patterns(language, src), nil
	}
	if len(bytes.TrimSpace(src)) == 0 {
		return File{Language: language, Grammar: true}, nil
	}
	if g.read != nil {
		return p.read(g, language, src), nil
	}
	c, err := g.load()
	if err != nil {
		f := p.patterns(language, src)
		f.Errors = true
		return f, nil
	}
	broken, fault := p.fill(c, language, src, g.rules.masked(src))
	if fault != NoFault {
		f := p.patterns(language, src)
		f.Errors, f.Fault = true, fault
		return f, nil
	}
	x := &p.work
	x.reset(src, &g.rules, p.names)
	x.tree = &p.flat
	p.matcher.match(&p.flat, c.query, func(pattern uint16, captures []captured) {
		x.add(c.captures, pattern, captures)
	})
	f := x.file()
	f.Language, f.Grammar, f.Errors = language, true, broken
	return f, &p.flat
}

// read is ParseTree where the language has a reader of its own, without a tree.
func (p *Parser) read(g *grammar, language string, src []byte) File {
	p.work.reset(src, &g.rules, p.names)
	broken := g.read(&p.work)
	f := p.work.file()
	f.Language, f.Grammar, f.Errors = language, true, broken
	return f
}

// fill fills p.flat with the tree of masked: by the reader that the language has, and
// where it has none or that declines, by the grammar's tables.
func (p *Parser) fill(c *compiled, language string, src, masked []byte) (broken bool, fault Fault) {
	if len(masked) > longest {
		return false, OutOfMemory
	}
	if c.golang != nil && p.golang.read(&p.flat, c, src, masked) {
		return false, NoFault
	}
	if p.engine != nil {
		return p.remote(c, language, src, masked)
	}
	return p.local(c, language, src, masked)
}

// local fills p.flat in this process.
func (p *Parser) local(c *compiled, language string, src, masked []byte) (broken bool, fault Fault) {
	defer alone(language)()
	p.forget(language, c)
	limit := p.budget(len(src))
	switch p.glr.parse(&p.flat, c, src, masked, limit) {
	case glrWhole:
		return false, NoFault
	case glrBroken:
		return true, NoFault
	case glrLate:
		return false, Late
	case glrRefused:
		return false, Crashed // its scanner is not as it should be
	}
	tree, err := p.tree(language, c, masked)
	if err != nil {
		return false, Late
	}
	defer tree.Close()
	root := tree.RootNode()
	p.flat.flatten(root, src, c.names)
	return root.HasError(), NoFault
}

// ParseOnly parses src and copies the tree, and throws it away: the library's
// part in what Parse costs. It returns the number of nodes, and an error when
// there is no grammar or the parser gave up.
func (p *Parser) ParseOnly(language string, src []byte) (nodes int, err error) {
	g, ok := grammars[language]
	if !ok || g.load == nil {
		return 0, fmt.Errorf("parse %s: no grammar", language)
	}
	c, err := g.load()
	if err != nil {
		return 0, err
	}
	defer alone(language)()
	tree, err := p.tree(language, c, g.rules.masked(src))
	if err != nil {
		return 0, err
	}
	defer tree.Close()
	p.flat.flatten(tree.RootNode(), src, c.names)
	return p.flat.Len(), nil
}

// sharesState names the languages whose scanners keep what they remember of a
// text (here: which quote ends the string) in variables of the process instead of
// the parser: two texts parsed at once, or one after a text that ended in the
// middle of a string, would be read wrongly, and differently each time. They are
// parsed one at a time, each after a short text that leaves nothing behind.
var (
	sharesState = map[string]string{"lua": `x = ""`}
	shared      sync.Mutex
)

// alone waits until no other text is parsed of a language whose scanner keeps what it
// remembers in the process. What it returns is to be called at the end.
func alone(language string) (done func()) {
	if _, ok := sharesState[language]; !ok {
		return func() {}
	}
	shared.Lock()
	return shared.Unlock
}

// forget has such a scanner forget the text before.
func (p *Parser) forget(language string, c *compiled) {
	if reset, ok := sharesState[language]; ok {
		p.glr.parse(&Tree{}, c, []byte(reset), []byte(reset), p.limit)
	}
}

// tree parses src by the library, alone where that is wanted. The caller closes the tree.
//
// The context is always the background one: the binding's watcher of a
// cancellable context may set the cancel flag after the parse has ended, which
// makes a later parse fail. After an error the parser is reset; without that it
// would go on with the old text at the next call.
func (p *Parser) tree(language string, c *compiled, src []byte) (*sitter.Tree, error) {
	parser, ok := p.parsers[language]
	if !ok {
		parser = sitter.NewParser()
		parser.SetLanguage(c.language)
		p.parsers[language] = parser
	}
	p.forget(language, c)
	// The library's clock is the one on the wall. It comes after our parser has declined.
	parser.SetOperationLimit(int(p.budget(len(src)).Microseconds()))
	tree, err := parser.ParseCtx(context.Background(), nil, src)
	if err != nil {
		parser.Reset()
		return nil, fmt.Errorf("parse %s: %w", language, err)
	}
	return tree, nil
}

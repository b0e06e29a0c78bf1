package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax/glr"
)

// An item is one pattern of a query as it is written, or a part of one.
type item struct {
	branches   []item   // of [...], which has no kind of its own
	kinds      []uint16 // the numbers that the node may have
	wild       wildcard
	field      uint8   // the node's field in its parent, or 0
	absent     []uint8 // fields that the node must not have
	captures   []uint16
	children   []item
	anchored   bool // a dot stands before it
	last       bool // a dot stands after it, and nothing else
	quantifier byte // '?', '*', '+', or 0 for exactly one
}

// A wildcard says that a pattern is for nodes of any kind.
type wildcard uint8

const (
	noWildcard wildcard = iota
	anyNode             // _
	anyNamed            // (_)
)

// A parser reads a query: the part of the language of tree-sitter's queries
// that ours are written in. What it leaves out, groups, predicates, supertypes
// and patterns that begin with a wildcard, it refuses, so that no query means
// something else here than it says.
type parser struct {
	text     string
	pos      int
	kinds    map[kindName][]uint16
	fields   map[string]uint8
	captures []string
}

// A kindName is what a query calls a kind of node: "for" is not (for).
type kindName struct {
	name  string
	named bool
}

func newParser(text string, g *glr.Grammar) *parser {
	p := &parser{text: text, kinds: map[kindName][]uint16{}, fields: map[string]uint8{}}
	for i, name := range g.Kinds {
		if named, shown := g.Shown(i); shown {
			k := kindName{name, named}
			p.kinds[k] = append(p.kinds[k], uint16(i))
		}
	}
	for i, name := range g.Fields[1:] {
		p.fields[name] = uint8(i + 1)
	}
	return p
}

// patterns reads the whole text.
func (p *parser) patterns() ([]item, error) {
	var list []item
	for p.space(); p.pos < len(p.text); p.space() {
		i, err := p.item()
		switch {
		case err != nil:
			return nil, err
		case i.quantifier != 0 || i.field != 0:
			return nil, p.errorf("a pattern begins with a field or a quantifier")
		}
		list = append(list, i)
	}
	return list, nil
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(p.text[:p.pos], "\n"), fmt.Sprintf(format, args...))
}

// space skips white space and comments.
func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		case ';':
			if n := strings.IndexByte(p.text[p.pos:], '\n'); n >= 0 {
				p.pos += n
			} else {
				p.pos = len(p.text)
			}
		default:
			return
		}
	}
}

// next is the byte ahead, 0 at the end.
func (p *parser) next() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// take skips c and the space after it, and reports whether it was there.
func (p *parser) take(c byte) bool {
	if p.next() != c {
		return false
	}
	p.pos++
	p.space()
	return true
}

// word reads a name; it is empty where there is none.
func (p *parser) word() string {
	begin := p.pos
	for p.pos < len(p.text) && inIdentifier(p.text[p.pos], p.pos > begin) {
		p.pos++
	}
	w := p.text[begin:p.pos]
	p.space()
	return w
}

func inIdentifier(c byte, inside bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || inside && (c == '-' || c == '.' || '0' <= c && c <= '9')
}

// item reads a node, a token, a wildcard or an alternation, with the field
// before it and what stands after it.
func (p *parser) item() (item, error) {
	var i item
	var err error
	switch c := p.next(); {
	case c == '[':
		i.branches, err = p.alternation()
	case c == '(':
		i, err = p.node()
	case c == '"':
		i, err = p.token()
	case inIdentifier(c, false):
		w := p.word()
		if w == "_" {
			i.wild = anyNode
			break
		}
		return p.fieldItem(w)
	default:
		return i, p.errorf("%q where a pattern should be", p.text[p.pos:min(len(p.text), p.pos+1)])
	}
	if err != nil {
		return i, err
	}
	return i, p.suffixes(&i)
}

// fieldItem reads what follows the name of a field. All branches of an
// alternation have the field.
func (p *parser) fieldItem(name string) (item, error) {
	field, err := p.field(name)
	if err != nil {
		return item{}, err
	}
	if !p.take(':') {
		return item{}, p.errorf("no colon after field %s", name)
	}
	i, err := p.item()
	if err != nil {
		return i, err
	}
	i.each(func(node *item) { node.field = field })
	return i, nil
}

// each calls f for the node of the item, or for that of every branch.
func (i *item) each(f func(*item)) {
	if i.branches == nil {
		f(i)
		return
	}
	for n := range i.branches {
		i.branches[n].each(f)
	}
}

func (p *parser) field(name string) (uint8, error) {
	field, ok := p.fields[name]
	if !ok {
		return 0, p.errorf("no field %q in the grammar", name)
	}
	return field, nil
}

// suffixes reads quantifiers and captures.
func (p *parser) suffixes(i *item) error {
	for {
		switch c := p.next(); c {
		case '?', '*', '+':
			p.take(c)
			if i.quantifier != 0 {
				return p.errorf("two quantifiers")
			}
			i.quantifier = c
		case '@':
			p.pos++
			name := p.word()
			if name == "" {
				return p.errorf("a capture without a name")
			}
			n := slices.Index(p.captures, name)
			if n < 0 {
				n = len(p.captures)
				p.captures = append(p.captures, name)
			}
			i.each(func(node *item) { node.captures = append(node.captures, uint16(n)) })
		default:
			return nil
		}
	}
}

func (p *parser) alternation() ([]item, error) {
	var list []item
	for p.take('['); !p.take(']'); {
		i, err := p.item()
		if err != nil {
			return nil, err
		}
		if i.quantifier != 0 {
			return nil, p.errorf("a quantifier on one branch of an alternation")
		}
		list = append(list, i)
	}
	if len(list) == 0 {
		return nil, p.errorf("an empty alternation")
	}
	return list, nil
}

func (p *parser) token() (item, error) {
	var b strings.Builder
	for p.pos++; ; p.pos++ {
		c := p.next()
		if c == '"' {
			break
		}
		if c == 0 || c == '\n' {
			return item{}, p.errorf("a token without an end")
		}
		if c == '\\' {
			p.pos++
			c = p.next()
		}
		b.WriteByte(c)
	}
	p.take('"')
	return p.kind(b.String(), false)
}

func (p *parser) kind(name string, named bool) (item, error) {
	numbers, ok := p.kinds[kindName{name, named}]
	if !ok {
		return item{}, p.errorf("no node %q in the grammar", name)
	}
	return item{kinds: numbers}, nil
}

// node reads (kind ...).
func (p *parser) node() (item, error) {
	p.take('(')
	var i item
	name := p.word()
	switch name {
	case "":
		return i, p.errorf("%q where the kind of a node should be", p.text[p.pos:min(len(p.text), p.pos+1)])
	case "_":
		i.wild = anyNamed
	default:
		var err error
		if i, err = p.kind(name, true); err != nil {
			return i, err
		}
	}
	for !p.take(')') {
		if p.take('!') {
			field, err := p.field(p.word())
			if err != nil {
				return i, err
			}
			i.absent = append(i.absent, field)
			continue
		}
		dot := p.take('.')
		if dot && p.next() == ')' {
			if len(i.children) == 0 {
				return i, p.errorf("a dot without a pattern next to it")
			}
			end := &i.children[len(i.children)-1]
			if end.quantifier != 0 {
				return i, p.errorf("a dot after a quantifier at the end")
			}
			end.each(func(node *item) { node.last = true })
			continue
		}
		child, err := p.item()
		if err != nil {
			return i, err
		}
		if dot {
			child.each(func(node *item) { node.anchored = true })
		}
		i.children = append(i.children, child)
	}
	return i, nil
}

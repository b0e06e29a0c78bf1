package highlight

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

// near are languages whose texts the grammar of another one reads, nearly always.
var near = map[string]string{"json": "yaml", "less": "css", "scss": "css"}

// paint returns the classes of a text. Every node paints its bytes over those of the nodes around it.
func paint(p *syntax.Parser, lang string, src []byte) painting {
	read := src
	var comments []area
	if lang == "json" {
		read, comments = withoutComments(src)
	}
	f, tree := p.ParseTree(cmp.Or(near[lang], lang), read)
	b := &brush{src: src, classes: make([]Class, len(src))}
	of := painting{classes: b.classes}
	switch {
	case f.Fault != syntax.NoFault:
		of.because = gaveUp
	case tree == nil && len(bytes.TrimSpace(src)) > 0:
		of.because = noGrammar
	case f.Errors:
		of.because = hasErrors
	}
	if tree != nil && tree.Root() != 0 {
		b.nodes(tree, lang)
	}
	for i := range f.Refs {
		r := &f.Refs[i]
		switch r.Kind {
		case syntax.Call:
			b.name(r.Offset, r.Name, Function)
		case syntax.New, syntax.TypeUse, syntax.Inherit:
			b.name(r.Offset, r.Name, Type)
		}
	}
	b.symbols(f.Symbols)
	for _, c := range comments {
		b.fill(c.start, c.end, Comment)
	}
	return of
}

// A brush paints.
type brush struct {
	src     []byte
	classes []Class
}

func (b *brush) fill(from, to int, c Class) {
	for i := max(from, 0); i < min(to, len(b.classes)); i++ {
		b.classes[i] = c
	}
}

// name paints a name that is there, unless it is in a string or a comment.
func (b *brush) name(at int, name string, c Class) {
	if at < 0 || at+len(name) > len(b.src) || string(b.src[at:at+len(name)]) != name {
		return
	}
	switch was := b.classes[at]; {
	case was == Comment || was == String || was == Keyword || was == Number || was == Constant && c == Property:
		return
	}
	b.fill(at, at+len(name), c)
}

// withoutComments returns a text of JSON with blanks in the place of its comments, which YAML writes
// otherwise, and where they are.
func withoutComments(src []byte) ([]byte, []area) {
	if !bytes.Contains(src, []byte("//")) && !bytes.Contains(src, []byte("/*")) {
		return src, nil
	}
	var found []area
	out := bytes.Clone(src)
	for i := 0; i < len(src); i++ {
		end := ""
		switch {
		case src[i] == '"':
			for i++; i < len(src) && src[i] != '"' && src[i] != '\n'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(src[i:], []byte("//")):
			end = "\n"
		case bytes.HasPrefix(src[i:], []byte("/*")):
			end = "*/"
		}
		if end == "" {
			continue
		}
		to := len(src)
		if n := bytes.Index(src[i+2:], []byte(end)); n >= 0 {
			to = i + 2 + n + len(strings.TrimSpace(end))
		}
		found = append(found, area{i, to, Comment})
		for ; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		i--
	}
	return out, found
}

// An area is a stretch whose class those inside of it have, too.
type area struct {
	start, end int
	class      Class
}

// nodes paints what the kinds of nodes tell.
func (b *brush) nodes(t *syntax.Tree, lang string) {
	around := []area{{0, len(b.src), Plain}}
	before := "" // the kind of the node before: of a first child, that it is in
	for n := t.Root(); int(n) <= t.Len(); n++ {
		start, end := t.Start(n), t.End(n)
		for len(around) > 1 && start >= around[len(around)-1].end {
			around = around[:len(around)-1]
		}
		for start < end && b.src[start] <= ' ' { // some grammars have the space before a token in it
			start++
		}
		if start >= end {
			continue
		}
		kind, in := t.Kind(n), around[len(around)-1].class
		leaf := t.First(n) == 0
		class, whole := named(kind)
		switch {
		case in == String && interpolates(kind):
			b.fill(start, end, Plain)
			around = append(around, area{start, end, Plain})
		case in != Plain:
		case !t.Named(n):
			if leaf {
				b.fill(start, end, anonymous(b.src[start:end]))
			}
		case kind == "flow_node" && t.Field(n) == "key": // of YAML, where it may be in quotes
			b.fill(start, end, Property)
			around = append(around, area{start, end, Property})
		case whole && (class != Number || isDigit(b.src[start])):
			b.fill(start, end, class)
			around = append(around, area{start, end, class})
		case leaf && first[lang][before] != Plain:
			b.fill(start, end, first[lang][before])
		case leaf && slices.Contains(keywords[lang], string(b.src[start:end])):
			b.fill(start, end, Keyword)
		case leaf:
			b.fill(start, end, word(kind, class, b.src[start:end]))
		}
		before = kind
	}
}

// symbols paints the names of definitions.
func (b *brush) symbols(list []syntax.Symbol) {
	line, at := 1, 0
	for i := range list {
		s := &list[i]
		if s.NameLine < line {
			line, at = 1, 0
		}
		for ; line < s.NameLine; line++ {
			n := bytes.IndexByte(b.src[at:], '\n')
			if n < 0 {
				return
			}
			at += n + 1
		}
		class, ok := kinds[s.Kind]
		if !ok || s.Name == "" {
			continue
		}
		from := max(at, s.Start)
		to := len(b.src)
		if n := bytes.IndexByte(b.src[min(from, to):], '\n'); n >= 0 {
			to = from + n
		}
		for from < to {
			n := bytes.Index(b.src[from:to], []byte(s.Name))
			if n < 0 {
				break
			}
			if from += n; isolated(b.src, from, from+len(s.Name)) {
				if s.Kind == syntax.Heading {
					b.fill(at, to, class)
				} else {
					b.name(from, s.Name, class)
				}
				break
			}
			from += len(s.Name)
		}
	}
}

// isolated reports whether a stretch is no part of a longer word.
func isolated(src []byte, from, to int) bool {
	return (from == 0 || !isName(src[from-1])) && (to == len(src) || !isName(src[to]))
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

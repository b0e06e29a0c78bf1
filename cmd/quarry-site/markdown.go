package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

func reader(source []byte) text.Reader { return text.NewReader(source) }

// slugs gives headings the names by which GitHub lets them be linked to, so that the same
// links hold there and here.
type slugs map[string]bool

// Generate is called for each heading, in their order.
func (s slugs) Generate(heading []byte, _ ast.NodeKind) []byte {
	slug := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, shown(string(heading)))
	name := slug
	for n := 1; s[name]; n++ {
		name = fmt.Sprintf("%s-%d", slug, n)
	}
	s[name] = true
	return []byte(name)
}

// Put is called for names that the text gives.
func (s slugs) Put(name []byte) { s[string(name)] = true }

// shown returns the text of a heading without the targets of its links.
func shown(heading string) string {
	for {
		before, rest, found := strings.Cut(heading, "](")
		_, after, closed := strings.Cut(rest, ")")
		if !found || !closed {
			return heading
		}
		heading = before + after
	}
}

// walk turns the links of a page to where they lead in the site, and notes what can be
// searched for.
func (s *site) walk(p *page, doc ast.Node, src []byte) error {
	at := -1
	add := func(words []byte) {
		if at >= 0 {
			p.sections[at].Text += string(words)
		}
	}
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				add([]byte(" "))
			}
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			name, _ := id.([]byte)
			head := plain(n, src)
			if p.Title == "" {
				p.Title = head
			}
			p.sections = append(p.sections, section{Page: p.Title, Head: head, Href: p.Path + "#" + string(name)})
			at = len(p.sections) - 1
		case *ast.Link:
			n.Destination, err = s.lead(p, n.Destination)
		case *ast.Image:
			n.Destination, err = s.lead(p, n.Destination)
		case *ast.Text:
			add(append(slices.Clone(n.Value(src)), ' '))
		case *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				add(line.Value(src))
			}
		}
		return ast.WalkContinue, err
	})
}

// plain returns the words of a node.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(src))
		} else {
			b.WriteString(plain(c, src))
		}
	}
	return b.String()
}

// lead returns where a link of a page leads: to a page, to a file that comes with the site,
// which are those of docs, or to the repository.
func (s *site) lead(p *page, link []byte) ([]byte, error) {
	file, fragment, _ := strings.Cut(string(link), "#")
	if strings.Contains(file, ":") {
		return link, nil // another site
	}
	if file == "" {
		p.targets = append(p.targets, target{p.Path, fragment})
		return link, nil
	}
	named := path.Join(path.Dir(p.from), file)
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(named)))
	if err != nil {
		return nil, fmt.Errorf("a link leads to %s, which is not there", named)
	}
	to := named
	switch i := slices.IndexFunc(s.Pages, func(q *page) bool { return q.from == named }); {
	case i >= 0:
		to = s.Pages[i].Path
	case info.IsDir() || path.Dir(named) != "docs":
		return []byte(source + named), nil
	}
	p.targets = append(p.targets, target{to, fragment})
	href := p.Home + to
	if fragment != "" {
		href += "#" + fragment
	}
	return []byte(href), nil
}

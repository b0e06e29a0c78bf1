package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// source is where files are that are no part of the site.
const source = "https://github.com/quarry-search/quarry/blob/main/"

//go:embed templates
var templates embed.FS

// A site is made of the pages of a repository.
type site struct {
	root, out string
	Version   string
	Pages     []*page
	links     int
}

// A page is one of Markdown, and what has become of it.
type page struct {
	from     string // below the root, with slashes
	Path     string // below the site
	Title    string
	Home     string // the way to the site's top: "" or "../"
	Body     template.HTML
	anchors  map[string]bool
	targets  []target
	sections []section
}

// A target is where a link of a page leads: a page or a file of the site, and a heading.
type target struct{ path, fragment string }

// A section is what one can search for: a heading and the text below it.
type section struct {
	Page string `json:"page"`
	Head string `json:"head"`
	Href string `json:"href"`
	Text string `json:"text"`
}

// pathOf is the path of a page in the site.
func pathOf(from string) string {
	if strings.EqualFold(path.Base(from), "README.md") {
		return path.Join(path.Dir(from), "index.html")
	}
	return strings.TrimSuffix(from, ".md") + ".html"
}

// write makes the site. All links that lead nowhere are in the error.
func (s *site) write() error {
	names, err := filepath.Glob(filepath.Join(s.root, "docs", "*.md"))
	if err != nil {
		return err
	}
	for _, name := range append(names, filepath.Join(s.root, "README.md")) {
		rel, err := filepath.Rel(s.root, name)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(rel)
		s.Pages = append(s.Pages, &page{from: from, Path: pathOf(from), Home: strings.Repeat("../", strings.Count(from, "/"))})
	}
	// The README comes first, then the index of the pages, then they.
	slices.SortFunc(s.Pages, func(a, b *page) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
			-cmp.Compare(btoi(path.Base(a.Path) == "index.html"), btoi(path.Base(b.Path) == "index.html")), cmp.Compare(a.Path, b.Path))
	})
	for _, p := range s.Pages {
		if err := s.read(p); err != nil {
			return fmt.Errorf("%s: %w", p.from, err)
		}
	}
	if err := s.check(); err != nil {
		return err
	}
	return s.put()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// read makes a page's HTML.
func (s *site) read(p *page) error {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p.from)))
	if err != nil {
		return err
	}
	p.anchors = map[string]bool{}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	doc := md.Parser().Parse(reader(text), parser.WithContext(parser.NewContext(parser.WithIDs(slugs(p.anchors)))))
	if err := s.walk(p, doc, text); err != nil {
		return err
	}
	p.Title = cmp.Or(p.Title, p.from)
	var body bytes.Buffer
	if err := md.Renderer().Render(&body, text, doc); err != nil {
		return err
	}
	// The renderer leaves out HTML that stands in a page, and links that are scripts.
	p.Body = template.HTML(body.String())
	return nil
}

// check follows each link to a page.
func (s *site) check() error {
	var wrong []error
	for _, p := range s.Pages {
		for _, to := range p.targets {
			s.links++
			i := slices.IndexFunc(s.Pages, func(q *page) bool { return q.Path == to.path })
			if i >= 0 && to.fragment != "" && !s.Pages[i].anchors[to.fragment] {
				wrong = append(wrong, fmt.Errorf("%s: %s has no heading #%s", p.from, s.Pages[i].from, to.fragment))
			}
		}
	}
	return errors.Join(wrong...)
}

// put writes the files.
func (s *site) put() error {
	var sections []section
	for _, p := range s.Pages {
		sections = append(sections, p.sections...)
	}
	text, err := json.Marshal(sections)
	if err != nil {
		return err
	}
	files := map[string][]byte{"search.js": slices.Concat([]byte("const sections = "), text, []byte(";\n"))}
	for _, name := range []string{"site.css", "find.js"} {
		if files[name], err = templates.ReadFile("templates/" + name); err != nil {
			return err
		}
	}
	frame, err := template.ParseFS(templates, "templates/page.html")
	if err != nil {
		return err
	}
	for _, p := range s.Pages {
		var made bytes.Buffer
		if err := frame.Execute(&made, map[string]any{"Site": s, "Page": p}); err != nil {
			return err
		}
		files[p.Path] = made.Bytes()
		for _, to := range p.targets {
			if path.Ext(to.path) == ".html" || files[to.path] != nil {
				continue
			}
			if files[to.path], err = os.ReadFile(filepath.Join(s.root, filepath.FromSlash(to.path))); err != nil {
				return err
			}
		}
	}
	for name, content := range files {
		at := filepath.Join(s.out, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, content, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

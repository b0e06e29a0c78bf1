package index

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/summary/code"
)

// Bounds of what a file's summary is made of.
const (
	maxHead        = 8 << 10 // bytes, in which the comment at its head is looked for
	maxMainSymbols = 40
)

// fileLine says in one line what a file is about.
func (x *View) fileLine(r *record) string {
	return x.lines().get(keyOf("file", []*record{r}), func() string {
		return code.FileLine(x.fileFacts(r, nil), 1<<10)
	})
}

// fileFacts returns what is known of a file. called says how many call a symbol; nil:
// that does not count.
func (x *View) fileFacts(r *record, called map[int32]int) code.FileFacts {
	f := code.FileFacts{Path: r.path, Lang: r.lang, Test: r.traits.Test}
	if isText(r.lang) {
		x.textFacts(r, &f)
		return f
	}
	f.Head = x.headComment(r)
	m := r.members()
	order, outer := r.mainSymbols(called), r.outers()
	f.More = max(len(order)-maxMainSymbols, 0)
	for n, i := range order[:len(order)-f.More] {
		s := &r.symbols[i]
		facts := r.factsOf(i, m, nil, nil)
		one := code.SymbolFacts{Name: s.name, Kind: string(s.kind()), Line: code.Line(facts), Head: code.ReadSignature(r.lang, s.name, facts.Signature)}
		one.Type = !runs(s.kind()) && s.kind() != syntax.Macro
		one.Members = append(append([]string{}, facts.Methods...), facts.Fields...)
		facts.Bare = true
		one.Bare = code.Line(facts)
		if r.member(i, outer) {
			one.Name, one.Member = s.parent[strings.LastIndexByte(s.parent, '.')+1:]+"."+s.name, true
		}
		one.Main = n == 0 && !one.Member && (plainStem(s.name) == plainStem(stem(r.path)) || 2*int(s.last-s.line) > r.lines())
		f.Symbols = append(f.Symbols, one)
	}
	if len(f.Symbols) == 0 {
		for i := range r.symbols {
			if s := &r.symbols[i]; s.parent == "" && len(f.Symbols) < maxMainSymbols {
				f.Symbols = append(f.Symbols, code.SymbolFacts{Name: s.name, Kind: string(s.kind())})
			}
		}
		if len(f.Symbols) == 0 {
			f.Text = string(r.text.slice(0, maxHead))
		}
	}
	return f
}

// isText reports whether a language is one of prose; "": none is known.
func isText(lang string) bool {
	switch lang {
	case "", "markdown", "text", "rst", "asciidoc", "org":
		return true
	}
	return false
}

// plainStem is a name without case and marks, to compare those of files and symbols.
func plainStem(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// spaces reports whether a kind only holds others.
func spaces(k syntax.Kind) bool { return k == syntax.Namespace || k == syntax.Module }

// mainSymbols returns the symbols of a file that are worth a line, the main ones first:
// by whether others can use them, how often they are called, and their size. Those in
// functions are no part of what the file offers.
func (r *record) mainSymbols(called map[int32]int) []int32 {
	type weighed struct {
		at     int32
		weight int
	}
	var all []weighed
	base, outer := plainStem(stem(r.path)), r.outers()
	for i := range r.symbols {
		s := &r.symbols[i]
		if !s.worth() || s.kind() == syntax.Module && s.last-s.line < 3 {
			continue
		}
		w := min(weightOf(s), 20) + 4*min(called[int32(i)], 10)
		inner := false
		for up := outer[i]; up >= 0; up = outer[up] {
			inner = inner || runs(r.symbols[up].kind())
		}
		if r.member(int32(i), outer) {
			w -= 15
		}
		if inner {
			continue
		}
		if s.exported {
			w += 40
		}
		if s.docTo > s.docAt {
			w += 5
		}
		if plainStem(s.name) == base {
			w += 30
		}
		switch {
		case strings.HasPrefix(s.name, "_"):
			w -= 20
		case s.kind() == syntax.Module:
			w -= 10
		case !runs(s.kind()):
			w += 10
		}
		all = append(all, weighed{int32(i), w})
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	order := make([]int32, len(all))
	for i, a := range all {
		order[i] = a.at
	}
	return order
}

// member reports whether a symbol belongs to a type, not only to a namespace.
func (r *record) member(i int32, outer []int32) bool {
	up := outer[i]
	return r.symbols[i].parent != "" && (up < 0 || !spaces(r.symbols[up].kind()))
}

// outers returns the innermost symbol around each, -1 for none.
func (r *record) outers() []int32 {
	out := make([]int32, len(r.symbols))
	var open []int32
	for i := range r.symbols {
		for len(open) > 0 && r.symbols[open[len(open)-1]].end < r.symbols[i].end {
			open = open[:len(open)-1]
		}
		out[i] = -1
		if len(open) > 0 {
			out[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	return out
}

// headComment returns the first comment of a file that is before its first definition
// and no part of that, or the docstring there, or that of what the whole file is in.
func (x *View) headComment(r *record) string {
	end := min(r.text.size, maxHead)
	for i := range r.symbols {
		s := &r.symbols[i]
		if spaces(s.kind()) {
			continue
		}
		at := s.start
		if s.docTo > s.docAt {
			at = min(at, s.docAt)
		}
		end = min(end, int(at))
		break
	}
	src := r.text.slice(0, end)
	if len(bytes.TrimSpace(src)) == 0 {
		return ""
	}
	if text, ok := moduleDoc(r.lang, src); ok {
		return text
	}
	p := x.parsers.get()
	p.Parse(r.lang, src)
	comments := p.Comments(src)
	x.parsers.put(p)
	at := 0 // end of what belongs to the head
	for i := 0; i < len(comments); i++ {
		if !headOnly(string(src[at:comments[i].Start])) {
			return ""
		}
		text := comments[i].Text
		for at = comments[i].End; i+1 < len(comments); i++ {
			// Comments of one line each that follow each other are one text.
			between := string(src[at:max(comments[i+1].Start, at)])
			if strings.TrimSpace(between) != "" || strings.Count(between, "\n") > 1 {
				break
			}
			text += "\n" + comments[i+1].Text
			at = comments[i+1].End
		}
		// What stands directly above a definition is about that.
		next, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(string(src[at:]), "\r"), "\n"), "\n")
		docstring := src[at-1] == '"' || src[at-1] == '\''
		if strings.TrimSpace(next) != "" && !headOnly(next) && !imports(next) && !docstring {
			continue
		}
		if len(strings.Fields(code.Sentence(text, path.Base(r.path), stem(r.path)))) >= 3 {
			return text
		}
	}
	return ""
}

// moduleDoc returns the docstring of a module of Python, which the grammar does not tell
// from other strings.
func moduleDoc(lang string, src []byte) (string, bool) {
	if lang != "python" {
		return "", false
	}
	rest := string(src)
	for strings.HasPrefix(strings.TrimSpace(rest), "#") {
		_, rest, _ = strings.Cut(strings.TrimSpace(rest), "\n")
	}
	rest = strings.TrimLeft(strings.TrimSpace(rest), "rRuU")
	for _, mark := range []string{"\"\"\"", strings.Repeat("'", 3), "\"", "'"} {
		if body, ok := strings.CutPrefix(rest, mark); ok {
			text, _, closed := strings.Cut(body, mark)
			return text, closed && len(strings.Fields(code.Sentence(text))) >= 2
		}
	}
	return "", false
}

// beforeHead are what the lines begin with that may stand before the comment of a file.
var beforeHead = []string{"package ", "#!", "<?php", "'use ", "\"use ", "#ifndef", "#define", "#pragma", "declare(", "namespace ", "defmodule ", "@moduledoc", "module ",
	"{-#", "@file:", "<script", "<!--", "\"", "'", "r\""}

// headOnly reports whether a text has only what may stand before the comment of a file.
func headOnly(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !begins(line, beforeHead) {
			return false
		}
	}
	return true
}

func begins(line string, leads []string) bool {
	return slices.ContainsFunc(leads, func(lead string) bool { return strings.HasPrefix(line, lead) })
}

// importing are what the lines begin with that bring in something else.
var importing = []string{"import", "from ", "use ", "using ", "require", "#include", "@import", "@use", "load ", "mod ", "pub mod ", "extern crate", "const {", "alias ", "open ",
	"#![", "<?php", "set -", "source "}

// imports reports whether a line brings in something else: before the first such line
// the comment of a file may stand.
func imports(line string) bool {
	return begins(strings.TrimSpace(line), importing) || strings.Contains(line, "require(") || strings.Contains(line, "@import(")
}

// textFacts reads a text: its first heading, and its first paragraph of prose, or that
// which says what the thing of a name is.
func (x *View) textFacts(r *record, f *code.FileFacts, names ...string) {
	for _, p := range paragraphs(r, f) {
		said := code.Sentence(p)
		if len(strings.Fields(said)) < 4 {
			continue
		}
		for _, name := range append(names, f.Title) {
			rest, ok := strings.CutPrefix(strings.ToLower(strings.Trim(said, "*")), strings.ToLower(name))
			if ok && name != "" && begins(strings.TrimSpace(rest), []string{"is ", "are ", "provides ", "helps ", "lets ", "makes ", "allows ", "aims ", "offers ", "implements ", "gives "}) {
				f.Head = p
				r.headings(f)
				return
			}
		}
		if f.Head == "" {
			f.Head = p
		}
	}
	if f.Title == "" && f.Head == "" {
		f.Title = firstLine(string(r.text.slice(0, maxSignature)))
	}
	r.headings(f)
}

// noProse are what the lines of a text begin with that are none of its sentences.
var noProse = []string{"<", "![", "[![", "|", ".. ", ":", "import ", "$ "}

// paragraphs returns those at the beginning of a text, and notes its title.
func paragraphs(r *record, f *code.FileFacts) (all []string) {
	fenced := false
	var part []string
	flush := func() {
		if len(part) > 0 {
			all, part = append(all, strings.Join(part, " ")), nil
		}
	}
	for line := range strings.Lines(string(r.text.slice(0, maxHead))) {
		line = strings.TrimSpace(line)
		plain := strings.Trim(line, "=-*~#^_ ") // also what underlines
		switch {
		case strings.HasPrefix(line, "```") || line == "---" && len(part) == 0 && (fenced || f.Title == "" && len(all) == 0):
			fenced = !fenced // front matter, too
		case fenced:
			if title, ok := strings.CutPrefix(line, "title:"); ok && f.Title == "" {
				f.Title = strings.Trim(title, " \"'")
			}
		case strings.HasPrefix(line, "#") && (r.lang == "markdown" || strings.HasPrefix(line, "# ")):
			if flush(); f.Title == "" {
				f.Title = strings.TrimSpace(strings.Trim(line, "#"))
			}
		case line == "" || plain == "":
			if plain == "" && line != "" && len(part) == 1 && f.Title == "" {
				f.Title, part = part[0], nil // underlined
			}
			flush()
		case begins(line, noProse) || strings.HasPrefix(line, "- ") && len(part) == 0:
		default:
			part = append(part, line)
		}
	}
	flush()
	return all
}

// headings adds the headings of a text.
func (r *record) headings(f *code.FileFacts) {
	for i := range r.symbols {
		if s := &r.symbols[i]; s.kind() == syntax.Heading && len(f.Symbols) < maxMainSymbols {
			f.Symbols = append(f.Symbols, code.SymbolFacts{Name: strings.TrimSpace(strings.TrimLeft(s.name, "# ")), Kind: string(s.kind())})
		}
	}
}

package brief

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/summary/code"
)

// Bounds of what a file's summary is made of.
const (
	maxHead        = 8 << 10 // bytes, in which the comment at its head is looked for
	maxMainSymbols = 40
)

// fileLine says in one line what a file is about.
func fileLine(x *store.View, r *store.Record) string {
	return lines(x).Get(keyOf("file", []*store.Record{r}), func() string {
		return code.FileLine(fileFacts(x, r, nil), 1<<10)
	})
}

// fileFacts returns what is known of a file. called says how many call a symbol; nil:
// that does not count.
func fileFacts(x *store.View, r *store.Record, called map[int32]int) code.FileFacts {
	f := code.FileFacts{Path: r.Path, Lang: r.Lang, Test: r.Traits.Test}
	if isText(r.Lang) {
		textFacts(x, r, &f)
		return f
	}
	f.Head = headComment(x, r)
	m := membersIn(r)
	order, outer := mainSymbols(r, called), outers(r)
	f.More = max(len(order)-maxMainSymbols, 0)
	for n, i := range order[:len(order)-f.More] {
		s := &r.Symbols[i]
		facts := factsOf(r, i, m, nil, nil)
		one := code.SymbolFacts{Name: s.Name, Kind: string(s.Kind()), Line: code.Line(facts), Head: code.ReadSignature(r.Lang, s.Name, facts.Signature)}
		one.Type = !store.Runs(s.Kind()) && s.Kind() != syntax.Macro
		one.Members = append(append([]string{}, facts.Methods...), facts.Fields...)
		facts.Bare = true
		one.Bare = code.Line(facts)
		if member(r, i, outer) {
			one.Name, one.Member = s.Parent[strings.LastIndexByte(s.Parent, '.')+1:]+"."+s.Name, true
		}
		one.Main = n == 0 && !one.Member && (plainStem(s.Name) == plainStem(stem(r.Path)) || 2*int(s.Last-s.Line) > r.Lines())
		f.Symbols = append(f.Symbols, one)
	}
	if len(f.Symbols) == 0 {
		for i := range r.Symbols {
			if s := &r.Symbols[i]; s.Parent == "" && len(f.Symbols) < maxMainSymbols {
				f.Symbols = append(f.Symbols, code.SymbolFacts{Name: s.Name, Kind: string(s.Kind())})
			}
		}
		if len(f.Symbols) == 0 {
			f.Text = string(r.Text.Slice(0, maxHead))
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
func mainSymbols(r *store.Record, called map[int32]int) []int32 {
	type weighed struct {
		at     int32
		weight int
	}
	var all []weighed
	base, outer := plainStem(stem(r.Path)), outers(r)
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if !worth(s) || s.Kind() == syntax.Module && s.Last-s.Line < 3 {
			continue
		}
		w := min(weightOf(s), 20) + 4*min(called[int32(i)], 10)
		inner := false
		for up := outer[i]; up >= 0; up = outer[up] {
			inner = inner || store.Runs(r.Symbols[up].Kind())
		}
		if member(r, int32(i), outer) {
			w -= 15
		}
		if inner {
			continue
		}
		if s.Exported {
			w += 40
		}
		if s.DocTo > s.DocAt {
			w += 5
		}
		if plainStem(s.Name) == base {
			w += 30
		}
		switch {
		case strings.HasPrefix(s.Name, "_"):
			w -= 20
		case s.Kind() == syntax.Module:
			w -= 10
		case !store.Runs(s.Kind()):
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
func member(r *store.Record, i int32, outer []int32) bool {
	up := outer[i]
	return r.Symbols[i].Parent != "" && (up < 0 || !spaces(r.Symbols[up].Kind()))
}

// outers returns the innermost symbol around each, -1 for none.
func outers(r *store.Record) []int32 {
	out := make([]int32, len(r.Symbols))
	var open []int32
	for i := range r.Symbols {
		for len(open) > 0 && r.Symbols[open[len(open)-1]].End < r.Symbols[i].End {
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
func headComment(x *store.View, r *store.Record) string {
	end := min(r.Text.Size, maxHead)
	for i := range r.Symbols {
		s := &r.Symbols[i]
		if spaces(s.Kind()) {
			continue
		}
		at := s.Start
		if s.DocTo > s.DocAt {
			at = min(at, s.DocAt)
		}
		end = min(end, int(at))
		break
	}
	src := r.Text.Slice(0, end)
	if len(bytes.TrimSpace(src)) == 0 {
		return ""
	}
	if text, ok := moduleDoc(r.Lang, src); ok {
		return text
	}
	p := x.Parsers.Get()
	p.Parse(r.Lang, src)
	comments := p.Comments(src)
	x.Parsers.Put(p)
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
		if len(strings.Fields(code.Sentence(text, path.Base(r.Path), stem(r.Path)))) >= 3 {
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
func textFacts(x *store.View, r *store.Record, f *code.FileFacts, names ...string) {
	for _, p := range paragraphs(r, f) {
		said := code.Sentence(p)
		if len(strings.Fields(said)) < 4 {
			continue
		}
		for _, name := range append(names, f.Title) {
			rest, ok := strings.CutPrefix(strings.ToLower(strings.Trim(said, "*")), strings.ToLower(name))
			if ok && name != "" && begins(strings.TrimSpace(rest), []string{"is ", "are ", "provides ", "helps ", "lets ", "makes ", "allows ", "aims ", "offers ", "implements ", "gives "}) {
				f.Head = p
				headings(r, f)
				return
			}
		}
		if f.Head == "" {
			f.Head = p
		}
	}
	if f.Title == "" && f.Head == "" {
		f.Title = store.FirstLine(string(r.Text.Slice(0, store.MaxSignature)))
	}
	headings(r, f)
}

// noProse are what the lines of a text begin with that are none of its sentences.
var noProse = []string{"<", "![", "[![", "|", ".. ", ":", "import ", "$ "}

// paragraphs returns those at the beginning of a text, and notes its title.
func paragraphs(r *store.Record, f *code.FileFacts) (all []string) {
	fenced := false
	var part []string
	flush := func() {
		if len(part) > 0 {
			all, part = append(all, strings.Join(part, " ")), nil
		}
	}
	for line := range strings.Lines(string(r.Text.Slice(0, maxHead))) {
		line = strings.TrimSpace(line)
		plain := strings.Trim(line, "=-*~#^_ ") // also what underlines
		switch {
		case strings.HasPrefix(line, "```") || line == "---" && len(part) == 0 && (fenced || f.Title == "" && len(all) == 0):
			fenced = !fenced // front matter, too
		case fenced:
			if title, ok := strings.CutPrefix(line, "title:"); ok && f.Title == "" {
				f.Title = strings.Trim(title, " \"'")
			}
		case strings.HasPrefix(line, "#") && (r.Lang == "markdown" || strings.HasPrefix(line, "# ")):
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
func headings(r *store.Record, f *code.FileFacts) {
	for i := range r.Symbols {
		if s := &r.Symbols[i]; s.Kind() == syntax.Heading && len(f.Symbols) < maxMainSymbols {
			f.Symbols = append(f.Symbols, code.SymbolFacts{Name: strings.TrimSpace(strings.TrimLeft(s.Name, "# ")), Kind: string(s.Kind())})
		}
	}
}

package brief

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/summary/code"
)

// included returns the text that the root of a crate of Rust takes for its documentation,
// nil for none.
func included(x *store.View, r *store.Record) *store.Record {
	if base := path.Base(r.Path); r.Lang != "rust" || base != "lib.rs" && base != "main.rs" {
		return nil
	}
	const lead = "#![doc = include_str!(\""
	_, rest, ok := strings.Cut(string(r.Text.Slice(0, min(r.Text.Size, maxHead))), lead)
	name, _, closed := strings.Cut(rest, "\"")
	if !ok || !closed || !strings.HasSuffix(name, ".md") {
		return nil
	}
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	return x.Table.Files[path.Join(path.Dir(r.Path), name)]
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
	if doc := included(x, r); doc != nil {
		var f code.FileFacts
		if textFacts(x, doc, &f, path.Base(path.Dir(doc.Path))); f.Head != "" {
			return f.Head
		}
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
	"{-#", "@file:", "<script", "<!--", "\"", "'", "r\"", "#![", "#if", "#endif"}

// headOnly reports whether a text has only what may stand before the comment of a file.
func headOnly(text string) bool {
	attribute := false // of Rust, which may have several lines
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if attribute = attribute || strings.HasPrefix(line, "#!["); attribute {
			attribute = !strings.HasSuffix(line, "]")
			continue
		}
		if line != "" && !begins(line, beforeHead) {
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

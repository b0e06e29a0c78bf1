package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// importList reads the imports. An import of a whole module is left out where
// the same statement picks names out of it.
func (x *extraction) importList() []Import {
	if len(x.imports) == 0 {
		return nil
	}
	slices.SortStableFunc(x.imports, func(a, b imported) int {
		if a.path.Start != b.path.Start {
			return cmp.Compare(a.path.Start, b.path.Start)
		}
		if none := cmp.Compare(min(b.detail(), 0), min(a.detail(), 0)); none != 0 {
			return none // those that pick nothing out come last
		}
		return cmp.Compare(a.detail(), b.detail())
	})
	out := make([]Import, 0, len(x.imports))
	for n, i := range x.imports {
		if n > 0 {
			prev := x.imports[n-1]
			same := prev.path == i.path
			if same && i.detail() < 0 || same && i.name == prev.name && i.alias == prev.alias {
				continue
			}
		}
		line := x.line(i.Start)
		text := x.text(i.path)
		if x.rules.Imports != nil {
			for _, m := range x.rules.Imports(text) {
				m.Alias = cmp.Or(m.Alias, x.text(i.alias))
				m.Path, m.Name, m.Alias = x.intern([]byte(m.Path)), x.intern([]byte(m.Name)), x.intern([]byte(m.Alias))
				m.Line = line
				out = append(out, m)
			}
			continue
		}
		m := Import{Path: Unquote(text), Name: Unquote(x.text(i.name)), Alias: x.text(i.alias), Line: line}
		if i.isDefault {
			m.Name = "default"
		}
		if m.Alias == m.Name {
			m.Alias = ""
		}
		m.Path, m.Name = x.intern([]byte(m.Path)), x.intern([]byte(m.Name))
		out = append(out, m)
	}
	return out
}

// detail is where an import picks something out, or -1.
func (i imported) detail() int {
	if i.name.Start >= 0 {
		return i.name.Start
	}
	return i.alias.Start
}

func (x *extraction) text(s Span) string {
	if s.Start < 0 {
		return ""
	}
	return x.intern(x.src[s.Start:s.End])
}

// Unquote takes the marks off a path: "a/b", 'a', `a`, <stdio.h>.
func Unquote(s string) string { return strings.Trim(s, "\"'`<> \t\r\n") }

// headEnd is where licence, package clause and imports end: the end of the run
// of heads, imports and comments at the file's start. The doc comment of the
// first definition is not part of it.
func (x *extraction) headEnd(symbols []Symbol) int {
	for _, i := range x.imports {
		for _, w := range x.wrappers { // const x = require("x")
			if w.contains(i.Span) && len(bytes.Trim(x.src[w.Start:i.Start], "abcdefghijklmnopqrstuvwxyz ")) == 0 {
				i.Start = w.Start
			}
		}
		x.heads = append(x.heads, i.Span)
	}
	x.heads = append(x.heads, x.comments...)
	slices.SortFunc(x.heads, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	limit := len(x.src)
	for _, s := range symbols {
		if s.Kind == Namespace || s.Kind == Module {
			if _, ok := slices.BinarySearchFunc(x.heads, s.Start, func(h Span, at int) int { return cmp.Compare(h.Start, at) }); ok {
				continue // the clause that names the file's namespace
			}
		}
		limit = min(limit, s.DocStart)
	}
	end := 0
	if strings.HasPrefix(string(x.src[:min(3, len(x.src))]), "\uFEFF") {
		end = 3
	}
	pos := end
	for _, h := range x.heads {
		if h.End > limit {
			break
		}
		if h.End <= pos {
			continue
		}
		if h.Start > pos && !blank(x.src[pos:h.Start]) {
			break
		}
		pos = x.trim(h).End
		end = pos
	}
	return end
}

// blank reports whether b holds only white space and separators.
func blank(b []byte) bool {
	for _, c := range b {
		if !IsSpace(c) && c != ';' && c != ',' {
			return false
		}
	}
	return true
}

package syntax

import (
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
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.path.start, b.path.start),
			cmp.Compare(b.detail(), a.detail()))
	})
	out := make([]Import, 0, len(x.imports))
	for n, i := range x.imports {
		if n > 0 {
			prev := x.imports[n-1]
			same := prev.start == i.start && prev.path == i.path
			if same && i.detail() < 0 || same && i.name == prev.name && i.alias == prev.alias {
				continue
			}
		}
		line := x.line(i.start)
		text := x.text(i.path)
		if x.rules.imports != nil {
			for _, m := range x.rules.imports(text) {
				m.Path, m.Name, m.Alias = x.intern([]byte(m.Path)), x.intern([]byte(m.Name)), x.intern([]byte(m.Alias))
				m.Line = line
				out = append(out, m)
			}
			continue
		}
		m := Import{Path: unquote(text), Name: unquote(x.text(i.name)), Alias: x.text(i.alias), Line: line}
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

// detail orders the imports of a statement: those with names first, by place.
func (i imported) detail() int {
	return max(i.name.start, i.alias.start)
}

func (x *extraction) text(s span) string {
	if s.start < 0 {
		return ""
	}
	return x.intern(x.src[s.start:s.end])
}

// unquote takes the marks off a path: "a/b", 'a', `a`, <stdio.h>.
func unquote(s string) string { return strings.Trim(s, "\"'`<> \t\r\n") }

// headEnd is where licence, package clause and imports end: the end of the run
// of heads, imports and comments at the file's start. The doc comment of the
// first definition is not part of it.
func (x *extraction) headEnd(symbols []Symbol) int {
	for _, i := range x.imports {
		x.heads = append(x.heads, i.span)
	}
	x.heads = append(x.heads, x.comments...)
	slices.SortFunc(x.heads, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	limit := len(x.src)
	if len(symbols) > 0 {
		for _, s := range symbols {
			limit = min(limit, s.DocStart)
		}
	}
	end := 0
	if strings.HasPrefix(string(x.src[:min(3, len(x.src))]), "\uFEFF") {
		end = 3
	}
	pos := end
	for _, h := range x.heads {
		if h.end > limit {
			break
		}
		if h.end <= pos {
			continue
		}
		if h.start > pos && !blank(x.src[pos:h.start]) {
			break
		}
		pos = x.trim(h).end
		end = pos
	}
	return end
}

// blank reports whether b holds only white space and separators.
func blank(b []byte) bool {
	for _, c := range b {
		if !isSpace(c) && c != ';' {
			return false
		}
	}
	return true
}

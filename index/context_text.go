package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A budget is what is left of the tokens of a text.
type budget struct {
	text strings.Builder
	left int // characters
	cut  bool
}

// add appends a part, if it fits as a whole.
func (b *budget) add(part string) bool {
	if n := utf8.RuneCountInString(part); n <= b.left {
		b.text.WriteString(part)
		b.left -= n
		return true
	}
	b.cut = true
	return false
}

// write makes the text of a context and leaves out of the lists what is not in it.
// outline is what stands for a file.
func (a *Context) write(at *target, outline string, maxTokens int) {
	b := budget{left: 4 * maxTokens}
	if d := a.Definition; d != nil {
		head := fmt.Sprintf("# %s\n%s:%d-%d %s\n", d.Symbol, d.File, d.Line, d.EndLine, d.Kind)
		doc := ""
		if d.Doc != "" {
			doc = d.Doc + "\n"
		}
		// The text has its docstring in itself.
		inside := at.sym().docAt > at.sym().start
		whole := head + doc + fenced(d.Lang, d.Content)
		if inside {
			whole = head + fenced(d.Lang, d.Content)
		}
		a.Total++
		switch {
		case b.add(whole):
		case b.add(head + doc + fenced(d.Lang, d.Signature)), b.add(head + fenced(d.Lang, d.Signature)):
			d.Content = ""
		default:
			d.Content, d.Doc = "", ""
			b.left = 0 // without it the rest says nothing
		}
	} else if head := fmt.Sprintf("# %s\n", at.record.path); !b.add(head + fenced(at.record.lang, outline)) {
		b.add(head)
	}
	// What is called by what is called comes last.
	deeper := slices.IndexFunc(a.Functions, func(n ContextItem) bool { return n.Depth > 1 })
	if deeper < 0 {
		deeper = len(a.Functions)
	}
	near, far := a.Functions[:deeper:deeper], a.Functions[deeper:]
	call := func(n *ContextItem) (string, string) {
		short := fmt.Sprintf("- %s:%d `%s`", n.File, n.Line, cmp.Or(n.Signature, n.Symbol))
		long := short
		if doc := firstSentence(n.Doc); doc != "" {
			long += " " + doc
		}
		return long + "\n", short + "\n"
	}
	sections := []struct {
		title string
		list  *[]ContextItem
		text  func(*ContextItem) (long, short string)
	}{
		{"Calls", &near, call},
		{"Called by", &a.Callers, func(n *ContextItem) (string, string) {
			short := fmt.Sprintf("- %s:%d `%s` (%s %s)", n.File, n.Line, cmp.Or(n.Signature, n.Symbol, "top level"), lineWord(n.CallSites), joined(n.CallSites))
			if n.CallText == "" {
				return short + "\n", short + "\n"
			}
			return short + ": `" + n.CallText + "`\n", short + "\n"
		}},
		{"Types", &a.Types, func(n *ContextItem) (string, string) {
			short := fmt.Sprintf("- %s:%d `%s`\n", n.File, n.Line, cmp.Or(n.Signature, n.Symbol))
			if n.Content == "" {
				return short, short
			}
			return fmt.Sprintf("%s:%d\n%s", n.File, n.Line, fenced(n.Lang, n.Content)), short
		}},
		{"Tests", &a.Tests, func(n *ContextItem) (string, string) {
			line := fmt.Sprintf("- %s:%d %s\n", n.File, n.Line, cmp.Or(n.Symbol, "top level"))
			return line, line
		}},
		{"Called further on", &far, call},
	}
	for _, s := range sections {
		a.Total += len(*s.list)
		kept := (*s.list)[:0:0]
		title := "## " + s.title + "\n"
		for _, n := range *s.list {
			long, short := s.text(&n)
			switch {
			case b.add(title + long):
			case short != long && b.add(title+short):
				n.Content, n.Doc, n.CallText = "", "", ""
			default:
				continue
			}
			title = ""
			kept = append(kept, n)
		}
		if *s.list = kept; kept == nil {
			*s.list = []ContextItem{}
		}
	}
	a.Functions = append(near, far...)
	a.writeImports(&b)
	a.Text = b.text.String()
	a.Tokens = tokens(utf8.RuneCountInString(a.Text))
	if b.cut {
		a.cut(CutTokens)
	}
}

func (a *Context) writeImports(b *budget) {
	if len(a.Imports) == 0 {
		return
	}
	var names []string
	for _, i := range a.Imports {
		name := i.Path
		if i.Name != "" && i.Name != i.Path {
			name += " " + i.Name
		}
		if i.Alias != "" {
			name += " as " + i.Alias
		}
		names = append(names, name)
	}
	if !b.add("## Imports\n" + strings.Join(names, ", ") + "\n") {
		a.Imports = []ImportedName{}
	}
}

// fenced is code as Markdown has it.
func fenced(lang, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + code + "\n" + fence + "\n"
}

// firstSentence returns the beginning of a doc, on one line.
func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(doc, "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	const most = 160
	if utf8.RuneCountInString(doc) > most {
		return ""
	}
	return doc
}

package code

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// FileOutline says in at most that many characters what a file is about, and below that in
// a line each what its main symbols are.
func FileOutline(f FileFacts, most int) string {
	text := cmp.Or(shorten(f.purpose(), maxLine), FileLine(f, most))
	left := f.More
	full := false
	for i, s := range f.Symbols {
		if i == 0 && s.Main && (strings.HasSuffix(text, s.Line) || s.Bare != "" && strings.HasSuffix(text, s.Bare)) {
			continue // the line is about it
		}
		line := "\n  " + s.placed(100)
		if full = full || utf8.RuneCountInString(text)+utf8.RuneCountInString(line) > most-26; full {
			left++
			continue
		}
		text += line
	}
	if left > 0 {
		text += fmt.Sprintf("\n  (%d more symbols)", left)
	}
	return text
}

// placed is a symbol's line with where it is in the file, as grep writes it.
func (s *SymbolFacts) placed(most int) string {
	text := s.Name
	if s.Bare != "" {
		text += ": " + s.Bare
	} else if !s.Type {
		text = s.call()
	} else if len(s.Members) > 0 {
		text += listedIn(s.Members, 4)
	}
	if text = shorten(text, most); s.At > 0 {
		text = fmt.Sprintf(":%d %s", s.At, text)
	}
	return text
}

// FileDetail says in at most that many characters what a file is about and how it works:
// its purpose, its key functions and types, its callees and callers, and the requirements
// in its comments.
func FileDetail(f FileFacts, most int) string {
	line := FileLine(f, most)
	if p := f.purpose(); p != "" {
		line = shorten(p, min(most, maxLine)) // its functions come below
	} else if f.Test {
		line = "tests " + strings.Join(testTopic(f.Path), " ")
	} else if len(f.Symbols) > 0 && !f.Symbols[0].Main && f.Title == "" && f.Symbols[0].Kind != "key" && f.Symbols[0].Kind != "rule" {
		line = ""
	}
	b := detail{text: line, most: most, each: most > 900}
	var functions, types []string
	for _, s := range f.Symbols {
		switch {
		case s.Type && s.Main && line != "" && len(f.Symbols) > 1: // the line is about it
		case s.Type && b.each:
			types = append(types, s.placed(100))
		case s.Type:
			text := s.Name
			if len(s.Members) > 0 {
				text += listedIn(s.Members, 4)
			}
			types = append(types, text)
		case s.Kind == "macro" && len(s.Head.Params) == 0: // a value
		case s.Kind == "function" || s.Kind == "method" || s.Kind == "constructor" || s.Kind == "macro":
			text := s.call()
			if b.each && s.Bare != "" && !f.Test && !strings.HasSuffix(line, s.Line) {
				text += ": " + shorten(s.Bare, 90)
			}
			if b.each && s.At > 0 {
				text = fmt.Sprintf(":%d %s", s.At, text)
			}
			functions = append(functions, text)
		}
	}
	if f.Test {
		b.add("Cases", ", ", f.cases(), 12)
	} else {
		reserve := 0
		if len(types) > 0 || len(f.Reads)+len(f.Readers)+len(f.Notes) > 0 {
			reserve = most / 3
		}
		b.most = most - reserve
		b.list("Key functions", functions, 12)
		b.most = most - reserve/2
		b.list("Types", types, 8)
		b.most = most
	}
	if !f.Test {
		b.add("Used by", ", ", f.Readers, 6)
	}
	b.add("Calls", ", ", f.Reads, 6)
	b.add("Notes", "; ", f.Notes, 5)
	if f.More > 0 && len(functions)+len(types) > 0 {
		b.add(fmt.Sprintf("%d more symbols", f.More), "", nil, 0)
	}
	return b.text
}

// SymbolDetail says in at most that many characters what a symbol does and how: its line,
// its signature, what it raises, its callees and callers, and the requirements in its
// comments.
func SymbolDetail(line string, f Facts, calls, callers, notes []string, most int) string {
	tokens, _ := lex(f.Lang, f.Text)
	d := read(&f, tokens)
	b := detail{text: line, most: most}
	if head := strings.TrimRight(f.Signature, " {:"); head != "" {
		b.add("Signature", "", []string{shorten(head, 200)}, 1)
	}
	b.add("Holds", ", ", f.Fields, 12)
	b.add("Does", ", ", f.Methods, 12)
	if !strings.Contains(line, "raises") {
		b.add("Raises", ", ", d.raises, 6)
	}
	b.add("Sets", ", ", d.sets, 6)
	b.add("Calls", ", ", calls, 10)
	b.add("Called by", ", ", callers, 8)
	b.add("Notes", "; ", notes, 5)
	return b.text
}

// A detail is a text that grows by lines as long as there is room.
type detail struct {
	text string
	most int
	each bool // items of a list have lines of their own
}

// add appends a line of as many items as fit, if any does.
func (d *detail) add(title, mark string, items []string, most int) {
	text := d.text
	if text != "" {
		text += "\n  "
	}
	text += title
	fits := len(items) == 0 && most == 0
	for i, item := range items {
		next := text + mark + item
		if !fits {
			next = text + ": " + item
		}
		if i == most || utf8.RuneCountInString(next) > d.most-1 {
			if fits && utf8.RuneCountInString(text) <= d.most-6 {
				text += mark + "..."
			}
			break
		}
		text, fits = next, true
	}
	if fits && utf8.RuneCountInString(text) < d.most {
		d.text = text
	}
}

// list appends items as add does, or each on a line of its own.
func (d *detail) list(title string, items []string, most int) {
	if !d.each {
		d.add(title, ", ", items, most)
		return
	}
	text := strings.TrimPrefix(d.text+"\n  "+title+":", "\n  ")
	for i, item := range items {
		next := text + "\n    " + item
		if i == most || utf8.RuneCountInString(next) > d.most-8 {
			if i > 0 {
				d.text += "\n    ..."
			}
			break
		}
		d.text, text = next, next
	}
}

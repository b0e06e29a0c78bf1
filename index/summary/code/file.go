package code

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// FileFacts are what is known of a file.
type FileFacts struct {
	Path    string
	Lang    string
	Head    string        // the comment at its head, as prose, or what a text begins with
	Title   string        // the first heading of a text
	Text    string        // how it begins, where it defines nothing
	Symbols []SymbolFacts // the main ones first, members after their types
	More    int           // symbols that Symbols lacks
	Test    bool
	Reads   []string // what it calls in other files, for its details
	Readers []string // files that call it, as above
	Notes   []string // what its comments say must be so, as above
}

// SymbolFacts are what the line of a file needs of one of its symbols.
type SymbolFacts struct {
	Name    string // with the type around it
	Kind    string
	Line    string // see Line
	Bare    string // as above, of Facts that are Bare
	Head    Signature
	Type    bool     // a class, a module or the like
	Members []string // of a type: what it holds and does, the main ones first
	Main    bool     // it is what most of the file is about
	Member  bool     // of a type of the file
}

// FileLine says in at most that many characters what a file is about: by the comment at its
// head, or by its main symbols.
func FileLine(f FileFacts, most int) string {
	most = min(most, maxLine)
	if f.Lang == "markdown" || f.Lang == "text" || f.Lang == "rst" || f.Title != "" {
		text := Sentence(f.Head, f.Title)
		switch {
		case f.Title == "":
			return shorten(text, most)
		case text == "":
			return shorten(f.Title+sections(&f), most)
		}
		return shorten(strings.TrimRight(f.Title, ".:")+": "+text, most)
	}
	head := f.purpose()
	names := f.names()
	switch {
	case head == "" && f.Test:
		head = "tests " + strings.Join(testTopic(f.Path), " ")
		names = f.cases()
	case head == "" && len(f.Symbols) > 0 && f.Symbols[0].Main:
		s := f.Symbols[0]
		if plainLine(s) {
			return shorten(cmp.Or(s.Bare, s.Line), most)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == s.Name })
		head = s.Name + ": " + s.Line
	case head == "" && len(names) == 0 && len(f.Symbols) > 0:
		for _, s := range f.Symbols {
			names = appendNew(names, s.Name)
		}
		return enumerated(f.Symbols[0].Kind+"s", names, most)
	case head == "" && len(names) == 0:
		return shorten(f.script(), most)
	case head == "":
		return enumerated(f.topic(names), names, most)
	}
	if utf8.RuneCountInString(head) > 2*most/3 || strings.Contains(head, ": ") {
		return shorten(head, most)
	}
	return enumerated(head, names, most)
}

// script says what a file without definitions does: what it calls.
func (f *FileFacts) script() string {
	facts := Facts{Lang: f.Lang, Text: f.Text}
	tokens, _ := lex(f.Lang, f.Text)
	d := read(&facts, tokens)
	if calls := facts.mainCalls(&d, "", 6); len(calls) > 0 {
		return join("calls "+strings.Join(calls, ", "), effected(&d, ""))
	}
	line, _, _ := strings.Cut(strings.TrimSpace(f.Text), "\n")
	return shorten(strings.Join(strings.Fields(line), " "), 60)
}

// purpose is what the comment at the head of a file says.
func (f *FileFacts) purpose() string {
	base := path.Base(f.Path)
	name, _, _ := strings.Cut(base, ".")
	return Sentence(f.Head, base, f.Path, name, path.Base(path.Dir(f.Path)))
}

// plainLine reports whether the line of a symbol begins with its name in words.
func plainLine(s SymbolFacts) bool {
	return strings.HasPrefix(s.Line, strings.Join(nameWords(s.Name), " "))
}

// enumerated is a text with as many names behind it as there is room for.
func enumerated(text string, names []string, most int) string {
	text = shorten(text, most)
	n := utf8.RuneCountInString(text)
	for i, name := range names {
		mark := ", "
		if i == 0 {
			if mark = ": "; text == "" {
				mark = ""
			}
		}
		room := most - n - len(mark) - utf8.RuneCountInString(name)
		if room < 5 && i < len(names)-1 || room < 0 || i == 7 {
			if i > 0 && n+5 <= most {
				return text + ", ..."
			}
			return text
		}
		text += mark + name
		n = most - room
	}
	return text
}

// names are the outermost symbols of a file that are worth naming.
func (f *FileFacts) names() (names []string) {
	for _, s := range f.Symbols {
		if !s.Member && s.Kind != "field" && s.Kind != "key" && s.Kind != "rule" && s.Kind != "heading" {
			names = appendNew(names, s.Name)
		}
	}
	if len(names) == 1 && f.Symbols[0].Type {
		return append(names, f.Symbols[0].Members...)
	}
	for _, s := range f.Symbols {
		if owner, _, ok := strings.Cut(s.Name, "."); s.Member && ok && len(names) < 3 && !slices.Contains(names, owner) {
			names = appendNew(names, s.Name)
		}
	}
	return names
}

// topic is the word that most of some names share, unless the file's name says it.
func (f *FileFacts) topic(names []string) string {
	count := map[string]int{}
	best := ""
	said := set(stems(path.Base(f.Path)))
	for _, n := range names {
		seen := map[string]bool{}
		for _, w := range nameWords(n) {
			if k := stemOf(w); !seen[k] && !said[k] && !verbs[strings.ToLower(w)] && len(w) > 2 {
				seen[k] = true
				if count[k]++; count[k] > count[stemOf(best)] || best == "" {
					best = w
				}
			}
		}
	}
	if n := count[stemOf(best)]; best == "" || n < 2 || 2*n < len(names) {
		return ""
	}
	return best
}

// testTopic is what a test file is about by its name.
func testTopic(name string) []string {
	base, _, _ := strings.Cut(path.Base(name), ".")
	words := slices.DeleteFunc(nameWords(base), func(w string) bool {
		switch strings.ToLower(w) {
		case "test", "tests", "spec", "suite", "it":
			return true
		}
		return false
	})
	if len(words) == 0 {
		words = nameWords(path.Base(path.Dir(name)))
	}
	return append([]string{"of"}, words...)
}

// cases are the names of tests without what all of them say.
func (f *FileFacts) cases() (names []string) {
	topic := set(stems(strings.Join(testTopic(f.Path), " ")))
	for _, s := range f.Symbols {
		if s.Type {
			continue
		}
		words := nameWords(s.Name[strings.LastIndexByte(s.Name, '.')+1:])
		for len(words) > 0 && (topic[stemOf(words[0])] || filler[words[0]] || strings.EqualFold(words[0], "test") || strings.EqualFold(words[0], "should")) {
			words = words[1:]
		}
		if len(words) > 0 {
			names = appendNew(names, strings.Join(words, " "))
		}
	}
	return names
}

// sections names the headings of a text.
func sections(f *FileFacts) string {
	var names []string
	for _, s := range f.Symbols {
		if s.Kind == "heading" && s.Name != f.Title {
			names = appendNew(names, s.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + enumerated("", names, maxLine-utf8.RuneCountInString(f.Title)-2)
}

// call is a function with its parameters and what it gives.
func (s *SymbolFacts) call() string {
	var names []string
	for _, p := range s.Head.Params {
		if name := strings.TrimSpace(p.Name); name != "" {
			names = append(names, name)
		} else if t := typeWord(p.Type); t != "" {
			names = append(names, t)
		}
	}
	if len(names) > 5 {
		names = append(names[:5], "...")
	}
	text := s.Name + "(" + strings.Join(names, ", ") + ")"
	if r := strings.Join(strings.Fields(s.Head.Result), " "); r != "" && utf8.RuneCountInString(r) <= 40 {
		text += " -> " + r
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
		line = f.topic(f.names())
	}
	var b detail
	b.most = most
	b.text = line
	var functions, types []string
	room := most > 900
	for _, s := range f.Symbols {
		switch {
		case s.Type && s.Main && line != "" && len(f.Symbols) > 1: // the line is about it
		case s.Type:
			text := s.Name
			if room && s.Bare != "" && s.Line != line {
				text += ": " + shorten(s.Bare, 90)
			} else if len(s.Members) > 0 {
				text += listedIn(s.Members, 4)
			}
			types = append(types, text)
		case s.Kind == "macro" && len(s.Head.Params) == 0: // a value
		case s.Kind == "function" || s.Kind == "method" || s.Kind == "constructor" || s.Kind == "macro":
			text := s.call()
			if room && s.Bare != "" && !f.Test && !strings.HasSuffix(line, s.Line) {
				text += ": " + shorten(s.Bare, 90)
			}
			functions = append(functions, text)
		}
	}
	mark := ", "
	if room {
		mark = "; "
	}
	if f.Test {
		b.add("Cases", ", ", f.cases(), 12)
	} else {
		reserve := 0
		if len(types) > 0 || len(f.Reads)+len(f.Readers)+len(f.Notes) > 0 {
			reserve = most / 3
		}
		b.most = most - reserve
		b.add("Key functions", mark, functions, 12)
		b.most = most - reserve/2
		b.add("Types", mark, types, 8)
		b.most = most
	}
	b.add("Calls", ", ", f.Reads, 6)
	if !f.Test {
		b.add("Called by", ", ", f.Readers, 6)
	}
	b.add("Notes", "; ", f.Notes, 5)
	if f.More > 0 && len(functions)+len(types) > 0 {
		b.add(fmt.Sprintf("%d more symbols", f.More), "", nil, 0)
	}
	return b.text
}

// listedIn joins the first names of a list in brackets.
func listedIn(names []string, most int) string {
	more := ""
	if len(names) > most {
		names, more = names[:most], ", ..."
	}
	return " (" + strings.Join(names, ", ") + more + ")"
}

// A detail is a text that grows by sentences as long as there is room.
type detail struct {
	text string
	most int
}

// add appends a sentence of as many items as fit, if any does.
func (d *detail) add(title, mark string, items []string, most int) {
	text := d.text
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	if text != "" {
		text += " "
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
		if !strings.HasSuffix(text, "...") {
			text += "."
		}
		d.text = text
	}
}

// Names joins as many names as there is room for into a line, with dots for the others.
func Names(names []string) string { return enumerated("", names, maxLine-20) }

// Cut shortens a text to at most that many characters, and to the 120 of a line, before a
// word, and adds three dots.
func Cut(text string, most int) string { return shorten(text, min(most, maxLine)) }

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

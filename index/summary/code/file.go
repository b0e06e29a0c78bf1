package code

import (
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
	Exports []string      // what it only hands on, where it defines nothing
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
	At      int    // line of its name, from 1; 0: not told
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
	case head == "" && len(f.Exports) > 0:
		return enumerated("exports", f.Exports, most)
	case head == "" && f.Test:
		head = "tests " + strings.Join(testTopic(f.Path), " ")
		names = f.cases()
	case head == "" && len(f.Symbols) > 0 && f.Symbols[0].Main:
		s := f.Symbols[0]
		if plainLine(s) && s.Bare != "" {
			return shorten(s.Name+": "+s.Bare, most)
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
		return enumerated("", names, most)
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

// listedIn joins the first names of a list in brackets.
func listedIn(names []string, most int) string {
	more := ""
	if len(names) > most {
		names, more = names[:most], ", ..."
	}
	return " (" + strings.Join(names, ", ") + more + ")"
}

// Names joins as many names as there is room for into a line, with dots for the others.
func Names(names []string) string { return enumerated("", names, maxLine-20) }

// Cut shortens a text to at most that many characters, and to the 120 of a line, before a
// word, and adds three dots.
func Cut(text string, most int) string { return shorten(text, min(most, maxLine)) }

package code

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// typeLine is the line of a type or module without a doc comment.
func (f *Facts) typeLine() string {
	words := spoken(f.Name)
	if f.Kind == "interface" && len(words) > 1 && words[0] == "i" {
		words = words[1:] // IMailer
	}
	head := strings.Join(words, " ")
	var bases, fields, methods string
	if len(f.Bases) > 0 {
		bases = "extends " + strings.Join(f.Bases[:min(2, len(f.Bases))], ", ")
	}
	fields = listed("holds", f.Fields, 5)
	methods = listed("does", f.Methods, 6)
	switch f.Kind {
	case "enum":
		fields = listed("one of", f.Fields, 7)
	case "interface", "trait":
		methods = listed("can", f.Methods, 7)
	case "module", "namespace":
		methods = listed("has", append(append([]string{}, f.Methods...), f.Fields...), 7)
		fields = ""
	}
	if bases == "" && fields == "" && methods == "" {
		def, _ := f.defined()
		if inner, ok := strings.CutPrefix(def, "("); ok && f.Lang == "python" {
			def = "extends " + strings.TrimSuffix(inner, ")")
		}
		if f.Bare && def != f.Name {
			return shorten(def, maxLine)
		}
		if def != "" && def != f.Name {
			return join(head + ": " + shorten(def, maxLine-utf8.RuneCountInString(head)-2))
		}
		if f.Bare {
			return ""
		}
		return head
	}
	line := head
	mark := ": "
	if f.Bare {
		line, mark = "", ""
	}
	if room := maxLine - utf8.RuneCountInString(line+bases+fields) - 6; fields != "" && f.Kind != "module" && f.Kind != "namespace" {
		for most := 5; most > 0 && methods != "" && utf8.RuneCountInString(methods) > room; most-- {
			methods = listed(strings.Fields(methods)[0], f.Methods, most)
		}
	}
	for _, p := range []string{bases, fields, methods} {
		if p != "" && utf8.RuneCountInString(line)+utf8.RuneCountInString(p)+2 <= maxLine {
			line += mark + p
			mark = "; "
		}
	}
	return line
}

// listed joins the first names of a list behind a word, and says how many there are more.
func listed(word string, names []string, most int) string {
	if len(names) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(word)
	for i, n := range names {
		if i == most || b.Len()+len(n) > 70 && i > 0 {
			b.WriteString(", ...")
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + n)
	}
	return b.String()
}

// valueLine is the line of a constant, a variable, a field, or what else has no body.
func (f *Facts) valueLine() string {
	head := strings.Join(nameWords(f.Name), " ")
	if f.Kind == "heading" || f.Kind == "key" || f.Kind == "rule" || head == "" {
		return shorten(strings.TrimLeft(strings.Join(strings.Fields(f.Name), " "), "# "), maxLine)
	}
	if def, value := f.defined(); def != "" {
		mark := ": "
		if value || f.Kind == "constant" || f.Kind == "macro" {
			mark = " = "
		}
		return join(head + mark + shorten(def, max(maxLine-utf8.RuneCountInString(head)-3, 10)))
	}
	if f.Bare {
		return ""
	}
	return head
}

// defined is what stands behind the name of a value or a type, on one line, and whether
// it is a value, not only a type.
func (f *Facts) defined() (text string, value bool) {
	text = f.Text
	if len(text) > 400 {
		text = strings.ToValidUTF8(text[:400], "")
	}
	at := findName(text, f.Name)
	if at < 0 {
		return "", false
	}
	rest := text[at+len(f.Name):]
	if strings.HasPrefix(rest, "<") { // its parameters
		if i := strings.Index(rest, ">"); i >= 0 && strings.Count(rest[:i], "<") == 1 {
			rest = rest[i+1:]
		}
	}
	line, _, _ := strings.Cut(rest, "\n")
	if i := strings.Index(line, "= "); i >= 0 {
		line, value = line[i+2:], true
	} else if i := strings.IndexByte(line, '='); i >= 0 {
		line, value = line[i+1:], true
	}
	if strings.TrimSpace(line) == "" { // the value begins on the next line
		_, line, _ = strings.Cut(rest, "\n")
	} else if kind := strings.TrimRight(line, " "); value && strings.HasSuffix(kind, "<") { // a type's arguments are on the next ones
		_, more, _ := strings.Cut(rest, "\n")
		if i := closing(more); i > 0 {
			line = kind + strings.TrimSpace(strings.TrimSuffix(strings.Join(strings.Fields(more[:i]), " "), ">")) + ">"
		}
	}
	line, _, _ = strings.Cut(line, " //")
	line = strings.TrimPrefix(strings.Join(strings.Fields(line), " "), "| ")
	line = strings.TrimRight(strings.TrimLeft(line, " :;,="), " :;,{([")
	if strings.IndexFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 || line[0] == ')' || line == "where" {
		return "", false
	}
	return line, value
}

// closing is where a text ends that begins inside of <, with the > of it; 0 if it is not there.
func closing(text string) int {
	depth := 1
	for i := range text {
		switch text[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// testLine says what a test checks, by its name and what it calls.
func (f *Facts) testLine(owner string) string {
	words := nameWords(f.Name)
	verb := ""
	switch first := strings.ToLower(words[0]); first {
	case "test", "should", "it":
		verb = "tests"
	case "benchmark", "bench":
		verb = "measures"
	case "example":
		verb = "shows"
	}
	if verb == "" || len(words) == 1 {
		return f.actLine(owner)
	}
	words = words[1:]
	if verb == "tests" && len(words) > 1 && strings.EqualFold(words[0], "that") {
		words = words[1:]
	}
	head := verb + " " + strings.Join(words, " ")
	tokens, _ := lex(f.Lang, f.Text)
	d := read(f, tokens)
	if calls := f.mainCalls(&d, head, 3); len(calls) > 0 {
		return join(head, "calls "+strings.Join(calls, ", "))
	}
	return join(head)
}

package code

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Facts are what is known of a symbol. Only Name is needed; the more there is, the more
// its line says.
type Facts struct {
	Name      string
	Owner     string   // the names around it, joined by "."
	Kind      string   // as index.Result.Kind
	Lang      string   // as index.Result.Lang
	Signature string   // its head, on one line
	Doc       string   // its doc comment as prose; "" where there is none or it is not to count
	Text      string   // its source, of which the first six kilobytes are read
	Calls     []string // what it calls of the same project, if that is known: names those first
	Fields    []string // of a type: what it holds, or of an enum what there is; in order
	Methods   []string // of a type: what can be done with it, the main ones first
	Bases     []string // of a type: what it extends or implements
	Test      bool     // it is in a test
	Bare      bool     // leave out what its name and head say: they stand before the line
}

// Line says in at most 120 characters what a symbol does, or is: by the first sentence of
// its doc comment, or else by its name, what it takes and gives, what it calls, and what
// it does beyond its result. It is "" for a symbol without a name,
// and for one with Bare where nothing else is known.
func Line(f Facts) string {
	plain := f.Owner[strings.LastIndexByte(f.Owner, '.')+1:]
	text := Sentence(f.Doc, f.Name, plain+"."+f.Name, plain)
	runs := f.Kind == "function" || f.Kind == "method" || f.Kind == "constructor" || f.Kind == "macro" && strings.Contains(f.Signature, f.Name+"(")
	switch {
	case text != "" && runs && utf8.RuneCountInString(text) < 60 && !f.Test:
		tokens, _ := lex(f.Lang, f.Text)
		d := read(&f, tokens)
		return join(text, raised(&d, text), effected(&d, text))
	case text != "":
		return shorten(text, maxLine)
	case runs && f.Test && len(nameWords(f.Name)) > 0:
		return f.testLine(plain)
	case runs:
		return f.actLine(plain)
	}
	switch f.Kind {
	case "class", "struct", "interface", "trait", "enum", "type", "module", "namespace", "object":
		return f.typeLine()
	}
	return f.valueLine()
}

// join appends parts to a line as long as they fit.
func join(line string, parts ...string) string {
	line = shorten(line, maxLine)
	for _, p := range parts {
		if p != "" && utf8.RuneCountInString(line)+2+utf8.RuneCountInString(p) <= maxLine {
			line += "; " + p
		}
	}
	return line
}

// actLine is the line of a function without a doc comment.
func (f *Facts) actLine(owner string) string {
	tokens, remarks := lex(f.Lang, f.Text)
	d := read(f, tokens)
	s := ReadSignature(f.Lang, f.Name, f.Signature)
	made := s.Params
	head := act(f.Name, owner)
	if script := f.Lang == "javascript" || f.Lang == "typescript" || f.Lang == "tsx"; script && unicode.IsUpper([]rune(f.Name)[0]) {
		head = strings.Join(nameWords(f.Name), " ") // a component, or a class of old
	}
	if isSpecial(f.Name) {
		s = Signature{} // known by its name
	}
	if f.Kind == "constructor" || owner != "" && (f.Name == owner || special[f.Name] == "" && isSpecial(f.Name)) {
		head = "makes " + strings.Join(nameWords(owner), " ")
		s.Params = made
	}
	if head = cmp.Or(head, f.Name); strings.HasPrefix(f.Name, "operator") {
		head = "operator " + strings.TrimSpace(strings.TrimPrefix(f.Name, "operator"))
	}
	if words := nameWords(typeWord(unwrapped(s.Result))); head == "makes" && len(words) > 0 {
		head += " " + strings.Join(words, " ")
	}
	if params := takes(s.Params, head); len(params) > 0 {
		switch word, _, _ := strings.Cut(head, " "); word {
		case "makes", "creates", "builds", "generates", "constructs", "computes", "calculates", "derives", "renders", "produces":
			if !strings.Contains(head, " from") {
				head += " from " + strings.Join(params, ", ")
				break
			}
			fallthrough
		default:
			head += " (" + strings.Join(params, ", ") + ")"
		}
	}
	var parts []string
	if f.Bare || f.Kind == "macro" {
		s.Result = ""
	}
	returns, raises, effect := gives(&d, s.Result, head), raised(&d, head), effected(&d, head)
	// Calls are cut where what it gives and raises would not fit else.
	room := maxLine - utf8.RuneCountInString(head+returns+raises+effect) - 8
	for most := 6; most > 0; most-- {
		calls := strings.Join(f.mainCalls(&d, head, most), ", ")
		if calls != "" && (len(calls)+len("calls ") <= room || most == 1) {
			parts = append(parts, "calls "+calls)
			break
		}
	}
	if len(d.sets) > 0 && f.Kind != "constructor" && !isSpecial(f.Name) {
		parts = append(parts, "sets "+strings.Join(d.sets[:min(3, len(d.sets))], ", "))
	}
	parts = append(parts, returns, raises, effect)
	if f.Bare && head != special[f.Name] {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
		if len(parts) == 0 {
			return remark(remarks, f.Name)
		}
		head, parts = parts[0], parts[1:]
	}
	line := join(head, parts...)
	for range remarks {
		// What the author says of a step says more than the names in it.
		room := maxLine - utf8.RuneCountInString(line) - 2
		if room <= 28 {
			break
		}
		r := remark(remarks, line)
		if r == "" {
			break
		}
		line = join(line, shorten(r, room))
	}
	if f.Bare || f.Test {
		return line
	}
	for _, text := range d.says {
		// What it tells its users says more than the names in it, too.
		if room := maxLine - utf8.RuneCountInString(line) - 9; room > 15 {
			line = join(line, `says "`+shorten(text, room)+`"`)
		}
	}
	if line = join(line, f.typed(s, line)); line == head {
		return f.used(&d, line)
	}
	return line
}

// used names what a function works on of which nothing else is known.
func (f *Facts) used(d *actions, line string) string {
	said := set(stems(line))
	for _, w := range nameWords(f.Owner) {
		said[stemOf(w)] = true
	}
	lead := "; uses "
	names := slices.DeleteFunc(slices.Clone(d.names), func(name string) bool { return dull[strings.ToLower(name)] })
	if len(names) == 0 {
		names = d.names
	}
	for _, name := range names {
		if conversions[name] {
			continue
		}
		fresh := false
		for _, w := range nameWords(name) {
			fresh = fresh || len(w) > 2 && !said[stemOf(w)] && !generic[strings.ToLower(w)]
		}
		if !fresh || utf8.RuneCountInString(line)+len(lead)+utf8.RuneCountInString(name) > maxLine {
			continue
		}
		line += lead + name
		lead = ", "
		for _, w := range nameWords(name) {
			said[stemOf(w)] = true
		}
	}
	return line
}

// typed names the types that a function takes and gives which a line does not, if that is
// short.
func (f *Facts) typed(s Signature, line string) string {
	if utf8.RuneCountInString(line) > 70 {
		return ""
	}
	said := set(stems(line))
	var kinds []string
	add := func(kind string) {
		kind = strings.Join(strings.Fields(kind), " ")
		for _, w := range nameWords(kind) {
			if len(w) > 2 && !said[stemOf(w)] && len(kinds) < 3 && utf8.RuneCountInString(kind) < 30 {
				kinds = appendNew(kinds, kind)
				return
			}
		}
	}
	for _, p := range s.Params {
		add(typeWord(p.Type))
	}
	if len(kinds) == 0 {
		return ""
	}
	return "takes " + strings.Join(kinds, ", ")
}

// conversions are types of which a call makes one.
var conversions = set(`byte bytes string str int float bool list dict tuple`)

// isSpecial reports whether a name is one that a language gives a meaning.
func isSpecial(name string) bool { _, ok := special[name]; return ok }

// takes are the names of the parameters that say something beyond a phrase.
func takes(params []Param, phrase string) (names []string) {
	said := set(stems(phrase))
	for _, p := range params {
		name, _, _ := strings.Cut(strings.TrimLeft(p.Name, "_"), " ")
		if nameLength(name) != len(name) || keywords[name] {
			continue // a pattern
		}
		switch strings.ToLower(name) {
		case "ctx", "context", "cls", "t", "tb", "done", "cb", "next", "args", "kwargs", "self", "this", "ct", "cancellationtoken", "loc", "i", "n", "x", "y", "a", "b", "_", "gpa", "allocator", "l":
			continue
		}
		if len(name) < 3 {
			name = typeWord(p.Type)
		}
		if name == "" || len(names) == 4 {
			continue
		}
		fresh := false
		for _, w := range nameWords(name) {
			fresh = fresh || !said[stemOf(w)]
		}
		if fresh && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// stems are the words of a phrase as repeats compares them.
func stems(phrase string) string {
	words := nameWords(phrase)
	for i, w := range words {
		words[i] = stemOf(w)
	}
	return strings.Join(words, " ")
}

// mainCalls are the calls that say the most: those of the project's own code, those with
// several words in their names, those that are made more than once.
func (f *Facts) mainCalls(d *actions, phrase string, most int) []string {
	type weighed struct {
		called
		at, weight int
	}
	said := set(stems(phrase))
	var all []weighed
	for i, c := range d.calls {
		if slices.Contains(d.raises, c.name) || slices.Contains(d.raises, c.whole) || effectOf(f.Lang, c.whole) != "" || f.Test && c.name == "raises" {
			continue
		}
		words := nameWords(c.name)
		w := min(len(words), 3) * 2
		if receiver, _, ok := strings.Cut(c.whole, "."); ok && len(words) == 1 && len(receiver) < 3 {
			w-- // what a variable of one letter is nobody knows
		}
		if slices.Contains(f.Calls, c.name) {
			w += 3
		}
		if c.times > 1 {
			w++
		}
		fresh := false
		for _, word := range words {
			fresh = fresh || !said[stemOf(word)]
		}
		if !fresh {
			w -= 5
		}
		if w > 1 {
			all = append(all, weighed{c, i, w})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	all = all[:min(len(all), most)]
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.at, b.at) })
	var names []string
	for _, c := range all {
		name := c.name
		if len(nameWords(name)) == 1 && strings.Count(c.whole, ".") == 1 && !strings.HasPrefix(c.whole, "self.") && !strings.HasPrefix(c.whole, "this.") && len(c.whole) < 24 && !strings.HasPrefix(c.whole, "@") {
			name = c.whole // hmac.new says more than new
		}
		names = append(names, name)
	}
	return names
}

// gives says what a function returns, as far as the phrase has not.
func gives(d *actions, result, phrase string) string {
	said := set(stems(phrase))
	var names []string
	for _, part := range splitList(strings.Trim(result, "()")) {
		if _, kind, found := strings.Cut(part, " "); found && !strings.ContainsAny(part, "<[(*&") {
			part = kind // a named result of Go
		}
		kind := typeWord(unwrapped(part))
		if kind == "" {
			continue
		}
		for _, w := range nameWords(kind) {
			if !said[stemOf(w)] {
				names = appendNew(names, kind)
				break
			}
		}
	}
	if len(names) == 0 {
		for _, name := range d.returns {
			if name == "whether" {
				if !strings.HasPrefix(phrase, "whether") {
					names = appendNew(names, "whether it did")
				}
				continue
			}
			for _, w := range nameWords(name) {
				if !said[stemOf(w)] {
					names = appendNew(names, name[strings.LastIndexByte(name, '.')+1:])
					break
				}
			}
		}
	}
	switch {
	case d.yields && len(names) == 0:
		return "yields each"
	case len(names) == 0:
		return ""
	}
	return "returns " + strings.Join(names[:min(2, len(names))], " or ")
}

func raised(d *actions, phrase string) string {
	if len(d.raises) == 0 {
		return ""
	}
	names := d.raises[:min(2, len(d.raises))]
	if len(names) == 1 && names[0] == "panic" {
		return "may panic"
	}
	for _, n := range names {
		if strings.Contains(phrase, n) {
			return ""
		}
	}
	return "raises " + strings.Join(names, " or ")
}

func effected(d *actions, phrase string) string {
	var all []string
	for _, e := range d.effects {
		verb, rest, _ := strings.Cut(e, " ")
		if rest == "" || !strings.Contains(phrase, strings.TrimPrefix(rest, "the ")) || !strings.Contains(phrase, verb) {
			all = append(all, e)
		}
	}
	return strings.Join(all[:min(2, len(all))], ", ")
}

// remark is the first comment inside of a function that says something new.
func remark(remarks []string, line string) string {
	for _, r := range remarks {
		if strings.ContainsAny(r, ";{}=") || strings.HasSuffix(r, ")") || strings.Count(r, " ") < 2 || strings.Count(r, " ") > 14 {
			continue
		}
		if r = Sentence(r); r != "" && unicode.IsLetter([]rune(r)[0]) && !repeats(r, []string{line}) {
			return r
		}
	}
	return ""
}

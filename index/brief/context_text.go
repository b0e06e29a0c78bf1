package brief

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/search"
)

// A contextWriter makes the text of a context.
type contextWriter struct {
	a    *ContextAnswer
	sent *answer.Sent
	text strings.Builder
	left int    // characters
	mark string // of the uppermost title
	cut  bool
}

// add appends a text, if it fits as a whole.
func (w *contextWriter) add(text string) bool {
	n := utf8.RuneCountInString(text)
	if n > w.left {
		w.cut = true
		return false
	}
	w.text.WriteString(text)
	w.left -= n
	return true
}

// write makes the text of a context and leaves out of the lists what is not in it.
// outline is what stands for a file.
func (a *ContextAnswer) write(at *store.Target, outline string, q *ContextQuery) {
	w := contextWriter{a: a, sent: q.Sent, left: 4 * q.MaxTokens, mark: "#"}
	if q.inside {
		w.mark = "###"
	}
	w.head(at, outline)
	room := 0
	if !q.inside {
		room = min(w.left, utf8.RuneCountInString(receipt(q.MaxTokens, 9999, 9_999_999)))
	}
	w.left -= room
	w.fill(w.chapters())
	w.left += room
	w.count(at.Record)
	if !q.inside {
		w.receipt()
	}
	a.Text = w.text.String()
	a.Tokens = answer.Tokens(utf8.RuneCountInString(a.Text))
	if w.cut {
		a.Cut(answer.CutTokens)
	}
}

// head writes what is asked for, before all else. Without it the rest says nothing.
func (w *contextWriter) head(at *store.Target, outline string) {
	d := w.a.Definition
	if d == nil {
		if head := fmt.Sprintf("%s %s\n", w.mark, at.Record.Path); outline == "" || !w.add(head+fenced(at.Record.Lang, outline)) {
			w.add(head)
		}
		return
	}
	w.a.Total++
	if w.sent.Has(d.lines()) {
		d.Sent, d.Content, d.Doc = true, "", ""
		if !w.add(fmt.Sprintf("%s %s\n%s\n", w.mark, d.Symbol, d.reference())) {
			w.left = 0
		}
		return
	}
	head := fmt.Sprintf("%s %s\n%s:%d-%d %s\n", w.mark, d.Symbol, d.File, d.Line, d.EndLine, d.Kind)
	doc := ""
	if d.Doc != "" {
		doc = d.Doc + "\n"
	}
	whole := head + doc + fenced(d.Lang, d.Content)
	inside := at.Sym().DocAt > at.Sym().Start // the text has its docstring in itself
	if inside {
		whole = head + fenced(d.Lang, d.Content)
	}
	short, gap := undocumented(at.Record, at.Sym())
	if inside {
		doc = ""
	}
	if utf8.RuneCountInString(whole) <= w.left*2/3 || !w.a.Searched && gap.To == 0 && w.fits(whole) {
		w.add(whole)
		w.shown(d.lines())
		return
	}
	w.cut = true
	if first := firstSentence(d.Doc); first != "" { // a docstring gives way to the body
		doc = first + "\n"
	}
	lines := d.lines()
	switch {
	case gap.To > 0 && (!w.a.Searched || utf8.RuneCountInString(short) <= w.left*2/3) && w.add(head+doc+fenced(d.Lang, short)):
		d.Content = short
		before, after := lines, lines
		before.To, after.From = gap.From-1, gap.To+1
		w.shown(before, after)
	case store.Runs(at.Sym().Kind()) && w.beginning(head+doc, short, gap):
	case w.add(head + doc + fenced(d.Lang, d.Signature)), w.add(head + fenced(d.Lang, d.Signature)):
		d.Content = ""
		w.shown(d.firstLine())
	default:
		d.Content, d.Doc = "", ""
		w.left = 0
	}
}

func (w *contextWriter) fits(text string) bool { return utf8.RuneCountInString(text) <= w.left }

// someBeginning is how many lines of a body are worth showing without the others.
const someBeginning = 8

// beginning writes as many of the first lines of the definition as fit two thirds of what is
// left, and says how many there are more; false: they are too few.
func (w *contextWriter) beginning(head, text string, gap answer.Lines) bool {
	d := w.a.Definition
	lines := strings.SplitAfter(text, "\n")
	part := func(n int) string { return strings.Join(lines[:n], "") }
	rest := func(n int) string { return fmt.Sprintf("(+%d more lines)\n", len(lines)-n) }
	n := fitting(len(lines)-1, func(n int) bool {
		return utf8.RuneCountInString(head+fenced(d.Lang, part(n))+rest(n)) <= w.left*2/3
	})
	if n < someBeginning || !w.add(head+fenced(d.Lang, strings.TrimSuffix(part(n), "\n"))+rest(n)) {
		return false
	}
	d.Content = part(n)
	all := d.lines()
	if gap.To == 0 || all.From+n <= gap.From {
		all.To = all.From + n - 1
		w.shown(all)
		return true
	}
	before, after := all, all
	before.To, after.From = gap.From-1, gap.To+1
	after.To = after.From + n - (gap.From - all.From) - 1
	w.shown(before, after)
	return true
}

func (w *contextWriter) shown(lines ...answer.Lines) { w.a.Given = append(w.a.Given, lines...) }

// lines returns the lines of an item's definition.
func (n *ContextItem) lines() answer.Lines {
	return answer.Lines{File: n.File, Hash: n.FileHash, From: n.Line, To: n.EndLine}
}

// firstLine returns that of its signature.
func (n *ContextItem) firstLine() answer.Lines {
	return answer.Lines{File: n.File, Hash: n.FileHash, From: n.Line, To: n.Line}
}

func (n *ContextItem) line() string {
	return fmt.Sprintf("- %s:%d `%s`", n.File, n.Line, cmp.Or(n.Signature, n.Symbol, "top level"))
}

// reference is what stands for an item that the reader has.
func (n *ContextItem) reference() string { return n.line() + " (sent before)" }

// fill chooses the parts for what is left, writes them, and keeps of the lists what is
// written. If words were searched for, the bodies of what they found come first, then what
// adds most for its cost, and bodies again for what is left then.
func (w *contextWriter) fill(chapters []chapter) {
	var offers []*search.Offer
	var titles []int
	var all []*passage
	for g, s := range chapters {
		titles = append(titles, utf8.RuneCountInString(w.heading(&s)))
		for i, p := range s.passages {
			p.Group, p.promised = g, p.Most
			for f := search.Short; f <= p.Most; f++ {
				p.Cost[f] = utf8.RuneCountInString(p.texts[f])
				p.Worth[f] /= 1 + float64(i)/20
			}
			offers, all = append(offers, &p.Offer), append(all, p)
		}
	}
	// Who has the best result has asked for it before, and wants to know what else there is.
	bodies := w.a.Searched && (w.a.Definition == nil || !w.a.Definition.Sent)
	if bodies {
		w.mention(all, titles)
		w.answers(all, titles)
	}
	w.left = search.Fill(offers, titles, w.left)
	for _, p := range all {
		w.cut = w.cut || p.Given < p.promised
		if p.Given > search.Nowhere {
			titles[p.Group] = 0 // it is there
		}
	}
	if bodies {
		for i, p := range all {
			if p.Given < search.Whole && p.bodyRank >= leastBody && !w.a.found(p.item) && p.embody() {
				p.Worth[search.Whole] = p.Worth[p.Given] + p.bodyRank/(1+float64(i)/20)
			}
		}
		w.left = search.Fill(offers, titles, w.left)
	}
	a := w.a
	a.Functions, a.Callers, a.Types, a.Tests, a.Found = []ContextItem{}, []ContextItem{}, []ContextItem{}, []ContextItem{}, nil
	lists := map[string]*[]ContextItem{
		"Calls": &a.Functions, "Called by": &a.Callers, "Types": &a.Types, "Tests": &a.Tests, "Called further on": &a.Functions,
	}
	for _, s := range chapters {
		heading := w.heading(&s)
		for _, p := range s.passages {
			if p.Given == search.Nowhere {
				switch {
				case p.item == nil && p.found == nil:
					a.Imports = []answer.ImportedName{}
				case p.item == nil && p.texts[search.Short] == "":
					a.Total-- // it is counted where it is listed
				}
				continue
			}
			w.text.WriteString(heading + p.texts[p.Given])
			heading = ""
			w.shown(p.lines[p.Given]...)
			switch {
			case p.item != nil && p.Given == search.Whole:
				p.item.Content = p.body.text
				*lists[s.title] = append(*lists[s.title], *p.item)
			case p.item != nil:
				if p.item.Sent || p.Given < p.promised {
					p.item.Content, p.item.Doc, p.item.CallText = "", "", ""
				}
				*lists[s.title] = append(*lists[s.title], *p.item)
			case p.found != nil:
				a.Found = append(a.Found, p.result())
			}
		}
	}
}

// What is spent on the bodies of the best results before anything else: a share of what is
// left behind the definition, on so many results that are no tests and on all likely ones.
const (
	answersShare = 0.6
	bestAnswers  = 3
	leastBody    = 0.02 // the score from which there is a body of what is left
)

// mentionShare is what is spent on a line for each of the first results, of what is left
// behind the definition: bodies of a few take the place of none of them.
const mentionShare = 0.4

// mention gives a line of each of the first results.
func (w *contextWriter) mention(all []*passage, titles []int) {
	room, given := int(mentionShare*float64(w.left)), 0
	for _, p := range all {
		if p.found == nil || p.Most < search.Short || given == search.DefaultLimit {
			continue
		}
		given++
		if cost := p.Cost[search.Short] + titles[p.Group]; cost <= room {
			p.Given, titles[p.Group] = search.Short, 0
			room, w.left = room-cost, w.left-cost
		}
	}
}

// answers gives the bodies of the best results, or their texts where there is no room for all.
func (w *contextWriter) answers(all []*passage, titles []int) {
	room, given := int(answersShare*float64(w.left)), 0
	best := slices.DeleteFunc(slices.Clone(all), func(p *passage) bool { return p.found == nil })
	slices.SortStableFunc(best, func(a, b *passage) int { return cmp.Compare(b.found.Score, a.found.Score) })
	for _, p := range best {
		if p.found.Sent || p.found.Role != answer.RoleDefinition && p.found.Role != "" || given >= bestAnswers && p.found.Score < likely || !p.embody() {
			continue
		}
		given++
		for f := search.Whole; f >= search.Full; f-- {
			if cost := p.Cost[f] - p.Cost[p.Given] + titles[p.Group]; p.Cost[f] > 0 && cost <= room {
				p.Given, titles[p.Group] = f, 0
				room, w.left = room-cost, w.left-cost
				break
			}
		}
	}
}

// count adds up the files that the text names.
func (w *contextWriter) count(target *store.Record) {
	a := w.a
	files := map[string]int{target.Path: answer.Tokens(int(target.Size))}
	for _, list := range [][]ContextItem{a.Functions, a.Callers, a.Types, a.Tests} {
		for i := range list {
			files[list[i].File] = list[i].FileTokens
			a.count(list[i].Sent)
		}
	}
	for i := range a.Found {
		files[a.Found[i].File] = a.Found[i].FileTokens
		a.count(a.Found[i].Sent)
	}
	a.count(a.Definition != nil && a.Definition.Sent)
	a.TokensRaw, a.Files, a.named = 0, len(files), files
	for _, n := range files {
		a.TokensRaw += n
	}
}

// receipt writes what the text costs, and what its files would have, if there is room.
func (w *contextWriter) receipt() {
	a := w.a
	if w.text.Len() == 0 {
		return
	}
	// The line counts itself.
	n := utf8.RuneCountInString(w.text.String())
	text := receipt(answer.Tokens(n), a.Files, a.TokensRaw)
	text = receipt(answer.Tokens(n+utf8.RuneCountInString(text)), a.Files, a.TokensRaw)
	text = receipt(answer.Tokens(n+utf8.RuneCountInString(text)), a.Files, a.TokensRaw)
	if utf8.RuneCountInString(text) <= w.left {
		w.add(text)
	}
}

func (a *ContextAnswer) count(sent bool) {
	if sent {
		a.References++
	}
}

// receipt says in a line what a text costs in place of whole files.
func receipt(tokens, files, raw int) string {
	what := "the file"
	if files != 1 {
		what = fmt.Sprintf("the %d files", files)
	}
	return fmt.Sprintf("(%s tokens; %s whole: %s)\n", Grouped(tokens), what, Grouped(raw))
}

// Grouped is a number with its thousands apart.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// fenced is code as Markdown has it.
func fenced(lang, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + code + "\n" + fence + "\n"
}

// tagged is where the tags of a doc begin, which say nothing that the signature does not.
var tagged = regexp.MustCompile(`(?mi)^(?:@\w|\{@inheritdoc\})`)

// firstSentence returns the beginning of a doc, on one line; "" where that is a tag, or a line drawn
// between sections.
func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimPrefix(doc, "\\\n"), "\n\n") // Python's """\
	if i := tagged.FindStringIndex(doc); i != nil {
		doc = doc[:i[0]]
	}
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	const most = 160
	if utf8.RuneCountInString(doc) > most || !strings.ContainsFunc(doc, unicode.IsLetter) {
		return ""
	}
	return doc
}

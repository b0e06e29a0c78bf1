package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// What the parts of a context are worth, relative to each other. A call is a line, a type some
// ten: by what they add for a character, calls and callers come first, and a long type
// takes the place of none of them. The parts of a list count the less the further down
// they are: the tenth two thirds of the first.
const (
	callWorth    = 1.0
	callerWorth  = 1.0
	typeWorth    = 0.7
	testWorth    = 0.5
	furtherWorth = 0.3
	importsWorth = 0.4
	foundWorth   = 2.0 // of the score
	docWorth     = 0.2 // a sentence, in addition
	lineWorth    = 0.4 // the line of a call, as above
	bodyWorth    = 0.6 // of a type, as above
	textWorth    = 0.8 // of a result, of the score, as above
	calleeWorth  = 0.1 // of the body of what is called, as the score of a result
)

// likely is the score from which a result's text is given: one of ten such is right. Of
// the others there is a line, whatever the budget.
const likely = 0.1

// A chapter is a list under a title.
type chapter struct {
	title    string
	passages []*passage
}

// A passage is one line or text of a chapter.
type passage struct {
	search.Offer
	texts    [search.Whole + 1]string
	lines    [search.Whole + 1][]answer.Lines // that the forms show
	item     *ContextItem
	found    *search.Result
	body     body    // that Whole shows; without a text there is none
	bodyRank float64 // what that is worth, as the score of a result
	promised search.Form
}

// oneLine makes a passage of a line; more is what the full form has in addition, "" nothing.
func oneLine(text, more string, worth, moreWorth float64) *passage {
	p := &passage{Offer: search.Offer{Most: search.Short}}
	p.Worth[search.Short], p.Worth[search.Full] = worth, worth+moreWorth
	p.texts[search.Short] = text + "\n"
	if more != "" {
		p.texts[search.Full], p.Most = text+more+"\n", search.Full
	}
	return p
}

// whole replaces the full form.
func (p *passage) whole(text string, worth float64) {
	p.texts[search.Full], p.Worth[search.Full], p.Most = text, worth, search.Full
}

// embody offers the body, too, and reports whether there is one.
func (p *passage) embody() bool {
	if p.body.text == "" || p.promised == search.Short && p.found != nil && p.found.Sent {
		return false
	}
	at, lang := p.body.lines[0], ""
	if p.item != nil {
		lang = p.item.Lang
	} else {
		lang = p.found.Lang
	}
	p.texts[search.Whole] = fmt.Sprintf("%s:%d\n%s", at.File, at.From, fenced(lang, p.body.text))
	p.lines[search.Whole] = p.body.lines
	p.Cost[search.Whole], p.Most = utf8.RuneCountInString(p.texts[search.Whole]), search.Whole
	return true
}

// chapters returns the passages of the lists, in the order of the text.
func (w *contextWriter) chapters() []chapter {
	a := w.a
	// What is called by what is called comes last.
	deeper := slices.IndexFunc(a.Functions, func(n ContextItem) bool { return n.Depth > 1 })
	if deeper < 0 {
		deeper = len(a.Functions)
	}
	call := func(worth float64) func(*ContextItem) *passage {
		return func(n *ContextItem) *passage {
			doc := firstSentence(n.Doc)
			if doc != "" {
				doc = " " + doc
			}
			p := oneLine(n.line(), doc, worth, docWorth)
			p.body, p.bodyRank = n.body, calleeWorth
			return p
		}
	}
	var all []chapter
	if a.Searched {
		all = append(all, w.results())
	}
	all = append(all,
		w.chapter("Calls", a.Functions[:deeper], call(callWorth)),
		w.chapter("Called by", a.Callers, w.caller),
		w.chapter("Types", a.Types, func(n *ContextItem) *passage {
			p := oneLine(n.line(), "", typeWorth, 0)
			if n.Content != "" {
				p.whole(fmt.Sprintf("%s:%d\n%s", n.File, n.Line, fenced(n.Lang, n.Content)), typeWorth+bodyWorth)
				p.lines[search.Full] = []answer.Lines{n.lines()}
			}
			return p
		}),
		w.chapter("Tests", a.Tests, func(n *ContextItem) *passage {
			return oneLine(fmt.Sprintf("- %s:%d %s", n.File, n.Line, cmp.Or(n.Symbol, "top level")), "", testWorth, 0)
		}),
		w.chapter("Called further on", a.Functions[deeper:], call(furtherWorth)),
	)
	a.Total += len(a.Functions) + len(a.Callers) + len(a.Types) + len(a.Tests) + len(a.Found)
	if p := w.imports(); p != nil {
		all = append(all, chapter{"Imports", []*passage{p}})
	}
	return all
}

// chapter makes the passages of a list. What the reader has becomes a reference; of what they
// has the first line only, there is no more than that line.
func (w *contextWriter) chapter(title string, list []ContextItem, make func(*ContextItem) *passage) chapter {
	s := chapter{title: title}
	for i := range list {
		n := &list[i]
		p := make(n)
		switch {
		case w.sent.Has(n.lines()):
			p = oneLine(n.reference(), "", p.Worth[search.Short], 0)
			n.Sent = true
		case n.Content == "" && n.CallText == "" && w.sent.Has(n.firstLine()):
			p.Most = search.Short
		}
		p.item = n
		p.lines[search.Short] = []answer.Lines{n.firstLine()}
		if p.lines[search.Full] == nil {
			p.lines[search.Full] = p.lines[search.Short]
		}
		s.passages = append(s.passages, p)
	}
	return s
}

// caller makes the passage of a caller, with the line of its first call if the reader does
// not have that.
func (w *contextWriter) caller(n *ContextItem) *passage {
	text := fmt.Sprintf("%s (%s)", n.line(), answer.LineNumbers(n.CallSites))
	if n.CallText == "" {
		return oneLine(text, "", callerWorth, 0)
	}
	call := answer.Lines{File: n.File, Hash: n.FileHash, From: n.CallSites[0], To: n.CallSites[0]}
	if w.sent.Has(call) {
		return oneLine(text, "", callerWorth, 0)
	}
	p := oneLine(text, ": `"+n.CallText+"`", callerWorth, lineWorth)
	p.lines[search.Full] = []answer.Lines{n.firstLine(), call}
	return p
}

// results makes the passages of what a search has found besides the target.
func (w *contextWriter) results() chapter {
	s := chapter{title: "Also found"}
	for i := range w.a.Found {
		r := &w.a.Found[i]
		text := fmt.Sprintf("- %s:%d `%s`", r.File, r.Line, r.Signature)
		if w.sent.Has(r.Lines()) {
			r.Sent = true
			text += " (sent before)"
		}
		p := oneLine(text, "", foundWorth*r.Score, 0)
		if p.found = r; r.Sent {
			s.passages = append(s.passages, p)
			continue
		}
		if p.body, p.bodyRank = w.a.bodies[r.Lines()], r.Score; p.body.text == "" {
			p.body = body{r.Content, []answer.Lines{r.Lines()}}
		}
		if r.Role != "" && r.Role != answer.RoleDefinition {
			p.bodyRank /= 5 // a test, or a text about it
		}
		p.lines[search.Short] = []answer.Lines{{File: r.File, Hash: r.FileHash, From: r.Line, To: r.Line}}
		if w.a.listed(r) {
			p.texts[search.Short], p.Most = "", search.Nowhere // it has a line
		}
		if r.Score >= likely {
			p.lines[search.Full] = []answer.Lines{r.Lines()}
			p.whole(fmt.Sprintf("%s:%d\n%s", r.File, r.Line, fenced(r.Lang, r.Content)), (foundWorth+textWorth)*r.Score)
		}
		s.passages = append(s.passages, p)
	}
	return s
}

// imports makes the passage of what the file imports, nil for nothing or if the reader has
// the lines.
func (w *contextWriter) imports() *passage {
	var names []string
	var lines []answer.Lines
	known := true
	for _, i := range w.a.Imports {
		name := i.Path
		if i.Name != "" && i.Name != i.Path {
			name += " " + i.Name
		}
		if i.Alias != "" {
			name += " as " + i.Alias
		}
		names = append(names, name)
		l := answer.Lines{File: w.a.file.Path, Hash: w.a.file.Hash, From: i.Line, To: i.Line}
		known = known && w.sent.Has(l)
		lines = append(lines, l)
	}
	if known {
		return nil
	}
	p := oneLine(strings.Join(names, ", "), "", importsWorth, 0)
	if w.a.Searched {
		p.Worth[search.Short] /= 10 // what is found says more
	}
	p.lines[search.Short] = lines
	return p
}

func (w *contextWriter) heading(c *chapter) string { return w.mark + "# " + c.title + "\n" }

// result returns a found result in the form that it is given in.
func (p *passage) result() search.Result {
	if p.Given >= search.Full {
		return *p.found
	}
	if p.found.Sent {
		return p.found.Reference()
	}
	return p.found.BriefOf()
}

package api

import (
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// A receipt says what an answer costs its reader, in tokens as max_tokens counts them.
type receipt struct {
	Sent       int `json:"tokens_sent"`
	Raw        int `json:"tokens_raw"`                    // of the files that the answer names, whole
	Files      int `json:"files"`                         // that it names
	References int `json:"references"`                    // to what the session was sent before
	Session    int `json:"session_tokens_sent,omitempty"` // in all answers to the session, this one included
}

// A charged response says what it costs.
type charged interface {
	trimmer
	// bill adds up what is left of the response.
	bill() *bill
	// stamp gives the response its receipt, if it is to have one. Bill was called before.
	stamp(receipt)
}

// A bill is what a response costs.
type bill struct {
	tokens, raw, references int
	files                   map[[2]string]bool        // project and path
	lines                   map[string][]answer.Lines // that are sent, by project
	of                      map[string]int            // tokens, by project
}

func newBill() *bill {
	return &bill{files: map[[2]string]bool{}, lines: map[string][]answer.Lines{}, of: map[string]int{}}
}

// results adds those of a search.
func (b *bill) results(list []search.Result) {
	for i := range list {
		r := &list[i]
		b.add(r.Project, r.Tokens())
		b.file(r.Project, r.File, r.FileTokens)
		if r.Sent {
			b.references++
		} else {
			b.lines[r.Project] = append(b.lines[r.Project], r.Lines())
		}
	}
}

func (b *bill) add(project string, tokens int) {
	b.tokens += tokens
	b.of[project] += tokens
}

// file adds what reading a whole file would have cost, once.
func (b *bill) file(project, path string, tokens int) {
	if at := [2]string{project, path}; !b.files[at] {
		b.files[at] = true
		b.raw += tokens
	}
}

func (b *bill) receipt(rd *reader) receipt {
	r := receipt{Sent: b.tokens, Raw: b.raw, Files: len(b.files), References: b.references}
	if rd.has() {
		r.Session = rd.tokens() + b.tokens
	}
	return r
}

func (b *searchBody) bill() *bill {
	sum := newBill()
	sum.results(b.Results)
	return sum
}

func (b *searchBody) stamp(r receipt) {
	if b.receipted {
		b.Receipt = &r
	}
}

func (b *batchBody) bill() *bill {
	sum := newBill()
	for i := range b.Answers {
		sum.results(b.Answers[i].Results)
	}
	return sum
}

func (b *batchBody) stamp(r receipt) {
	if b.receipted {
		b.Receipt = &r
	}
}

func (b *contextBody) bill() *bill { return packBill(b.Tokens, b.TokensRaw, b.References, b.Given) }

// packBill is the bill of one text of one project.
func packBill(tokens, raw, references int, given []answer.Lines) *bill {
	sum := newBill()
	sum.add("", tokens)
	sum.raw, sum.references = raw, references
	sum.lines[""] = given
	return sum
}

func (b *contextBody) stamp(r receipt) {
	r.Files = b.Files
	b.Receipt = r
}

// The others have no receipt of their own, but are counted.

func (b *skeletonBody) bill() *bill {
	sum := newBill()
	sum.add("", b.Tokens)
	for i := range b.Files {
		sum.file("", b.Files[i].File, b.Files[i].TokensRaw)
	}
	return sum
}

func (b *skeletonBody) stamp(receipt) {}

func (b *extractBody) bill() *bill {
	sum := newBill()
	sum.add("", b.Tokens)
	sum.file("", b.File, b.FileTokens)
	sum.lines[""] = []answer.Lines{{File: b.File, Hash: b.FileHash, From: b.Line, To: b.EndLine}}
	return sum
}

func (b *extractBody) stamp(receipt) {}

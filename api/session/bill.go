package session

import (
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// A Bill is what a response costs.
type Bill struct {
	Tokens, Raw, References int
	Files                   map[[2]string]bool        // project and path
	Lines                   map[string][]answer.Lines // that are sent, by project
	of, raw                 map[string]int            // tokens, by project
}

// NewBill returns one of nothing.
func NewBill() *Bill {
	return &Bill{Files: map[[2]string]bool{}, Lines: map[string][]answer.Lines{}, of: map[string]int{}, raw: map[string]int{}}
}

// Results adds those of a search.
func (b *Bill) Results(list []search.Result) {
	for i := range list {
		r := &list[i]
		b.Add(r.Project, r.Tokens())
		b.File(r.Project, r.File, r.FileTokens)
		if r.Sent {
			b.References++
		} else {
			b.Lines[r.Project] = append(b.Lines[r.Project], r.Lines())
		}
	}
}

// Add adds tokens that are sent of a project.
func (b *Bill) Add(project string, tokens int) {
	b.Tokens += tokens
	b.of[project] += tokens
}

// File adds what reading a whole file would have cost, once.
func (b *Bill) File(project, path string, tokens int) {
	if at := [2]string{project, path}; !b.Files[at] {
		b.Files[at] = true
		b.Raw += tokens
		b.raw[project] += tokens
	}
}

// Receipt says what it comes to for a reader.
func (b *Bill) Receipt(rd *Reader) wire.Receipt {
	r := wire.Receipt{TokensSent: b.Tokens, TokensRaw: b.Raw, Files: len(b.Files), References: b.References}
	if rd.Has() {
		r.SessionTokensSent = rd.Tokens() + b.Tokens
	}
	return r
}

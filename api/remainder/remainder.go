// Package remainder holds what answers have left out, and what a handle stands for: places, or
// the question, which is asked again. It is read in chunks.
package remainder

import (
	"context"
	"sync"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// A Remainder is a result, or what is left of it, that can be asked for in chunks.
type Remainder interface {
	te.Value
	Project() string // the root of its project
	// Chunk returns a chunk of at most budget bytes, counted from 1; id is the handle. Where
	// there is none of this number, only Chunks is set.
	Chunk(ctx context.Context, x project.Index, id string, n, budget int) (Chunk, error)
}

// A Chunk is a page of a result that a handle stands for.
type Chunk struct {
	Text   string
	Size   int64 // bytes of the whole result
	State  answer.State
	Chunks int // how many there are
	Body   wire.HandleResponse
}

// More returns the handle for the header of chunk n, "" for that of the last one.
func More(id string, n, chunks int) string {
	if n < chunks {
		return id
	}
	return ""
}

// Weight returns what lists of texts take, in bytes.
func Weight(lists ...[]string) (n int) {
	for _, list := range lists {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	return n
}

// A Grep is what an answer to grep left out: places, no text.
type Grep struct {
	Root string
	Grep *grep.GrepAnswer
	Rest []te.Span
	Base te.Base

	mu    sync.Mutex
	pager te.Pager
}

// Weight says what the places take.
func (h *Grep) Weight() int64 { return 256 + h.Grep.Weight() + int64(len(h.Root)+len(h.Base)) }

func (h *Grep) Project() string { return h.Root }

func (h *Grep) Chunk(ctx context.Context, x project.Index, id string, n, budget int) (Chunk, error) {
	pager, rows, err := h.pages(ctx, x, n, budget)
	if err != nil {
		return Chunk{}, err
	}
	rest := h.Grep.Bytes * int64(rows-pager.Rows) / int64(max(h.Grep.Matches, 1))
	at := te.Place{Page: n, Pages: pager.Pages(rest), About: pager.Rows < rows}
	c := Chunk{Chunks: at.Pages, Size: h.Grep.Bytes, State: x.State()}
	if at.About {
		c.Chunks = max(c.Chunks, n+1) // there is more after this one
		at.Pages = c.Chunks
	}
	if n > c.Chunks {
		return c, nil
	}
	var lines []grep.GrepLine
	gone := 0
	from, to := pager.Page(n)
	for _, s := range h.Rest {
		begin, end := max(from, 0), min(to, s.N)
		if begin < end {
			some, away, err := x.Lines(ctx, h.Grep, s.From+begin, end-begin)
			if err != nil {
				return c, err
			}
			lines, gone = append(lines, some...), gone+away
		}
		from, to = from-s.N, to-s.N
	}
	r := te.GrepPage(h.Grep, lines, gone, at, h.Base)
	c.Text = r.Text(More(id, n, c.Chunks))
	c.Body = wire.HandleResponse{Matches: te.Matches(lines), Breadcrumbs: te.Texts(r.Crumbs), Meta: r.Meta.Wire()}
	return c, nil
}

// rawPage is how many lines are asked for at once.
const rawPage = 4096

// measured is how many lines of a rest are all measured for the first of its chunks, so
// that it can be said how many there are. Some 5 us a line would be too much for a
// million of them; of a longer rest only what comes up to the chunk is measured.
const measured = 50_000

// pages divides the rest, as far as chunk n needs it, and returns a copy of what it
// knows, with how many lines the rest has. Another budget than the last one starts over.
func (h *Grep) pages(ctx context.Context, x project.Index, n, budget int) (pager te.Pager, rows int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pager.Budget != budget {
		h.pager = te.Pager{Budget: budget}
	}
	for _, s := range h.Rest {
		rows += s.N
	}
	for h.pager.Rows < min(rows, measured) || !h.pager.Has(n) && h.pager.Rows < rows {
		at := h.pager.Rows
		for _, s := range h.Rest {
			if at < s.N {
				err = h.measure(ctx, x, &h.pager, s.From+at, min(rawPage, s.N-at))
				break
			}
			at -= s.N
		}
		if err != nil {
			h.pager = te.Pager{} // a part of a run may be in it
			return pager, rows, err
		}
	}
	return h.pager, rows, nil
}

// measure adds lines to the pages. Which lines of a run are gone is found out by
// halving it; those take no room.
func (h *Grep) measure(ctx context.Context, x project.Index, pager *te.Pager, from, n int) error {
	lines, gone, err := x.Lines(ctx, h.Grep, from, n)
	switch {
	case err != nil:
		return err
	case gone == 0 || len(lines) == 0:
		for i := range lines {
			pager.Add(te.Cost(h.Base, &lines[i]))
		}
		for range n - len(lines) {
			pager.Add(0)
		}
		return nil
	}
	if err := h.measure(ctx, x, pager, from, n/2); err != nil {
		return err
	}
	return h.measure(ctx, x, pager, from+n/2, n-n/2)
}

// A Cat is what an answer to cat left out: the file is read again.
type Cat struct {
	Root   string
	Query  grep.ReadQuery
	Number bool // its lines are
	From   int  // byte of the text that was asked for
	Hash   uint64
}

// Weight says what the question takes.
func (h *Cat) Weight() int64 { return int64(64 + len(h.Root) + len(h.Query.Path)) }

func (h *Cat) Project() string { return h.Root }

func (h *Cat) Chunk(ctx context.Context, x project.Index, id string, n, budget int) (Chunk, error) {
	f, err := x.Read(ctx, h.Query)
	if err != nil {
		return Chunk{}, err
	}
	if h.Number {
		f.Text = te.Numbered(f.Text, f.Start)
	}
	rest := f.Text[min(h.From, len(f.Text)):]
	starts := te.TextPages(rest, budget)
	c := Chunk{Chunks: len(starts) - 1, Size: f.Size, State: f.State}
	if n > c.Chunks {
		return c, nil
	}
	page := te.ContentsPage(&f, rest[starts[n-1]:starts[n]], te.Place{Page: n, Pages: c.Chunks}, f.Hash != h.Hash)
	c.Text = page.Render(More(id, n, c.Chunks))
	c.Body = wire.HandleResponse{Content: page.Text, Breadcrumbs: te.Texts(page.Crumbs), Meta: page.Meta.Wire()}
	return c, nil
}

// A Find is what an answer to find left out: it is looked for again.
type Find struct {
	Root  string
	Query grep.FindQuery
	From  int // paths to pass over
	Base  te.Base
}

// Weight says what the question takes.
func (h *Find) Weight() int64 {
	n := 64 + len(h.Root) + len(h.Query.Path) + len(h.Base)
	return int64(n + Weight(h.Query.Name, h.Query.Paths, h.Query.Written, h.Query.Expression))
}

func (h *Find) Project() string { return h.Root }

func (h *Find) Chunk(ctx context.Context, x project.Index, id string, n, budget int) (Chunk, error) {
	f, err := x.Find(ctx, h.Query)
	if err != nil {
		return Chunk{}, err
	}
	rest := f.Paths[min(h.From, len(f.Paths)):]
	pager := te.Pager{Budget: budget}
	c := Chunk{State: f.State}
	for _, p := range rest {
		pager.Add(te.PathCost(h.Base, p))
		c.Size += int64(len(p.Path)) + 1
	}
	if c.Chunks = pager.Pages(0); n > c.Chunks {
		return c, nil
	}
	from, to := pager.Page(n)
	l := te.ListingPage(f.Total, rest[from:to], te.Place{Page: n, Pages: c.Chunks}, h.Base)
	c.Text = l.Text(More(id, n, c.Chunks))
	paths := make([]wire.FoundPath, len(l.Paths))
	for i := range l.Paths {
		paths[i] = wire.FoundPath(l.Paths[i])
	}
	c.Body = wire.HandleResponse{Paths: paths, Breadcrumbs: te.Texts(l.Crumbs), Meta: l.Meta.Wire()}
	return c, nil
}

// A Rows is what an answer in another form than the ranked one left out: it is looked
// for again.
type Rows struct {
	Root  string
	Query grep.GrepQuery
	Form  grep.Form
	From  int // lines to pass over
	Base  te.Base
}

// Weight says what the question takes.
func (h *Rows) Weight() int64 {
	n := 256 + len(h.Root) + len(h.Query.Pattern) + len(h.Query.Path) + len(h.Base)
	return int64(n + Weight(h.Query.Paths, h.Query.Glob, h.Query.Exclude, h.Query.ExcludeDir))
}

func (h *Rows) Project() string { return h.Root }

func (h *Rows) Chunk(ctx context.Context, x project.Index, id string, n, budget int) (Chunk, error) {
	w := &te.Window{Skip: h.From, Page: n, Pager: te.Pager{Budget: budget}}
	printed, err := x.GrepRaw(ctx, h.Query, grep.RawOptions{Name: h.Base.Path, Form: h.Form}, w)
	if err != nil {
		return Chunk{}, err
	}
	c := Chunk{Chunks: w.Pager.Pages(0), Size: w.Size, State: printed.State}
	if n > c.Chunks {
		return c, nil
	}
	r := te.RowsPage(&printed, w, te.Place{Page: n, Pages: c.Chunks})
	c.Text = r.Text(More(id, n, c.Chunks))
	c.Body = wire.HandleResponse{Rows: append([]string{}, w.Lines...), Breadcrumbs: te.Texts(r.Crumbs), Meta: r.Meta.Wire()}
	return c, nil
}

package service

import (
	"context"
	"sync"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
)

// A kept is a result, or what is left of it, that can be asked for in chunks.
type kept interface {
	te.Value
	project() string // the root of its project
	// chunk returns a chunk, counted from 1. Where there is none of this number, only
	// chunks is set.
	chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error)
}

// A chunk is a page of a result that a handle stands for.
type chunk struct {
	text   string
	size   int64 // bytes of the whole result
	state  answer.State
	chunks int
	body   wire.HandleResponse
}

// more returns the handle for the header of a chunk, "" for that of the last one.
func more(id string, n, chunks int) string {
	if n < chunks {
		return id
	}
	return ""
}

// A grepHandle is what an answer to grep left out: places, no text.
type grepHandle struct {
	root string
	grep *grep.GrepAnswer
	rest []te.Span
	base te.Base

	mu    sync.Mutex
	pager te.Pager
}

// Weight says what the places take.
func (h *grepHandle) Weight() int64 { return 256 + h.grep.Weight() + int64(len(h.root)+len(h.base)) }

func (h *grepHandle) project() string { return h.root }

func (h *grepHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	pager, rows, err := h.pages(ctx, x, n, budget)
	if err != nil {
		return chunk{}, err
	}
	rest := h.grep.Bytes * int64(rows-pager.Rows) / int64(max(h.grep.Matches, 1))
	at := te.Place{Page: n, Pages: pager.Pages(rest), About: pager.Rows < rows}
	c := chunk{chunks: at.Pages, size: h.grep.Bytes, state: x.State()}
	if at.About {
		c.chunks = max(c.chunks, n+1) // there is more after this one
		at.Pages = c.chunks
	}
	if n > c.chunks {
		return c, nil
	}
	var lines []grep.GrepLine
	gone := 0
	from, to := pager.Page(n)
	for _, s := range h.rest {
		begin, end := max(from, 0), min(to, s.N)
		if begin < end {
			some, away, err := x.Lines(ctx, h.grep, s.From+begin, end-begin)
			if err != nil {
				return c, err
			}
			lines, gone = append(lines, some...), gone+away
		}
		from, to = from-s.N, to-s.N
	}
	r := te.GrepPage(h.grep, lines, gone, at, h.base)
	c.text = r.Text(more(id, n, c.chunks))
	c.body = wire.HandleResponse{Matches: te.Matches(lines), Breadcrumbs: te.Texts(r.Crumbs), Meta: r.Meta.Wire()}
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
func (h *grepHandle) pages(ctx context.Context, x Index, n, budget int) (pager te.Pager, rows int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pager.Budget != budget {
		h.pager = te.Pager{Budget: budget}
	}
	for _, s := range h.rest {
		rows += s.N
	}
	for h.pager.Rows < min(rows, measured) || !h.pager.Has(n) && h.pager.Rows < rows {
		at := h.pager.Rows
		for _, s := range h.rest {
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
func (h *grepHandle) measure(ctx context.Context, x Index, pager *te.Pager, from, n int) error {
	lines, gone, err := x.Lines(ctx, h.grep, from, n)
	switch {
	case err != nil:
		return err
	case gone == 0 || len(lines) == 0:
		for i := range lines {
			pager.Add(te.Cost(h.base, &lines[i]))
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

// A catHandle is what an answer to cat left out: the file is read again.
type catHandle struct {
	root   string
	query  grep.ReadQuery
	number bool // its lines are
	from   int  // byte of the text that was asked for
	hash   uint64
}

// Weight says what the question takes.
func (h *catHandle) Weight() int64 { return int64(64 + len(h.root) + len(h.query.Path)) }

func (h *catHandle) project() string { return h.root }

func (h *catHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	f, err := x.Read(ctx, h.query)
	if err != nil {
		return chunk{}, err
	}
	if h.number {
		f.Text = te.Numbered(f.Text, f.Start)
	}
	rest := f.Text[min(h.from, len(f.Text)):]
	starts := te.TextPages(rest, budget)
	c := chunk{chunks: len(starts) - 1, size: f.Size, state: f.State}
	if n > c.chunks {
		return c, nil
	}
	page := te.ContentsPage(&f, rest[starts[n-1]:starts[n]], te.Place{Page: n, Pages: c.chunks}, f.Hash != h.hash)
	c.text = page.Render(more(id, n, c.chunks))
	c.body = wire.HandleResponse{Content: page.Text, Breadcrumbs: te.Texts(page.Crumbs), Meta: page.Meta.Wire()}
	return c, nil
}

// A findHandle is what an answer to find left out: it is looked for again.
type findHandle struct {
	root  string
	query grep.FindQuery
	from  int // paths to pass over
	base  te.Base
}

// Weight says what the question takes.
func (h *findHandle) Weight() int64 {
	n := 64 + len(h.root) + len(h.query.Path) + len(h.base)
	for _, list := range [][]string{h.query.Name, h.query.Paths, h.query.Written, h.query.Expression} {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	return int64(n)
}

func (h *findHandle) project() string { return h.root }

func (h *findHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	f, err := x.Find(ctx, h.query)
	if err != nil {
		return chunk{}, err
	}
	rest := f.Paths[min(h.from, len(f.Paths)):]
	pager := te.Pager{Budget: budget}
	c := chunk{state: f.State}
	for _, p := range rest {
		pager.Add(te.PathCost(h.base, p))
		c.size += int64(len(p.Path)) + 1
	}
	if c.chunks = pager.Pages(0); n > c.chunks {
		return c, nil
	}
	from, to := pager.Page(n)
	l := te.ListingPage(f.Total, rest[from:to], te.Place{Page: n, Pages: c.chunks}, h.base)
	c.text = l.Text(more(id, n, c.chunks))
	c.body = wire.HandleResponse{Paths: each(l.Paths, foundPathOf), Breadcrumbs: te.Texts(l.Crumbs), Meta: l.Meta.Wire()}
	return c, nil
}

// A rowsHandle is what an answer in another form than the ranked one left out: it is looked
// for again.
type rowsHandle struct {
	root  string
	query grep.GrepQuery
	form  grep.Form
	from  int // lines to pass over
	base  te.Base
}

// Weight says what the question takes.
func (h *rowsHandle) Weight() int64 {
	n := 256 + len(h.root) + len(h.query.Pattern) + len(h.query.Path) + len(h.base)
	for _, list := range [][]string{h.query.Paths, h.query.Glob, h.query.Exclude, h.query.ExcludeDir} {
		for _, text := range list {
			n += 16 + len(text)
		}
	}
	return int64(n)
}

func (h *rowsHandle) project() string { return h.root }

func (h *rowsHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	w := &te.Window{Skip: h.from, Page: n, Pager: te.Pager{Budget: budget}}
	printed, err := x.GrepRaw(ctx, h.query, grep.RawOptions{Name: h.base.Path, Form: h.form}, w)
	if err != nil {
		return chunk{}, err
	}
	c := chunk{chunks: w.Pager.Pages(0), size: w.Size, state: printed.State}
	if n > c.chunks {
		return c, nil
	}
	r := te.RowsPage(&printed, w, te.Place{Page: n, Pages: c.chunks})
	c.text = r.Text(more(id, n, c.chunks))
	c.body = wire.HandleResponse{Rows: append([]string{}, w.Lines...), Breadcrumbs: te.Texts(r.Crumbs), Meta: r.Meta.Wire()}
	return c, nil
}

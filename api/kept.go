package api

import (
	"context"
	"sync"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index"
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
	state  index.State
	chunks int
	body   handleBody
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
	grep *index.Grep
	rest []te.Span
	base te.Base

	mu    sync.Mutex
	pager *te.Pager // nil: nobody has asked yet
}

// Weight says what the places take: some 128 bytes for each file, and 8 for each line
// that defines something.
func (h *grepHandle) Weight() int64 {
	n := 1024 + 128*h.grep.Files + len(h.root) + len(h.base)
	for _, s := range h.grep.Sections {
		if s.Name == index.InDefinitions {
			n += 8 * s.Matches
		}
	}
	return int64(n)
}

func (h *grepHandle) project() string { return h.root }

func (h *grepHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	pager, err := h.pages(ctx, x, budget)
	if err != nil {
		return chunk{}, err
	}
	c := chunk{chunks: pager.Pages(), size: h.grep.Bytes, state: x.State()}
	if n > c.chunks {
		return c, nil
	}
	var lines []index.GrepLine
	gone := 0
	from, to := pager.Page(n)
	for _, s := range h.rest {
		at, end := max(from, 0), min(to, s.N)
		if at < end {
			some, away, err := x.Lines(ctx, h.grep, s.From+at, end-at)
			if err != nil {
				return c, err
			}
			lines, gone = append(lines, some...), gone+away
		}
		from, to = from-s.N, to-s.N
	}
	r := te.GrepPage(h.grep, lines, gone, n, c.chunks, h.base)
	c.text = r.Text(more(id, n, c.chunks))
	matches := newMatches(lines)
	c.body = handleBody{Matches: &matches, Breadcrumbs: te.Texts(r.Crumbs), Meta: r.Meta}
	return c, nil
}

// pages divides the rest, once for each budget that follows another one.
func (h *grepHandle) pages(ctx context.Context, x Index, budget int) (*te.Pager, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pager != nil && h.pager.Budget == budget {
		return h.pager, nil
	}
	pager := &te.Pager{Budget: budget}
	for _, s := range h.rest {
		for at := 0; at < s.N; at += rawPage {
			if err := h.measure(ctx, x, pager, s.From+at, min(rawPage, s.N-at)); err != nil {
				return nil, err
			}
		}
	}
	h.pager = pager
	return pager, nil
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
	root  string
	query index.ReadQuery
	from  int // byte of the text that was asked for
	hash  uint64
}

// Weight says what the question takes.
func (h *catHandle) Weight() int64 { return int64(64 + len(h.root) + len(h.query.Path)) }

func (h *catHandle) project() string { return h.root }

func (h *catHandle) chunk(ctx context.Context, x Index, id string, n, budget int) (chunk, error) {
	f, err := x.Read(ctx, h.query)
	if err != nil {
		return chunk{}, err
	}
	rest := f.Text[min(h.from, len(f.Text)):]
	starts := te.TextPages(rest, budget)
	c := chunk{chunks: len(starts) - 1, size: f.Size, state: f.State}
	if n > c.chunks {
		return c, nil
	}
	page := te.ContentsPage(&f, rest[starts[n-1]:starts[n]], n, c.chunks, f.Hash != h.hash)
	c.text = page.Render(more(id, n, c.chunks))
	c.body = handleBody{Content: &page.Text, Breadcrumbs: te.Texts(page.Crumbs), Meta: page.Meta}
	return c, nil
}

// A findHandle is what an answer to find left out: it is looked for again.
type findHandle struct {
	root  string
	query index.FindQuery
	from  int // paths to pass over
	base  te.Base
}

// Weight says what the question takes.
func (h *findHandle) Weight() int64 {
	n := 64 + len(h.root) + len(h.query.Path) + len(h.base)
	for _, name := range h.query.Name {
		n += 16 + len(name)
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
	if c.chunks = pager.Pages(); n > c.chunks {
		return c, nil
	}
	from, to := pager.Page(n)
	l := te.ListingPage(f.Total, rest[from:to], n, c.chunks, h.base)
	c.text = l.Text(more(id, n, c.chunks))
	c.body = handleBody{Paths: &l.Paths, Breadcrumbs: te.Texts(l.Crumbs), Meta: l.Meta}
	return c, nil
}

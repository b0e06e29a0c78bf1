package service

import (
	"context"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
)

// A Question is what an endpoint of another package says of a request of its own.
type Question struct {
	Command string // as Meta calls it
	Scope   wire.Scope
	Timeout int // in milliseconds
	Overlay []wire.OverlayFile
	Path    *string // of the request, to be replaced by the index's form of it; nil: it has none
	Heavy   bool    // it goes through all files
}

// An Answer is an answer of another package on its way: of the index's types, with one page of
// entries.
type Answer interface {
	// Wire returns the answer as it is now, a pointer to a struct of api/wire.
	Wire(meta wire.Meta, index wire.Index) any
	// Paging returns the page that is counted and cut, and the offset that it began at.
	Paging() (p *answer.Page, offset int)
	// Given returns how many entries there are; Keep leaves those from the n-th on out.
	Given() int
	Keep(n int)
	// Lacks notes what else the cuts say of the answer.
	Lacks(cuts []answer.Cut)
}

// analysis is the response that an Answer becomes.
type analysis struct {
	Answer
	state answer.State
	meta  wire.Meta
}

func (b *analysis) wire() any { return b.Wire(b.meta, indexOf(b.state)) }

func (b *analysis) trim(share float64) bool {
	page, offset := b.Paging()
	return trimPage(b, page, offset, &b.meta, share)
}

func (b *analysis) short() bool { return b.meta.Truncated }

// Ask fills a request, does the work of it in a slot and in time, and returns what fits.
func (s *Service) Ask(ctx context.Context, c *Call, request any, q func() Question, work func(ctx context.Context, x Index) (Answer, answer.State, error)) (any, error) {
	s.fill(c, request)
	ask := q()
	j := job{scope: ask.Scope, timeout: ask.Timeout, overlay: ask.Overlay, class: heavyIf(ask.Heavy)}
	return s.answer(ctx, c, j, func(ctx context.Context, v *view) (response, answer.State, error) {
		if ask.Path != nil {
			if err := resolve(v, ask.Path); err != nil {
				return nil, answer.State{}, err
			}
		}
		a, state, err := work(ctx, v.Index)
		if err != nil {
			return nil, state, err
		}
		page, _ := a.Paging()
		return &analysis{a, state, metaOf(ask.Command, page, v)}, state, nil
	})
}

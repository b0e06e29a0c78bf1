package service

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/verify"
)

// verifyResponse is an answer to /verify.
type verifyResponse struct {
	root string
	verify.Verification
	clamped []string
}

// trim is for a response that is too long: total says how many differences there are.
func (b *verifyResponse) trim(share float64) bool {
	n := len(b.Differences)
	if n <= 1 {
		return false
	}
	b.Differences, b.Truncated = b.Differences[:answer.Fewer(n, share)], true
	return true
}

func (b *verifyResponse) short() bool { return b.Truncated }

func (b *verifyResponse) wire() any {
	v := &b.Verification
	return &wire.Verification{
		Root: b.root, Proved: v.Proved, Sampled: v.Sampled, Files: v.Files, Symbols: v.Symbols, Chunks: v.Chunks, Terms: v.Terms,
		Postings: v.Postings, Vectors: v.Vectors, Rounded: v.Rounded, Graph: v.GraphDone, Edges: v.Edges, Sites: v.Sites,
		Differences: Each(v.Differences, func(d *verify.Difference) wire.Difference { return wire.Difference(*d) }),
		Total:       v.Total, Truncated: v.Truncated, Changed: v.Changed, Unchecked: v.Unchecked, Seconds: v.Seconds, Index: indexOf(v.State), Clamped: b.clamped,
	}
}

// Verify builds the index once more and answers with what differs. It takes no search
// slot: searches must not wait for it. Only one runs, because each needs the memory of
// a second index.
func (s *Service) Verify(ctx context.Context, c *Call, q *wire.VerifyRequest) (*wire.Verification, error) {
	s.fill(c, q)
	opt := verify.VerifyOptions{Sample: q.Sample, Seed: uint64(q.Seed), Limit: q.Limit}
	timeout := time.Duration(q.TimeoutMS) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c.Lasts = true
	p, done, err := s.project(ctx, c, q.Project)
	if err != nil {
		return nil, err
	}
	defer done()
	if !s.verifying.CompareAndSwap(false, true) {
		return nil, slot.Crowdedf(slot.CrowdVerify, "another verification is running")
	}
	defer s.verifying.Store(false)
	if err := s.roomToVerify(ctx, p, opt); err != nil {
		return nil, err
	}
	if c.Extend != nil {
		c.Extend(timeout + 30*time.Second) // the server's own deadline is for a search
	}
	v, err := p.Index.Verify(ctx, opt)
	debug.FreeOSMemory() // it took as much as the index has, and is not needed again
	if errors.Is(err, verify.ErrNotBuilt) {
		err = slot.Crowdedf(slot.CrowdVerify, "the index is still being built, there is nothing to verify yet")
	}
	if err != nil {
		return nil, err
	}
	c.Generation, c.Generated = v.State.Generation, true
	return as[wire.Verification](s.fit(c, &verifyResponse{p.Index.Root(), v, c.Clamped}))
}

// roomToVerify refuses what a memory budget has no room for: everything is built once
// more besides what is there.
func (s *Service) roomToVerify(ctx context.Context, p Project, opt verify.VerifyOptions) error {
	m := s.opt.Memory()
	if m.Budget == 0 || opt.Sample > 0 {
		return nil
	}
	for _, info := range s.projects.List(ctx) {
		if info.Name == p.Name && m.Resident+info.Memory > m.Budget {
			return &BusyError{Reason: "the memory budget has no room for a second index; a sample needs less", After: 10 * time.Second}
		}
	}
	return nil
}

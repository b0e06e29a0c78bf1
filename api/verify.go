package api

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/verify"
)

// Bounds of /verify. To build the whole index once more takes minutes where there are
// very many files.
const (
	defaultDifferences = 100
	maxDifferences     = 10_000
	maxSample          = 1 << 30 // files
	maxSeed            = 1 << 53 // beyond that JSON numbers are not exact
	maxVerify          = 10 * time.Minute
)

// verifyBody is the response of /verify.
type verifyBody struct {
	Root string `json:"root"`
	verify.Verification
	Index   wire.Index `json:"index"`
	Clamped []string   `json:"clamped,omitempty"` // fields that were lowered to their maximum
}

// trim is for a response that is too long: total says how many differences there are.
func (b *verifyBody) trim(share float64) bool {
	n := len(b.Differences)
	if n <= 1 {
		return false
	}
	b.Differences, b.Truncated = b.Differences[:answer.Fewer(n, share)], true
	return true
}

// verify builds the index once more and answers with what differs. It takes no search
// slot: searches must not wait for it. Only one runs, because each needs the memory of
// a second index.
func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	d := s.decode(w, r)
	opt := verify.VerifyOptions{
		Sample: d.count("sample", 0, 0, maxSample),
		Seed:   uint64(d.count("seed", 0, 0, maxSeed)),
		Limit:  d.count("limit", 1, defaultDifferences, maxDifferences),
	}
	most := int(maxVerify.Milliseconds())
	timeout := time.Duration(d.count("timeout_ms", 1, most, most)) * time.Millisecond
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	trailOf(ctx).lasts = true
	p, done, err := s.project(ctx, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	if !s.verifying.CompareAndSwap(false, true) {
		s.fail(w, r, crowdedf(crowdVerify, "another verification is running"))
		return
	}
	defer s.verifying.Store(false)
	if err := s.roomToVerify(p, opt); err != nil {
		s.fail(w, r, err)
		return
	}
	// The server's own deadline is for a search. Where there is no connection (in a
	// test), there is none.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout + 30*time.Second))
	v, err := p.Index.Verify(ctx, opt)
	debug.FreeOSMemory() // it took as much as the index has, and is not needed again
	if errors.Is(err, verify.ErrNotBuilt) {
		err = crowdedf(crowdVerify, "the index is still being built, there is nothing to verify yet")
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	buf, _, err := s.encodeSearch(&verifyBody{p.Index.Root(), v, newIndexBody(v.State), d.clamped}, nil)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer release(buf)
	s.setGeneration(w, v.State.Generation)
	send(w, r, http.StatusOK, buf)
}

// roomToVerify refuses what a memory budget has no room for: everything is built once
// more besides what is there.
func (s *Server) roomToVerify(p Project, opt verify.VerifyOptions) error {
	m := s.memory()
	if m.Budget == 0 || opt.Sample > 0 {
		return nil
	}
	for _, info := range s.projects.List() {
		if info.Name == p.Name && m.Resident+info.Memory > m.Budget {
			return &BusyError{"the memory budget has no room for a second index; a sample needs less", 10 * time.Second}
		}
	}
	return nil
}

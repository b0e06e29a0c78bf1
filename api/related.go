package api

import (
	"context"
	"net/http"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// related answers with what is like the chunk at a line of a file.
func (s *Server) related(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	d := s.decode(w, r)
	file := d.text("file", maxPath)
	if file == "" {
		d.failf("file is missing or empty")
	}
	if !d.has("line") {
		d.failf("line is missing")
	}
	line := d.count("line", 1, 1, maxLines)
	q := s.filters(d)
	d.readOverlay()
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	p, done, err := s.project(ctx, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	for _, path := range []*string{&file, &q.Path} {
		if err := resolve(p.Index, path); err != nil {
			s.fail(w, r, err)
			return
		}
	}
	rd, err := s.reader(ctx, d, map[string]string{"": p.Index.Root()})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer rd.release()
	if q.MaxTokens > 0 {
		q.Sent = rd.sent("")
	}
	body := searchBody{receipted: q.MaxTokens > 0 || rd.has()}
	var state answer.State
	waited, err := s.inSlot(ctx, d.class, func() error {
		x, done, err := d.see(ctx, p.Index)
		if err != nil {
			return err
		}
		defer done()
		answer, err := x.Related(ctx, file, line, q)
		if err != nil {
			return err
		}
		state = answer.State
		body.Index = newIndexBody(state)
		body.Results, body.Meta, err = report(x, "related", q, answer, d)
		return err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.respond(w, r, rd, &body, state.Generation, start, waited)
}

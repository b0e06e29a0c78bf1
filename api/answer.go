package api

import (
	"context"
	"net/http"
	"time"

	"github.com/quarry-search/quarry/index/answer"
)

// maxTarget bounds a target: a path and a name.
const maxTarget = maxPath + maxName

// answer does the work of a request whose fields d holds, in a slot and in time,
// and sends what it makes. It is the same for every reader.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, d *decoder, work func(ctx context.Context, x Index) (trimmer, answer.State, error)) {
	s.answerAs(w, r, d, false, func(ctx context.Context, x Index, _ *answer.Sent) (trimmer, answer.State, error) { return work(ctx, x) })
}

// answerReader is answer with what the session of the request was sent; nil for nothing.
func (s *Server) answerReader(w http.ResponseWriter, r *http.Request, d *decoder, work func(ctx context.Context, x Index, sent *answer.Sent) (trimmer, answer.State, error)) {
	s.answerAs(w, r, d, true, work)
}

// answerAs is either of the two.
func (s *Server) answerAs(w http.ResponseWriter, r *http.Request, d *decoder, remembers bool, work func(ctx context.Context, x Index, sent *answer.Sent) (trimmer, answer.State, error)) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(d))
	defer cancel()
	d.readOverlay()
	p, done, err := s.project(ctx, d)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer done()
	roots := map[string]string{}
	if remembers {
		roots[""] = p.Index.Root()
	}
	rd, err := s.reader(ctx, d, roots)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer rd.release()
	var body trimmer
	var state answer.State
	d.heavily(d.farther && p.Index.State().Files > heavyFiles)
	waited, err := s.inSlot(ctx, d.class, func() (err error) {
		x, done, err := d.see(ctx, p.Index)
		if err != nil {
			return err
		}
		defer done()
		body, state, err = work(ctx, x, rd.sent(""))
		return err
	})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.respond(w, r, rd, body, state.Generation, start, waited)
}

// metaOf says of a page what a search says of its results.
func metaOf(cmd string, p *answer.Page, d *decoder) searchMeta {
	return searchMeta{V: 1, Cmd: cmd, Matches: p.Total, Truncated: p.Truncated, Cuts: p.Cuts, Clamped: d.clamped,
		Changed: p.Checked.Changed, Unchecked: p.Unchecked, Overlay: d.overlaid(cmd)}
}

// shorten leaves entries of a list that began at offset out from the end, so that
// about a share of them is left, fewer than before and at least one. It reports
// whether it did.
func shorten[T any](list *[]T, p *answer.Page, offset int, meta *searchMeta, share float64) bool {
	n := len(*list)
	if n <= 1 {
		return false
	}
	*list = (*list)[:answer.Fewer(n, share)]
	p.Shorten(offset, len(*list), cutSize)
	meta.Truncated, meta.Cuts = p.Truncated, p.Cuts
	return true
}

// shortenFirst is for a list whose first entry alone is too long: it leaves out a part of
// that.
func shortenFirst[T any, P interface {
	*T
	Shorten(share float64) bool
}](list []T, p *answer.Page, meta *searchMeta, share float64) bool {
	if len(list) == 0 || !P(&list[0]).Shorten(share) {
		return false
	}
	p.Truncated = true
	meta.cut(cutSize)
	return true
}

// target reads a target from the first of the fields that is there.
func (d *decoder) target(names ...string) string {
	for _, name := range names {
		if d.has(name) {
			text := d.text(name, maxTarget)
			if err := checkPath(text); err != nil && d.err == nil {
				d.err = err
			}
			if text == "" {
				break
			}
			return text
		}
	}
	d.failf("%s is missing or empty", names[0])
	return ""
}

// flagOr returns a boolean, or def when the field is absent.
func (d *decoder) flagOr(name string, def bool) bool {
	if !d.has(name) {
		return def
	}
	return d.flag(name)
}

// jsonOnly refuses every format but JSON, and text where the endpoint's answers have
// one: the server renders it when the JSON is sent.
func (d *decoder) jsonOnly() {
	switch f := d.text("format", maxName); {
	case f == "", f == formatJSON, f == formatText && d.readable:
	case d.readable:
		d.failf("format %q is not supported; the formats are json and text", f)
	default:
		d.failf("format %q is not supported; the only format is json", f)
	}
}

// unindexed reports whether the index knows nothing at or below a path, and fails
// when there is none.
func unindexed(x Index, path string) (bool, error) {
	if path == "" || x.Knows(path) {
		return false, nil
	}
	if !x.Exists(path) {
		return true, problemf(codeNotFound, "the path %q does not exist", path)
	}
	return true, nil
}

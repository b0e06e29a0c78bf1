package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// buffers are reused between responses. A rare large one is not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keepBuffer = 256 << 10 // bytes

func release(b *bytes.Buffer) {
	if b.Cap() <= keepBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// encode returns v as JSON, in a buffer to be given back with release.
func encode(v any) (*bytes.Buffer, error) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false) // it is code that we send, not a page
	err := e.Encode(v)
	if bytes.Contains(b.Bytes(), []byte(index.MaskMark)) {
		noteMasks(b)
	}
	return b, err
}

// noteMasks has each object meta of a response say how many masks are in what it is
// about: all since the one before it, and for the last one all that follows, too. It
// works on the encoded bytes, because every answer with text goes through here and only
// here, whatever its type; a quote that no backslash stands before is the encoding's own.
func noteMasks(b *bytes.Buffer) {
	const meta = `"meta":{`
	rest := bytes.Clone(b.Bytes())
	b.Reset()
	for last := false; !last; {
		at := bytes.Index(rest, []byte(meta+`"v":`))
		if at < 0 { // nothing that says anything of itself: an error, a status
			break
		}
		at += len(meta)
		last = !bytes.Contains(rest[at:], []byte(meta+`"v":`))
		n := bytes.Count(rest[:at], []byte(index.MaskMark))
		if last {
			n = bytes.Count(rest, []byte(index.MaskMark))
		}
		b.Write(rest[:at])
		if n > 0 {
			fmt.Fprintf(b, `"masked":%d,`, n)
		}
		rest = rest[at:]
	}
	b.Write(rest)
}

// A trimmer is a response that can be made shorter.
type trimmer interface {
	// trim leaves results out from the end of each list, so that about a share of
	// them is left, fewer than before and at least one; it reports whether it did.
	trim(share float64) bool
	// short reports whether it leaves something out.
	short() bool
}

func (b *searchBody) trim(share float64) bool { return trim(&b.Results, &b.Meta, share) }

func (b *batchBody) trim(share float64) bool {
	trimmed := false
	for i := range b.Answers {
		if a := &b.Answers[i]; trim(&a.Results, &a.Meta, share) {
			trimmed = true
		}
	}
	return trimmed
}

func trim(results *[]search.Result, meta *searchMeta, share float64) bool {
	n := len(*results)
	if n <= 1 {
		return false
	}
	*results = (*results)[:answer.Fewer(n, share)]
	if meta.Tokens > 0 {
		meta.Tokens = cost(*results)
	}
	meta.cut(cutSize)
	return true
}

// cost returns the tokens of results together.
func cost(results []search.Result) int {
	n := 0
	for i := range results {
		n += results[i].Tokens()
	}
	return n
}

// encodeSearch encodes the response to a search. When it is too long, results
// are left out, whole ones, and meta says so. sum is what is encoded in the end; nil for a
// response that is not charged.
func (s *Server) encodeSearch(body trimmer, rd *reader) (b *bytes.Buffer, sum *bill, err error) {
	for {
		if c, ok := body.(charged); ok {
			sum = c.bill()
			c.stamp(sum.receipt(rd))
		}
		b, err := encode(shapeOf(body))
		if err != nil || b.Len() <= s.limits.Response || !body.trim(float64(s.limits.Response)/float64(b.Len())) {
			return b, sum, err
		}
		release(b)
	}
}

// write answers with v as JSON.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, v any) {
	b, err := encode(v)
	defer release(b)
	if err != nil { // a number that JSON does not have, from a func of Options
		s.log.ErrorContext(r.Context(), "encode", "endpoint", endpoint(r), "err", err)
		b.Reset()
		status = http.StatusInternalServerError
		_ = json.NewEncoder(b).Encode(problemBody{codeInternal, "internal error", w.Header().Get("X-Request-Id")})
	}
	send(w, r, status, b)
}

// send answers with JSON, or with the text of it where the request wants that, and
// returns how many bytes that is.
func send(w http.ResponseWriter, r *http.Request, status int, b *bytes.Buffer) int {
	h := w.Header()
	kind, body := formOf(r).render(endpoint(r), b.Bytes())
	h.Set("Content-Type", kind+"; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // it fails only when the client has gone
	}
	return len(body)
}

package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"
)

var dialer = net.Dialer{Timeout: dialWithin, KeepAlive: 30 * time.Second}

// A forward is a request as Around and Acquire know it: by the time that it is known which
// repository is meant, all that may keep somebody out has been passed.
type forward struct {
	header http.Header // of the request

	mu    sync.Mutex
	begun bool    // an answer has begun: it is too late
	to    []*peer // nil: it is answered here
}

type forwardKey struct{}

// elsewhere reports whether a request of the context is handed on, since another gateway
// answers for a repository.
func (p *Peers) elsewhere(ctx context.Context, name string) bool {
	f, _ := ctx.Value(forwardKey{}).(*forward)
	if p == nil || f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.begun {
		return false
	}
	if f.to == nil {
		f.to = p.before(name)
	}
	return len(f.to) > 0
}

// begin notes that an answer begins here, unless the request is handed on.
func (f *forward) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = f.begun || len(f.to) == 0
	return f.begun
}

// Around hands requests on that another gateway answers. A nil Peers hands none on.
func (p *Peers) Around(next http.Handler) http.Handler {
	if p == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(headerGateway, p.id)
		if p.unread() != nil {
			w.Header().Set(headerUnread, "1")
		}
		if r.Header.Get(headerForwarded) != "" {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), betweenKey{}, true)))
			return
		}
		body := &recording{ReadCloser: r.Body}
		f := &forward{header: r.Header}
		held := &holding{ResponseWriter: w, header: maps.Clone(w.Header()), forward: f}
		if strings.HasPrefix(r.URL.Path, "/handles/") { // which gateway gave it is not known
			held.missing = p.others
		}
		asked := r.WithContext(context.WithValue(r.Context(), forwardKey{}, f))
		asked.Body = body
		next.ServeHTTP(held, asked)
		if f.begin() {
			return
		}
		for name, values := range held.header { // of what browsers want to know
			if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
				w.Header()[name] = values
			}
		}
		p.hand(w, r, body.read.Bytes(), f.to, next)
	})
}

// A recording keeps what is read of a request's body: a server reads all of it before it asks a
// project, and no more than it allows.
type recording struct {
	io.ReadCloser
	read bytes.Buffer
}

func (r *recording) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read.Write(p[:n])
	return n, err
}

// hand has the first of some gateways answer that does, or else this one.
func (p *Peers) hand(w http.ResponseWriter, r *http.Request, body []byte, to []*peer, next http.Handler) {
	way := &way{Peers: p, body: body, to: to, retry: strings.HasPrefix(r.URL.Path, "/handles/")}
	proxy := httputil.ReverseProxy{
		Transport: way, FlushInterval: -1,
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.Header.Set(headerForwarded, p.id)
			for name := range out.Out.Header { // the page that asks has been let in here
				if name == "Origin" || strings.HasPrefix(name, "Sec-Fetch-") {
					out.Out.Header.Del(name)
				}
			}
		},
		ModifyResponse: func(a *http.Response) error {
			a.Header.Del(headerGateway)
			p.meters.forwards.WithLabelValues(forwarded).Inc()
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, in *http.Request, _ error) {
			if r.Context().Err() != nil {
				panic(http.ErrAbortHandler)
			}
			p.meters.forwards.WithLabelValues(nobodyThere).Inc()
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		},
	}
	proxy.ServeHTTP(w, r)
}

// A way sends a request to the first of some gateways that answers.
type way struct {
	*Peers
	body  []byte
	to    []*peer
	retry bool // one that does not find it is passed over, too
}

var errNobody = errors.New("no gateway answers")

// RoundTrip implements http.RoundTripper.
func (v *way) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, one := range v.to {
		ctx, cancel := context.WithCancel(r.Context())
		w := &waiting{cancel}
		one.waits.Store(w, nil)
		out := r.Clone(ctx)
		out.URL.Scheme, out.URL.Host, out.Host = one.url.Scheme, one.url.Host, one.url.Host
		out.Body, out.ContentLength = http.NoBody, 0
		if len(v.body) > 0 {
			out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(v.body)), int64(len(v.body))
		}
		answer, err := v.client.Transport.RoundTrip(out)
		one.waits.Delete(w) // what has begun is not asked again
		switch {
		case r.Context().Err() != nil:
			if err == nil {
				answer.Body.Close()
			}
			cancel()
			return nil, r.Context().Err()
		case err != nil:
			cancel()
			v.lost(one, err)
			v.meters.forwards.WithLabelValues(passedOver).Inc()
		case answer.Header.Get(headerUnread) != "":
			answer.Body.Close()
			cancel()
			v.lost(one, errUnread)
			v.meters.forwards.WithLabelValues(passedOver).Inc()
		case v.retry && answer.StatusCode == http.StatusNotFound:
			answer.Body.Close()
			cancel()
		default:
			answer.Body = &ending{answer.Body, cancel}
			return answer, nil
		}
	}
	return nil, errNobody
}

// An ending is the body of an answer, at the end of which something is done.
type ending struct {
	io.ReadCloser
	done func()
}

func (e *ending) Close() error {
	defer e.done()
	return e.ReadCloser.Close()
}

// holding holds an answer back until it is known that it is given here.
type holding struct {
	http.ResponseWriter
	header  http.Header
	forward *forward
	missing func() []*peer // who may have what is not found here; nil: nobody
	wrote   bool
	dropped bool
}

func (h *holding) Header() http.Header { return h.header }

func (h *holding) WriteHeader(status int) {
	if h.wrote {
		return
	}
	h.wrote = true
	if h.missing != nil && status == http.StatusNotFound {
		h.forward.mu.Lock()
		h.forward.to = h.missing()
		h.forward.mu.Unlock()
	}
	if h.dropped = !h.forward.begin(); h.dropped {
		return
	}
	to := h.ResponseWriter.Header()
	clear(to)
	maps.Copy(to, h.header)
	h.ResponseWriter.WriteHeader(status)
}

func (h *holding) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if h.dropped {
		return len(b), nil
	}
	return h.ResponseWriter.Write(b)
}

// FlushError is for http.ResponseController.
func (h *holding) FlushError() error {
	h.WriteHeader(http.StatusOK)
	if h.dropped {
		return nil
	}
	return http.NewResponseController(h.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (h *holding) Unwrap() http.ResponseWriter { return h.ResponseWriter }

package envelope

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/quarry-search/quarry/api"
	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/invocation"
	"github.com/quarry-search/quarry/cmd/quarry/question"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
	"github.com/quarry-search/quarry/cmd/quarry/version"
	"github.com/quarry-search/quarry/index"
)

// alone has this process answer a request as a server would, from the index that is kept of the
// root. There are no handles: they end with the process.
func (c *caller) alone(request func(registry.Registration) (client.RawRequest, error)) error {
	err := question.UseKept(c.cmd, c.settings, c.root, func(x *index.Index) error {
		req, err := request(registry.Registration{Root: x.Root()})
		if err != nil {
			return c.fail("invalid_path", err)
		}
		log := slog.New(slog.DiscardHandler)
		envelope := c.settings.Envelope(log)
		defer envelope.Log.Close()
		envelope.NoHandles = true
		s, err := api.New(api.Options{Index: x, Envelope: envelope, Logger: log, Version: version.Release, Osgrep: c.settings.Osgrep()})
		if err != nil {
			return err
		}
		resp, err := c.sendBy(inside{s.Handler()}, "http://localhost", "", req)
		if err != nil {
			return err
		}
		return c.show(resp)
	})
	if exit := (*invocation.ExitError)(nil); err == nil || errors.As(err, &exit) {
		return err
	}
	return c.fail("unavailable", err)
}

// inside is the way to a server in the same process.
type inside struct{ http.Handler }

// RoundTrip implements http.RoundTripper. It returns when the answer is complete.
func (h inside) RoundTrip(r *http.Request) (*http.Response, error) {
	a := &answer{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(a, r)
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: r.Proto, ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

// An answer is what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

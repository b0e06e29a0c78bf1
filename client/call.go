package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxResponse is far more than any answer of the server, in bytes.
	maxResponse = 64 << 20
	// maxProblem is what is read of an answer that is no success, in bytes.
	maxProblem = 64 << 10
	// firstPause is before the first repetition; each later one is twice as long,
	// up to maxPause. Half of a pause is left to chance, so that many clients do
	// not come back at once.
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// A call is a request in the making.
type call struct {
	method string
	path   string // of the endpoint, escaped
	query  url.Values
	send   any           // the body; nil: none
	header http.Header   // besides those that every request has
	once   bool          // answering it twice is not the same as once
	more   time.Duration // beyond Options.Timeout
	also   int           // a status that has an answer, besides those of success
	raw    bool          // every status is an answer
}

// post is a call that may be repeated, as all queries may.
func post(path string, send any) call { return call{method: http.MethodPost, path: path, send: send} }

// get is the same for a question without a body.
func get(path string, query url.Values) call {
	return call{method: http.MethodGet, path: path, query: query}
}

func (k call) name() string { return "client: " + k.method + " " + k.path }

// ask sends a call and decodes the answer.
func ask[A any](ctx context.Context, c *Client, k call) (*A, error) {
	answer := new(A)
	if err := c.into(ctx, k, answer); err != nil {
		return nil, err
	}
	return answer, nil
}

// query asks an endpoint of the project, the agent and the session that the request names,
// or else the options.
func query[A any](ctx context.Context, c *Client, path string, request any, scope *Scope) (*A, error) {
	*scope = c.within(*scope)
	return ask[A](ctx, c, post(path, request))
}

// into sends a call and decodes the answer into each of answers.
func (c *Client) into(ctx context.Context, k call, answers ...any) error {
	limit := c.opt.Timeout + k.more
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s: %w", limit, context.DeadlineExceeded))
	defer cancel()
	resp, err := c.do(ctx, k)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", k.name(), context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("%s: the answer broke off: %w", k.name(), err)
	case len(text) > maxResponse:
		return fmt.Errorf("%s: the answer is longer than %d bytes", k.name(), maxResponse)
	case resp.StatusCode == http.StatusNoContent:
		return nil
	}
	for _, answer := range answers {
		if err := json.Unmarshal(text, answer); err != nil {
			return fmt.Errorf("%s: the answer is not one of Quarry: %w", k.name(), err)
		}
	}
	return nil
}

// do sends a call, again where it may be, and returns a response whose body has
// the answer. The caller closes it.
func (c *Client) do(ctx context.Context, k call) (*http.Response, error) {
	var body []byte
	if k.send != nil {
		var err error
		if body, err = json.Marshal(k.send); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name(), err)
		}
	}
	for attempt := 0; ; attempt++ {
		resp, err := c.try(ctx, k, body)
		if err == nil {
			return resp, nil
		}
		wait, again := repeatable(err, k.once)
		if !again || attempt >= c.opt.Retries || !sleep(ctx, max(wait, pause(attempt))) {
			return nil, err
		}
	}
}

// try sends a call once.
func (c *Client) try(ctx context.Context, k call, body []byte) (*http.Response, error) {
	target := c.base + k.path
	if len(k.query) > 0 {
		target += "?" + k.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, k.method, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.name(), err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "quarry-client-go")
	for name, values := range k.header {
		req.Header[name] = values
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opt.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opt.Token)
	}
	if !k.once {
		// Without a value it is not sent. It tells net/http that the request may go
		// over a second connection when the kept one turns out to be closed.
		req.Header["Idempotency-Key"] = nil
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", k.name(), context.Cause(ctx))
		}
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // it names the method and the address once more
		}
		return nil, fmt.Errorf("%s: %w", k.name(), err)
	}
	if k.raw || resp.StatusCode/100 == 2 || resp.StatusCode == k.also {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if err != nil {
		text = nil // the status says enough
	}
	return nil, problem(resp, text)
}

// repeatable tells whether a request that failed so may be sent again, and how
// long to wait at least.
func repeatable(err error, once bool) (wait time.Duration, again bool) {
	if e := (*Error)(nil); errors.As(err, &e) {
		put := e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
		return e.RetryAfter, put && e.RetryAfter > 0
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) {
		if op.Op == "dial" {
			unknown := (*net.DNSError)(nil)
			return 0, !errors.As(err, &unknown) // it was not sent
		}
		return 0, !once
	}
	return 0, !once && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF))
}

// pause is what lies before the repetition that follows an attempt, from 0.
func pause(attempt int) time.Duration {
	d := min(firstPause<<min(attempt, 16), maxPause)
	return d/2 + rand.N(d/2)
}

// sleep waits, and reports whether it is worth while to go on: it does not wait
// at all where the context ends before the time is over.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

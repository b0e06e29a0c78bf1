package client

import (
	"context"
	"net/http"
)

// Ask sends a question to an endpoint and decodes the answer into each of answers: types of
// the caller's own, with other fields than those of this package, or a json.RawMessage for
// the answer as it is. With a nil request it is a GET, and path has the fields of the URL.
func (c *Client) Ask(ctx context.Context, path string, request any, answers ...any) error {
	k := post(path, request)
	if request == nil {
		k = get(path, nil)
	}
	return c.into(ctx, k, answers...)
}

// A RawRequest is one whose answer is wanted as it comes, such as the text of an envelope.
type RawRequest struct {
	Method string      // GET or POST
	Path   string      // of the endpoint, escaped, with the fields of the URL
	Body   any         // is sent as JSON; nil: none
	Header http.Header // in addition to those that every request has
}

// Raw sends a request and returns the response, whatever its status. The caller closes its
// body, and bounds the time with ctx: Options.Timeout is not for it.
func (c *Client) Raw(ctx context.Context, req RawRequest) (*http.Response, error) {
	return c.do(ctx, call{method: req.Method, path: req.Path, send: req.Body, header: req.Header, raw: true})
}

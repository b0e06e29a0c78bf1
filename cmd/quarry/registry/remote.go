package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
)

const (
	// ProbeTimeout bounds a question that a living server answers in
	// milliseconds.
	ProbeTimeout = 700 * time.Millisecond
	// SearchTimeout is a little more than what the server allows a search.
	SearchTimeout = 35 * time.Second
	// StatusTimeout is more than the commit in progress takes for which a server may wait
	// before it says how it is.
	StatusTimeout = 10 * time.Second
	// MaxResponse is far more than any response of the server, in bytes.
	MaxResponse = 64 << 20
)

// A Remote is a running server, as a command asks it: once, over a connection that is not
// kept, and with errors that are sentences for people.
type Remote struct {
	URL     string
	Pin     certificate.Pin // by which one that speaks TLS is known
	Token   string          // "": none is shown
	project string          // that /ready is about; "": all
}

// Client returns what asks the server; an answer may take as long as limit.
func (r Remote) Client(limit time.Duration) (*client.Client, error) {
	t := r.Pin.Transport()
	t.DisableKeepAlives = true
	c, err := client.New(r.URL, client.Options{Token: r.Token, Project: r.project, Timeout: limit, Retries: -1, HTTPClient: &http.Client{Transport: t}})
	if err != nil {
		return nil, fmt.Errorf("%s is not the address of a server", r.URL)
	}
	return c, nil
}

// Ask has an endpoint answer within a limit, and decodes the answer into each of answers;
// with a nil request it is a GET.
func (r Remote) Ask(ctx context.Context, limit time.Duration, path string, request any, answers ...any) error {
	c, err := r.Client(limit)
	if err != nil {
		return err
	}
	return r.sentence(path, limit, c.Ask(ctx, path, request, answers...))
}

// sentence says for people why a server has not answered.
func (r Remote) sentence(path string, limit time.Duration, err error) error {
	var refused *client.Error
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	base := strings.TrimRight(r.URL, "/")
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && r.Token == "":
		return errors.New(base + " asks for a token: name its file with --token-file")
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		return errors.New(base + " has another token than the one in the token file")
	case errors.As(err, &refused) && refused.Code == "":
		return errors.New(base + path + strings.TrimPrefix(refused.Message, "the server"))
	case errors.As(err, &refused):
		return errors.New(refused.Message)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s", base, limit)
	case errors.As(err, &syntax), errors.As(err, &other):
		return fmt.Errorf("%s%s is not from a Quarry server", base, path)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s broke off its answer: %w", base, DialReason(err))
	}
	return fmt.Errorf("%s cannot be reached: %w", base, DialReason(err))
}

// Health asks whether the server lives, and what it is.
func (r Remote) Health(ctx context.Context) (*client.Health, error) {
	c, err := r.Client(ProbeTimeout)
	if err != nil {
		return nil, err
	}
	h, err := c.Health(ctx)
	if err != nil {
		return nil, r.sentence("/health", ProbeTimeout, err)
	}
	if h.Status != "ok" || h.Root == "" && h.Instance == "" {
		return nil, fmt.Errorf("%s is not a Quarry server", r.URL)
	}
	return h, nil
}

// Ready reports whether the first build has ended: of the project or, of a server that
// tells only a client with its token about one, of all.
func (r Remote) Ready(ctx context.Context) (bool, error) {
	c, err := r.Client(ProbeTimeout)
	if err != nil {
		return false, err
	}
	state, err := c.Ready(ctx)
	if refused := (*client.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && r.project != "" {
		r.project = ""
		return r.Ready(ctx)
	}
	if err != nil {
		return false, r.sentence("/ready", ProbeTimeout, err)
	}
	return state.Ready, nil
}

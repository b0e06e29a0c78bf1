package command

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
)

const (
	// probeTimeout bounds a question that a living server answers in
	// milliseconds.
	probeTimeout = 700 * time.Millisecond
	// searchTimeout is a little more than what the server allows a search.
	searchTimeout = 35 * time.Second
	// maxResponse is far more than any response of the server, in bytes.
	maxResponse = 64 << 20
)

// A remote is a running server, as a command asks it: once, over a connection that is not
// kept, and with errors that are sentences for people.
type remote struct {
	base    string
	pin     pin    // by which one that speaks TLS is known
	token   string // "": none is shown
	project string // that /ready is about; "": all
}

// client returns what asks the server; an answer may take as long as limit.
func (r remote) client(limit time.Duration) (*client.Client, error) {
	t := r.pin.transport()
	t.DisableKeepAlives = true
	c, err := client.New(r.base, client.Options{Token: r.token, Project: r.project, Timeout: limit, Retries: -1, HTTPClient: &http.Client{Transport: t}})
	if err != nil {
		return nil, fmt.Errorf("%s is not the address of a server", r.base)
	}
	return c, nil
}

// ask has an endpoint answer within a limit, and decodes the answer into each of answers;
// with a nil request it is a GET.
func (r remote) ask(ctx context.Context, limit time.Duration, path string, request any, answers ...any) error {
	c, err := r.client(limit)
	if err != nil {
		return err
	}
	return r.sentence(path, limit, c.Ask(ctx, path, request, answers...))
}

// sentence says for people why a server has not answered.
func (r remote) sentence(path string, limit time.Duration, err error) error {
	var refused *client.Error
	var syntax *json.SyntaxError
	var other *json.UnmarshalTypeError
	base := strings.TrimRight(r.base, "/")
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && r.token == "":
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
		return fmt.Errorf("%s broke off its answer: %w", base, dialReason(err))
	}
	return fmt.Errorf("%s cannot be reached: %w", base, dialReason(err))
}

// dialReason is the innermost error, which says it all: "connection refused".
func dialReason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// health asks whether the server lives, and what it is.
func (r remote) health(ctx context.Context) (*client.Health, error) {
	c, err := r.client(probeTimeout)
	if err != nil {
		return nil, err
	}
	h, err := c.Health(ctx)
	if err != nil {
		return nil, r.sentence("/health", probeTimeout, err)
	}
	if h.Status != "ok" || h.Root == "" && h.Instance == "" {
		return nil, fmt.Errorf("%s is not a Quarry server", r.base)
	}
	return h, nil
}

// ready reports whether the first build has ended: of the project or, of a server that
// tells only a client with its token about one, of all.
func (r remote) ready(ctx context.Context) (bool, error) {
	c, err := r.client(probeTimeout)
	if err != nil {
		return false, err
	}
	state, err := c.Ready(ctx)
	if refused := (*client.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && r.project != "" {
		r.project = ""
		return r.ready(ctx)
	}
	if err != nil {
		return false, r.sentence("/ready", probeTimeout, err)
	}
	return state.Ready, nil
}

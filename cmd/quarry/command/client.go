package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/quarry-search/quarry/index"
)

const (
	// probeTimeout bounds a question that a living server answers in
	// milliseconds.
	probeTimeout = 700 * time.Millisecond
	// searchTimeout is a little more than what the server allows a search.
	searchTimeout = 35 * time.Second
	// maxResponse is far more than any response of the server.
	maxResponse = 64 << 20
)

// A client asks one running server. It keeps no connection open.
type client struct {
	base    string
	token   string // "": none is shown
	project string // that requests are about; "": the server's first
	http    *http.Client
}

// newClient returns a client of a server; one that speaks TLS is known by the pin.
func newClient(base string, known pin) client {
	t := known.transport()
	t.DisableKeepAlives = true
	return client{base: strings.TrimRight(base, "/"), http: &http.Client{Transport: t}}
}

// with returns a client that shows the token.
func (c client) with(token string) client {
	c.token = token
	return c
}

// of returns a client whose requests are about a project, by its name or root.
func (c client) of(project string) client {
	c.project = project
	return c
}

// about puts the project into the fields of a request.
func (c client) about(path string, body []byte) (string, []byte) {
	switch {
	case c.project == "":
	case body == nil:
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		path += sep + "project=" + url.QueryEscape(c.project)
	default:
		fields, err := json.Marshal(map[string]string{"project": c.project})
		if rest := bytes.TrimPrefix(body, []byte("{")); err == nil && len(rest) < len(body) {
			if rest[0] != '}' {
				fields[len(fields)-1] = ','
			} else {
				fields = fields[:len(fields)-1]
			}
			body = append(fields, rest...)
		}
	}
	return path, body
}

// A statusError is an answer of the server that is not a success.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return e.message }

// do sends a request and returns the body of a successful answer. A body to
// send is encoded as JSON; with nil, the request is a GET.
func (c client) do(ctx context.Context, timeout time.Duration, path string, send any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	method, body := http.MethodGet, []byte(nil)
	if send != nil {
		var err error
		if body, err = json.Marshal(send); err != nil {
			return nil, err
		}
		method = http.MethodPost
	}
	path, body = c.about(path, body)
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s is not the address of a server", c.base)
	}
	if send != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%s did not answer within %s", c.base, timeout)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be reached: %w", c.base, dialReason(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("%s broke off its answer: %w", c.base, err)
	}
	if resp.StatusCode == http.StatusUnauthorized {
		if c.token == "" {
			return text, &statusError{resp.StatusCode, c.base + " asks for a token: name its file with --token-file"}
		}
		return text, &statusError{resp.StatusCode, c.base + " has another token than the one in the token file"}
	}
	if resp.StatusCode != http.StatusOK {
		var problem struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(text, &problem) != nil || problem.Message == "" {
			problem.Message = c.base + path + " answered " + resp.Status
		}
		return text, &statusError{resp.StatusCode, problem.Message}
	}
	return text, nil
}

// get asks for a JSON object.
func (c client) get(ctx context.Context, path string, into any) error {
	text, err := c.do(ctx, probeTimeout, path, nil)
	if err != nil {
		return err
	}
	return c.decode(path, text, into)
}

func (c client) decode(path string, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s%s is not from a Quarry server", c.base, path)
	}
	return nil
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

// health is what GET /health says.
type health struct {
	Status   string `json:"status"`
	Indexing bool   `json:"indexing"`
	Version  string `json:"version"`
	Root     string `json:"root"`

	Roots []string `json:"roots"` // where there are several

	Instance string `json:"instance"` // in place of all others, where no token was shown
}

// serves reports whether a root is one of the server's.
func (h *health) serves(root string) bool { return h.Root == root || slices.Contains(h.Roots, root) }

func (c client) health(ctx context.Context) (health, error) {
	var h health
	if err := c.get(ctx, "/health", &h); err != nil {
		return h, err
	}
	if h.Status != "ok" || h.Root == "" && h.Instance == "" {
		return h, fmt.Errorf("%s is not a Quarry server", c.base)
	}
	return h, nil
}

// ready reports whether the first build has ended: of the client's project or, of a server
// that tells only who has its token about one, of all.
func (c client) ready(ctx context.Context) (bool, error) {
	_, err := c.do(ctx, probeTimeout, "/ready", nil)
	if se := (*statusError)(nil); errors.As(err, &se) {
		switch {
		case se.code == http.StatusServiceUnavailable:
			return false, nil
		case se.code == http.StatusUnauthorized && c.project != "":
			return c.of("").ready(ctx)
		}
	}
	return err == nil, err
}

// A searchRequest is the body of POST /search or, with a File, of POST /related.
type searchRequest struct {
	Query     string     `json:"query,omitempty"`
	File      string     `json:"file,omitempty"`
	Line      int        `json:"line,omitempty"`
	Limit     int        `json:"limit"`
	Path      string     `json:"path,omitempty"`
	Glob      []string   `json:"glob,omitempty"`
	Lang      []string   `json:"lang,omitempty"`
	Kind      []string   `json:"kind,omitempty"`
	Role      string     `json:"role,omitempty"`
	Mode      index.Mode `json:"mode,omitempty"`
	MinScore  float64    `json:"min_score,omitempty"`
	PerFile   int        `json:"per_file,omitempty"`
	MaxTokens int        `json:"max_tokens,omitempty"`
	Explain   bool       `json:"explain,omitempty"`
	Shape     string     `json:"shape,omitempty"` // of the answer
}

// A searchResponse is the part of the answer that is shown.
type searchResponse struct {
	Results []index.Result `json:"results"`
	Index   index.State    `json:"index"`
	Meta    struct {
		Matches   int         `json:"matches"`
		Truncated bool        `json:"truncated"`
		Cuts      []index.Cut `json:"truncated_by"`
	} `json:"meta"`
}

// post sends a question and reads the answer into each of several values.
func (c client) post(ctx context.Context, path string, send any, into ...any) error {
	text, err := c.do(ctx, searchTimeout, path, send)
	if err != nil {
		return err
	}
	for _, v := range into {
		if err := c.decode(path, text, v); err != nil {
			return err
		}
	}
	return nil
}

func (c client) search(ctx context.Context, q searchRequest) (searchResponse, error) {
	var r searchResponse
	endpoint := "/search"
	if q.File != "" {
		endpoint = "/related"
	} else {
		q.Shape = "quarry" // the server may stand in for osgrep's
	}
	text, err := c.do(ctx, searchTimeout, endpoint, q)
	if err != nil {
		return r, err
	}
	return r, c.decode(endpoint, text, &r)
}

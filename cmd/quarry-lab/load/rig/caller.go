package rig

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// A Caller sends requests over connections that stay open.
type Caller struct {
	base string
	HTTP *http.Client
}

// NewCaller returns one for a server, with at most so many connections.
func NewCaller(base string, connections int) Caller {
	return Caller{strings.TrimRight(base, "/"), &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections},
	}}
}

// Call returns the response's body, and an error for anything but a success.
func (c Caller) Call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", path, resp.Status, text[:min(len(text), 200)])
	}
	return text, err
}

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/quarry-search/quarry/client"
	"github.com/quarry-search/quarry/cmd/quarry/certificate"
	"github.com/quarry-search/quarry/cmd/quarry/registry"
)

// A proxy asks the server of a root, which it finds, or starts, when it is asked
// something: at the first question, and again when that server has ended. It is safe for
// concurrent use.
type proxy struct {
	servers registry.Registry
	root    string
	serve   []string // arguments that start a server
	noStart bool
	token   string // "": none is shown
	session string // "": nobody is remembered
	http    *http.Client

	turn  chan struct{}          // held by the goroutine that looks for the server
	found *registry.Registration // by the holder of turn; nil: to be looked for
}

func newProxy(servers registry.Registry, root string, serve []string) *proxy {
	return &proxy{
		servers: servers, root: root, serve: serve, turn: make(chan struct{}, 1),
		// No proxy: the server is on this machine.
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}},
	}
}

// close closes the connections that nobody uses.
func (p *proxy) close() { p.http.CloseIdleConnections() }

// Ask has the server answer, as mcp.Asker says. What it asks only reads, so that a
// question that a server did not survive is asked once more.
func (p *proxy) Ask(ctx context.Context, endpoint string, fields map[string]any) (status int, body []byte, err error) {
	for again := false; ; again = true {
		reg, err := p.server(ctx)
		if err != nil {
			return 0, nil, err
		}
		status, body, err := p.ask(ctx, reg, endpoint, fields)
		if err == nil && !p.elsewhere(status, body) {
			return status, body, nil
		}
		if ctx.Err() != nil {
			return 0, nil, ctx.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) { // it lives, and is slow
			return 0, nil, err
		}
		p.forget(ctx, reg)
		if again {
			if err == nil {
				err = fmt.Errorf("%s is not the server of %s", reg.URL, reg.Root)
			}
			return 0, nil, err
		}
	}
}

// envelopeHead is the line above the header of an answer to grep, cat and find.
var envelopeHead = []byte("# TE_BEGIN_META\n")

// elsewhere reports whether an answer is not from the server of the root: its port may
// have gone to another one.
func (p *proxy) elsewhere(status int, body []byte) bool {
	if status == http.StatusOK {
		return false
	}
	if rest, ok := bytes.CutPrefix(body, envelopeHead); ok { // of what was asked for raw
		body, _, _ = bytes.Cut(rest, []byte("\n"))
	}
	var problem struct{ Error string }
	return json.Unmarshal(body, &problem) != nil || problem.Error == "" || problem.Error == "wrong_project"
}

// server returns the server of the root, and starts one if there is none.
func (p *proxy) server(ctx context.Context) (registry.Registration, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return registry.Registration{}, ctx.Err()
	}
	defer func() { <-p.turn }()
	if p.found != nil {
		return *p.found, nil
	}
	reg, ok := p.servers.Containing(ctx, p.root)
	if !ok {
		if p.noStart {
			return reg, fmt.Errorf("no server of %s runs: quarry serve %s starts one", p.root, p.root)
		}
		var err error
		if reg, _, err = p.servers.Start(ctx, p.root, p.serve); err != nil {
			return reg, err
		}
	}
	p.found = &reg
	return reg, nil
}

// forget has the server looked for again, unless somebody has found another one.
func (p *proxy) forget(ctx context.Context, reg registry.Registration) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-p.turn }()
	if p.found != nil && p.found.URL == reg.URL && p.found.PID == reg.PID {
		p.found = nil
	}
}

// ask asks one server.
func (p *proxy) ask(ctx context.Context, reg registry.Registration, endpoint string, fields map[string]any) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, registry.SearchTimeout)
	defer cancel()
	with := map[string]any{"project": reg.Root}
	if p.session != "" {
		with["session_id"] = p.session
	}
	maps.Copy(with, fields)
	req := client.RawRequest{Method: http.MethodPost, Path: endpoint, Body: with}
	if endpoint == "/status" { // takes no body
		req = client.RawRequest{Method: http.MethodGet, Path: reg.About(endpoint)}
	}
	via := p.http
	if reg.Pin != (certificate.Pin{}) {
		t := reg.Pin.Transport()
		t.DisableKeepAlives = true
		via = &http.Client{Transport: t}
	}
	c, err := client.New(reg.URL, client.Options{Token: p.token, Retries: -1, HTTPClient: via})
	if err != nil {
		return 0, nil, err
	}
	resp, err := c.Raw(ctx, req)
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, nil, fmt.Errorf("%s did not answer within %s: %w", reg.URL, registry.SearchTimeout, context.DeadlineExceeded)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("%s cannot be reached: %w", reg.URL, registry.DialReason(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, registry.MaxResponse))
	if err != nil {
		return 0, nil, fmt.Errorf("%s broke off its answer: %w", reg.URL, err)
	}
	return resp.StatusCode, text, nil
}

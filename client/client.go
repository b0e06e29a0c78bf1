// Package client asks a running Quarry server, over HTTP.
//
//	c, err := client.New("http://localhost:3456", client.Options{})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	found, err := c.Search(ctx, client.SearchRequest{Query: "where are tokens validated", Limit: 5})
//
// There is a method for each endpoint; what its request and its answer mean is
// written in openapi.yaml, with which a test compares the types of package wire,
// which this one has, too. Fields of an answer that a newer server has are ignored.
// Besides wire the package imports the standard library alone: neither the index nor
// its grammars.
//
// An answer that is no success is an *Error, with the server's code. Other errors
// are of the connection, or of the context, which errors.Is finds in them.
//
// Requests are repeated where that can do no harm: see Options.Retries.
package client

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// defaultTimeout is a little more than what the server allows a request.
	defaultTimeout = 35 * time.Second
	defaultRetries = 3
	// maxIdle is how many connections are kept for the next requests, and idleTime
	// how long: less than the two minutes after which the server closes them.
	maxIdle  = 5
	idleTime = 90 * time.Second
	// dialTimeout is for a connection to be made.
	dialTimeout = 10 * time.Second
)

// Options says how a Client asks. The zero value is usable.
type Options struct {
	// Token is shown with every request; empty: none.
	Token string

	// HTTPClient sends the requests, and stays the caller's: Close leaves it alone,
	// and its Timeout, if any, cuts streams of events, too. nil: one that keeps at
	// most 5 idle connections and uses no proxy.
	HTTPClient *http.Client

	// Timeout bounds a call with all its repetitions; 0: 35 s. Verify, which may
	// take as long as a build, has 10 minutes more, and Events has none.
	Timeout time.Duration

	// Retries is how often a request is sent again at most, with a growing pause in
	// between; 0: 3 times, negative: never. Repeated are requests that could not be
	// sent, since nobody listened; those that the server has put off with 429 or 503
	// and Retry-After, after that time; and, of those that may be answered twice
	// without harm, the ones whose connection broke before the answer began. That is
	// all but Reindex and RemoveProject. Nothing is repeated when the context would
	// end during the pause.
	Retries int

	// Project, AgentID and SessionID are those of requests that name none.
	Project   string
	AgentID   string
	SessionID string
}

// A Client asks one server. It is safe for concurrent use.
type Client struct {
	base string // without a slash at the end
	http *http.Client
	opt  Options
	own  *http.Transport // nil where HTTPClient was given
}

// New returns a client of the server at baseURL, such as http://localhost:3456.
// It does not ask it anything yet. An address that is not one of HTTP is an error.
func New(baseURL string, opt Options) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("client: %q is not an address such as http://localhost:3456", baseURL)
	}
	if opt.Timeout < 0 {
		return nil, errors.New("client: negative timeout")
	}
	opt.Timeout = cmp.Or(opt.Timeout, defaultTimeout)
	opt.Retries = max(cmp.Or(opt.Retries, defaultRetries), 0)
	c := &Client{base: strings.TrimRight(baseURL, "/"), http: opt.HTTPClient, opt: opt}
	if c.http == nil {
		c.own = &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
			MaxIdleConns:        maxIdle,
			MaxIdleConnsPerHost: maxIdle,
			IdleConnTimeout:     idleTime,
		}
		c.http = &http.Client{Transport: c.own}
	}
	return c, nil
}

// Close closes the idle connections. Requests that run are not disturbed, and the
// client can be used again.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// within returns the scope with what the options say where it says nothing.
func (c *Client) within(s Scope) Scope {
	s.Project = cmp.Or(s.Project, c.opt.Project)
	s.AgentID = cmp.Or(s.AgentID, c.opt.AgentID)
	s.SessionID = cmp.Or(s.SessionID, c.opt.SessionID)
	return s
}

package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// An osgrepClient does what the relay's client does: health is tried once with
// 5 s, searches have 30 s, of an error only the status is read, and at most five
// connections are kept.
type osgrepClient struct {
	base string
	http *http.Client
}

// What the relay reads of a result.
type osgrepResult struct {
	File    *string  `json:"file"`
	Line    *int     `json:"line"`
	Content *string  `json:"content"`
	Score   *float64 `json:"score"`
	Role    string   `json:"role"`
	// The session's start prints it.
	Signature *string `json:"signature"`
}

func newOsgrepClient(t testing.TB, base string) *osgrepClient {
	tr := &http.Transport{MaxConnsPerHost: 5, MaxIdleConnsPerHost: 5}
	t.Cleanup(tr.CloseIdleConnections)
	return &osgrepClient{base, &http.Client{Transport: checkedTransport{newChecker(t), tr}}}
}

func (c *osgrepClient) health() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", c.base+"/health", nil)
	if err != nil {
		return false
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode/100 == 2
}

func (c *osgrepClient) search(query string, limit int, path string) ([]osgrepResult, error) {
	body := map[string]any{"query": query, "limit": limit}
	if path != "" {
		body["path"] = path
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", c.base+"/search", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("osgrep search failed: %s", resp.Status)
	}
	var data struct {
		Results *[]osgrepResult `json:"results"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&data); err != nil {
		return nil, err
	}
	return *data.Results, nil // unguarded, as there
}

func (c *osgrepClient) format(results []osgrepResult) string {
	var b strings.Builder
	for i, r := range results {
		content := []rune(strings.TrimSpace(*r.Content))
		fmt.Fprintf(&b, "%d. %s:%d (%.0f%%)\n   %s\n", i+1, *r.File, *r.Line, *r.Score*100, string(content[:min(100, len(content))]))
	}
	return b.String()
}

func TestOsgrepClient(t *testing.T) {
	x := newFake(t)
	_, url := serve(t, newServer(t, x, Options{}))
	c := newOsgrepClient(t, url)
	if !c.health() {
		t.Fatal("not available")
	}
	results, err := c.search("authentication middleware", 10, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.format(results), "1. src/auth/jwt.ts:1 (83%)\n   export function validateToken() {}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if *results[0].Signature != "validateToken()" {
		t.Errorf("signature %q", *results[0].Signature)
	}
	x.search = func(context.Context, search.Query) (search.Answer, error) {
		return search.Answer{State: x.State()}, nil
	} // nil results
	if results, err := c.search("nothing", 5, "src/auth/"); err != nil || results == nil || len(results) != 0 {
		t.Errorf("%v, %v", results, err)
	}
	if q := x.lastQuery(); q.Limit != 5 || q.Path != "src/auth" {
		t.Errorf("asked %+v", q)
	}
	if _, err := c.search("", 5, ""); err == nil || err.Error() != "osgrep search failed: 400 Bad Request" {
		t.Errorf("error %v", err)
	}
}

// Several agents share one server, each with five connections, while the index
// changes.
func TestConcurrentClients(t *testing.T) {
	x := newFake(t)
	_, url := serve(t, newServer(t, x, Options{Limits: Limits{Slots: 2, Queue: 100}}))
	var wg sync.WaitGroup
	for range 4 {
		c := newOsgrepClient(t, url)
		for range 10 {
			wg.Go(func() {
				for i := range 10 {
					results, err := c.search("token", 10, "src")
					if err != nil || len(results) != 1 {
						t.Errorf("%d results, %v", len(results), err)
					}
					if !c.health() {
						t.Error("not healthy")
					}
					if i%5 == 0 {
						x.setState(func(s *answer.State) { s.Generation++ })
						for _, e := range []string{"/metrics", "/status", "/ready"} {
							resp, err := c.http.Get(url + e)
							if err != nil {
								t.Error(err)
								continue
							}
							resp.Body.Close()
						}
					}
				}
			})
		}
	}
	wg.Wait()
}

package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
)

// More lines than are answered are counted.
func TestRelayManyLines(t *testing.T) {
	x := newFake(t)
	h, c := newServer(t, x, Options{}).Handler(), newChecker(t)
	var lines []string
	for i := range maxServiceLines + 8 {
		lines = append(lines, fmt.Sprintf("->relay:code search q%d", i), "words")
	}
	r := c.do(h, request(http.MethodPost, "/relay?format=json", strings.Join(lines, "\n")))
	var got wire.RelayResponse
	if r.decode(t, &got); len(got.Answers) != maxServiceLines || got.Understood != maxServiceLines+8 || got.Lines != 2*(maxServiceLines+8) || len(x.queries) != maxServiceLines {
		t.Errorf("%d answers, %d of %d, %d queries", len(got.Answers), got.Understood, got.Lines, len(x.queries))
	}
	for i, a := range got.Answers {
		if a.Line != fmt.Sprintf("->relay:code search q%d", i) || !a.OK {
			t.Errorf("%d: %+v", i, a)
		}
	}
	r = c.do(h, request(http.MethodPost, "/relay", strings.Join(lines, "\n")))
	if want := "[40 of 80 lines were requests, and the first 32 of them are answered]"; !strings.HasSuffix(string(r.body), want) {
		t.Errorf("%s", r.body[max(0, len(r.body)-200):])
	}
	if kind := r.header.Get("Content-Type"); kind != "text/plain; charset=utf-8" {
		t.Error(kind)
	}
	// A relay that reads the text finds no request in it.
	for line := range strings.Lines(string(r.body)) {
		if strings.HasPrefix(line, "->relay:") {
			t.Errorf("%q", line)
		}
	}
	if r := c.do(h, request(http.MethodPost, "/relay", strings.Repeat("->relay:code search a\n", 60_000))); r.status != 413 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(h, request(http.MethodPost, "/relay", "->relay:code search \xff\xfe")); r.status != 200 || !strings.HasPrefix(string(r.body), "## Search Results") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// A text has a tag of its own.
func TestTextTag(t *testing.T) {
	h, c := newServer(t, newFake(t), Options{}).Handler(), newChecker(t)
	asJSON, asText := c.get(h, "/search?query=a"), c.get(h, "/search?query=a&format=text")
	tag := asText.header.Get("ETag")
	if tag == "" || tag == asJSON.header.Get("ETag") {
		t.Errorf("tags %s and %s", asJSON.header.Get("ETag"), tag)
	}
	if vary := asJSON.header.Get("Vary"); vary != "Accept" {
		t.Errorf("varies by %q", vary)
	}
	for target, want := range map[string]int{"/search?query=a&format=text": 304, "/search?query=a": 200, "/search?query=b&format=text": 304} {
		req := request(http.MethodGet, target, "")
		req.Header.Set("If-None-Match", tag)
		if r := c.do(h, req); r.status != want || want == 304 && len(r.body) > 0 {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	head := c.do(h, request(http.MethodHead, "/search?query=a&format=text", ""))
	if head.header.Get("Content-Length") != fmt.Sprint(len(asText.body)) || head.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%v", head.header)
	}
}

// A server in osgrep's mode answers programs of osgrep, and its own as ever.
func TestOsgrepMode(t *testing.T) {
	s := newServer(t, newFake(t), Options{Osgrep: true})
	h, c := s.Handler(), newChecker(t)
	for body, osgrep := range map[string]bool{
		`{"query":"a","limit":10}`:           true,
		`{"query":"a","path":""}`:            true,
		`{"query":"a","rerank":true}`:        true,
		`{"query":"a","shape":"quarry"}`:     false,
		`{"queries":["a"]}`:                  false,
		`{"query":"a","format":"text"}`:      false,
		`{"query":"a","projects":"*"}`:       true,
		`{"query":"zzz","path":"src/plain"}`: false,
	} {
		r := c.post(h, "/search", body)
		if got := strings.Contains(string(r.body), `"generated_metadata"`); got != osgrep {
			t.Errorf("%s: %s", body, r.body)
		}
	}
	var health struct{ Status string }
	if c.get(h, "/health").decode(t, &health); health.Status != "ok" {
		t.Error(health.Status)
	}
	if _, body, err := askFrom(t.Context(), s.Socket(), "/search", map[string]any{"query": "a"}); err != nil || strings.Contains(string(body), "generated_metadata") {
		t.Errorf("from inside: %s, %v", body, err)
	}
	if r := c.post(h, "/rpc", `{"method":"semantic","params":{"query":"a"}}`); !strings.Contains(string(r.body), `"result":[{"file":`) {
		t.Errorf("%s", r.body)
	}
}

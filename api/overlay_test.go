package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/answer"
)

// TestOverlayIsPrivate asks with an overlay between two requests without: these are the
// same to the last byte, and of the same generation and tag, which the other one's is not.
func TestOverlayIsPrivate(t *testing.T) {
	x, _ := openReal(t)
	if _, err := x.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	event, err := x.Changes(t.Context(), answer.Event{})
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, fields := range map[string]string{
		"/search": `"query":"Allow"`, "/context": `"target":"Allow"`, "/calls": `"target":"Allow"`, "/impact": `"target":"Allow"`, "/references": `"target":"Allow"`,
		"/cfg": `"target":"Allow"`, "/dfg": `"target":"Allow"`, "/diagnostics": `"path":"src/authz"`, "/slice": `"target":"src/authz/rules.go:4"`, "/flows": `"source":"func:Allow","sink":"word:return"`, "/dead": `"confidence":"possible"`, "/definition": `"path":"src/authz/rules.go","line":4,"column":6`, "/graph": `"target":"Allow"`, "/map": `"depth":9`,
		"/trace": `"symbol":"Allow"`, "/extract": `"symbol":"Allow"`, "/skeleton": `"path":"src/authz"`, "/structure": `"path":"src/authz"`,
		"/startup": `"task":"allow a token"`,
	} {
		// Each has an overlay of its own, so that each is the first to ask about one.
		over := `"overlay":[{"path":"src/authz/rules.go","content":"package authz\n\n// Allow says no to ` + endpoint + `.\nfunc Allow(token string) bool { return deny() }\n\nfunc deny() bool { return false }\n"}]`
		before := c.do(h, request(http.MethodPost, endpoint, "{"+fields+"}"))
		with := c.do(h, request(http.MethodPost, endpoint, "{"+fields+","+over+"}"))
		again := c.do(h, request(http.MethodPost, endpoint, "{"+fields+","+over+"}"))
		after := c.do(h, request(http.MethodPost, endpoint, "{"+fields+"}"))
		if before.status != 200 || with.status != 200 || string(before.body) != string(after.body) || before.header.Get("ETag") != after.header.Get("ETag") {
			t.Errorf("%s: %d, %d; before and after:\n%s\n%s", endpoint, before.status, with.status, before.body, after.body)
		}
		if string(with.body) == string(before.body) || with.header.Get("ETag") == before.header.Get("ETag") || !strings.Contains(string(with.body), `"overlay":{"files":1`) {
			t.Errorf("%s makes no difference: %s", endpoint, with.body)
		}
		if string(with.body) != string(again.body) || with.header.Get("ETag") != again.header.Get("ETag") {
			t.Errorf("%s: the same once more:\n%s\n%s", endpoint, with.body, again.body)
		}
		if got, want := with.header.Get("X-Index-Generation"), before.header.Get("X-Index-Generation"); got != want {
			t.Errorf("%s: generation %s, want %s", endpoint, got, want)
		}
	}
	if now, err := x.Changes(t.Context(), answer.Event{}); err != nil || now.ID != event.ID {
		t.Errorf("the event was %s, is %s, %v", event.ID, now.ID, err)
	}
}

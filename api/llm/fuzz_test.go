package llm

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/summary"
)

// A says answers every request with the same.
type says struct {
	status int
	body   string
}

func (s says) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: s.status, Status: http.StatusText(s.status), Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(s.body)), Request: r,
	}, nil
}

// FuzzAnswer has anything answer for a model: it is a text, or an error that has nothing
// of it.
func FuzzAnswer(f *testing.F) {
	f.Add(uint16(200), `{"choices":[{"message":{"role":"assistant","content":"It checks tokens."}}]}`)
	f.Add(uint16(200), `{"choices":[{"message":{"content":" \u0000\ud800"}}]}`)
	f.Add(uint16(200), `{"choices":[]}`)
	f.Add(uint16(429), `{"error":{"message":"SECRETSECRET","code":7}}`)
	f.Add(uint16(500), `{"error":"SECRETSECRET"}`)
	f.Add(uint16(302), `SECRETSECRET`)
	f.Fuzz(func(t *testing.T, status uint16, body string) {
		c, err := New(Options{BaseURL: "http://localhost:1/v1", Model: "m", HTTPClient: &http.Client{Transport: says{100 + int(status)%500, body}}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Summarize(t.Context(), "a text", summary.L1, 50)
		switch {
		case err == nil && (strings.TrimSpace(text) == "" || !utf8.ValidString(text)):
			t.Errorf("%d %q: %q", status, body, text)
		case err != nil && len(body) > 11 && strings.Contains(err.Error(), body):
			t.Errorf("%d %q: %v", status, body, err)
		}
	})
}

package api

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/search"
)

// A sink is a ResponseWriter that keeps nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(b []byte) (int, error) { return len(b), nil }
func (s sink) WriteHeader(int)             {}

// BenchmarkSearch measures what the server adds to a search: the index answers
// at once, with ten results of 1,000 bytes. It must stay below 100 µs.
//
//	go test ./api -run xxx -bench Search
func BenchmarkSearch(b *testing.B) {
	x := newFake(b)
	r := x.results[0]
	r.Content = strings.Repeat("return nil, fmt.Errorf(\"open %s: %w\", name, err)\n", 20)
	x.results = nil
	for range 10 {
		x.results = append(x.results, r)
	}
	h := newServer(b, x, Options{}).Handler()
	body := `{"query":"open file","limit":10}`
	w := sink{http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		req := request("POST", "/search", "")
		req.Body = io.NopCloser(strings.NewReader(body))
		h.ServeHTTP(w, req)
		x.queries = x.queries[:0]
	}
}

// FuzzSearch: no body makes the server fail.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		`{"query":"a"}`, `{"query":"a","limit":"5","path":"src"}`, `{"query":"a","min_score":1e-400,"per_file":1e400}`, `{"query":"\ud800"}`,
		`{"query":"a","path":"\u0000"}`, `[[[`, `{"query":"a"}{`, ``, `null`, `{"project":"/","query":"a"}`, `{"query":"a","path":"////"}`,
	} {
		f.Add(seed)
	}
	x := newFake(f)
	h := newServer(f, x, Options{}).Handler()
	f.Fuzz(func(t *testing.T, body string) {
		x.search = func(_ context.Context, q search.Query) (search.Answer, error) {
			if q.Text == "" || q.Limit < 1 || q.Limit > 100 || q.PerFile < 0 || q.PerFile > 10 || !(q.MinScore >= 0 && q.MinScore <= 1) {
				t.Errorf("the index was asked %+v", q)
			}
			return search.Answer{State: x.State()}, nil
		}
		if r := newChecker(t).post(h, "/search", body); r.status >= 500 {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

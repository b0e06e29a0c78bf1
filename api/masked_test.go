package api

import (
	"bytes"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/search"
)

// TestMasksAreCounted has the answer say how many masks it has, each of several for
// itself, and no answer without any be other than it was.
func TestMasksAreCounted(t *testing.T) {
	x := newFake(t)
	clean := x.results[0]
	masked := clean
	masked.Content = "key = \"" + index.MaskMark + "xx\"\nold = \"meta\":{\"v\":\"" + index.MaskMark + "\""
	c, h := newChecker(t), newServer(t, x, Options{}).Handler()
	for _, tc := range []struct {
		results []search.Result
		want    int
	}{{[]search.Result{clean}, 0}, {[]search.Result{masked}, 2}, {[]search.Result{masked, clean, masked}, 4}} {
		x.results = tc.results
		var body wire.SearchResponse
		r := c.post(h, "/search", `{"query":"a"}`)
		r.decode(t, &body)
		if body.Meta.Masked != tc.want || bytes.Contains(r.body, []byte(`"masked"`)) != (tc.want > 0) {
			t.Errorf("%d masked, not %d: %s", body.Meta.Masked, tc.want, r.body)
		}
		if len(body.Results) != len(tc.results) || body.Results[0].Content != tc.results[0].Content || body.Meta.Command != "search" {
			t.Errorf("something else has changed: %s", r.body)
		}
	}
	x.search = nil
	var batch wire.BatchResponse
	c.post(h, "/search", `{"queries":["a","b"]}`).decode(t, &batch)
	if len(batch.Answers) != 2 || batch.Answers[0].Meta.Masked != 4 || batch.Answers[1].Meta.Masked != 4 {
		t.Errorf("%+v", batch)
	}
	if r := c.post(h, "/search?format=text", `{"query":"a","format":"text"}`); !strings.Contains(string(r.body), index.MaskMark) {
		t.Errorf("the text does not show it: %s", r.body)
	}
}

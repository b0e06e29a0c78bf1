package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// several returns two projects, shop and depot. Depot has better and worse results
// than shop.
func several(t *testing.T) (*fakes, *fake, *fake) {
	shop, depot := newFake(t), newFake(t)
	if err := os.Rename(depot.root, depot.root+"-2"); err != nil {
		t.Fatal(err)
	}
	depot.root += "-2"
	depot.state.Root, depot.state.Generation = depot.root, 3
	depot.state.State, depot.state.Freshness, depot.state.Pending = answer.Stale, answer.Dated, 2
	r := depot.results[0]
	better, worse := r, r
	better.Score, better.Line, better.EndLine = 0.9, 2, 2
	worse.Score, worse.Line, worse.EndLine = 0.2, 3, 3
	depot.results = []search.Result{better, r, worse}
	return &fakes{list: []Project{{Name: "shop", Index: shop}, {Name: "depot", Index: depot}}}, shop, depot
}

func TestProjectSelects(t *testing.T) {
	ps, shop, depot := several(t)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	for _, tc := range []struct {
		selector string
		root     string
	}{
		{"", shop.root}, {"shop", shop.root}, {"depot", depot.root}, {depot.root, depot.root}, {depot.root + "/", depot.root},
	} {
		var got wire.SearchResponse
		c.post(h, "/search", fmt.Sprintf(`{"query":"a","project":%q}`, tc.selector)).decode(t, &got)
		if got.Index.Root != tc.root || got.Projects != nil || got.Results[0].Project != "" {
			t.Errorf("project %q: %+v", tc.selector, got)
		}
		var status wire.Status
		c.get(h, "/status?project="+url.QueryEscape(tc.selector)).decode(t, &status)
		if status.Root != tc.root || len(status.Projects) != 2 || status.Projects[1].Name != "depot" {
			t.Errorf("status of %q: %+v", tc.selector, status)
		}
	}
	r := c.post(h, "/search", `{"query":"a","project":"stall"}`)
	if r.status != 409 || !strings.Contains(string(r.body), `\"depot\" (`+depot.root+`)`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	for _, target := range []string{"/calls", "/structure", "/status", "/ready"} {
		if r := c.get(h, target+"?project=stall"); r.status != 409 {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
	}
	var health wire.Health
	c.get(h, "/health").decode(t, &health)
	if health.Root != shop.root || !cmp.Equal(health.Roots, []string{shop.root, depot.root}) {
		t.Errorf("%+v", health)
	}
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
}

func TestSearchProjects(t *testing.T) {
	ps, shop, depot := several(t)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	for _, fields := range []string{`"projects":"*"`, `"projects":["shop","depot"]`, fmt.Sprintf(`"projects":["shop",%q,"shop"]`, depot.root)} {
		var got wire.SearchResponse
		c.post(h, "/search", `{"query":"a","limit":3,`+fields+`}`).decode(t, &got)
		var order []string
		for _, r := range got.Results {
			order = append(order, fmt.Sprintf("%s:%d %v", r.Project, r.Line, r.Score))
		}
		if diff := cmp.Diff([]string{"depot:2 0.9", "shop:1 0.83", "depot:1 0.83"}, order); diff != "" {
			t.Errorf("%s: %s", fields, diff)
		}
		// The least current index speaks for all.
		if got.Index.State != answer.Stale || got.Index.Root != depot.root || len(got.Projects) != 2 || got.Projects[0].Index.Root != shop.root {
			t.Errorf("%s: %+v %+v", fields, got.Index, got.Projects)
		}
		if got.Meta.Matches != 4 || !got.Meta.Truncated || !cmp.Equal(got.Meta.TruncatedBy, []string{"limit"}) {
			t.Errorf("%s: %+v", fields, got.Meta)
		}
	}
	var got wire.SearchResponse
	c.get(h, "/search?q=a&projects=shop&projects=depot&path=src&max_tokens=40").decode(t, &got)
	if len(got.Results) != 2 || got.Meta.Tokens > 40 || !cmp.Equal(got.Meta.TruncatedBy, []string{"max_tokens"}) {
		t.Errorf("%+v", got)
	}
	var batch wire.BatchResponse
	c.post(h, "/search", `{"queries":["a","b"],"projects":["depot"]}`).decode(t, &batch)
	if len(batch.Answers) != 2 || batch.Answers[1].Results[0].Project != "depot" || len(batch.Projects) != 1 {
		t.Errorf("%+v", batch)
	}

	// A path that one of them lacks is no error; one that all lack is.
	if err := os.MkdirAll(filepath.Join(depot.root, "stock"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.post(h, "/search", `{"query":"a","projects":"*","path":"stock"}`).decode(t, &got)
	if len(got.Results) != 0 || !got.Meta.Unindexed {
		t.Errorf("%+v", got)
	}
	c.post(h, "/search", fmt.Sprintf(`{"query":"a","projects":"*","path":%q}`, depot.root+"/src")).decode(t, &got)
	if len(got.Results) != 3 || got.Results[2].Project != "depot" {
		t.Errorf("%+v", got)
	}
	for body, want := range map[string]int{
		`{"query":"a","projects":"*","path":"nowhere"}`:                    404,
		`{"query":"a","projects":"*","path":"../x"}`:                       400,
		`{"query":"a","projects":["shop","stall"]}`:                        409,
		`{"query":"a","projects":[]}`:                                      400,
		`{"query":"a","projects":[""]}`:                                    400,
		`{"query":"a","projects":["shop"],"project":"depot"}`:              400,
		`{"query":"a","projects":7}`:                                       400,
		`{"query":"a","projects":[` + strings.Repeat(`"a",`, 32) + `"a"]}`: 400,
	} {
		if r := c.post(h, "/search", body); r.status != want {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
}

func TestNoMemory(t *testing.T) {
	ps, _, _ := several(t)
	ps.full = "depot"
	s := newServer(t, nil, Options{Projects: ps})
	c := newChecker(t)
	for _, body := range []string{`{"query":"a","project":"depot"}`, `{"query":"a","projects":"*"}`} {
		r := c.post(s.Handler(), "/search", body)
		if r.status != 503 || r.header.Get("Retry-After") != "5" || !strings.Contains(string(r.body), `"no_memory"`) {
			t.Errorf("%d %v %s", r.status, r.header, r.body)
		}
	}
	if r := c.post(s.Handler(), "/search", `{"query":"a"}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if ps.held != 0 {
		t.Errorf("%d projects were not released", ps.held)
	}
}

func TestAddAndRemove(t *testing.T) {
	ps, shop, _ := several(t)
	ps.allowed = filepath.Dir(shop.root)
	c, h := newChecker(t), newServer(t, nil, Options{Projects: ps}).Handler()
	fresh := filepath.Join(ps.allowed, "kiosk")
	if err := os.Mkdir(fresh, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		body string
		want int
	}{
		{fmt.Sprintf(`{"root":%q}`, fresh), 201},
		{fmt.Sprintf(`{"root":%q}`, fresh), 200},
		{`{"root":"/etc"}`, 403},
		{fmt.Sprintf(`{"root":%q}`, fresh+"-none"), 400},
		{`{"root":"kiosk"}`, 400},
		{`{}`, 400},
		{`{"root":7}`, 400},
		{fmt.Sprintf(`{"root":%q,"name":"a/b"}`, fresh), 400},
		{`{"root":"/a\u0000b"}`, 400},
	} {
		if r := c.post(h, "/projects", tc.body); r.status != tc.want {
			t.Errorf("%s: %d %s", tc.body, r.status, r.body)
		}
	}
	var list wire.ProjectList
	c.get(h, "/projects").decode(t, &list)
	if len(list.Projects) != 3 || list.Projects[2].Name != "kiosk" || list.Projects[2].Root != fresh {
		t.Errorf("%+v", list)
	}
	if r := c.get(h, "/ready"); r.status != 503 {
		t.Errorf("ready, with a project that is being indexed: %d", r.status)
	}
	if r := c.get(h, "/ready?project=shop"); r.status != 200 {
		t.Errorf("shop is ready: %d", r.status)
	}
	for _, tc := range []struct {
		name string
		want int
	}{
		{"kiosk", 204}, {"kiosk", 409}, {url.PathEscape(shop.root), 204},
	} {
		if r := c.do(h, request(http.MethodDelete, "/projects/"+tc.name, "")); r.status != tc.want {
			t.Errorf("%s: %d %s", tc.name, r.status, r.body)
		}
	}
	if r := c.do(h, request(http.MethodPut, "/projects/depot", "")); r.status != 405 || r.header.Get("Allow") != "DELETE" {
		t.Errorf("%d %v", r.status, r.header)
	}

	// A server of one index has it for good.
	h = newServer(t, shop, Options{}).Handler()
	if r := c.post(h, "/projects", fmt.Sprintf(`{"root":%q}`, fresh)); r.status != 403 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := c.do(h, request(http.MethodDelete, "/projects/shop", "")); r.status != 403 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestMetricsOfProjects(t *testing.T) {
	ps, _, _ := several(t)
	h := newServer(t, nil, Options{Projects: ps}).Handler()
	text := string(newChecker(t).get(h, "/metrics").body)
	for _, line := range []string{"quarry_index_chunks 4", "quarry_index_vectors_ratio 1", "quarry_files_parsed_total 2", "quarry_chunks_embedded_total 4", "quarry_projects 2", "quarry_projects_loaded 2"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %q in the metrics", line)
		}
	}
	if strings.Contains(text, "depot") {
		t.Error("a project's name is in the metrics")
	}
	if _, err := json.Marshal(goMemory()); err != nil {
		t.Error(err)
	}
}

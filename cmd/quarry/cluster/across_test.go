package cluster_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// acrossAll is what is asked about all repositories together.
var acrossAll = []asked{
	{path: "/search", body: `{"query": "where is an error handled", "limit": 30}`},
	{path: "/search", body: `{"query": "parse the configuration", "mode": "lexical", "limit": 30}`},
	{path: "/search", body: `{"query": "total price", "mode": "semantic", "limit": 30}`},
	{path: "/search", body: `{"query": "retry", "mode": "symbol"}`},
	{path: "/search", body: `{"query": "func|def|class", "mode": "regex", "limit": 40}`},
	{path: "/search", body: `{"query": "read a file", "max_tokens": 300, "explain": "short"}`},
	{path: "/search", body: `{"queries": ["open a file", "the sum of a list"], "limit": 7, "per_file": 1}`},
	{path: "/search", body: `{"query": "read a file", "limit": 30, "format": "text"}`},
	{path: "/grep", body: `{"pattern": "func"}`},
	{path: "/grep", body: `{"pattern": "return", "limit": 30}`},
	{path: "/search", body: `{"query": "price", "lang": "python", "role": "definition"}`},
}

// server starts a server of some folders, and returns when all of them are indexed.
func (c *cluster) server(roots ...string) *process { return c.serverWithin(20*time.Second, roots...) }

func (c *cluster) serverWithin(indexed time.Duration, roots ...string) *process {
	c.Helper()
	one := c.serve(append([]string{"serve", "--yes", "--bind", "127.0.0.1", "--port", "0", "--snapshots", ""}, roots...)...)
	c.within(indexed, "one server is ready", func() bool {
		a := c.ask(one.url, "", "/search", `{"query": "x", "projects": "*"}`)
		return a.status == http.StatusOK && !strings.Contains(a.answer, `"state":"indexing"`)
	})
	return one
}

// compareAcross asks gateways about all repositories, and a server that has a clone of each. It returns how many
// answers were compared.
func (c *cluster) compareAcross(names []string, gateways ...*process) (n int) {
	c.Helper()
	names = slices.Sorted(slices.Values(names)) // as a gateway has them
	var roots []string
	for _, name := range names {
		roots = append(roots, filepath.Join(c.dir, "clones", name))
	}
	one := c.server(roots...)
	for _, g := range gateways { // what one does not have in memory yet is on its way
		c.eventually("all repositories are asked", func() bool {
			return !strings.Contains(c.ask(g.url, "", "/search", `{"query": "x"}`).answer, `"unasked"`)
		})
	}
	for _, q := range acrossAll {
		want := c.same(c.ask(one.url, "", q.path, strings.Replace(q.body, "{", `{"projects": "*", `, 1)), c.dir, "project")
		if !strings.HasPrefix(want, "200 ") {
			c.Errorf("%s %s: one server says %s", q.path, q.body, want)
		}
		for i, g := range gateways {
			body := q.body
			if i%2 == 1 { // as good as none
				body = strings.Replace(body, "{", `{"projects": ["example.com/*"], `, 1)
			}
			got := c.ask(g.url, "", q.path, body)
			got.answer = strings.ReplaceAll(got.answer, "example.com/", "")
			if diff := gocmp.Diff(want, c.same(got, c.dir, "project")); diff != "" {
				c.Errorf("%s %s (-one server +gateway):\n%s", q.path, body, diff)
			}
			n++
		}
	}
	return n
}

// get reads what a server has at an address.
func (c *cluster) get(url string) (status int, text string) {
	c.Helper()
	r, err := http.Get(url)
	if err != nil {
		c.Fatal(err)
	}
	return r.StatusCode, c.read(r)
}

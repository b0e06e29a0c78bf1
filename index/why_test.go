package index

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/search"
)

// TestWhy asks why the first result is there.
func TestWhy(t *testing.T) {
	x := build(t, unpack(t, "testdata/search.txtar"))
	for _, c := range []struct {
		mode search.Mode
		text string
		want string // file, words, symbol, and whether vectors were compared
	}{
		{search.Hybrid, "how is the retrying of a request done with exponential backoffs", "net/retry.py [retrying exponential backoffs] with_backoff compared"},
		{search.Lexical, "open the token store", "store/store.go [open token store] OpenStore"},
		{search.Semantic, "database connection pool", "db/pool.rb [database connection pool] Pool compared"},
		{search.Hybrid, "validateToken", "web/auth.ts [validate token] validateToken compared"},
		{search.Hybrid, "validateTokn", "web/auth.ts [validate] validateToken compared"},
		{search.Hybrid, "what is the", "app/settings.py [what is the]  compared"},
		{search.Symbol, "OpenStroe", "store/store.go [open] OpenStore"},
		{search.Symbol, "opnstore", "store/store.go [] OpenStore"},
		{search.Regex, "func OpenStore", "store/store.go unasked"},
	} {
		q := search.Query{Mode: c.mode, Text: c.text, Why: true, Limit: 1}
		got := "nothing"
		for _, r := range searchFor(t, x, q) {
			got = r.File + " unasked"
			if r.Why != nil {
				got = fmt.Sprint(r.File, " ", r.Why.Words, " ", r.Why.Symbol)
			}
			if r.Why != nil && r.Why.Meaning != nil {
				if got += " compared"; *r.Why.Meaning < -1 || *r.Why.Meaning > 1 {
					t.Errorf("%s: a cosine of %v", c.text, *r.Why.Meaning)
				}
			}
		}
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.mode, c.text, got, c.want)
		}
		q.Why = false
		for _, r := range searchFor(t, x, q) {
			if r.Why != nil {
				t.Errorf("%s %q says why, and nobody asked", c.mode, c.text)
			}
		}
	}
}

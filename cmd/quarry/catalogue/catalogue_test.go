package catalogue_test

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/quarry-search/quarry/cmd/quarry/catalogue"
	"github.com/quarry-search/quarry/cmd/quarry/catalogue/cataloguetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseAddress(t *testing.T) {
	any := catalogue.Possible()
	for _, c := range []struct{ address, want string }{
		{"https://Example.com/team/shop.git", "example.com/team/shop"},
		{"https://user@example.com:8443/team/shop/", "example.com/team/shop"},
		{"git@example.com:team/shop.git", "example.com/team/shop"},
		{"ssh://git@example.com:2222/team/shop", "example.com/team/shop"},
		{"file:///srv/git/shop.git", "srv/git/shop"},
		{"/srv/git/shop", "srv/git/shop"},
		{"https://user:secret@example.com/team/shop", "!a password"},
		{"ext::sh -c touch% /tmp/x", "!not the address"},
		{"ext::sh", "!helper program"},
		{"https::https://example.com/a", "!helper program"},
		{"ftp://example.com/a", "!reached by ftp"},
		{"-uploadpack=touch", "!not the address"},
		{"--upload-pack=x@y:z", "!not the address"},
		{"", "!not the address"},
		{"https://example.com/", "!not the address"},
		{"shop", "!not the address"},
		{"https://example.com/a\nb", "!not the address"},
	} {
		got, err := catalogue.ParseAddress(c.address, any)
		if bad, ok := strings.CutPrefix(c.want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %q, %v, want an error with %q", c.address, got, err, bad)
			}
		} else if got != c.want || err != nil {
			t.Errorf("%q: %q, %v, want %q", c.address, got, err, c.want)
		}
	}
	if _, err := catalogue.ParseAddress("/srv/shop", catalogue.Protocols()); err == nil || !strings.Contains(err.Error(), "https, ssh") {
		t.Errorf("a protocol that is not allowed: %v", err)
	}
}

// TestOpenRefused asks what is said of a database that cannot be used.
func TestOpenRefused(t *testing.T) {
	for url, want := range map[string]string{
		"http://user:secret@host/name":                      "the address of the database is none",
		"postgres://user:secret@127.0.0.1:1/name":           "cannot be reached",
		"postgres://user:secret@/name?host=/does/not/exist": "cannot be reached",
	} {
		c, err := catalogue.Open(t.Context(), url)
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", url, err, want)
		}
	}
}

// TestCatalogue follows a repository from its first commit to its removal.
func TestCatalogue(t *testing.T) {
	url := cataloguetest.Database(t)
	ctx := t.Context()
	var group sync.WaitGroup
	for range 3 { // each may be the first
		group.Go(func() {
			c, err := catalogue.Open(ctx, url)
			if err != nil {
				t.Error(err)
				return
			}
			c.Close()
		})
	}
	group.Wait()
	c, err := catalogue.Open(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	const shop = "example.com/team/shop"
	state := func(want string, jobs int) catalogue.Repository {
		t.Helper()
		r, err := c.Get(ctx, shop)
		if err != nil || r.State != want {
			t.Errorf("the state is %q, %v, want %q", r.State, err, want)
		}
		var n int
		if err := c.Pool().QueryRow(ctx, `select count(*) from river_job where kind = 'index' and finalized_at is null`).Scan(&n); err != nil || n != jobs {
			t.Errorf("%d jobs, %v, want %d", n, err, jobs)
		}
		return r
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	job := func(state string) { // as a worker's queue does
		t.Helper()
		_, err := c.Pool().Exec(ctx, `update river_job set state = $1::river_job_state, attempt = 1, finalized_at = case when $1 in ('completed', 'discarded') then now() end where kind = 'index' and finalized_at is null`, state)
		ok(err)
	}

	ok(c.Add(ctx, shop, "https://example.com/team/shop", ""))
	ok(c.Add(ctx, shop, "https://example.com/team/shop", "main"))
	if r := state(catalogue.Queued, 1); r.Branch != "main" {
		t.Errorf("the branch is %q", r.Branch)
	}
	r, err := c.Begin(ctx, shop)
	ok(err)
	job("running")
	state(catalogue.Running, 1)
	ok(c.Tried(ctx, shop, "c1"))
	again, err := c.Done(ctx, r, catalogue.Result{Commit: "c1", Branch: "main", Snapshot: "s1", Bytes: 7, Files: 2, Chunks: 3, Words: []catalogue.Word{{Word: math.MaxUint64, Chunks: 3}, {Word: 5, Chunks: 2}}})
	if again || err != nil {
		t.Errorf("nothing was asked for meanwhile: %v, %v", again, err)
	}
	job("completed")
	if r := state(catalogue.Indexed, 0); r.Commit != "c1" || r.Seen != "c1" || r.IndexedAt == nil || r.Bytes != 7 {
		t.Errorf("%+v", r)
	}

	// Words are those of the last snapshot, and of the repositories that are asked about.
	words := func(want int, names ...string) {
		t.Helper()
		got, err := c.Words(ctx, []uint64{math.MaxUint64, 7}, names)
		if len(got) != want || err != nil || want > 0 && got[0] != (catalogue.Word{Repository: shop, Word: math.MaxUint64, Chunks: 3}) {
			t.Errorf("%v of %q, %v, want %d", got, names, err, want)
		}
	}
	words(1, shop, "other")
	words(0, "other")
	ok(c.Used(ctx, map[string]int64{shop: 3, "other": 1}))
	ok(c.Used(ctx, map[string]int64{shop: 2}))
	if r := state(catalogue.Indexed, 0); r.Used != 5 {
		t.Errorf("it was used %d times", r.Used)
	}

	// The same commit is nothing new, another one is; what is asked for meanwhile is done again.
	ok(c.Seen(ctx, shop, "c1"))
	state(catalogue.Indexed, 0)
	ok(c.Seen(ctx, shop, "c2"))
	ok(c.Seen(ctx, shop, "c2"))
	state(catalogue.Queued, 1)
	r, err = c.Begin(ctx, shop)
	ok(err)
	job("running")
	ok(c.Index(ctx, shop))
	state(catalogue.Running, 1)
	if again, err = c.Done(ctx, r, catalogue.Result{Commit: "c2", Branch: "main"}); !again || err != nil {
		t.Errorf("it was asked for meanwhile: %v, %v", again, err)
	}
	words(0, shop)

	// A commit that fails is set aside, until there is another one.
	ok(c.Tried(ctx, shop, "c3"))
	ok(c.Failed(ctx, shop, "no room"))
	job("discarded")
	if r := state(catalogue.SetAside, 0); r.Failure != "no room" || r.FailedAt == nil || r.Commit != "c2" {
		t.Errorf("%+v", r)
	}
	ok(c.Seen(ctx, shop, "c3"))
	state(catalogue.SetAside, 0)
	ok(c.Seen(ctx, shop, "c4"))
	state(catalogue.Queued, 1)
	// One that waits for its next try is tried now where somebody asks for it.
	_, err = c.Pool().Exec(ctx, `update river_job set state = 'retryable', scheduled_at = now() + interval '1 hour' where finalized_at is null`)
	ok(err)
	ok(c.Index(ctx, shop))
	if n, err := c.Left(ctx); n != 1 || err != nil {
		t.Errorf("%d jobs can run, %v, want 1", n, err)
	}
	ok(c.Unreachable(ctx, shop, "no such host"))
	if r := state(catalogue.Queued, 1); r.Unreachable != "no such host" {
		t.Errorf("%+v", r)
	}
	ok(c.Look(ctx))
	ok(c.Look(ctx))
	var looks int
	ok(c.Pool().QueryRow(ctx, `select count(*) from river_job where kind = 'look'`).Scan(&looks))
	if looks != 1 {
		t.Errorf("%d looks, want 1", looks)
	}

	// Nothing is added or noted while it is removed.
	r, err = c.Begin(ctx, shop)
	ok(err)
	ok(c.Remove(ctx, shop))
	state(catalogue.Removing, 1)
	if err := c.Add(ctx, shop, "https://example.com/team/shop", ""); err == nil || !strings.Contains(err.Error(), "being removed") {
		t.Errorf("added while it is removed: %v", err)
	}
	if err := c.Index(ctx, shop); err == nil {
		t.Error("indexed while it is removed")
	}
	if _, err := c.Begin(ctx, shop); !errors.Is(err, catalogue.ErrNone) {
		t.Errorf("begun while it is removed: %v", err)
	}
	if _, err := c.Done(ctx, r, catalogue.Result{Commit: "c5"}); !errors.Is(err, catalogue.ErrNone) {
		t.Errorf("done while it is removed: %v", err)
	}
	ok(c.Gone(ctx, shop))
	if all, err := c.List(ctx); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	for _, err := range []error{c.Index(ctx, shop), c.Remove(ctx, shop)} {
		if !errors.Is(err, catalogue.ErrNone) {
			t.Errorf("%v, want that there is none", err)
		}
	}
}

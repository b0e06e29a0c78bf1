package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/session"
	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// Heavy requests that fill their slots and their line keep no cheap one waiting, and the
// other way round.
func TestClassesApart(t *testing.T) {
	for _, tc := range []struct{ full, free string }{
		{`{"query":"a","mode":"regex"}`, `{"query":"a"}`},
		{`{"query":"a"}`, `{"query":"b","mode":"regex"}`},
		{`{"queries":["a","a","a","a","a"]}`, `{"queries":["b","b","b","b"]}`},
	} {
		x := newFake(t)
		entered, finish := make(chan bool, 10), make(chan bool)
		x.search = func(_ context.Context, q search.Query) (search.Answer, error) {
			if strings.Contains(tc.full, `"a"`) && q.Text == "a" && (q.Mode == search.Regex) == strings.Contains(tc.full, "regex") {
				entered <- true
				<-finish
			}
			return search.Answer{State: x.State()}, nil
		}
		free := strings.ReplaceAll(tc.free, `"a"`, `"c"`)
		c, h := newChecker(t), newServer(t, x, Options{Limits: Limits{Slots: 1, Heavy: 1, Queue: 1}}).Handler()
		statuses := make(chan int, 3)
		for range 3 { // one is at work, one waits, one is refused
			go func() { statuses <- c.post(h, "/search", tc.full).status }()
		}
		<-entered
		if got := <-statuses; got != 429 {
			t.Errorf("%s three times: %d", tc.full, got)
		}
		if r := c.post(h, "/search", free); r.status != 200 {
			t.Errorf("%s alongside %s: %d %s", free, tc.full, r.status, r.body)
		}
		for _, path := range []string{"/health", "/ready", "/status", "/metrics", "/projects"} {
			if r := c.get(h, path); r.status != 200 {
				t.Errorf("%s alongside %s: %d", path, tc.full, r.status)
			}
		}
		close(finish)
		for range 2 {
			if got := <-statuses; got != 200 {
				t.Errorf("%s: %d", tc.full, got)
			}
		}
	}
}

// Which slot a request takes is what docs/limits.md says.
func TestClasses(t *testing.T) {
	x := newFake(t)
	s := newServer(t, x, Options{})
	c, h := newChecker(t), s.Handler()
	large := strings.Repeat("A sentence about rain. ", 128<<10/20)
	for _, tc := range []struct {
		target, body string
		want         slot.Class
	}{
		{"/search", `{"query":"a"}`, slot.Cheap},
		{"/search", `{"query":"a","mode":"symbol"}`, slot.Cheap},
		{"/search", `{"query":"a","mode":"regex"}`, slot.Heavy},
		{"/search", `{"queries":["a","b","c","d"]}`, slot.Cheap},
		{"/search", `{"queries":["a","b","c","d","e"]}`, slot.Heavy},
		{"/search", `{"query":"a","mode":"regex","format":"te"}`, slot.Heavy},
		{"/related", `{"file":"src/auth/jwt.ts","line":1}`, slot.Cheap},
		{"/structure", `{}`, slot.Cheap},
		{"/calls", `{"target":"validateToken"}`, slot.Cheap},
		{"/calls", `{}`, slot.Heavy},
		{"/impact", `{"target":"validateToken"}`, slot.Cheap},
		{"/dead", `{}`, slot.Heavy},
		{"/definition", `{"path":"src/auth/jwt.ts","line":1,"column":1}`, slot.Cheap},
		{"/references", `{"target":"validateToken"}`, slot.Heavy},
		{"/impact", `{"diff":"--- a\n+++ a\n"}`, slot.Heavy},
		{"/startup", `{}`, slot.Heavy},
		{"/grep", `{"pattern":"token"}`, slot.Heavy},
		{"/grep", `{"pattern":"token","raw":true}`, slot.Streamed},
		{"/cat", `{"path":"src/auth/jwt.ts"}`, slot.Cheap},
		{"/find", `{"path":"src"}`, slot.Cheap},
		{"/summarize", `{"content":"A sentence."}`, slot.Cheap},
		{"/summarize", `{"content":"` + large + `"}`, slot.Heavy},
		{"/summarize", `{"path":"src"}`, slot.Heavy},
		{"/search", `{"query":"a","overlay":[{"path":"src/a.ts","content":""}]}`, slot.Heavy},
	} {
		before := queued(c.get(h, "/metrics").body)
		r := c.post(h, tc.target, tc.body)
		after := queued(c.get(h, "/metrics").body)
		for _, one := range slot.Classes() {
			want := before[one]
			if one == tc.want {
				want++
			}
			if after[one] != want {
				t.Errorf("%s %.60s (%d): %v, then %v; want one more of %s", tc.target, tc.body, r.status, before, after, tc.want)
				break
			}
		}
	}
	// Where there are many files, what goes through the graph is heavy.
	x.setState(func(st *answer.State) { st.Files = 2000 + 1 })
	before := queued(c.get(h, "/metrics").body)[slot.Heavy]
	c.post(h, "/impact", `{"target":"validateToken"}`)
	if after := queued(c.get(h, "/metrics").body)[slot.Heavy]; after != before+1 {
		t.Errorf("an impact among many files: %d, then %d", before, after)
	}
}

// queued reads how many requests have had a slot, by class.
func queued(metrics []byte) map[slot.Class]int {
	out := map[slot.Class]int{}
	for _, c := range slot.Classes() {
		for line := range strings.Lines(string(metrics)) {
			if rest, ok := strings.CutPrefix(line, fmt.Sprintf("quarry_queue_seconds_count{class=%q} ", c)); ok {
				n := 0
				_, _ = fmt.Sscan(rest, &n)
				out[c] = n
			}
		}
	}
	return out
}

// Requests of one session wait for one another; how many is bounded.
func TestSessionLine(t *testing.T) {
	x := newFake(t)
	entered, finish := make(chan bool, 200), make(chan bool)
	x.search = func(context.Context, search.Query) (search.Answer, error) {
		entered <- true
		<-finish
		return search.Answer{State: x.State()}, nil
	}
	c, h := newChecker(t), newServer(t, x, Options{Limits: Limits{Slots: 8, Queue: 1000}}).Handler()
	statuses := make(chan int, 200)
	for range session.MaxTurns + 10 {
		go func() { statuses <- c.post(h, "/search", `{"query":"a","session_id":"s"}`).status }()
	}
	<-entered
	refused := 0
	for range 9 {
		if got := <-statuses; got == 429 {
			refused++
		}
	}
	if refused != 9 {
		t.Errorf("%d of %d were refused, want 9", refused, session.MaxTurns+10)
	}
	if r := c.post(h, "/search", `{"query":"a","session_id":"s"}`); r.status != 429 || !strings.Contains(string(r.body), "of the session") {
		t.Errorf("%d %s", r.status, r.body)
	}
	close(finish)
	for range session.MaxTurns + 1 {
		if got := <-statuses; got != 200 {
			t.Errorf("one that waited: %d", got)
		}
	}
}

package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
	large := strings.Repeat("A sentence about rain. ", heavyText/20)
	for _, tc := range []struct {
		target, body string
		want         class
	}{
		{"/search", `{"query":"a"}`, cheap},
		{"/search", `{"query":"a","mode":"symbol"}`, cheap},
		{"/search", `{"query":"a","mode":"regex"}`, heavy},
		{"/search", `{"queries":["a","b","c","d"]}`, cheap},
		{"/search", `{"queries":["a","b","c","d","e"]}`, heavy},
		{"/search", `{"query":"a","mode":"regex","format":"te"}`, heavy},
		{"/related", `{"file":"src/auth/jwt.ts","line":1}`, cheap},
		{"/structure", `{}`, cheap},
		{"/calls", `{"target":"validateToken"}`, cheap},
		{"/calls", `{}`, heavy},
		{"/impact", `{"target":"validateToken"}`, cheap},
		{"/impact", `{"diff":"--- a\n+++ a\n"}`, heavy},
		{"/startup", `{}`, heavy},
		{"/grep", `{"pattern":"token"}`, heavy},
		{"/grep", `{"pattern":"token","raw":true}`, streamed},
		{"/cat", `{"path":"src/auth/jwt.ts"}`, cheap},
		{"/find", `{"path":"src"}`, cheap},
		{"/summarize", `{"content":"A sentence."}`, cheap},
		{"/summarize", `{"content":"` + large + `"}`, heavy},
		{"/summarize", `{"path":"src"}`, heavy},
		{"/search", `{"query":"a","overlay":[{"path":"src/a.ts","content":""}]}`, heavy},
	} {
		before := queued(c.get(h, "/metrics").body)
		r := c.post(h, tc.target, tc.body)
		after := queued(c.get(h, "/metrics").body)
		for _, one := range classes() {
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
	x.setState(func(st *answer.State) { st.Files = heavyFiles + 1 })
	before := queued(c.get(h, "/metrics").body)[heavy]
	c.post(h, "/impact", `{"target":"validateToken"}`)
	if after := queued(c.get(h, "/metrics").body)[heavy]; after != before+1 {
		t.Errorf("an impact among many files: %d, then %d", before, after)
	}
}

// queued reads how many requests have had a slot, by class.
func queued(metrics []byte) map[class]int {
	out := map[class]int{}
	for _, c := range classes() {
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

// Those that wait are served in the order in which they came, and one that has gone holds
// nobody up.
func TestSlotsInOrder(t *testing.T) {
	s := newSlots(heavy, 1, 64)
	if err := s.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 20)
	gone, leave := context.WithCancel(t.Context())
	for i := range 20 {
		ctx := t.Context()
		if i%5 == 2 {
			ctx = gone
		}
		go func() {
			if err := s.acquire(ctx); err != nil {
				order <- -1
				return
			}
			order <- i
			s.release(0)
		}()
		for s.waiting.Load() != int64(i+1) {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(2 * time.Millisecond) // between the count and the line
	}
	leave()
	for range 4 {
		if i := <-order; i != -1 {
			t.Errorf("%d had a slot that was not free", i)
		}
	}
	s.release(0)
	var got []int
	for range 16 {
		got = append(got, <-order)
	}
	if !slices.IsSorted(got) || slices.Contains(got, -1) {
		t.Errorf("the order was %v", got)
	}
}

// A refusal says when it is worth trying again.
func TestRetryAfter(t *testing.T) {
	s := newSlots(cheap, 2, 0)
	for range 100 {
		for range 2 {
			if err := s.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.release(5 * time.Second)
		s.release(5 * time.Second)
	}
	for range 2 {
		if err := s.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var e *crowdedError
	if err := s.acquire(t.Context()); !asCrowded(err, &e) || e.after < 2*time.Second || e.after > 3*time.Second || e.what != "cheap" {
		t.Errorf("%+v", e)
	}
	s.release(time.Hour * 1000)
	s.release(0)
	s.free <- struct{}{}
	s.free <- struct{}{}
	if err := s.acquire(t.Context()); !asCrowded(err, &e) || e.after != maxRetry {
		t.Errorf("%+v", e)
	}
}

func asCrowded(err error, e **crowdedError) (ok bool) {
	*e, ok = err.(*crowdedError)
	return ok
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
	for range maxTurns + 10 {
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
		t.Errorf("%d of %d were refused, want 9", refused, maxTurns+10)
	}
	if r := c.post(h, "/search", `{"query":"a","session_id":"s"}`); r.status != 429 || !strings.Contains(string(r.body), "of the session") {
		t.Errorf("%d %s", r.status, r.body)
	}
	close(finish)
	for range maxTurns + 1 {
		if got := <-statuses; got != 200 {
			t.Errorf("one that waited: %d", got)
		}
	}
}
